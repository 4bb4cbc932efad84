"""Objectives of the models with a kernel, of each machine, written out from the definitions in the docstrings.

Of every machine: the primal objective of the model as it predicts, with the scores that ``decision_function`` or ``predict``
gives for the training rows; the same with scores that are not rounded; and the dual objective of its own multipliers, after
these are made to satisfy every constraint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ._generator import Case
from ._linear_models import unrounded
from ._numbers import Digits
from ._rows import TrainingRows

__all__ = [
    "Subproblem",
    "class_codes",
    "filled",
    "kernel_machines",
    "levelled",
    "prices",
    "spread",
    "square_bound",
    "zero_sums",
]


@dataclass(frozen=True)
class Subproblem:
    """A problem that was solved, and what is true of the answer.

    Attributes
    ----------
    primal : number
        Objective of the model as it predicts.
    exact : number
        The same with scores that are not rounded: that of a point of the problem, so that no bound can be above it.
    dual : number
        A bound below the optimum.
    square, rest : float
        Sizes of the terms that the objectives are sums of: of ``|w|²``, and of all others.
    record : Solution
        What the model says of this machine.
    rows : ndarray
        Its rows.
    """

    primal: Any
    exact: Any
    dual: Any
    square: float
    rest: float
    record: Any
    rows: np.ndarray


class _Answer(NamedTuple):
    """The objective as a function of the scores, the bound below, and the sizes of the terms."""

    objective: Callable[[np.ndarray], Any]
    dual: Any
    square: float
    rest: float = 0.0


class _Part(NamedTuple):
    """One machine: its rows, their signs (None of one class and of regressions), coefficients, offset and scores."""

    rows: np.ndarray
    sign: Any
    beta: np.ndarray
    bias: Any
    f: np.ndarray
    record: Any


def kernel_machines(case: Case, model: Any, digits: Digits) -> list[Subproblem]:
    """Every machine of a fitted model."""
    solutions = model.solutions_
    gamma = getattr(solutions[0].kernel, "gamma", None)
    data = TrainingRows(case, digits, None if gamma is None else float(gamma))
    if case.params.get("multi_class") == "joint" and len(model.classes_) > 2:
        return [_joint(case, model, data, solutions[0])]
    found = []
    of_one = _FORMS["hard" if case.estimator == "SVC" and np.isinf(case.params["C"]) else case.estimator]
    for part in _parts(case, model, data, solutions):
        answer = of_one(case, model, data, part)
        exact = data.scores(_whole(data, part.rows, part.beta))[part.rows] + part.bias
        if case.estimator == "SVDD":
            exact = exact - data.diagonal / 2
        f = exact if _keeps_scores(case) else part.f
        if case.estimator in ("OneClassSVM", "SVDD"):  # a score that is 0 but for rounding is given as 0: on the boundary
            f = unrounded(f, exact, part.bias)
        found.append(Subproblem(answer.objective(f), answer.objective(exact), *answer[1:], part.record, part.rows))
    return found


def _keeps_scores(case: Case) -> bool:
    """Whether the model gives no scores of its rows: distances from a centre need ``k(x, x)``, which a matrix has not."""
    return case.estimator == "SVDD" and case.params.get("kernel") == "precomputed"


def spread(model: Any, data: TrainingRows, height: int) -> np.ndarray:
    """A row of ``dual_coef_``, one coefficient for each row of positive weight."""
    dual = model.dual_coef_.toarray() if sparse.issparse(model.dual_coef_) else np.asarray(model.dual_coef_)
    full = np.zeros(int(data.kept.max()) + 1)
    full[model.support_] = dual[height]
    return data.digits.of(full[data.kept])


def _weights(case: Case, data: TrainingRows) -> np.ndarray:
    return data.digits.of(np.ones(data.n) if case.weight is None else case.weight[data.kept])


def class_codes(case: Case, model: Any, data: TrainingRows) -> np.ndarray:
    assert case.y is not None
    return np.searchsorted(model.classes_, case.y[data.kept])


def _parts(case: Case, model: Any, data: TrainingRows, solutions: list[Any]) -> Iterator[_Part]:
    """Every machine; of classes in LIBSVM's order of pairs, or each against the rest."""
    every, digits = np.arange(data.n), data.digits
    bias = digits.of(np.asarray(model.intercept_))
    if case.estimator not in ("SVC", "NuSVC"):
        score = model.predict if case.estimator in ("SVR", "NuSVR") else model.decision_function
        f = np.zeros(data.n) if _keeps_scores(case) else np.asarray(score(case.given), dtype=np.float64)[data.kept]
        yield _Part(every, None, spread(model, data, 0), bias[0], digits.of(f), solutions[0])
        return
    codes, classes = class_codes(case, model, data), len(model.classes_)
    values = digits.of(np.asarray(model.decision_function(case.given))[data.kept].reshape(data.n, -1))
    if classes == 2 or case.params.get("multi_class") == "ovr":
        for k in range(1 if classes == 2 else classes):
            sign = digits.of(np.where(codes == (1 if classes == 2 else k), 1.0, -1.0))
            yield _Part(every, sign, spread(model, data, k), bias[k], values[:, k], solutions[k])
        return
    heights = [spread(model, data, height) for height in range(classes - 1)]
    for pair, (i, j) in enumerate(combinations(range(classes), 2)):
        beta = np.where(codes == i, heights[j - 1], heights[i])
        rows = np.flatnonzero((codes == i) | (codes == j))
        sign = digits.of(np.where(codes[rows] == i, 1.0, -1.0))
        yield _Part(rows, sign, beta[rows], bias[pair], values[rows, pair], solutions[pair])


def _whole(data: TrainingRows, rows: np.ndarray, beta: np.ndarray) -> np.ndarray:
    full = data.digits.of(np.zeros(data.n))
    full[rows] = beta
    return full


def _square(data: TrainingRows, rows: np.ndarray, beta: np.ndarray) -> Any:
    return data.square_norm(_whole(data, rows, beta))


def square_bound(data: TrainingRows, rows: np.ndarray, mass: Any) -> float:
    """``(Σ|β|)² max k(x, x)``."""
    return float(mass * mass * np.abs(data.diagonal[rows]).max())


def _clipped(values: np.ndarray, lower: Any, upper: Any) -> np.ndarray:
    return np.minimum(np.maximum(values, lower), upper)


def filled(alpha: np.ndarray, upper: np.ndarray, total: Any) -> np.ndarray:
    """α between 0 and its bounds with this sum: shrunk, or raised by a part of the room that each has."""
    alpha = _clipped(alpha, alpha * 0, upper)
    now, room = alpha.sum(), (upper - alpha).sum()
    if now > total:
        return alpha * (total / now)
    if now < total and room > 0:
        return alpha + (upper - alpha) * min(total * 0 + 1, (total - now) / room)
    return alpha


def levelled(beta: np.ndarray) -> np.ndarray:
    """β with the sum 0: the heavier of its two signs is shrunk."""
    up, down = np.maximum(beta, 0), np.maximum(-beta, 0)
    above, below = up.sum(), down.sum()
    if above > below:
        return up * (below / above) - down
    return up - down * (above / below) if below > 0 else beta


def prices(case: Case, model: Any, data: TrainingRows) -> np.ndarray:
    """``C_i = C · class weight · sample weight``."""
    price = data.digits.of(float(case.params["C"]))[()] * _weights(case, data)
    if "class_weight" not in case.params:
        return price
    return price * data.digits.of(np.asarray(model.class_weight_, dtype=np.float64))[class_codes(case, model, data)]


def _soft(case: Case, model: Any, data: TrainingRows, part: _Part) -> _Answer:
    """``½|w|² + Σ C_i max(0, 1 − y_i f_i)``, and ``Σα − ½|Σ α_i y_i φ(x_i)|²`` with ``0 ≤ α ≤ C``, ``Σ y α = 0``.

    With squares of the losses α has no upper bound and costs ``Σ α²/(4 C_i)``; without an offset it has any sum.
    """
    rows, sign, beta = part.rows, part.sign, part.beta
    squared = case.params.get("loss", "hinge") == "squared_hinge"
    price, half = prices(case, model, data)[rows], _square(data, rows, beta) / 2
    alpha = np.maximum(sign * beta, 0) if squared else _clipped(sign * beta, beta * 0, price)
    feasible = levelled(sign * alpha) if case.params.get("fit_intercept", True) else sign * alpha
    dual = np.abs(feasible).sum() - _square(data, rows, feasible) / 2
    if squared:
        dual = dual - (feasible * feasible / price).sum() / 4
    square = square_bound(data, rows, np.abs(beta).sum())

    def objective(f: np.ndarray) -> Any:
        lost = np.maximum(1 - sign * f, 0)
        return half + price @ (lost * lost if squared else lost)

    return _Answer(objective, dual, square, float(price.sum()))


def _hard(case: Case, model: Any, data: TrainingRows, part: _Part) -> _Answer:
    """``½|w|²`` where ``y f ≥ 1``: w is made as long as that needs. ``2/|v|²`` with v between points of the two hulls.

    Without an offset v is a point of the hull of all ``y φ(x)``, and the bound ``½/|v|²``.
    """
    sign, endless = part.sign, data.digits.of(np.inf)[()]
    square = _square(data, part.rows, part.beta)

    def objective(f: np.ndarray) -> Any:
        nearest = (sign * f).min()
        return square / 2 / (nearest * nearest) if nearest > 0 else endless

    alpha = np.maximum(sign * part.beta, 0)
    if not case.params.get("fit_intercept", True):
        apart = _square(data, part.rows, sign * alpha / alpha.sum()) if alpha.sum() > 0 else square * 0
        bound = endless if alpha.sum() > 0 else square * 0
        return _Answer(objective, 1 / apart / 2 if apart > 0 else bound, float(square))
    up, down = alpha * (sign > 0), alpha * (sign < 0)
    if not (up.sum() > 0 and down.sum() > 0):
        return _Answer(objective, square * 0, float(square))
    apart = _square(data, part.rows, up / up.sum() - down / down.sum())
    return _Answer(objective, 2 / apart if apart > 0 else endless, float(square))


def _nu_classes(case: Case, model: Any, data: TrainingRows, part: _Part) -> _Answer:
    """``½|w|² − ν W ρ + Σ w_i max(0, ρ − y_i f_i)`` where ρ and the length of w are the best for the direction that predicts.

    The model is divided by its ρ. For a margin r of the scores as they are, and a length s of them, the objective is
    ``½s²|w|² − s G(r)`` with ``G(r) = ν W r − Σ w_i max(0, r − y_i f_i)``: its least value is ``−½ max G²/|w|²``, or 0.
    """
    rows, sign, beta = part.rows, part.sign, part.beta
    weight = _weights(case, data)[rows]
    total, square = data.digits.of(float(case.params["nu"]))[()] * weight.sum(), _square(data, rows, beta)

    def objective(f: np.ndarray) -> Any:
        z = sign * f
        gain = max(total * r - weight @ np.maximum(r - z, 0) for r in np.maximum(z, 0))
        return -gain * gain / square / 2 if gain > 0 and square > 0 else square * 0

    mass = np.abs(beta).sum()
    alpha = np.maximum(sign * beta, 0) * (total / mass) if mass > 0 else beta * 0
    feasible = beta * 0
    for side in (sign > 0, sign < 0):
        feasible[side] = sign[side] * filled(alpha[side], weight[side], total / 2)
    return _Answer(objective, -_square(data, rows, feasible) / 2, square_bound(data, rows, total))


def _tube(case: Case, model: Any, data: TrainingRows, part: _Part) -> _Answer:
    """``½|w|² + Σ C_i max(0, |f_i − y_i| − ε)``, and ``Σ y β − ε Σ|β| − ½|Σ β φ|²`` with ``|β| ≤ C`` and ``Σβ = 0``.

    Where ``C = inf`` leaving the tube is charged at twice the largest coefficient, as a larger price would not change the
    optimum; by more than the tolerance no row may leave it.
    """
    assert case.y is not None
    digits, beta = data.digits, part.beta
    y, epsilon = digits.of(case.y[data.kept].astype(np.float64)), digits.of(float(case.params["epsilon"]))[()]
    hard, tol = bool(np.isinf(case.params["C"])), float(case.params["tol"])
    price = 2 * np.abs(beta).max() + beta * 0 if hard else prices(case, model, data)
    allowed = max(tol, 1e-3) * float(y.max() - y.min() + epsilon) + tol
    half = data.square_norm(beta) / 2

    def objective(f: np.ndarray) -> Any:
        excess = np.maximum(np.abs(f - y) - epsilon, 0)
        return digits.of(np.inf)[()] if hard and float(excess.max()) > allowed else half + price @ excess

    feasible = levelled(_clipped(beta, -price, price))
    middle = (y.max() + y.min()) / 2  # as Σβ = 0, and better in few digits
    dual = feasible @ (y - middle) - epsilon * np.abs(feasible).sum() - data.square_norm(feasible) / 2
    return _Answer(objective, dual, square_bound(data, part.rows, np.abs(beta).sum()), float(price.sum() * np.abs(y).max()))


def _nu_tube(case: Case, model: Any, data: TrainingRows, part: _Part) -> _Answer:
    """``½|w|² + C ν W ε + Σ C_i max(0, |f_i − y_i| − ε)``; ``Σ y β − ½|Σ β φ|²`` with ``Σ|β| ≤ ν Σ C_i``, too."""
    assert case.y is not None
    digits, price = data.digits, prices(case, model, data)
    y, width = digits.of(case.y[data.kept].astype(np.float64)), digits.of(model.epsilon_)[0]
    total = digits.of(float(case.params["nu"]))[()] * price.sum()
    fixed = data.square_norm(part.beta) / 2 + total * width
    feasible = levelled(_clipped(part.beta, -price, price))
    mass = np.abs(feasible).sum()
    feasible = feasible * (total / mass) if mass > total else feasible
    dual = feasible @ (y - (y.max() + y.min()) / 2) - data.square_norm(feasible) / 2
    square, rest = square_bound(data, part.rows, mass), float(total * np.abs(y).max())
    return _Answer(lambda f: fixed + price @ np.maximum(np.abs(f - y) - width, 0), dual, square, rest)


def _level(case: Case, model: Any, data: TrainingRows, part: _Part) -> _Answer:
    """``½|w|² − ν W ρ + Σ w_i max(0, −f_i)`` with ``f = <w, φ> − ρ``; ``−½|Σ β φ|²`` with ``Σβ = ν W``, ``0 ≤ β ≤ w``."""
    weight = _weights(case, data)
    total = data.digits.of(float(case.params["nu"]))[()] * weight.sum()
    fixed = data.square_norm(part.beta) / 2 + total * part.bias
    dual = -data.square_norm(filled(part.beta, weight, total)) / 2
    return _Answer(lambda f: fixed + weight @ np.maximum(-f, 0), dual, square_bound(data, part.rows, total))


def _ball(case: Case, model: Any, data: TrainingRows, part: _Part) -> _Answer:
    """``½R² + Σ w_i max(0, −f_i)/(ν W)``, half of the docstring's, with ``½R² = b + ½|c|²``; ``½ Σ β k_ii − ½|Σ β φ|²``."""
    weight = _weights(case, data)
    upper = weight / (data.digits.of(float(case.params["nu"]))[()] * weight.sum())
    fixed = part.bias + data.square_norm(part.beta) / 2
    feasible = filled(part.beta, upper, part.bias * 0 + 1)
    if data.name == "linear":  # the ball goes where the rows go: about their centre there is less to cancel
        about = data.X - feasible @ data.X
        dual = feasible @ (about * about).sum(axis=1) / 2
    else:
        dual = (feasible @ data.diagonal - data.square_norm(feasible)) / 2
    return _Answer(lambda f: fixed + upper @ np.maximum(-f, 0), dual, float(np.abs(data.diagonal).max()))


_FORMS = {
    "SVC": _soft,
    "hard": _hard,
    "NuSVC": _nu_classes,
    "SVR": _tube,
    "NuSVR": _nu_tube,
    "OneClassSVM": _level,
    "SVDD": _ball,
}


def _joint(case: Case, model: Any, data: TrainingRows, record: Any) -> Subproblem:
    """``Σ_k |w_k|² + Σ C_i ξ_i`` with ``ξ_i = max_k (f_ik + [k ≠ y_i]) − f_iy``; ``Σ β_iy − Σ_k |½ Σ_i β_ik φ|²``."""
    digits, codes = data.digits, class_codes(case, model, data)
    classes, every = len(model.classes_), np.arange(data.n)
    columns = [spread(model, data, k) for k in range(classes)]
    beta = 2 * np.stack(columns, axis=1)
    hard = bool(np.isinf(case.params["C"]))
    price = 2 * max(np.abs(beta).max(), beta[0, 0] * 0 + 1) + beta[:, 0] * 0 if hard else prices(case, model, data)
    square = sum(data.square_norm(column) for column in columns)

    def objective(f: np.ndarray) -> Any:
        beyond = f + 1
        beyond[every, codes] = beyond[every, codes] - 1
        return square + price @ (beyond.max(axis=1) - f[every, codes])

    predicted = digits.of(np.asarray(model.decision_function(case.given))[data.kept])
    exact = np.stack([data.scores(column) for column in columns], axis=1) + digits.of(np.asarray(model.intercept_))
    feasible = zero_sums(beta, codes, price, bool(case.params.get("fit_intercept", True)))
    dual = feasible[every, codes].sum() - sum(data.square_norm(feasible[:, k]) for k in range(classes)) / 4
    sizes = square_bound(data, every, np.abs(beta).sum()), float(price.sum())
    return Subproblem(objective(predicted), objective(exact), dual, *sizes, record, every)


def zero_sums(beta: np.ndarray, codes: np.ndarray, price: np.ndarray, columns: bool = True) -> np.ndarray:
    """Coefficients that are not positive but for the own class, there at most C, with rows that sum to 0, and columns."""
    n, classes = beta.shape
    every = np.arange(n)
    found = np.minimum(beta, 0)
    found[every, codes] = 0
    own = -found.sum(axis=1)
    shrink = np.where(own > price, price / np.where(own > 0, own, 1), 1)
    found = found * shrink[:, np.newaxis]
    found[every, codes] = -found.sum(axis=1)
    off = found.sum(axis=0)
    # what a column has too much goes to one that has too little, in a row that has room
    for _ in range(classes * n if columns else 0):
        high, low = int(off.argmax()), int(off.argmin())
        if not off[high] > 0 or high == low:
            break
        room = np.where(codes == low, price - found[every, codes], -found[:, low])
        row = int(room.argmax())
        moved = min(off[high], -off[low], room[row])
        if not moved > 0:
            break
        found[row, low], found[row, high] = found[row, low] + moved, found[row, high] - moved
        off = found.sum(axis=0)
    return found
