"""Fewer support vectors for nearly the same decision function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from sklearn.pipeline import Pipeline

from maxmargin.errors import InvalidInput
from maxmargin.estimators import Expansion, with_fewer_vectors
from maxmargin.inspection._model import apart, require_expansion
from maxmargin.validation import check_positive, take_rows

__all__ = ["Reduced", "reduce_support"]

Floats = NDArray[np.float64]
_TOGETHER: Final = 32
"""Vectors chosen in one round."""
_CANDIDATES: Final = 128
_LEAST: Final = 1e-10
"""Of the largest k(x, x): a vector of which less is left, after the chosen ones, is as good as a sum of these."""
_LINEAR: Final = "A linear model has weights instead of support vectors, and predicts as fast as a model can."


@final
@dataclass(frozen=True, eq=False)
class Reduced:
    """A model with fewer support vectors, and what that changed.

    Attributes
    ----------
    model : estimator or Pipeline
        A copy that predicts with the support vectors that are left; without certificate and solutions, since it is no optimum.
    n_before, n_after : int
        Support vectors.
    change : float
        The largest change of a decision value, measured by both models at all support vectors of the first and the rows of X.
    bound : float
        ``|w − w̃|``: at any row x at all no decision value changes by more than ``bound · √k(x, x)``.
    n_predictions : int or None
        How many rows of X are predicted otherwise; None without X, and for regressions.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.inspection import reduce_support
    >>> found = reduce_support(SVC(gamma=0.1).fit([[0.0], [0.1], [0.9], [1.0]], [0, 0, 1, 1]), tol=0.1)
    >>> found.n_before, found.n_after
    (4, 2)
    """

    model: Any
    n_before: int
    n_after: int
    change: float
    bound: float
    n_predictions: int | None = None


def reduce_support(model: Any, tol: float = 1e-3, X: Any = None) -> Reduced:
    """Replace the support vectors of a kernel model by fewer of them, with other coefficients.

    The weight vector ``w = Σ β_i φ(x_i)`` is projected on the span of a few ``φ(x_i)``, chosen one after the other so that ``|w
    − w̃|`` falls most, until the decision values at all support vectors, and at the rows of X, change by at most ``tol``. (The
    greedy choice is the f/P rule of Müller and Schaback, A Newton basis for kernel spaces, 2009; the span of some rows for w,
    of Schölkopf et al., Input space versus feature space in kernel-based methods, 1999.) Predictions take time in proportion to
    the vectors left. For classes fitted in pairs the pairs are reduced one after the other.

    Parameters
    ----------
    model : fitted kernel estimator
        Of maxmargin, with a kernel that is an inner product; a pipeline that ends in one, or a search whose best model is one.
        It is left as it is.
    tol : float, default=1e-3
        How much a decision value may change. The margin is at ±1.
    X : rows, optional
        More rows at which values must not change by more: those that matter, such as the training set.

    Returns
    -------
    Reduced

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin import SVC
    >>> from maxmargin.inspection import reduce_support
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = scale(X)
    >>> found = reduce_support(SVC(gamma=0.001).fit(X, y), tol=0.01, X=X)
    >>> found.n_after < found.n_before / 2, found.change <= 0.01
    (True, True)
    """
    tol = check_positive("tol", tol, "reduce_support")
    last, transform = apart(model)
    expansion = require_expansion(last, "reduce_support", _LINEAR)
    _require_inner_product(expansion)
    rows = None if X is None else expansion.new_rows(transform(X))
    watched = () if rows is None else (rows,)
    coefficients = np.zeros_like(expansion.coefficients)
    squares = []
    for subproblems in _groups(expansion):
        used = np.flatnonzero(expansion.coefficients[subproblems].any(axis=0))
        if len(used):
            search = _Projection(
                expansion.kernel, take_rows(expansion.vectors, used), expansion.coefficients[subproblems][:, used]
            )
            chosen, found = search.run(watched, tol)
            coefficients[np.ix_(subproblems, used[chosen])] = found
            squares.append(search.left_of_weights())
    kept = np.flatnonzero(coefficients.any(axis=0))
    kept = kept if len(kept) else np.arange(min(1, coefficients.shape[1]))
    if len(kept) == len(expansion.rows):  # none could be spared: leave them as they are
        coefficients, squares = expansion.coefficients, []
    smaller = with_fewer_vectors(expansion, kept, coefficients[:, kept])
    places = [expansion.vectors, *watched]
    after = require_expansion(smaller, "reduce_support", _LINEAR)
    change = max(float(np.abs(expansion.values(part) - after.values(part)).max(initial=0.0)) for part in places)
    return Reduced(
        _back(model, smaller),
        len(expansion.rows),
        len(kept),
        change,
        float(np.sqrt(max([0.0, *squares]))),
        None if rows is None or not expansion.sides else int((last.predict(rows) != smaller.predict(rows)).sum()),
    )


def _require_inner_product(expansion: Expansion) -> None:
    if expansion.kernel.is_precomputed:
        raise InvalidInput(
            "reduce_support needs the kernel values between support vectors. Got a precomputed kernel, of which a model keeps"
            " none. Fit with the kernel itself."
        )
    if not expansion.kernel.mercer:
        raise InvalidInput(
            "reduce_support projects on support vectors, for which the kernel must be an inner product. Got one that is not"
            f" known to be: {expansion.model!r}. Fit with a kernel such as RBF or Polynomial."
        )


def _groups(expansion: Expansion) -> list[NDArray[np.intp]]:
    """Subproblems that are reduced together: those that share all support vectors."""
    count = len(expansion.coefficients)
    pairs = bool(expansion.sides) and all(negative is not None for _, negative in expansion.sides)
    return [np.array([t]) for t in range(count)] if pairs else [np.arange(count)]


def _back(model: Any, smaller: Any) -> Any:
    """The reduced estimator in the pipeline that the other one was in."""
    model = getattr(model, "best_estimator_", model)
    if not isinstance(model, Pipeline):
        return smaller
    return Pipeline([*model.steps[:-1], (model.steps[-1][0], _back(model.steps[-1][1], smaller))])


@final
class _Projection:
    """Orthonormal functions that span the chosen vectors, by their values at all vectors and watched rows.

    The columns of V are those of a Cholesky factor of the matrix of kernel values with pivots, ``V[chosen]`` being triangular.
    """

    def __init__(self, kernel: Any, vectors: Any, beta: Floats) -> None:
        self._kernel, self._vectors, self._beta = kernel, vectors, beta
        self._n = beta.shape[1]

    def run(self, watched: Sequence[Any], tol: float) -> tuple[NDArray[np.intp], Floats]:
        """The vectors chosen, and their coefficients for each subproblem."""
        self._places = [self._vectors, *watched]
        n = self._n
        self._left = np.concatenate(
            [self._kernel.weighted_sums(part, self._vectors, self._beta, [0, n])[0].T for part in self._places]
        )
        self._room = self._kernel.diagonal(self._vectors).copy()
        floor = _LEAST * float(np.abs(self._room).max())
        self._V = np.empty((len(self._left), 0))
        chosen: list[int] = []
        parts: list[Floats] = []
        count = 0
        while count < n and np.abs(self._left).max() > tol:
            score = np.abs(self._left[:n]).max(axis=1) / np.sqrt(np.maximum(self._room, floor))
            score[self._room <= floor] = 0.0
            score[chosen] = 0.0
            candidates = np.argsort(-score, kind="stable")[:_CANDIDATES]
            candidates = candidates[score[candidates] > 0.0]
            if not len(candidates):
                break
            if self._V.shape[1] < count + _TOGETHER:  # room for twice as many
                wider = np.empty((len(self._V), min(n, 2 * count + 8 * _TOGETHER)))
                wider[:, :count] = self._V[:, :count]
                self._V = wider
            new, found = self._best_of(candidates, count, floor, tol)
            chosen += new
            parts.append(found)
            count += len(new)
        self._V = self._V[:, :count]
        if not count:
            return np.zeros(0, dtype=np.intp), np.zeros((len(self._beta), 0))
        coordinates = np.concatenate(parts)
        return np.array(chosen, dtype=np.intp), solve_triangular(self._V[chosen], coordinates, lower=True, trans="T").T

    def left_of_weights(self) -> float:
        """The largest ``|w − w̃|²`` of a subproblem: ``Σ β_i (f − f̃)(x_i)``, since w − w̃ is orthogonal to w̃."""
        return float((self._beta * self._left[: self._n].T).sum(axis=1).max())

    def _best_of(self, candidates: NDArray[np.intp], count: int, floor: float, tol: float) -> tuple[list[int], Floats]:
        """Choose some of the candidates, the best first, and take them off what is left."""
        V, rows = self._V, take_rows(self._vectors, candidates)
        K = self._kernel.cross(rows, rows) - V[candidates, :count] @ V[candidates, :count].T
        left, room = self._left[candidates].copy(), np.diag(K).copy()
        picked: list[int] = []
        columns = np.zeros((len(candidates), 0))
        first = 0.0
        for _ in range(min(_TOGETHER, self._n - count)):
            gain = np.abs(left).max(axis=1) / np.sqrt(np.maximum(room, floor))
            gain[room <= floor] = 0.0
            gain[picked] = 0.0
            best = int(gain.argmax())
            first = first or float(gain[best])
            little = gain[best] <= 0.5 * first or np.abs(left[best]).max() <= 0.1 * tol
            if gain[best] <= 0.0 or (little and picked):
                break
            column = (K[:, best] - columns @ columns[best]) / np.sqrt(room[best])
            left -= np.outer(column, left[best] / column[best])
            room -= column**2
            columns = np.column_stack([columns, column])
            picked.append(best)
        if not picked:
            self._room[candidates] = 0.0
            return [], np.zeros((0, len(self._beta)))
        some = candidates[picked]
        chosen_rows = take_rows(self._vectors, some)
        new = np.concatenate([self._kernel.cross(part, chosen_rows) for part in self._places])
        new -= V[:, :count] @ V[some, :count].T
        new = solve_triangular(columns[picked], new.T, lower=True).T
        coordinates = solve_triangular(new[some], self._left[some], lower=True)
        V[:, count : count + len(some)] = new
        self._left -= new @ coordinates
        self._room -= np.square(new[: self._n]).sum(axis=1)
        return some.tolist(), coordinates
