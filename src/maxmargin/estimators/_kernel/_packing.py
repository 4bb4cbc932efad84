"""Dual coefficients for pickles: without their zeros, and with every repeated value once.

With K classes a support vector has K − 1 coefficients; most are zero, since it supports few of its pairs, and
of the others most are at a bound ± C.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput

__all__ = ["PackedCoefficients", "explicit_csr", "pack", "unpack"]

_HEADERS = 128  # bytes that the packed form itself takes
_FEW = 16  # a value that is there less often is not worth a code
_CODES = 255  # codes of one byte; 0 stands for a value without a code


@final
class PackedCoefficients(NamedTuple):
    """A matrix as bits that say where it is not zero, and the numbers there; bytes need no headers.

    Attributes
    ----------
    shape : tuple of int
        Shape of the matrix.
    container : type or None
        CSR class of the matrix; None if it is dense.
    bits : bytes
        One bit for each entry, row by row.
    common : bytes
        Values that many entries have, as float64.
    codes : bytes
        For each entry that is not zero, its place in ``common``, from 1, or 0 if it is not there; or nothing.
    rare : bytes
        The other entries, as float64.
    """

    shape: tuple[int, int]
    container: type | None
    bits: bytes
    common: bytes
    codes: bytes
    rare: bytes


def pack(matrix: Any) -> Any:
    """Pack, if that pays; whatever is not a matrix of coefficients in our form stays as it is."""
    if sparse.issparse(matrix):
        dense, container = _entries(matrix), type(matrix)
    else:
        dense, container = matrix, None
    if not isinstance(dense, np.ndarray) or dense.dtype != np.float64 or dense.ndim != 2:
        return matrix
    mask = dense != 0.0
    common, codes, rare = _coded(dense[mask])
    parts = (np.packbits(mask).tobytes(), _bytes(common), codes.tobytes(), _bytes(rare))
    if container is None and _HEADERS + sum(map(len, parts)) >= dense.nbytes:
        return matrix
    return PackedCoefficients(dense.shape, container, *parts)


def unpack(packed: Any) -> Any:
    """Restore the matrix; what is not packed stays as it is."""
    if not isinstance(packed, PackedCoefficients):
        return packed
    shape = packed.shape
    try:
        bits = np.frombuffer(packed.bits, dtype=np.uint8)
        mask = np.unpackbits(bits, count=prod(shape)).astype(bool).reshape(shape)
        codes = np.frombuffer(packed.codes, dtype=np.uint8)
        values = rare = np.frombuffer(packed.rare, dtype="<f8")
        if len(codes):
            values = np.concatenate(([0.0], np.frombuffer(packed.common, dtype="<f8")))[codes]
            values[codes == 0] = rare
        dense = np.zeros(shape)
        dense[mask] = values
    except (TypeError, ValueError, IndexError) as error:
        raise InvalidInput(f"The pickled dual coefficients were altered: {error}. Fit it again.") from None
    return dense if packed.container is None else explicit_csr(dense, packed.container)


def explicit_csr(dense: NDArray[np.float64], container: type) -> Any:
    """CSR that stores every entry, zeros too: the form in which scikit-learn has sparse coefficients."""
    height, width = dense.shape
    columns = np.tile(np.arange(width, dtype=np.int32), height)
    starts = width * np.arange(height + 1, dtype=np.int32)
    return container((dense.ravel(), columns, starts), shape=dense.shape)


def _entries(matrix: Any) -> NDArray[Any] | None:
    """Entries of CSR that stores all in order, else None: no edited matrix is followed into C code."""
    if matrix.format != "csr" or matrix.data.size != prod(matrix.shape):
        return None
    dense = matrix.data.reshape(matrix.shape)
    same = explicit_csr(dense, type(matrix))
    if all(
        getattr(same, name).dtype == getattr(matrix, name).dtype and np.array_equal(getattr(same, name), getattr(matrix, name))
        for name in ("indices", "indptr")
    ):
        return np.asarray(dense)
    return None


def _bytes(values: NDArray[np.float64]) -> bytes:
    return values.astype("<f8").tobytes()


def _coded(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.uint8], NDArray[np.float64]]:
    """Common values, a code for each value, and the values without a code."""
    distinct, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    chosen = np.argsort(-counts, kind="stable")[:_CODES]
    chosen = chosen[counts[chosen] >= _FEW]
    if 8 * counts[chosen].sum() <= len(values):  # a code is a byte, a value is eight
        return np.empty(0), np.empty(0, dtype=np.uint8), values
    code_of = np.zeros(len(distinct), dtype=np.uint8)
    code_of[chosen] = np.arange(1, len(chosen) + 1)
    codes = code_of[place]
    return distinct[chosen], codes, values[codes == 0]
