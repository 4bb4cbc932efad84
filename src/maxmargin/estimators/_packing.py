"""Dual coefficients without their zeros, for pickles.

With K classes a support vector has K − 1 coefficients, and most are zero: it supports few of its pairs.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput

__all__ = ["PackedCoefficients", "explicit_csr", "pack", "unpack"]


class PackedCoefficients(NamedTuple):
    """A matrix as the bits that say where it is not zero, and the numbers there.

    Attributes
    ----------
    shape : tuple of int
        Shape of the matrix.
    container : type or None
        CSR class of the matrix; None if it is dense.
    bits : ndarray of uint8
        One bit for each entry, row by row.
    values : ndarray
        The entries that are not zero.
    """

    shape: tuple[int, int]
    container: type | None
    bits: NDArray[np.uint8]
    values: NDArray[np.float64]


def pack(matrix: Any) -> Any:
    """Leave out the zeros; whatever is not a matrix of coefficients in our form stays as it is."""
    if sparse.issparse(matrix):
        dense, container = _entries(matrix), type(matrix)
    else:
        dense, container = matrix, None
    if not isinstance(dense, np.ndarray) or dense.dtype != np.float64 or dense.ndim != 2:
        return matrix
    mask = dense != 0.0
    return PackedCoefficients(dense.shape, container, np.packbits(mask), dense[mask])


def _entries(matrix: Any) -> NDArray[Any] | None:
    """Entries of CSR that stores all in order, else None: no edited matrix is followed into C code."""
    if matrix.format != "csr" or matrix.data.size != prod(matrix.shape):
        return None
    dense = matrix.data.reshape(matrix.shape)
    same = explicit_csr(dense, type(matrix))
    if np.array_equal(same.indices, matrix.indices) and np.array_equal(same.indptr, matrix.indptr):
        return np.asarray(dense)
    return None


def unpack(packed: PackedCoefficients) -> Any:
    """Put the zeros back."""
    shape, container, bits, values = packed
    try:
        mask = np.unpackbits(bits, count=prod(shape)).astype(bool).reshape(shape)
        dense = np.zeros(shape)
        dense[mask] = values
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"The pickled dual coefficients were altered: {error}. Fit it again.") from None
    return dense if container is None else explicit_csr(dense, container)


def explicit_csr(dense: NDArray[np.float64], container: type) -> Any:
    """CSR that stores every entry, zeros too: the form in which scikit-learn has sparse dual coefficients."""
    height, width = dense.shape
    columns = np.tile(np.arange(width, dtype=np.int32), height)
    starts = (
        np.arange(0, height * width + 1, max(1, width), dtype=np.int32)
        if width
        else np.zeros(height + 1, np.int32)
    )
    return container((dense.ravel(), columns, starts), shape=dense.shape)
