"""The verdict on linear models: they have no public multipliers, and are held against a better point, if there is one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ._comparison import HONEST, ZERO, Finding, Truth, compared
from ._floors import floor_at
from ._generator import Case
from ._linear_models import ClassesProblem, linear_problems
from ._newton import better_points, smoothed_loss, smoothed_shares
from ._numbers import DEEP, LONG, Digits, precise
from ._proofs import balanced, features

__all__ = ["of_linear_model"]

_NEAR = 1e-3
"""Part of the promised gap at which the search for a better point may end."""


class Rival(NamedTuple):
    """The best point that was found, and the best bound below."""

    w: np.ndarray
    b: Any
    floor: Any


def of_linear_model(case: Case, model: Any) -> tuple[list[Finding], bool]:
    """Findings; and whether CONVERGED can be neither denied nor confirmed, as no bound is near enough."""
    if model.status_.name == "SEPARABLE":
        return _of_separable(case, model), False
    promised = float(case.params["tol"])
    with np.errstate(all="ignore"):
        problems = linear_problems(case, model, LONG)
        rivals = [_rival(problem, w, b, promised) for problem, w, b, _ in problems]
        found = _held_against(case, model, LONG, rivals)
        if found:
            with precise():
                deep = {finding.kind for finding in _held_against(case, model, DEEP, rivals)}
            found = [finding for finding in found if finding.kind in deep]
        open_ = False
        for (problem, w, b, f), rival in zip(problems, rivals, strict=True):
            primal = problem.objective(w, b, f)
            open_ = open_ or not primal - rival.floor <= promised * abs(primal) * HONEST
    return found, bool(open_ and not found and model.status_.name == "CONVERGED")


def _rival(problem: Any, w: np.ndarray, b: Any, promised: float) -> Rival:
    best, at = problem.objective(w * 0, b * 0), (w * 0, b * 0)
    floor = -np.longdouble(np.inf) if getattr(problem, "pull", 0) else np.longdouble(0)  # no loss and no penalty is below it
    for weights, offset, width in better_points(problem, w, b):
        value = problem.objective(weights, offset)
        if value < best:
            best, at = value, (weights, offset)
        bound = floor_at(problem, weights, offset, width)
        floor = bound if bound > floor else floor
        if best - floor <= _NEAR * promised * abs(best):
            break
    return Rival(*at, floor)


def _held_against(case: Case, model: Any, digits: Digits, rivals: list[Rival]) -> list[Finding]:
    status, promised = model.status_.name, float(case.params["tol"])
    zero = digits.of(0.0)[()]
    found, total, lowest, size = list[Finding](), zero, zero, 0.0
    for (problem, w, b, f), rival in zip(linear_problems(case, model, digits), rivals, strict=True):
        offset = digits.of(rival.b)
        primal, best = problem.objective(w, b, f), problem.objective(digits.of(rival.w), offset if offset.ndim else offset[()])
        total, lowest = total + primal, lowest + min(best, problem.objective(w, b))
        terms = abs(float(primal)) + problem.size
        size += terms
        if status in ("CONVERGED", "ZERO_OPTIMUM"):
            allowed = promised * abs(float(primal)) * HONEST
            if status == "ZERO_OPTIMUM":
                allowed = max(allowed, 2 * ZERO * terms)
            if not float(primal - best) <= allowed:
                text = f"objective {float(primal):.9g}, another point has {float(best):.9g}, promised {promised:.3g}"
                found.append(Finding(f"{status} beyond", text))
    return found + compared(status, model.certificate_, Truth(total, total, lowest, promised, 0.0, size, len(rivals) > 1))


def _of_separable(case: Case, model: Any) -> list[Finding]:
    """A claim that there is no minimum is false if every machine has one, which its slopes there prove."""
    if case.params.get("penalty") is not None:
        return [Finding("false proof", "with a penalty there is a minimum")]
    kept = np.arange(len(case.X)) if case.weight is None else np.flatnonzero(case.weight > 0.0)
    offset = bool(case.params.get("fit_intercept", True))
    Z = features(case, kept, shifted=offset)
    if Z is None or Z.shape[1] == 0:
        return []
    if offset:
        Z = np.hstack([Z, np.full((len(Z), 1), Fraction(1), dtype=object)])
    with np.errstate(all="ignore"):
        for problem, w, b, _ in linear_problems(case, model, LONG):
            *_, (weights, bias, width) = better_points(problem, w, b)
            rows, slopes = _pulls(problem, Z, problem.scores(weights, bias), width)
            if not balanced(rows, slopes):
                return []
    return [Finding("false proof", "the loss has a minimum")]


def _pulls(problem: Any, Z: np.ndarray, f: np.ndarray, width: Any) -> tuple[np.ndarray, np.ndarray]:
    """Directions in which a loss falls for ever, one for each row and each rival of its class, and its slopes in them."""
    if not isinstance(problem, ClassesProblem):
        signs = np.array([Fraction(int(sign)) for sign in problem.y], dtype=object)
        return Z * signs[:, np.newaxis], problem.price * np.abs(smoothed_loss(problem, f, width)[1])
    shares, rows, slopes = smoothed_shares(problem, f, width), [], []
    for i, own in enumerate(problem.codes):
        for rival in set(range(problem.classes)) - {int(own)}:
            line = np.full((problem.classes, Z.shape[1]), Fraction(0), dtype=object)
            line[own], line[rival] = Z[i], -Z[i]
            rows.append(line[1:].ravel())  # scores count by their differences: that of the first class may stay 0
            slopes.append(problem.price[i] * shares[i, rival])
    return np.array(rows, dtype=object), np.array(slopes)
