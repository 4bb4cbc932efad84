"""Sources of Gram matrices: how kernel values are computed, apart from which kernel it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels._rows import take

__all__ = ["Gram"]

Source = Callable[[NDArray[np.int32] | None], _core.Gram]


@final
class Gram:
    """The Gram matrix of some training rows, computed when asked for and not kept.

    Parameters
    ----------
    source : callable
        Makes the core's source for a subset of the rows, or for all of them (None).
    X : rows
        All rows, of which ``subset`` are used.
    kernel : BoundKernel
        The kernel, for predictions.
    subset : ndarray of int32, optional
        Which rows; None for all.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import RBF
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> gram = RBF(gamma=1.0).bind(X).gram(X)
    >>> gram.block([0], [0, 1]).round(3)
    array([[1.   , 0.368]])
    >>> gram.take([0, 2]).n
    2
    """

    __slots__ = ("_source", "_subset", "_x", "core", "kernel", "n")

    def __init__(self, source: Source, X: Any, kernel: Any, subset: NDArray[np.int32] | None = None) -> None:
        self._source = source
        self._x = X
        self._subset = subset
        self.kernel = kernel
        self.core = source(subset)
        self.n: int = self.core.size

    def diagonal(self) -> NDArray[np.float64]:
        """``k(x_i, x_i)`` of all rows."""
        return self.core.diagonal()

    def matvec(self, beta: NDArray[np.float64]) -> NDArray[np.float64]:
        """``K β`` in float64."""
        return self.core.product(np.ascontiguousarray(beta, dtype=np.float64))

    @staticmethod
    def matvecs(grams: Sequence[Gram], betas: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """``K β`` of several sources, in parallel."""
        return _core.products([gram.core for gram in grams], list(betas))

    def block(self, rows: Any, columns: Any) -> NDArray[np.float64]:
        """``K[rows, columns]`` in float64."""
        return self.core.block(np.ascontiguousarray(rows, dtype=np.int32), np.ascontiguousarray(columns, dtype=np.int32))

    def is_indefinite(self) -> bool:
        """Whether the matrix has a clearly negative eigenvalue; only small ones are looked at, larger ones pass."""
        if self.n > self.kernel.largest_checked:
            return False
        every = np.arange(self.n, dtype=np.int32)
        K = self.block(every, every)
        scale = float(np.abs(np.diagonal(K)).max(initial=0.0))
        K[every, every] += 1e-10 * scale + 1e-300
        try:
            np.linalg.cholesky(K)
        except np.linalg.LinAlgError:
            return True
        return False

    def take(self, indices: Any) -> Gram:
        """Gram of some of the rows; X is shared."""
        chosen = np.ascontiguousarray(indices, dtype=np.int32)
        return Gram(self._source, self._x, self.kernel, chosen if self._subset is None else self._subset[chosen])

    def adjusted(self, signs: NDArray[np.float64], constant: float = 0.0) -> Gram:
        """Gram of ``s_i s_j (K_ij + constant)``; its rows and kernel stay those of K."""

        def source(subset: NDArray[np.int32] | None) -> _core.Gram:
            if subset is None:
                return _core.adjusted_gram(self.core, signs, constant)
            return _core.adjusted_gram(self.take(subset).core, np.ascontiguousarray(signs[subset]), constant)

        return Gram(source, self._x if self._subset is None else take(self._x, self._subset), self.kernel)

    def rows(self, indices: NDArray[Any]) -> Any:
        """What ``kernel.cross`` needs of these rows: the rows themselves, or their numbers for a precomputed kernel."""
        return take(self._x, indices if self._subset is None else self._subset[indices])
