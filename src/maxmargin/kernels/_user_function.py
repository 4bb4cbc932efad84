"""Any Python function as a kernel, of arrays or of arbitrary objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin._lazy import lazy
from maxmargin.errors import KernelError
from maxmargin.kernels._base import BoundKernel, Kernel
from maxmargin.kernels._gram import Gram
from maxmargin.kernels._scale import Moments
from maxmargin.validation import length, take_rows

__all__ = ["FunctionRows", "UserFunction"]

_WHOLE = 256  # up to so many rows the whole matrix is asked for at once
_SQUARE = 16  # rows of a square block when only its diagonal is wanted
_KEPT_BYTES = 1 << 29  # rows of the matrix that are kept, so that no value is asked for twice while they fit
_BLOCK_VALUES = 1 << 21  # values asked for in one call


@final
@dataclass(frozen=True)
class _FunctionKernel(BoundKernel):
    function: Callable[[Any, Any], Any]

    largest_checked = _WHOLE

    def gram(self, X: Any) -> Gram:
        rows = FunctionRows(self.function, X)
        return Gram(rows.source, X, self)

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        return FunctionRows(self.function, X).diagonal

    def cross(self, X: Any, rows: Any) -> NDArray[np.float64]:
        n, m = length(X), length(rows)
        size = max(1, _BLOCK_VALUES // max(1, m))
        if n <= size:
            return _values(self.function, X, rows, n, m)
        chunks = [np.arange(start, min(start + size, n)) for start in range(0, n, size)]
        return np.concatenate([_values(self.function, take_rows(X, chunk), rows, len(chunk), m) for chunk in chunks])


@final
@dataclass
class UserFunction(Kernel):
    """``k(u, v)`` by a function of two blocks of rows.

    Parameters
    ----------
    function : callable
        ``function(A, B)`` returns an array of shape ``(len(A), len(B))``. A and B are rows of X, in the container that X is: an
        array, a CSR matrix, or a list of objects. It is called in blocks, only for rows that the solver needs, and at
        prediction only against the support vectors. An object with ``__call__(A, B)`` may also have ``diag(A)``, which returns
        ``k(x, x)`` of the rows of A; without it these are taken from small blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import UserFunction
    >>> def shared_letters(A, B):
    ...     return np.array([[len(set(a) & set(b)) for b in B] for a in A])
    >>> UserFunction(shared_letters)(["abc", "bcd"])
    array([[3., 2.],
           [2., 3.]])
    """

    function: Callable[[Any, Any], Any]

    @property
    def input_kind(self) -> str:
        """Whatever the function can read."""
        return "objects"

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Nothing to fix."""
        return _FunctionKernel(self.function)


@final
class FunctionRows:
    """Rows of the Gram matrix of a function; the latest ones are kept."""

    def __init__(self, function: Callable[[Any, Any], Any], X: Any) -> None:
        self._function = function
        self._x = X
        self._n = length(X)
        self._kept: dict[int, NDArray[np.float64]] = {}
        self._most = max(64, _KEPT_BYTES // (8 * max(1, self._n)))

    def source(self, subset: NDArray[np.int32] | None) -> _core.Gram:
        if subset is None:
            return _core.opaque_gram(self.block, lambda: self.diagonal, self._n)
        return _core.opaque_gram(
            lambda rows, columns: self.block(subset[rows], subset[columns]), lambda: self.diagonal[subset], len(subset)
        )

    @lazy
    def diagonal(self) -> NDArray[np.float64]:
        """``k(x, x)`` of all rows, from small square blocks: a call costs more than some values too many."""
        diag = getattr(self._function, "diag", None)
        if callable(diag):
            return _diagonal(diag(self._x), self._n)
        if self._n <= _WHOLE:
            every = np.arange(self._n)
            return np.ascontiguousarray(np.diagonal(self.block(every, every)))
        parts = []
        for start in range(0, self._n, _SQUARE):
            rows = take_rows(self._x, np.arange(start, min(start + _SQUARE, self._n)))
            parts.append(np.diagonal(_values(self._function, rows, rows, length(rows), length(rows))))
        return np.concatenate(parts)

    def block(self, rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.float64]:
        wanted = rows.tolist()
        self._fetch(wanted)
        return np.ascontiguousarray(np.stack([self._kept[row] for row in wanted])[:, columns])

    def _fetch(self, wanted: list[int]) -> None:
        missing = [row for row in wanted if row not in self._kept]
        if not missing:
            return
        if self._n <= _WHOLE:
            missing = list(range(self._n))
        elif len(self._kept) + len(missing) > self._most:
            needed = set(wanted)
            for row in [row for row in self._kept if row not in needed][: len(missing)]:
                del self._kept[row]
        size = max(1, _BLOCK_VALUES // self._n)
        for start in range(0, len(missing), size):
            some = missing[start : start + size]
            values = _values(self._function, take_rows(self._x, np.array(some)), self._x, len(some), self._n)
            self._kept.update(zip(some, values, strict=True))


def _diagonal(answer: Any, n: int) -> NDArray[np.float64]:
    """What ``diag`` returns, if it is n finite numbers."""
    try:
        values = np.ascontiguousarray(answer, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise KernelError(f"The kernel's diag must return {n} numbers. Got {type(answer).__name__} instead.") from error
    if values.shape != (n,) or not np.isfinite(values).all():
        what = f"shape {values.shape}" if values.shape != (n,) else "values that are not finite"
        raise KernelError(f"The kernel's diag must return an array of {n} finite numbers for {n} rows. Got {what} instead.")
    return values


def _values(function: Callable[[Any, Any], Any], A: Any, B: Any, n: int, m: int) -> NDArray[np.float64]:
    """What the function returns, if it is a finite matrix of the right shape."""
    answer = function(A, B)
    try:
        if answer is None or np.iscomplexobj(answer):
            raise TypeError
        values = np.ascontiguousarray(answer.toarray() if sparse.issparse(answer) else answer, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise KernelError(
            f"The kernel function must return an array of numbers of shape ({n}, {m}). Got {type(answer).__name__} instead."
        ) from error
    if values.shape != (n, m):
        raise KernelError(
            f"The kernel function must return an array of shape ({n}, {m}) for blocks of {n} and {m} rows. "
            f"Got shape {values.shape} instead."
        )
    if not np.isfinite(values).all():
        i, j = np.argwhere(~np.isfinite(values))[0].tolist()
        raise KernelError(
            f"The kernel function must return finite values. Got {values[i, j]} for row {i} of the first block and row {j} "
            "of the second. Scale the features or mend the function."
        )
    return values
