"""The bytes of a file, plain or compressed, from a path or a stream."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from os import PathLike, fspath
from typing import Any, BinaryIO, Final

from maxmargin.errors import InvalidInput

__all__ = ["Source", "first_bytes", "name_of_source", "read_bytes"]

Source = str | PathLike[str] | BinaryIO

_PIECE: Final = 1 << 20
_RATIO: Final = 200  # of text that somebody wrote: rows of numbers are some 3 to 50 times as long as their compressed form
_ALWAYS: Final = 1 << 26
_XZ_MEMORY: Final = 1 << 28  # a header may ask for gigabytes before the first byte is there
_MAKERS: Final[dict[bytes, Callable[[], Any]]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY),
}


def name_of_source(source: Any, what: str) -> str:
    """The name of a source for messages; raises where it is no path and no binary stream."""
    if isinstance(source, str | PathLike) and isinstance(name := fspath(source), str):
        return name
    if hasattr(source, "read"):
        return str(getattr(source, "name", "standard input"))
    raise InvalidInput(
        f"The path of a {what} must be a str or a path, or a binary file. Got {source!r}. Use os.fsdecode for bytes."
    )


def read_bytes(source: Source, what: str, max_bytes: int | None) -> bytes:
    """The bytes, decompressed if the first ones say that gzip, bzip2 or xz wrote them.

    Parameters
    ----------
    source : str, path or binary file
        Where from.
    what : str
        The kind of file, for messages.
    max_bytes : int or None
        Largest number of decompressed bytes; None for 200 times the compressed ones, at least 64 MiB.

    Raises
    ------
    InvalidInput
        The compressed data are damaged or cut off, or would become too many.
    """
    name = name_of_source(source, what)
    if isinstance(source, str | PathLike):
        with open(source, "rb") as file:
            data = file.read()
    else:
        data = source.read()
        if not isinstance(data, bytes):
            raise InvalidInput(f"{name} must be opened as a binary file, by open(path, 'rb'). Got text.")
    maker = next((make for first, make in _MAKERS.items() if data.startswith(first)), None)
    if maker is None:
        return data
    limit = max(_ALWAYS, _RATIO * len(data)) if max_bytes is None else max_bytes
    try:
        return _expanded(data, maker, limit, name)
    except (lzma.LZMAError, zlib.error, OSError, EOFError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(f"The compressed data of {name} are damaged: {error}. Get the file again.") from None


def first_bytes(data: bytes, count: int) -> bytes:
    """The beginning of what the bytes are, decompressed; empty where they are damaged."""
    maker = next((make for first, make in _MAKERS.items() if data.startswith(first)), None)
    if maker is None:
        return data[:count]
    try:
        begun: bytes = maker().decompress(data[:_PIECE], count)
    except (lzma.LZMAError, zlib.error, OSError, EOFError, ValueError):
        return b""
    return begun


def _expanded(data: bytes, make: Callable[[], Any], limit: int, name: str) -> bytes:
    pieces, total, rest = [], 0, data
    while rest:  # one stream after the other
        stream, given = make(), rest
        while not stream.eof:
            piece = stream.decompress(given, _PIECE)
            total += len(piece)
            if total > limit:
                raise InvalidInput(
                    f"{name} has {len(data)} compressed bytes, which become more than {limit}. If they are meant to, raise"
                    " max_bytes."
                )
            pieces.append(piece)
            given = getattr(stream, "unconsumed_tail", b"")  # the others keep what they have not read
            if not piece and not given and not stream.eof:
                raise EOFError("the end is missing")
        rest = stream.unused_data.lstrip(b"\0")
    return b"".join(pieces)
