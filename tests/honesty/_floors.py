"""Bounds below the optimum of a linear model, from the slopes of the losses at a point (Fenchel).

With the slope ``u_i = C_i ℓ'(f_i)`` of each row in its score and ``v = Σ u_i x_i``, no objective is below
``−R*(−v) − Σ C_i ℓ*(u_i/C_i)``, if ``Σ u_i = 0`` where the offset is free. They say how much the judge itself can tell: where
there is no bound near a model, no verdict was possible.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._kernel_models import filled, zero_sums
from ._linear_models import ClassesProblem, LinearProblem
from ._newton import smoothed_loss, smoothed_shares

__all__ = ["floor_at"]

_NOTHING = 1e-15
"""Of the sum of sizes: a sum that passes for 0. Such a bound does not prove, and is not used to."""


def floor_at(problem: LinearProblem | ClassesProblem, w: np.ndarray, b: Any, width: Any) -> Any:
    """The bound from the slopes at a point, smoothed over a width; −inf if they make none."""
    return _of_classes(problem, w, b, width) if isinstance(problem, ClassesProblem) else _of_one(problem, w, b, width)


def _times_log(p: np.ndarray) -> np.ndarray:
    return p * np.log(np.where(p > 0, p, 1))


def _conjugate(problem: LinearProblem, t: np.ndarray) -> np.ndarray:
    """``ℓ*`` of the loss as a function of the score, at slopes t that are inside its domain."""
    if "epsilon" in problem.loss:
        size = np.abs(t)
        return t * problem.y + problem.epsilon * size + (size * size / 4 if problem.loss.startswith("squared") else 0)
    s = -problem.y * t
    forms = {
        "hinge": lambda: -s,
        "perceptron": lambda: 0 * s,
        "squared_hinge": lambda: s * s / 4 - s,
        "squared": lambda: s * s / 4 - s,
        "logistic": lambda: _times_log(s) + _times_log(1 - s),
        "exponential": lambda: _times_log(s) - s,
    }
    return forms[problem.loss]()


def _of_one(problem: LinearProblem, w: np.ndarray, b: Any, width: Any) -> Any:
    u = problem.price * smoothed_loss(problem, problem.scores(w, b), width)[1]
    if problem.pull:  # Σ α = ν W with α = −u between 0 and its price; the loss costs nothing there
        v = filled(-u, problem.price, problem.pull) @ problem.X
        return -(v @ v) / 2
    if problem.offset == "free":
        up, down = np.maximum(u, 0), np.maximum(-u, 0)
        above, below = up.sum(), down.sum()
        u = up * (below / above) - down if above > below else up - down * (above / below) if below > 0 else u
    v = u @ problem.X
    held = v if problem.offset != "penalised" else np.concatenate([v, [u.sum() * problem.scale]])
    if problem.penalty == "l1":
        largest = np.abs(held).max()
        u, held = (u / largest, held / largest) if largest > 1 else (u, held)
    gain = -(problem.price @ _conjugate(problem, u / problem.price))
    if problem.penalty == "l2":
        return gain - held @ held / 2
    if problem.penalty == "elasticnet":
        beyond = np.maximum(np.abs(held) - problem.share, 0)
        return gain - beyond @ beyond / (2 - 2 * problem.share)
    if problem.penalty == "ball":
        return gain - np.sqrt(problem.B * (held @ held))
    if problem.penalty == "none" and (np.abs(v) > _NOTHING * (np.abs(u) @ np.abs(problem.X))).any():
        return -np.longdouble(np.inf)
    return gain


def _of_classes(problem: ClassesProblem, w: np.ndarray, b: Any, width: Any) -> Any:
    p, every = smoothed_shares(problem, problem.scores(w, b), width), np.arange(len(problem.X))
    price = problem.price[:, np.newaxis]
    beta = -p * price
    beta[every, problem.codes] += problem.price
    if problem.offset == "free":
        beta = zero_sums(beta, problem.codes, problem.price)
        p = -beta / price
        p[every, problem.codes] += 1
    v, totals = beta.T @ problem.X, beta.sum(axis=0)
    held = np.append(v.ravel(), totals * problem.scale) if problem.offset == "penalised" else v.ravel()
    largest = np.abs(held).max()
    if problem.penalty == "l1" and largest > 1:  # towards the labels, whose sums are 0
        p = p / largest
        p[every, problem.codes] += 1 - 1 / largest
    if problem.loss == "joint":
        gain = problem.price @ (1 - p[every, problem.codes])
    else:
        gain = -(problem.price @ _times_log(np.maximum(p, 0)).sum(axis=1))
    if problem.penalty == "l2":
        scaled = totals * problem.scale if problem.offset == "penalised" else totals * 0
        return gain - (v * v).sum() / 2 - (scaled * scaled).sum() / 2
    if problem.penalty == "l1":
        return gain
    if problem.penalty == "elasticnet":
        beyond = np.maximum(np.abs(held) - problem.share, 0)
        return gain - beyond @ beyond / (2 - 2 * problem.share)
    flat = (np.abs(v) <= _NOTHING * (np.abs(beta).T @ np.abs(problem.X))).all()
    return gain if flat else -np.longdouble(np.inf)
