"""The least value of every linear model and of all classes at once, by general minimisers on formulas written here.

Losses with kinks, the joint loss and most with an L1 penalty are quadratic programs in weights and slack, for PIQP; the others
are functions of few weights, for scipy. Nothing of maxmargin is used.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import piqp
from scipy.optimize import minimize, minimize_scalar

from ._programs import Array

TUBE = 0.1
"""ε of both tubes: the default of the losses."""

SMOOTH: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "squared_hinge": (lambda z: np.maximum(0.0, 1.0 - z) ** 2, lambda z: -2.0 * np.maximum(0.0, 1.0 - z)),
    "logistic": (lambda z: np.logaddexp(0.0, -z), lambda z: -1.0 / (1.0 + np.exp(z))),
    "exponential": (lambda z: np.exp(-z), lambda z: -np.exp(-z)),
    "squared": (lambda z: (1.0 - z) ** 2, lambda z: -2.0 * (1.0 - z)),
    "squared_epsilon_insensitive": (
        lambda r: np.maximum(0.0, np.abs(r) - TUBE) ** 2,
        lambda r: 2.0 * np.sign(r) * np.maximum(0.0, np.abs(r) - TUBE),
    ),
}
"""Values and slopes: of the margin ``z = y f``, of a tube of the residual ``r = y − f``."""

RESIDUALS = ("epsilon_insensitive", "squared_epsilon_insensitive")


def least_linear(
    X: Array, t: Array, u: Array, loss: str, penalty: str | None, offset: str | None, B: float, share: float
) -> float:
    """The least ``penalty + Σ u_i ℓ``; ``t`` are labels ±1, or targets of a tube."""
    if loss == "perceptron":  # w = 0 costs nothing, and nothing costs less
        return 0.0
    rows = X if offset is None else np.column_stack([X, np.ones(len(X))])
    paid = np.ones(rows.shape[1])  # a penalised offset is the weight of a constant feature
    if offset == "free":
        paid[-1] = 0.0
    if loss in SMOOTH and (penalty != "l1" or loss in ("logistic", "exponential")):
        return _least_smooth(rows, t, u, loss, penalty, paid, B, share if penalty == "elasticnet" else 1.0)
    if penalty != "ball":
        return _least_of_slack(rows, t, u, loss, paid, absolute=penalty == "l1")

    def lagrangian(log_multiplier: float) -> float:
        multiplier = np.exp(log_multiplier)
        return 0.5 * multiplier * B - _least_of_slack(rows, t, u, loss, multiplier * paid, absolute=False)

    return -float(minimize_scalar(lagrangian, bounds=(-15.0, 10.0), method="bounded", options={"xatol": 1e-7}).fun)


def _least_smooth(
    rows: Array, t: Array, u: Array, loss: str, penalty: str | None, paid: Array, B: float, share: float
) -> float:
    value, slope = SMOOTH[loss]
    sign = -np.ones(len(t)) if loss in RESIDUALS else t
    shift = t if loss in RESIDUALS else np.zeros(len(t))

    def lost(p: Array) -> tuple[float, Array]:
        z = shift + sign * (rows @ p)
        return float(u @ value(z)), rows.T @ (u * sign * slope(z))

    def squared(p: Array) -> tuple[float, Array]:
        at, down = lost(p)
        return at + 0.5 * float(p @ (paid * p)), down + paid * p

    def absolute(p: Array) -> tuple[float, Array]:
        """Of the positive and the negative parts, one after the other."""
        both = p[: len(paid)] - p[len(paid) :]
        at, down = lost(both)
        ridge, twice = (1.0 - share) * paid * both, share * np.tile(paid, 2)
        down = down + ridge
        return at + 0.5 * float(both @ ridge) + float(twice @ p), np.concatenate([down, -down]) + twice

    zero, tight = np.zeros(len(paid)), {"ftol": 1e-15, "maxiter": 5000}
    if penalty in ("l1", "elasticnet"):
        many = {**tight, "maxfun": 100_000, "gtol": 1e-10, "maxcor": 50}
        return float(minimize(absolute, np.tile(zero, 2), jac=True, bounds=[(0.0, None)] * (2 * len(paid)), options=many).fun)
    if penalty == "ball":
        inside = {"type": "ineq", "fun": lambda p: B - p @ (paid * p), "jac": lambda p: -2.0 * paid * p}
        return float(minimize(lost, zero, jac=True, method="SLSQP", constraints=[inside], options=tight).fun)
    return float(minimize(lost if penalty is None else squared, zero, jac=True, method="BFGS", options={"gtol": 1e-9}).fun)


def _least_of_slack(rows: Array, t: Array, u: Array, loss: str, paid: Array, *, absolute: bool) -> float:
    """Of hinge, tube or their squares: in weights, a slack of each row, and with an L1 penalty a bound of each weight."""
    n, d = rows.shape
    if loss.endswith("hinge"):
        G, h = np.column_stack([t[:, None] * rows, np.eye(n)]), np.ones(n)
    else:  # a squared loss is a tube of no width: labels are ±1, so that 1 − yf is as large as y − f
        G = np.block([[rows, np.eye(n)], [-rows, np.eye(n)]])
        h = np.concatenate([t, -t]) - (0.0 if loss == "squared" else TUBE)
    squares, lines = (2.0 * u, np.zeros(n)) if loss.startswith("squared") else (np.zeros(n), u)
    Q, c = np.diag(np.concatenate([paid, squares])), np.concatenate([np.zeros(d), lines])
    low = np.concatenate([np.full(d, -np.inf), np.zeros(n)])
    if absolute:
        bound = np.block([[-np.eye(d), np.zeros((d, n)), np.eye(d)], [np.eye(d), np.zeros((d, n)), np.eye(d)]])
        G, h = np.vstack([np.column_stack([G, np.zeros((len(G), d))]), bound]), np.concatenate([h, np.zeros(2 * d)])
        Q = np.diag(np.concatenate([np.zeros(d), squares, np.zeros(d)]))
        c, low = np.concatenate([c, paid]), np.concatenate([low, np.zeros(d)])
    return least_of_program(Q, c, np.zeros((0, len(c))), G, h, low, np.full(len(c), np.inf))


def least_of_program(Q: Array, c: Array, A: Array, G: Array, h: Array, low: Array, high: Array) -> float:
    """The least ``½x'Qx + c'x`` with ``Ax = 0``, ``Gx ≥ h`` and ``low ≤ x ≤ high``."""
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-9
    solver.settings.max_iter = 500
    solver.setup(
        np.asfortranarray(Q),
        c,
        np.asfortranarray(A),
        np.zeros(len(A)),
        np.asfortranarray(G),
        h,
        np.full(len(h), np.inf),
        low,
        high,
    )
    status = solver.solve()
    assert status == piqp.PIQP_SOLVED, f"the oracle itself failed: {status}"
    x = solver.result.x
    return float(0.5 * x @ Q @ x + c @ x)


def least_of_all_classes_dual(K: Array, y: Array, u: Array, *, offset: bool) -> float:
    """The optimum of all classes at once with a kernel: ``Σ_i β_iy − ¼ Σ_k β_kᵀKβ_k``, class after class."""
    n, classes = len(y), int(y.max()) + 1
    own = y * n + np.arange(n)
    p, upper = np.zeros(n * classes), np.zeros(n * classes)
    p[own], upper[own] = -1.0, u
    A = np.tile(np.eye(n), classes)
    if offset:  # one of the class totals follows from the others
        A = np.vstack([A, np.kron(np.eye(classes), np.ones(n))[:-1]])
    Q, none = np.kron(np.eye(classes), 0.5 * K), np.zeros((0, len(p)))
    return -least_of_program(Q, p, A, none, np.zeros(0), np.full(len(p), -np.inf), upper)


def least_joint(X: Array, y: Array, u: Array, offset: str | None) -> float:
    """The least ``½|W|² + Σ u_i ξ_i`` of linear scores, in weights, offsets and one slack for each row."""
    rows = X if offset is None else np.column_stack([X, np.ones(len(X))])
    (n, d), K = rows.shape, int(y.max()) + 1
    row, rival = np.nonzero(np.arange(K) != y[:, None])
    G = np.zeros((len(row), K, d))
    every = np.arange(len(row))
    G[every, y[row]] += rows[row]
    G[every, rival] -= rows[row]
    slack = np.zeros((len(row), n))
    slack[every, row] = 1.0
    paid = np.ones((K, d))
    if offset == "free":
        paid[:, -1] = 1e-9  # all offsets may rise together
    Q = np.diag(np.concatenate([paid.ravel(), np.zeros(n)]))
    c = np.concatenate([np.zeros(K * d), u])
    low = np.concatenate([np.full(K * d, -np.inf), np.zeros(n)])
    constraints = np.column_stack([G.reshape(len(row), -1), slack])
    return least_of_program(Q, c, np.zeros((0, len(c))), constraints, np.ones(len(row)), low, np.full(len(c), np.inf))


def multinomial(X: Array, y: Array, u: Array, penalty: str | None, offset: str | None, p: Array) -> tuple[float, Array]:
    """``½|W|² + Σ u_i log(Σ_k e^{f_k} / e^{f_y})`` and its slope; the last of each class in ``p`` is its offset."""
    P = p.reshape(-1, X.shape[1] + 1)
    w, b = P[:, :-1], P[:, -1] * (offset is not None)
    f = X @ w.T + b
    top = f.max(axis=1, keepdims=True)
    log_sum = top[:, 0] + np.log(np.exp(f - top).sum(axis=1))
    every = np.arange(len(f))
    slope = np.exp(f - log_sum[:, None])
    slope[every, y] -= 1.0
    slope *= u[:, None]
    in_w, in_b = slope.T @ X, slope.sum(axis=0) * (offset is not None)
    value = float(u @ (log_sum - f[every, y]))
    if penalty is not None:
        value, in_w = value + 0.5 * float((w**2).sum()), in_w + w
        if offset == "penalised":
            value, in_b = value + 0.5 * float((b**2).sum()), in_b + b
    return value, np.column_stack([in_w, in_b]).ravel()


def least_multinomial(X: Array, y: Array, u: Array, penalty: str | None, offset: str | None, share: float = 1.0) -> float:
    start = np.zeros((int(y.max()) + 1) * (X.shape[1] + 1))
    if penalty in ("l1", "elasticnet"):
        return _least_absolute(X, y, u, offset, share if penalty == "elasticnet" else 1.0)
    found = minimize(lambda p: multinomial(X, y, u, penalty, offset, p), start, jac=True, method="BFGS", options={"gtol": 1e-8})
    return float(found.fun)


def _least_absolute(X: Array, y: Array, u: Array, offset: str | None, share: float) -> float:
    """In the positive and the negative parts of the parameters, which cost their sum."""
    paid = np.ones((int(y.max()) + 1, X.shape[1] + 1))
    paid[:, -1] = float(offset == "penalised")
    absolute, size = np.tile(share * paid.ravel(), 2), paid.size

    def value(p: Array) -> tuple[float, Array]:
        both = p[:size] - p[size:]
        lost, down = multinomial(X, y, u, None, offset, both)
        ridge = (1.0 - share) * paid.ravel() * both
        down = down + ridge
        return lost + 0.5 * float(both @ ridge) + float(absolute @ p), np.concatenate([down, -down]) + absolute

    many = {"ftol": 1e-15, "maxiter": 20_000, "maxfun": 200_000, "gtol": 1e-10, "maxcor": 50}
    return float(minimize(value, np.zeros(2 * size), jac=True, bounds=[(0.0, None)] * (2 * size), options=many).fun)
