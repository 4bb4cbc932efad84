"""A combined kernel as the core takes it: operations in postfix order over the columns that they read."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from scipy import sparse

from maxmargin import _core

__all__ = ["Program"]

Columns = tuple[int, ...]


@final
class Program:
    """Operations for the core. Each choice of columns is a block of the rows that it gets: all of them, or a copy of some.

    Parameters
    ----------
    width : int
        Columns of X.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels._program import Program
    >>> program = Program(3)
    >>> program.push_formula("laplacian", 1.0, 0.0, 1, (2,)), program.push_formula("linear", 1.0, 0.0, 1, (0, 2))
    (True, True)
    >>> program.push_operator("add")
    True
    >>> program.rows_of(np.array([[1.0, 2.0, 3.0]]))
    array([[3., 1., 3.]])
    """

    def __init__(self, width: int) -> None:
        self.function = _core.KernelFunction.empty()
        self._width = width
        self._blocks: dict[Columns | None, tuple[int, int]] = {}

    def push_formula(self, kind: str, gamma: float, coef0: float, degree: int, columns: Columns | None) -> bool:
        """Add a kernel of some columns, or of all; False if the program is full."""
        if columns not in self._blocks:
            begin = max((end for _, end in self._blocks.values()), default=0)
            self._blocks[columns] = begin, begin + (self._width if columns is None else len(columns))
        begin, end = self._blocks[columns]
        return self.function.push_formula(_core.KernelKind[kind], gamma, coef0, degree, begin, end)

    def push_operator(self, name: str, factor: float = 1.0, exponent: int = 1) -> bool:
        """Add an operation on the last value or the last two; False if the program is full."""
        return self.function.push_operator(_core.Operator[name], factor, exponent)

    def rows_of(self, X: Any) -> Any:
        """The rows that the program reads: X itself if it reads all columns once."""
        if list(self._blocks) == [None]:
            return X
        parts = [X if columns is None else X[:, list(columns)] for columns in self._blocks]
        if sparse.issparse(X):
            joined = sparse.hstack(parts, format="csr", dtype=X.dtype)
            joined.sort_indices()
            return joined
        return np.ascontiguousarray(np.hstack(parts))
