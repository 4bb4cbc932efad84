"""The file of a model: a zip archive without compression, of a JSON manifest and arrays in numpy's format.

Everything is stored as it is: what a file makes us allocate is no larger than the file.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Sequence
from io import BytesIO
from math import prod
from typing import Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput

__all__ = ["MANIFEST", "read_archive", "write_archive"]

MANIFEST: Final = "manifest.json"
_OLDEST: Final = (1980, 1, 1, 0, 0, 0)  # so that the same model is the same file
_LARGEST_MANIFEST: Final = 1 << 28
_HEADER: Final = re.compile(
    rb"\x93NUMPY\x01\x00(..)(\{'descr': '([<|](?:b1|i[1248]|u[1248]|f[248]|[US][1-9]\d{0,6}))', 'fortran_order': (True|False),"
    rb" 'shape': \(((?:\d{1,18},? ?){0,8})\), \} *)\n",
    re.DOTALL,
)
"""Version 1.0 of numpy's format, with the dtypes that files have."""
_BROKEN: Final = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError, KeyError, OverflowError)
"""What Python's reader of archives raises for bytes that are none."""


def write_archive(file: BinaryIO, manifest: Any, arrays: Sequence[NDArray[Any]]) -> None:
    """Write the manifest and ``arrays/0.npy``, ``arrays/1.npy``, …"""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        text = json.dumps(manifest, indent=1, ensure_ascii=True, allow_nan=False)
        archive.writestr(zipfile.ZipInfo(MANIFEST, _OLDEST), text)
        for place, array in enumerate(arrays):
            buffer = BytesIO()
            plain = array.astype(array.dtype.newbyteorder("<"), copy=False)
            np.lib.format.write_array(buffer, np.ascontiguousarray(plain).reshape(plain.shape), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"arrays/{place}.npy", _OLDEST), buffer.getvalue())


def read_archive(file: BinaryIO, source: str) -> tuple[Any, list[NDArray[Any]]]:
    """The manifest, and the arrays.

    Raises
    ------
    InvalidInput
        The file is no such archive, is cut off or was changed; the message says where.
    """
    size = file.seek(0, 2)
    file.seek(0)
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            _check_entries(entries, size, source)
            names = [entry.filename for entry in entries]
            if names != [MANIFEST, *(f"arrays/{place}.npy" for place in range(len(names) - 1))]:
                raise InvalidInput(f"{source} is no model of maxmargin: it has no {MANIFEST}, or other entries than arrays.")
            manifest = _manifest(archive.read(entries[0]), source)
            return manifest, [_array(archive.read(entry), f"{entry.filename} of {source}") for entry in entries[1:]]
    except InvalidInput:
        raise
    except _BROKEN as error:
        raise InvalidInput(
            f"{source} is damaged, or is no model of maxmargin: {error or type(error).__name__}. A model is written by"
            " maxmargin.io.save."
        ) from None


def _check_entries(entries: Sequence[zipfile.ZipInfo], size: int, source: str) -> None:
    """Nothing is compressed or encrypted, and all entries together are not larger than the file."""
    for entry in entries:
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1 or entry.file_size != entry.compress_size:
            raise InvalidInput(f"{source} is damaged at {entry.filename[:40]!r}: models are stored without compression.")
    total = sum(entry.file_size for entry in entries)
    if total > size:
        raise InvalidInput(f"{source} is damaged: its entries have {total} bytes, the file has {size}.")


def _manifest(data: bytes, source: str) -> Any:
    if len(data) > _LARGEST_MANIFEST:
        raise InvalidInput(f"{source} is damaged: its {MANIFEST} has {len(data)} bytes.")
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{source} is damaged at {MANIFEST}: {error}.") from None


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def _array(data: bytes, where: str) -> NDArray[Any]:
    """An array whose declared size is that of its bytes, which is looked at before anything is made of it.

    The header is read by a pattern: numpy's own reader evaluates it as Python.
    """
    found = _HEADER.match(data)
    if found is None or len(found[2]) != int.from_bytes(found[1], "little") - 1:
        raise InvalidInput(f"{where} is damaged: it does not begin as numpy writes arrays. Save the model again.")
    dtype, shape = np.dtype(found[3].decode("ascii")), tuple(int(size) for size in found[5].split(b",") if size.strip())
    size = len(data) - found.end()
    if prod(shape) * dtype.itemsize != size:
        raise InvalidInput(f"{where} is damaged: its shape {shape} does not fit its {size} bytes. Save the model again.")
    flat: NDArray[Any] = np.frombuffer(data, dtype, count=prod(shape), offset=found.end())
    return flat.reshape(shape, order="F" if found[4] == b"True" else "C").copy()
