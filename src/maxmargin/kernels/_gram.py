"""Sources of Gram matrices: how kernel values are computed, apart from which kernel it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.kernels._linear_rows import as_features, take, weights_of

__all__ = ["Factor", "FeatureSource", "Gram"]

Source = Callable[[NDArray[np.int32] | None], _core.Gram]

_LITTLE: Final = 1e-10  # of k(x, x): sums of many products are no further off,
_ROUNDING: Final = 1e-8  # and differences of large ones not much more
_LAST_PLACES: Final = 4.0 * float(np.finfo(np.float64).eps)  # of k(x, x), for each row


@final
@dataclass(frozen=True, slots=True)
class FeatureSource:
    """Kernel values of feature vectors by one of the core's formulas: of some rows, of all (None), or of many parts at once."""

    features: _core.Features
    function: _core.KernelFunction
    centred: bool = False

    def __call__(self, subset: NDArray[np.int32] | None) -> _core.Gram:
        return _core.feature_gram(self.features, self.function, subset, self.centred)

    def parts(self, rows: NDArray[np.int32], cuts: Sequence[int]) -> list[_core.Gram]:
        """Part k has the rows from ``cuts[k]`` to ``cuts[k + 1]``."""
        return _core.feature_grams(self.features, self.function, rows, cuts, self.centred)


@final
class Factor(NamedTuple):
    """Rows X, signs s and a constant c with ``K_ij = s_i s_j (<x_i, x_j> + c)``."""

    rows: Any
    signs: NDArray[np.float64]
    constant: float


@final
class Gram:
    """The Gram matrix of some training rows, computed when asked for and not kept. The rows must not change meanwhile.

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
    signs : ndarray, optional
        One for each of all rows, if the source gives ``s_i s_j (k + constant)`` in place of k.
    constant : float
        See ``signs``.

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

    __slots__ = ("_constant", "_looked", "_negative", "_signs", "_source", "_subset", "_x", "core", "kernel", "n")

    def __init__(
        self,
        source: Source,
        X: Any,
        kernel: Any,
        subset: NDArray[np.int32] | None = None,
        signs: NDArray[np.float64] | None = None,
        constant: float = 0.0,
    ) -> None:
        self._source = source
        self._x = X
        self._subset = subset
        self._signs = signs
        self._constant = constant
        self._negative: float | None = None
        self._looked = False
        self.kernel = kernel
        self.core = source(subset)
        self.n: int = self.core.size

    def diagonal(self) -> NDArray[np.float64]:
        """``k(x_i, x_i)`` of all rows."""
        return self.core.diagonal()

    def matvec(self, beta: NDArray[np.float64]) -> NDArray[np.float64]:
        """``K β`` in float64."""
        return self.core.product(np.ascontiguousarray(beta, dtype=np.float64))

    def predicted(self, beta: NDArray[np.float64], shift: float, *, by_sign: bool, offset: bool) -> NDArray[np.float64]:
        """``K β`` as a fitted model computes it from its support vectors, rounding included, with the shift of its offset.

        A classifier has its support vectors class by class, those with a negative coefficient first: in whatever order else
        they are summed up, the last digits are others. With a free ``offset`` its weights are of rows less the first one.
        """
        signed = beta if self._signs is None else self._signs * beta
        support, every = np.flatnonzero(signed).astype(np.int32), np.arange(self.n, dtype=np.int32)
        bounds = [0, len(support)]
        if by_sign:
            support = support[np.argsort(signed[support] > 0.0, kind="stable")]
            bounds.insert(1, int((signed < 0.0).sum()))
        rows, vectors, held = self.rows(every), self.rows(support), signed[support]
        if self.kernel.is_precomputed:
            return _core.row_products(as_features(self.block(every, support)), beta[support])
        if self.kernel.is_linear:
            scores = _core.row_products(as_features(rows), weights_of(held, vectors, offset=offset)) + shift
        else:
            scores = self.kernel.weighted_sums(rows, vectors, held[np.newaxis], bounds)[:, 0].sum(axis=0)
        return np.asarray(scores if self._signs is None else self._signs * (scores + self._constant * float(signed.sum())))

    @staticmethod
    def matvecs(grams: Sequence[Gram], beta: NDArray[np.float64]) -> NDArray[np.float64]:
        """``K β`` of several sources, in parallel; β and the products stand one source after the other."""
        return _core.products([gram.core for gram in grams], beta)

    @staticmethod
    def matvecs_within(seconds: float, grams: Sequence[Gram], beta: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """The same, or None if that takes more than so many seconds."""
        return _core.products([gram.core for gram in grams], beta, seconds)

    def start_product(self, beta: NDArray[np.float64]) -> NDArray[np.float64]:
        """``K β`` of a starting point, up to rounding: where values are kept, from the last product."""
        return self.core.start_product(np.ascontiguousarray(beta, dtype=np.float64))

    def kept(self, most_bytes: int) -> Gram:
        """The same, but it keeps its float64 rows once they are computed: for repeated fits on rows that do not change."""
        source = self._source

        def keeping(subset: NDArray[np.int32] | None) -> _core.Gram:
            return _core.kept_gram(source(None), most_bytes) if subset is None else source(subset)

        return Gram(keeping, self._x, self.kernel)

    def as_matrix(self) -> Gram:
        """The same with all values computed now, if they come from a Python function: the core then needs none of it."""
        every = np.arange(self.n, dtype=np.int32)
        values = self.block(every, every)
        rows = self._x if self._subset is None else take(self._x, self._subset)
        return Gram(lambda subset: _core.precomputed_gram(values, subset), rows, self.kernel)

    def block(self, rows: Any, columns: Any) -> NDArray[np.float64]:
        """``K[rows, columns]`` in float64."""
        return self.core.block(np.ascontiguousarray(rows, dtype=np.int32), np.ascontiguousarray(columns, dtype=np.int32))

    def is_indefinite(self) -> bool:
        """Whether the matrix has a clearly negative eigenvalue; only small ones are checked, larger ones pass."""
        return math.isinf(self.negative_part())

    def negative_part(self, closely: bool = False) -> float:
        """A τ for which ``K + τ`` is positive definite: how far below 0 eigenvalues may be.

        Infinite where none that rounding explains is found: up to 1e-8 of ``max|K_ii|``, for a matrix of float32 values up to n
        units in their last place. It is proven by a factor, and kept: the matrix does not change. Large matrices are not
        checked, and pass with 0. ``closely`` looks for a smaller one.
        """
        if self.n > self.kernel.largest_checked:
            return 0.0
        if self._negative is None:
            single = [2.0**-22 * math.sqrt(self.n)] if self.core.is_of_float32() else []
            parts = [_LITTLE, *single, self.value_rounding]
            self._negative = self._first_of(parts)
        if closely and self._negative > 0.0 and not self._looked:
            self._looked = True
            self._negative = min(self._negative, self._first_of([_LAST_PLACES * self.n]))
        return self._negative

    def _first_of(self, parts: Sequence[float]) -> float:
        """The first of these parts of ``max|K_ii|`` that makes the matrix positive definite, times that; infinity if none."""
        found = next((part for part in parts if not self.core.is_indefinite(part)), math.inf)
        return found * float(np.abs(self.diagonal()).max(initial=0.0)) if math.isfinite(found) else found

    @property
    def value_rounding(self) -> float:
        """The part of ``|K_ii|`` by which rounding of the values may make an eigenvalue negative."""
        return max(_ROUNDING, 2.0**-24 * self.n) if self.core.is_of_float32() else _ROUNDING

    def take(self, indices: Any) -> Gram:
        """Gram of some of the rows; X is shared."""
        chosen = np.ascontiguousarray(indices, dtype=np.int32)
        subset = chosen if self._subset is None else self._subset[chosen]
        return Gram(self._source, self._x, self.kernel, subset, self._signs, self._constant)

    def centred(self) -> Gram:
        """For problems whose β sum to 0: with a linear kernel the Gram of centred rows, which keeps a large constant out.

        There ``K β`` differs only by a constant, and the evaluation shifts the offset back to the rows as given.
        """
        if not isinstance(self._source, FeatureSource) or not self.kernel.is_linear:
            return self
        return Gram(replace(self._source, centred=True), self._x, self.kernel, self._subset)

    def cores_of(self, indices: NDArray[np.int32], cuts: Sequence[int]) -> list[_core.Gram]:
        """The core's sources for parts of the rows: part k has the indices from ``cuts[k]`` to ``cuts[k + 1]``."""
        subset = indices if self._subset is None else self._subset[indices]
        if isinstance(self._source, FeatureSource):
            return self._source.parts(subset, cuts)
        return [self._source(subset[begin:end]) for begin, end in pairwise(cuts)]

    def factor(self) -> Factor | None:
        """The rows behind a linear kernel, so that ``K β`` needs no kernel value; None if not, centred or adjusted twice."""
        centred = isinstance(self._source, FeatureSource) and self._source.centred
        if not self.kernel.is_linear or math.isnan(self._constant) or centred:
            return None
        signs = np.ones(self.n) if self._signs is None else self._signs
        if self._signs is not None and self._subset is not None:
            signs = signs[self._subset]
        return Factor(self.rows(np.arange(self.n, dtype=np.int32)), signs, self._constant)

    def adjusted(self, signs: NDArray[np.float64], constant: float = 0.0) -> Gram:
        """Gram of ``s_i s_j (K_ij + constant)``; its rows and kernel stay those of K."""

        def source(subset: NDArray[np.int32] | None) -> _core.Gram:
            if subset is None:
                return _core.adjusted_gram(self.core, signs, constant)
            return _core.adjusted_gram(self.take(subset).core, np.ascontiguousarray(signs[subset]), constant)

        rows = self._x if self._subset is None else take(self._x, self._subset)
        once = constant if self._signs is None else math.nan  # two adjustments are no factor: nobody asks for them
        return Gram(source, rows, self.kernel, signs=signs, constant=once)

    def column_ends(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The largest and the smallest value of each column, of all rows: also those that are in other subsets only."""
        X = self._x
        if not sparse.issparse(X):
            return X.max(axis=0).astype(np.float64), X.min(axis=0).astype(np.float64)
        high, low = (np.asarray(each.todense(), dtype=np.float64).ravel() for each in (X.max(axis=0), X.min(axis=0)))
        return high, low

    def rows(self, indices: NDArray[Any]) -> Any:
        """What ``kernel.cross`` needs of these rows: the rows themselves, or their numbers for a precomputed kernel."""
        return take(self._x, indices if self._subset is None else self._subset[indices])
