"""Where a search begins that has something to begin with: the answer to a problem like it, or a point."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Gram
from maxmargin.losses import EpsilonInsensitive, Hinge, Perceptron
from maxmargin.problems import (
    CrammerSinger,
    DualProblem,
    KernelLogistic,
    MulticlassLinear,
    PrimalProblem,
    Problem,
    SoftMargins,
    dual_batch,
)
from maxmargin.solution import (
    CrammerSingerIterate,
    CrammerSingerSolution,
    KernelLogisticIterate,
    KernelLogisticSolution,
    LinearSolution,
    MulticlassSolution,
    PrimalIterate,
    Solution,
    offset_shifts,
)
from maxmargin.solvers._dual._projection import proximal
from maxmargin.solvers._multiclass._crammer_singer_finish import offsets_at
from maxmargin.solvers._runtime._base import Origin

__all__ = ["Beginning", "Coefficients", "beginning", "dual_points", "starting_point"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_SAME: Final = 1e-9  # of the largest bound
_LAST_PLACES: Final = 1e-13


def _finite(start: Any, shape: tuple[int, ...], what: str) -> Vector:
    """Finite numbers of this shape, or an error that says what a start must be."""
    try:
        found = np.array(start, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"A start of this problem is {what}. Got an object of type {type(start).__name__!r}.") from None
    if found.shape != shape:
        raise InvalidInput(f"A start of this problem is {what}. Got an array of shape {found.shape}.")
    if not np.isfinite(found).all():
        raise InvalidInput("A start must be finite. Got NaN or infinity in it.")
    return found


@final
class Coefficients(NamedTuple):
    """Coefficients of a model where they are not 0.

    Attributes
    ----------
    support : ndarray of int32
        Their rows.
    beta : ndarray
        The coefficients, signed.
    cost : ndarray
        The largest that each could have been; not finite where there was no bound.
    """

    support: NDArray[np.int32]
    beta: Vector
    cost: Vector


def dual_points(problem: Problem, start: Any) -> list[Vector]:
    """Points of the dual that satisfy its constraints, from a solution or from coefficients of all rows.

    Of a solution there are two points to choose from: its coefficients as they are, and each made longer by as much as its
    bound has grown. Both are projected on the constraints; `beginning` takes the one with the higher dual objective.

    Parameters
    ----------
    problem : Problem
        What will be solved.
    start : Solution or array-like of shape (n,)
        The answer to a problem with the same number of rows, or signed coefficients ``y_i α_i``.
    """
    n = problem.dual.n
    if isinstance(start, Solution | Coefficients):
        if isinstance(start, Solution) and start.n != n:
            raise InvalidInput(
                f"The start is the solution of a problem with {start.n} rows, and this one has {n}. Give coefficients of all"
                " rows instead, 0 for new ones."
            )
        candidates = _candidates(problem, _coefficients(start) if isinstance(start, Solution) else start)
    else:
        candidates = [_finite(start, (n,), f"a Solution, or coefficients of shape ({n},)")]
    return [_feasible(problem, each) for each in candidates]


def _coefficients(solution: Solution) -> Coefficients:
    unknown = np.full(len(solution.support), np.inf)
    cost = unknown if solution.kkt_data is None else solution.kkt_data.cost[: len(solution.support)]
    return Coefficients(solution.support, solution.beta, cost)


def _candidates(problem: Problem, start: Coefficients) -> list[Vector]:
    """The coefficients as they are, and scaled as their bounds have been."""
    beta = np.zeros(problem.dual.n)
    beta[start.support] = start.beta
    bound, before = np.maximum(-problem.dual.lower, problem.dual.upper)[start.support], start.cost
    known = np.isfinite(bound) & np.isfinite(before) & (before > 0.0)
    if problem.dual.abs_sum is not None or not known.all() or bool((np.abs(bound - before) <= _SAME * before).all()):
        return [beta]
    factors = bound / before
    if float(np.ptp(factors)) <= _SAME * float(factors.max()):  # one factor: the sums of all stay what they are
        return [beta, float(factors[0]) * beta]
    scaled = beta.copy()
    scaled[start.support] *= factors
    return [beta, scaled]


def _feasible(problem: Problem, coefficients: Vector) -> Vector:
    """The nearest point of the dual; a sum that must be kept is first made right by a factor."""
    dual, beta = problem.dual, problem.point(coefficients)
    size, wanted = float(np.abs(beta).sum()), dual.abs_sum if dual.abs_sum is not None else abs(dual.total)
    if size > (wanted if dual.abs_sum_may_fall else 0.0) and wanted > 0.0:
        beta = beta * (wanted / size)
    found = beta if _satisfies(dual, beta) else proximal(dual, beta)
    # What rounding has left next to a bound, or to 0, would count as free.
    near = _LAST_PLACES * float(np.abs(found).max(initial=0.0))
    found = np.where(np.abs(found) <= near, 0.0, found)
    found = np.where(np.abs(found - dual.lower) <= near, dual.lower, found)
    return np.where(np.abs(found - dual.upper) <= near, dual.upper, found)


def _satisfies(dual: DualProblem, beta: Vector) -> bool:
    """Whether a point is inside of the bounds, and its sums are right but for rounding."""
    size = float(np.abs(beta).sum())
    near = _LAST_PLACES * max(size, abs(dual.total), dual.abs_sum or 0.0)
    if bool((beta < dual.lower - near).any()) or bool((beta > dual.upper + near).any()):
        return False
    if dual.offset and abs(float(beta.sum()) - dual.total) > near:
        return False
    return dual.abs_sum is None or (size <= dual.abs_sum + near and (dual.abs_sum_may_fall or size >= dual.abs_sum - near))


def _dual_value(dual: DualProblem, beta: Vector, scores: Vector) -> float:
    ridge = 0.0 if dual.D is None else float((dual.D * beta * beta).sum())
    linear = float((beta * (0.5 * scores + dual.q)).sum())
    return -linear - 0.5 * ridge - dual.l1_weight * float(np.abs(beta).sum())


@final
class Beginning(NamedTuple):
    """What a solver is given, where it begins, and the exact scores there; one problem after the other."""

    problems: Sequence[Problem]
    beta: Vector
    scores: Vector
    origin: Origin


def _at_points(problems: Sequence[Problem], beta: Vector) -> Beginning:
    """From points inside of the constraints, one problem after the other."""
    batch = problems.batch if isinstance(problems, SoftMargins) else dual_batch([problem.dual for problem in problems])
    return Beginning(problems, beta, _core.products(list(batch.grams), beta), Origin.WARM)


def beginning(problems: Sequence[Problem], starts: Sequence[Any] | Vector | None) -> Beginning:
    """From the starts that are given, or from the problems' own; from points inside of the constraints if they are one array.

    No limit of time holds for the scores: should there be no time to move, they are those of the certificate.
    """
    if isinstance(starts, np.ndarray):
        return _at_points(problems, starts)
    warm = starts is not None and any(start is not None for start in starts)
    if isinstance(problems, SoftMargins) and not warm:
        zeros = np.zeros(len(problems.batch.q))
        return Beginning(problems, zeros, zeros, Origin.COLD)
    if (continued := _continued(problems, starts)) is not None:
        return continued
    own_problems = list(problems)  # a sequence may make each of them anew
    duals = [problem.dual for problem in own_problems]
    choices: list[list[Vector]] = []
    for problem, start in zip(own_problems, starts or [None] * len(own_problems), strict=True):
        own = problem.start() if start is None else None
        choices.append(dual_points(problem, start) if start is not None else [np.zeros(problem.dual.n) if own is None else own])
    scores, best = _scores(duals, choices), []
    for dual, points, of_points in zip(duals, choices, scores, strict=True):
        values = [_dual_value(dual, *each) for each in zip(points, of_points, strict=True)]
        best.append(int(np.argmax(values)))
    beta = [points[place] for points, place in zip(choices, best, strict=True)]
    bounded = [problem.within(point) for problem, point in zip(own_problems, beta, strict=True)]
    return Beginning(
        problems=problems if all(map(operator.is_, bounded, own_problems)) else bounded,
        beta=np.concatenate(beta),
        scores=np.concatenate([of[place] for of, place in zip(scores, best, strict=True)]),
        origin=Origin.WARM if warm else Origin.COLD,
    )


def _continued(problems: Sequence[Problem], starts: Sequence[Any] | None) -> Beginning | None:
    """The same by the core, for one soft margin whose last coefficients satisfy its constraints; None for all else."""
    if starts is None or not isinstance(problems, SoftMargins) or len(problems) != 1 or not isinstance(starts[0], Coefficients):
        return None
    found = _core.continued(problems.batch, *starts[0])
    return None if found is None else Beginning(problems, found.beta, found.scores, Origin.WARM)


def _scores(duals: Sequence[DualProblem], choices: Sequence[Sequence[Vector]]) -> list[list[Vector]]:
    """``K β`` of every point; a multiple of a point before has a multiple of its scores."""
    asked, found = [], []
    for k, points in enumerate(choices):
        for place, point in enumerate(points):
            if point.any() and not (place and _multiple(points[0], point)):
                asked.append((k, place))
    if len(duals) == 1:
        found = [duals[k].gram.start_product(choices[k][place]) for k, place in asked]
    elif asked:
        grams, flat = [duals[k].gram for k, _ in asked], np.concatenate([choices[k][place] for k, place in asked])
        found = np.split(Gram.matvecs(grams, flat), np.cumsum([duals[k].n for k, _ in asked])[:-1])
    known = dict(zip(asked, found, strict=True))
    return [
        [
            known[k, place]
            if (k, place) in known
            else (_multiple(points[0], point) or 0.0) * known.get((k, 0), np.zeros(len(point)))
            for place, point in enumerate(points)
        ]
        for k, points in enumerate(choices)
    ]


def _multiple(point: Vector, other: Vector) -> float | None:
    """The factor that makes the first the second, if there is one."""
    largest = int(np.abs(point).argmax()) if len(point) else 0
    if not len(point) or point[largest] == 0.0:
        return None
    factor = float(other[largest] / point[largest])
    return factor if np.array_equal(factor * point, other) else None


def starting_point(problem: PrimalProblem | MulticlassLinear | CrammerSinger | KernelLogistic, start: Any) -> Any:
    """The iterate of a problem's family at a start that a user gave: a solution or an array. None stays None."""
    if start is None:
        return None
    if isinstance(problem, PrimalProblem):
        return _linear_point(problem, start)
    if isinstance(problem, KernelLogistic):
        return _logistic_point(problem, start)
    return _multiclass_point(problem, start) if isinstance(problem, MulticlassLinear) else _crammer_singer_point(problem, start)


def _linear_point(problem: PrimalProblem, start: Any) -> PrimalIterate:
    """Weights, offset and multipliers inside of their bounds, from a solution or from weights without an offset.

    The multipliers of a smooth loss are its slopes. Those of a loss with kinks are the solution's, cut off at the new bounds.

    Parameters
    ----------
    problem : PrimalProblem
        What will be solved.
    start : LinearSolution or array-like of shape (d,)
        The answer to a problem with as many features, or weights.
    """
    n, d = problem.n, problem.d
    alpha: Vector | None = None
    if isinstance(start, LinearSolution):
        w, b = _finite(start.weights, (d,), f"a LinearSolution with {d} weights"), float(start.bias)
        alpha = np.array(start.alpha) if len(start.alpha) == n else None
    else:
        w, b = _finite(start, (d,), f"a LinearSolution, or weights of shape ({d},)"), 0.0
    if alpha is None or not isinstance(problem.loss, Hinge | EpsilonInsensitive | Perceptron):
        z = problem.loss.argument(problem.y, problem.scores(w, b))
        alpha = -problem.cost * problem.loss.derivative(z)
    else:
        least = -problem.cost if isinstance(problem.loss, EpsilonInsensitive) else np.zeros(n)
        alpha = np.clip(alpha, least, problem.cost)
    return PrimalIterate.at(w, b, alpha)


def _logistic_point(problem: KernelLogistic, start: Any) -> KernelLogisticIterate:
    """Coefficients and offsets, from a solution or from coefficients of all rows."""
    shape = (problem.n, problem.outputs)
    what = f"a KernelLogisticSolution, or coefficients of shape {shape}"
    solution = isinstance(start, KernelLogisticSolution)
    beta = _finite(start.coefficients if solution else start, shape, what)
    return KernelLogisticIterate.at(beta, np.array(start.bias) if solution else np.zeros(problem.outputs))


def _crammer_singer_point(problem: CrammerSinger, start: Any) -> CrammerSingerIterate:
    """Coefficients that satisfy the constraints of each row, and offsets, from a solution or from coefficients of all rows.

    Where the bounds are smaller than the solution's, all coefficients are made shorter until the worst is inside: so all sums
    that are 0 stay 0. Coefficients that are given are projected row by row; the solver makes the sums of the classes 0.

    Parameters
    ----------
    problem : CrammerSinger
        What will be solved.
    start : CrammerSingerSolution or array-like of shape (n, K)
        The answer to a problem of the same rows and classes, or signed coefficients ``β_ik``.
    """
    n, classes = problem.gram.n, len(problem.classes)
    if not isinstance(start, CrammerSingerSolution):
        what = f"a CrammerSingerSolution, or coefficients of shape ({n}, {classes})"
        point = _feasible_rows(problem, _finite(start, (n, classes), what))
        return CrammerSingerIterate.at(point, offsets_at(problem, point))
    if start.n != n or len(start.classes) != classes:
        raise InvalidInput(
            f"The start is the solution of a problem with {start.n} rows of {len(start.classes)} classes, and this one has"
            f" {n} rows of {classes}."
        )
    beta = np.zeros((n, classes))
    beta[start.support] = 2.0 * start.coefficients
    own = beta[np.arange(n), problem.codes]
    others = beta.copy()
    others[np.arange(n), problem.codes] = 0.0
    if bool((others > 0.0).any()):
        raise InvalidInput("The start is the solution of a problem with other labels: their signs do not fit these.")
    with np.errstate(divide="ignore"):
        room = np.where(own > 0.0, problem.upper / np.where(own > 0.0, own, 1.0), np.inf)
    beta *= min(1.0, float(room.min(initial=1.0)))
    bias = start.bias - offset_shifts(problem, beta) if problem.offset else np.zeros(classes)
    return CrammerSingerIterate.at(beta, np.ascontiguousarray(bias))


def _feasible_rows(problem: CrammerSinger, coefficients: Matrix) -> Matrix:
    """The nearest coefficients with ``β_ik ≤ 0`` but for a row's own class, where they are at most ``C_i``, and row sums of 0.

    What is missing to the bounds is to be nonnegative with the sum ``C_i``: the projection on a simplex.
    """
    sizes = np.abs(coefficients).sum(axis=1)
    wrong = (coefficients > problem.room).any(axis=1) | (np.abs(coefficients.sum(axis=1)) > _LAST_PLACES * sizes)
    points, every = coefficients[wrong], np.arange(int(wrong.sum()))
    # The nearest point is no longer than the given one, so that a bound further out is none.
    bound = np.minimum(problem.upper[wrong], sizes[wrong])
    own = (every, problem.codes[wrong])
    below = -points
    below[own] += bound
    falling = -np.sort(-below, axis=1)
    levels = (np.cumsum(falling, axis=1) - bound[:, np.newaxis]) / np.arange(1, points.shape[1] + 1)
    last = np.maximum((falling > levels).sum(axis=1) - 1, 0)
    others = np.maximum(below - levels[every, last][:, np.newaxis], 0.0)
    # The own class has what the others lack: levels cancel digits where points are large beside the bounds.
    others[own] = 0.0
    sums = others.sum(axis=1)
    others *= np.minimum(1.0, bound / np.where(sums > 0.0, sums, bound))[:, np.newaxis]
    nearest = 0.0 - others
    nearest[own] = np.minimum(others.sum(axis=1), bound)
    beta = coefficients.copy()
    beta[wrong] = nearest
    return beta


def _multiclass_point(problem: MulticlassLinear, start: Any) -> PrimalIterate:
    """Weights, offsets and multipliers of all classes, from a solution or from weights without offsets.

    Each row's multipliers are made to sum to its cost.

    Parameters
    ----------
    problem : MulticlassLinear
        What will be solved.
    start : MulticlassSolution or array-like of shape (K, d)
        The answer to a problem with as many classes and features, or weights.
    """
    n, d, classes = problem.n, problem.d, len(problem.classes)
    every, own = np.arange(n), problem.codes
    if isinstance(start, MulticlassSolution):
        w = _finite(start.weights, (classes, d), f"a MulticlassSolution of {classes} classes with {d} weights each")
        b, alpha = np.array(start.bias), np.array(start.alpha) if start.alpha.shape == (n, classes) else None
    else:
        w = _finite(start, (classes, d), f"a MulticlassSolution, or weights of shape ({classes}, {d})")
        b, alpha = np.zeros(classes), None
    if alpha is None:
        alpha = np.zeros((n, classes))
        alpha[every, own] = problem.cost
    alpha = np.maximum(alpha, 0.0)
    sums = alpha.sum(axis=1)
    alpha *= (problem.cost / np.where(sums > 0.0, sums, 1.0))[:, np.newaxis]
    alpha[sums <= 0.0, own[sums <= 0.0]] = problem.cost[sums <= 0.0]
    return PrimalIterate.at(w, b, np.ascontiguousarray(alpha))
