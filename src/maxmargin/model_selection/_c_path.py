"""The solutions of one problem along C, each certified."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._solve import solve_batch, warning_of
from maxmargin.errors import InvalidInput
from maxmargin.model_selection._ranges import costs_of, values_of
from maxmargin.problems import EpsilonRegression, SoftMargin, dual_batch
from maxmargin.solution import Certificate, Solution, Status, evaluate_all
from maxmargin.solvers import SMO, search_paths
from maxmargin.validation import check_positive, reject

__all__ = ["CPath", "c_path", "with_cost"]

Vector = NDArray[np.float64]

_PARTS: Final = 2  # of a path, side by side: their number may not depend on the machine, or the last bits would
_LEAST: Final = 8  # values of C in a part


@final
@dataclass(frozen=True, eq=False)
class CPath:
    """Certified solutions of one problem, one for each C.

    Attributes
    ----------
    Cs : ndarray of shape (m,)
        Values of C, ascending.
    beta : ndarray of shape (m, n)
        Signed coefficients ``y_i α_i`` of all rows; of a regression ``α_i − α_i*``.
    bias : ndarray of shape (m,)
        Offsets.
    scores : ndarray of shape (m, n)
        ``f(x_i)`` of the training rows.
    certificates : list of Certificate
        Of each solution: objectives, gap, violation, status.
    problem : SoftMargin or EpsilonRegression
        The problem, whose own C does not matter.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin.model_selection import c_path
    >>> from maxmargin.problems import SoftMargin
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = c_path(SoftMargin(scale(X), y), Cs=[0.1, 1.0, 10.0])
    >>> path.n_support.tolist(), all(each.status.is_optimal for each in path.certificates)
    ([230, 119, 93], True)
    """

    Cs: Vector
    beta: Vector
    bias: Vector
    scores: Vector
    certificates: list[Certificate]
    problem: SoftMargin | EpsilonRegression

    def __len__(self) -> int:
        return len(self.Cs)

    @property
    def alpha(self) -> Vector:
        """``|β_i|``: the multipliers, shape (m, n)."""
        return np.abs(self.beta)

    @property
    def n_support(self) -> NDArray[np.intp]:
        """How many rows have ``α_i > 0``, of each solution."""
        return np.asarray(np.count_nonzero(self.beta, axis=1))

    @property
    def square_norms(self) -> Vector:
        """``|w|² = Σ β_i <w, φ(x_i)>`` of each solution."""
        return np.asarray(np.einsum("mi,mi->m", self.beta, self.scores - self.bias[:, np.newaxis]))

    @property
    def margins(self) -> Vector:
        """``2/|w|`` of each solution: the width of the street."""
        return np.asarray(2.0 / np.sqrt(np.maximum(self.square_norms, np.finfo(np.float64).tiny)))

    @property
    def errors(self) -> Vector:
        """Of each solution the fraction of the training rows on the wrong side; of a regression the mean of ``|f(x) − y|``."""
        return self._errors(self.scores, self.problem.y)

    def decision_function(self, X: Any) -> Vector:
        """The scores of rows by every solution.

        Parameters
        ----------
        X : rows
            As the problem has them: for `Precomputed` kernel values against the training rows.

        Returns
        -------
        ndarray of shape (m, len(X))
            Scores.
        """
        gram = self.problem.gram
        used = np.flatnonzero(self.beta.any(axis=0)).astype(np.int32)
        if gram.kernel.is_precomputed:
            values = np.asarray(X, dtype=np.float64)[:, used]
        else:
            values = gram.kernel.cross(X, gram.rows(used))
        return np.asarray(self.beta[:, used] @ np.asarray(values).T + self.bias[:, np.newaxis])

    def error(self, X: Any, y: Any) -> Vector:
        """The error of every solution on other rows, as in ``errors``.

        Parameters
        ----------
        X : rows
            Held-out rows.
        y : array-like of shape (len(X),)
            Their labels or targets.

        Returns
        -------
        ndarray of shape (m,)
            Errors.
        """
        truth = np.asarray(y)
        classes = self.problem.classes
        if isinstance(self.problem, SoftMargin):
            if classes is None:
                classes = np.array([-1.0, 1.0])
            if not np.isin(truth, classes).all():
                raise InvalidInput(f"The 'y' of CPath.error must have the labels {classes.tolist()}. Got {np.unique(truth)}.")
            truth = np.where(truth == classes[1], 1.0, -1.0)
        return self._errors(self.decision_function(X), truth)

    def _errors(self, scores: Vector, y: Any) -> Vector:
        if isinstance(self.problem, SoftMargin):
            return np.asarray(np.mean((scores >= 0.0) != (y > 0.0), axis=1))
        return np.asarray(np.mean(np.abs(scores - y), axis=1))

    def solution(self, k: int) -> Solution:
        """Solution k as `maxmargin.solve` gives it, with everything it knows of the rows.

        Parameters
        ----------
        k : int
            Its number.

        Returns
        -------
        Solution
            Solved from the point on the path.
        """
        problem = with_cost(self.problem, float(self.Cs[k]))
        tol = max(self.certificates[k].kkt_violation, 1e-12)
        (found,) = solve_batch([problem], "smo", tol, starts=[self.beta[k]])
        assert isinstance(found, Solution)
        return found

    def __iter__(self) -> Iterator[Solution]:
        return (self.solution(k) for k in range(len(self)))


def c_path(problem: SoftMargin | EpsilonRegression, Cs: Any = 50, *, tol: float = 1e-3, cache_size: Any = "auto") -> CPath:
    """Solve a problem for many values of C, each from the solution before, and certify all solutions.

    The kernel values are computed once. The search goes up along C in two halves at the same time, each solution from the one
    before, as it is or scaled with C. Then every point is evaluated anew in float64, as that of a single fit is: objectives,
    gap and violation from the problem and α alone. What is not optimal then is solved further by itself.

    Parameters
    ----------
    problem : SoftMargin or EpsilonRegression
        The problem. Its own C is replaced: ``C_i = C · sample_weight_i``.
    Cs : int, float or list of float, default=50
        Values of C. An integer is their number: spaced geometrically from ``10/n`` to 1000, divided by the mean of k(x, x), and
        for targets multiplied by their standard deviation.
    tol : float, default=1e-3
        Largest KKT violation of each solution.
    cache_size : "auto" or float, default="auto"
        Memory for kernel values in MB.

    Returns
    -------
    CPath
        Coefficients, scores and a certificate for each C; `maxmargin.plots.path` draws it.

    Examples
    --------
    Two points at −1 and +1: until C = ½ both multipliers are C, then the street stays as it is.

    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.model_selection import c_path
    >>> from maxmargin.problems import SoftMargin
    >>> path = c_path(SoftMargin([[-1.0], [1.0]], [-1, 1], kernel=Linear()), Cs=[0.125, 0.25, 0.5, 1.0])
    >>> path.alpha[:, 0], path.margins
    (array([0.125, 0.25 , 0.5  , 0.5  ]), array([8., 4., 2., 2.]))
    """
    if not isinstance(problem, SoftMargin | EpsilonRegression):
        raise reject("problem", problem, "c_path", "a SoftMargin or an EpsilonRegression, which have a C")
    tolerance = check_positive("tol", tol, "c_path")
    values = values_of(Cs, "Cs", "c_path", lambda count: _automatic(problem, count))
    if not (values > 0.0).all() or not np.isfinite(values).all():
        raise reject("Cs", Cs, "c_path", "positive finite numbers")
    every = [with_cost(problem, C) for C in values.tolist()]
    if problem.gram.kernel.mercer:
        beta = _searched(every, tolerance, SMO(cache_size=cache_size))
        evaluations = evaluate_all(dual_batch([each.dual for each in every]), beta.ravel())
        optimal = evaluations.optimal(tolerance).tolist()
    else:  # where a search ends depends on where it starts, unless the matrix is definite: each is looked at as a whole
        beta, optimal = np.zeros((len(values), len(problem.y))), [0] * len(values)
    bias, scores, certificates = np.empty(len(values)), np.empty(beta.shape), []
    for k, each in enumerate(every):
        if optimal[k]:
            evaluation = evaluations.at(k)
            model = each.model(beta[k], evaluation)
            certificates.append(Certificate.of(model.primal, model.dual, evaluation.kkt_violation, Status.CONVERGED))
            bias[k], scores[k] = model.bias, model.scores
            continue
        start = beta[k] if problem.gram.kernel.mercer or k == 0 else beta[k - 1]
        (found,) = solve_batch([each], SMO(cache_size=cache_size), tolerance, starts=[start], with_rows=False)
        beta[k] = 0.0
        beta[k, found.support] = found.beta
        bias[k], scores[k] = found.bias, problem.gram.matvec(beta[k]) + found.bias
        certificates.append(found.certificate)
        if (said := warning_of(found)) is not None:
            warnings.warn(f"C = {values[k]:g}: {said[0]}", said[1], stacklevel=2)
    return CPath(values, beta, bias, scores, certificates, problem)


def _searched(every: Sequence[Any], tol: float, solver: SMO) -> Vector:
    """Points near the optimum of each problem, one after the other."""
    stages = [dual_batch([each.dual]) for each in every]
    parts = np.array_split(np.arange(len(every)), _PARTS if len(every) >= _PARTS * _LEAST else 1)
    paths, starts = [[stages[k] for k in part] for part in parts], [[None] * len(part) for part in parts]
    points, interrupted = search_paths(paths, starts, [None] * len(parts), tol, solver)
    if interrupted:
        raise KeyboardInterrupt
    return np.concatenate([each.beta for each in points])


def _automatic(problem: SoftMargin | EpsilonRegression, count: int) -> Vector:
    """Values of C from the size of the kernel values, and of the targets of a regression."""
    spread = 1.0 if isinstance(problem, SoftMargin) else float(np.std(problem.y))
    scale = float(np.mean(np.abs(problem.dual.gram.diagonal())))
    return costs_of(problem.gram.n, count, kernel_scale=scale, spread=spread)


def with_cost(problem: SoftMargin | EpsilonRegression, C: float) -> Any:
    """The same problem with another C; the rows keep their weights."""
    upper = C * problem.weight
    if isinstance(problem, SoftMargin):
        return SoftMargin.on(problem.gram, problem.y, upper, problem.offset, problem.slack)
    return EpsilonRegression.on(problem.gram, problem.y, upper, problem.epsilon, problem.offset)
