"""A better point, if there is one: Newton's method in 80-bit floats on a smoothed objective, with less and less smoothing.

Kinks are rounded over a width μ: ``max(0, t)`` becomes ``μ log(1 + e^(t/μ))``, ``|w|`` becomes ``√(w² + μ²)``, ``max_k t_k``
becomes ``μ log Σ e^(t_k/μ)`` (Nesterov 2005). A ball is found through its multiplier. It shares nothing with the library's
solvers, and nobody has to believe it: its points are judged by the exact objective.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._linear_models import ClassesProblem, LinearProblem

__all__ = ["better_points"]

_LONG = np.longdouble
Smooth = Callable[[np.ndarray, Any], tuple[Any, np.ndarray, np.ndarray]]
"""Value, slope and curvature at a point, smoothed over a width."""

SECONDS = 1.5
"""A search ends after so much time of the processor."""


def _softplus(t: np.ndarray) -> np.ndarray:
    return np.maximum(t, 0) + np.log1p(np.exp(-np.abs(t)))


def _sigmoid(t: np.ndarray) -> np.ndarray:
    e = np.exp(-np.abs(t))
    return np.where(t >= 0, 1, e) / (1 + e)


def _rounded(t: np.ndarray, mu: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """``max(0, t)`` over a width μ, with its two derivatives."""
    s = _sigmoid(t / mu)
    return mu * _softplus(t / mu), s, s * (1 - s) / mu


Derivatives = tuple[np.ndarray, np.ndarray, np.ndarray]


def smoothed_loss(problem: LinearProblem, f: np.ndarray, mu: Any) -> Derivatives:
    """The loss of each row with its derivatives in f, kinks rounded over a width μ."""
    return _of_residual(problem, f, mu) if "epsilon" in problem.loss else _of_margin(problem, f, mu)


def _of_residual(problem: LinearProblem, f: np.ndarray, mu: Any) -> Derivatives:
    r, epsilon = problem.y - f, problem.epsilon
    if problem.loss == "epsilon_insensitive":
        above, below = _rounded(r - epsilon, mu), _rounded(-r - epsilon, mu)
        return above[0] + below[0], below[1] - above[1], above[2] + below[2]
    beyond = np.maximum(np.abs(r) - epsilon, 0)
    return beyond * beyond, -2 * beyond * np.sign(r), 2 * (beyond > 0).astype(_LONG)


def _of_margin(problem: LinearProblem, f: np.ndarray, mu: Any) -> Derivatives:
    y, name = problem.y, problem.loss
    z = y * f
    if name in ("hinge", "perceptron"):
        value, slope, curve = _rounded((1 if name == "hinge" else 0) - z, mu)
        return value, -y * slope, curve
    if name in ("squared_hinge", "squared"):
        beyond = np.maximum(1 - z, 0) if name == "squared_hinge" else 1 - z
        return beyond * beyond, -2 * y * beyond, 2 * ((beyond > 0) | (name == "squared")).astype(_LONG)
    if name == "exponential":
        e = np.exp(-z)
        return e, -y * e, e
    p = _sigmoid(-z)
    return _softplus(-z), -y * p, p * (1 - p)


def smoothed_shares(problem: ClassesProblem, f: np.ndarray, mu: Any) -> np.ndarray:
    """How much of a row each class has: ``e^(t_k/μ)/Σ e^(t_l/μ)``, with t the scores and, of the joint loss, 1 for rivals."""
    joint, every = problem.loss == "joint", np.arange(len(f))
    t = f + int(joint)
    t[every, problem.codes] -= int(joint)
    e = np.exp((t - t.max(axis=1)[:, np.newaxis]) / (mu if joint else 1))
    return np.asarray(e / e.sum(axis=1)[:, np.newaxis])


class _Single:
    """One score: θ holds w and, unless there is no offset, b. With a free offset the rows are centred."""

    def __init__(self, problem: LinearProblem) -> None:
        self.problem = problem
        X = problem.X
        self.shift = X.mean(axis=0) if problem.offset == "free" else np.zeros(X.shape[1], dtype=_LONG)
        self.has_offset = problem.offset != "none"
        self.Z = np.hstack([X - self.shift, np.ones((len(X), 1), dtype=_LONG)]) if self.has_offset else X
        self.held = np.ones(self.Z.shape[1], dtype=_LONG)  # what each coordinate weighs in the penalty
        if self.has_offset:
            self.held[-1] = 1 / problem.scale if problem.offset == "penalised" else 0

    def start(self, w: np.ndarray, b: Any) -> np.ndarray:
        return np.concatenate([w, [b + w @ self.shift]]) if self.has_offset else np.array(w)

    def point(self, theta: np.ndarray) -> tuple[np.ndarray, Any]:
        if not self.has_offset:
            return theta, _LONG(0)
        return theta[:-1], theta[-1] - theta[:-1] @ self.shift

    def smooth(self, multiplier: Any) -> Smooth:
        problem, Z, held = self.problem, self.Z, self.held

        def at(theta: np.ndarray, mu: Any) -> tuple[Any, np.ndarray, np.ndarray]:
            value, slope, curve = smoothed_loss(problem, Z @ theta, mu)
            total = problem.price @ value
            g, H = (problem.price * slope) @ Z, (Z * (problem.price * curve)[:, np.newaxis]).T @ Z
            u = held * theta
            if problem.pull:  # of b = θ_b − <w, shift>
                along = np.append(-self.shift, _LONG(1))
                total, g = total + problem.pull * (along @ theta), g + problem.pull * along
            if problem.penalty == "l1":
                root = np.sqrt(u * u + mu * mu)
                return total + root.sum(), g + held * u / root, H + np.diag(held * held * mu * mu / root**3)
            if problem.penalty == "elasticnet":
                ridge, root = 1 - problem.share, np.sqrt(u * u + mu * mu)
                cost, slope = problem.share * root.sum() + ridge * (u @ u) / 2, problem.share * u / root + ridge * u
                return total + cost, g + held * slope, H + np.diag(held * held * (problem.share * mu * mu / root**3 + ridge))
            return total + multiplier * (u @ u) / 2, g + multiplier * held * u, H + np.diag(multiplier * held * held)

        return at

    @property
    def kinked(self) -> bool:
        loss, penalty = self.problem.loss, self.problem.penalty
        return loss in ("hinge", "perceptron", "epsilon_insensitive") or penalty in ("l1", "elasticnet")

    def unit(self) -> Any:
        """The width at which to begin."""
        if "epsilon" in self.problem.loss:
            return max(np.ptp(self.problem.y), self.problem.epsilon, _LONG(1e-300))
        if self.problem.pull:  # scores of w = Σ α x, with ν W of them
            return max(self.problem.pull * (self.problem.X**2).sum(axis=1).max(), _LONG(1e-300))
        return _LONG(1)


class _Classes:
    """A score for each class: θ has the weights and the offset of one class after the other."""

    def __init__(self, problem: ClassesProblem) -> None:
        self.problem = problem
        X = problem.X
        self.shift = X.mean(axis=0) if problem.offset == "free" else np.zeros(X.shape[1], dtype=_LONG)
        self.has_offset = problem.offset != "none"
        self.Z = np.hstack([X - self.shift, np.ones((len(X), 1), dtype=_LONG)]) if self.has_offset else X
        held = np.full(self.Z.shape[1], _LONG(problem.penalty != "none"))
        if self.has_offset:
            held[-1] = held[-1] / problem.scale if problem.offset == "penalised" else 0
        self.held = np.tile(held, problem.classes)

    def start(self, w: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (np.hstack([w, (b + w @ self.shift)[:, np.newaxis]]) if self.has_offset else w).ravel()

    def point(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        W = theta.reshape(self.problem.classes, -1)
        if not self.has_offset:
            return W, np.zeros(len(W), dtype=_LONG)
        return W[:, :-1], W[:, -1] - W[:, :-1] @ self.shift

    def smooth(self, multiplier: Any) -> Smooth:
        problem, Z, held = self.problem, self.Z, self.held
        n, K, D = len(Z), problem.classes, Z.shape[1]
        every = np.arange(n)

        def at(theta: np.ndarray, mu: Any) -> tuple[Any, np.ndarray, np.ndarray]:
            width = mu if problem.loss == "joint" else _LONG(1)
            f = Z @ theta.reshape(K, D).T
            t = f + int(problem.loss == "joint")
            t[every, problem.codes] = f[every, problem.codes]
            top = t.max(axis=1)
            total = np.exp((t - top[:, np.newaxis]) / width).sum(axis=1)
            value = problem.price @ (top - f[every, problem.codes] + width * np.log(total))
            p = smoothed_shares(problem, f, mu)
            q = p.copy()
            q[every, problem.codes] -= 1
            g = ((q * problem.price[:, np.newaxis]).T @ Z).ravel()
            H = np.zeros((K * D, K * D), dtype=_LONG)
            for k in range(K):
                for m in range(k, K):
                    curve = problem.price * p[:, k] * ((1 if k == m else 0) - p[:, m]) / width
                    block = (Z * curve[:, np.newaxis]).T @ Z
                    H[k * D : (k + 1) * D, m * D : (m + 1) * D] = block
                    H[m * D : (m + 1) * D, k * D : (k + 1) * D] = block.T
            u = held * theta
            if problem.penalty in ("l1", "elasticnet"):
                ridge, root = 1 - problem.share, np.sqrt(u * u + mu * mu)
                cost, slope = problem.share * root.sum() + ridge * (u @ u) / 2, problem.share * u / root + ridge * u
                return value + cost, g + held * slope, H + np.diag(held * held * (problem.share * mu * mu / root**3 + ridge))
            return value + u @ u / 2, g + held * u, H + np.diag(held * held)

        return at

    @property
    def kinked(self) -> bool:
        return self.problem.loss == "joint" or self.problem.penalty in ("l1", "elasticnet")

    def unit(self) -> Any:
        return _LONG(1)


def _solved(H: np.ndarray, g: np.ndarray) -> np.ndarray | None:
    """``H⁻¹ g`` by Cholesky after scaling to a diagonal of 1; None where H is not positive definite, even with some ridge."""
    size = np.sqrt(np.maximum(H.diagonal(), 0))
    size = np.where(size > 0, size, 1)
    A = H / size / size[:, np.newaxis]
    for ridge in (0, 1e-17, 1e-13, 1e-9, 1e-5):
        L = _cholesky(A + ridge * np.eye(len(A), dtype=_LONG))
        if L is not None:
            x = g / size
            for k in range(len(x)):
                x[k] = (x[k] - L[k, :k] @ x[:k]) / L[k, k]
            for k in reversed(range(len(x))):
                x[k] = (x[k] - L[k + 1 :, k] @ x[k + 1 :]) / L[k, k]
            return x / size
    return None


def _cholesky(A: np.ndarray) -> np.ndarray | None:
    L = np.tril(A)
    for k in range(len(L)):
        if not (L[k, k] > 0 and np.isfinite(L[k, k])):
            return None
        L[k, k] = np.sqrt(L[k, k])
        L[k + 1 :, k] /= L[k, k]
        L[k + 1 :, k + 1 :] -= np.tril(np.outer(L[k + 1 :, k], L[k + 1 :, k]))
    return L


def _descend(smooth: Smooth, theta: np.ndarray, mu: Any, rounds: int, end: float) -> np.ndarray:
    """Damped Newton steps."""
    value, g, H = smooth(theta, mu)
    for _ in range(rounds):
        step = _solved(H, g)
        if step is None or not np.isfinite(step).all() or time.process_time() > end:
            break
        slope = g @ step
        if not slope > 1e-17 * abs(value):
            break
        length = _LONG(1)
        for _ in range(60):
            at = smooth(theta - length * step, mu)
            if at[0] <= value - length * slope / 4:
                break
            length /= 2
        else:
            break
        theta, (value, g, H) = theta - length * step, at
    return theta


Point = tuple[np.ndarray, Any, Any]
"""Weights, offset, and the width over which kinks were rounded."""


def better_points(problem: LinearProblem | ClassesProblem, w: np.ndarray, b: Any) -> Iterator[Point]:
    """Points on the way to the optimum, from 0 and from the given one; the last are the best as a rule.

    Parameters
    ----------
    problem : LinearProblem or ClassesProblem
        In 80-bit floats.
    w, b : ndarray
        The model's.
    """
    view = _Classes(problem) if isinstance(problem, ClassesProblem) else _Single(problem)
    end = time.process_time() + SECONDS
    if problem.penalty == "ball":
        yield from _in_ball(view, end)
        return
    smooth = view.smooth(_LONG(0 if problem.penalty == "none" else 1))
    given = view.start(w, b)
    theta = given * 0
    if not view.kinked:
        for begin in (theta, given):
            yield *view.point(_descend(smooth, begin, _LONG(1), 200, end)), _LONG(1)
        return
    unit = view.unit()
    for power in range(0, 15):
        width = unit * _LONG(10) ** -power
        theta = _descend(smooth, theta, width, 40, end)
        yield *view.point(theta), width
        if time.process_time() > end:
            return
    width = unit * _LONG(1e-12)
    yield *view.point(_descend(smooth, given, width, 40, end)), width


def _in_ball(view: Any, end: float) -> Iterator[Point]:
    """The multiplier λ of ``½λ|w|²`` at which w is as long as it may be, by bisection; points are shrunk onto the ball."""
    problem, least = view.problem, _LONG(1e-12)
    widths = [view.unit() * _LONG(10) ** -power for power in range(0, 13, 2)] if view.kinked else [_LONG(1)]
    total = problem.price.sum()
    low, high = _LONG(1e-30) * total, _LONG(1e30) * total
    begin = view.start(problem.X[0] * 0, _LONG(0))
    for _ in range(100):
        multiplier = np.sqrt(low * high)
        theta = begin
        for width in widths:
            theta = _descend(view.smooth(multiplier), theta, width, 40, end)
        u = view.held * theta
        square = u @ u
        shrink = min(1, np.sqrt(problem.B / square) * (1 - least)) if square > 0 else 1
        yield *view.point(np.where(view.held > 0, theta * shrink, theta)), widths[-1]
        low, high = (multiplier, high) if square > problem.B else (low, multiplier)
        if time.process_time() > end or high < low * 1.0000001:
            return
