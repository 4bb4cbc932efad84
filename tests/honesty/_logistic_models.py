"""Objectives of logistic regression with a kernel, written out from the definitions in its docstring."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from ._generator import Case
from ._kernel_models import Subproblem, class_codes, levelled, prices, spread, square_bound, zero_sums
from ._numbers import Digits
from ._rows import TrainingRows

__all__ = ["logistic_machine"]


def logistic_machine(case: Case, model: Any, digits: Digits) -> Subproblem:
    """``½ Σ_k |f_k|² + Σ C_i ℓ_i``; ``Σ C_i H(p_i) − ½ Σ_k |Σ_i g_ik φ(x_i)|²`` with ``g = C (t − p)``, ``Σ_i g_ik = 0``.

    Every row of g that sums to 0, is between 0 and C for the own class, and at most 0 for others, is one of probabilities p,
    with entropy H. Two are tried: the model's coefficients, and the slopes at its scores; both made to satisfy the constraints.
    """
    record = SimpleNamespace(certificate=model.certificate_, status=model.status_, kernel=model._kernel)
    gamma = getattr(record.kernel, "gamma", None)
    data = TrainingRows(case, digits, None if gamma is None else float(gamma))
    codes, every, classes = class_codes(case, model, data), np.arange(data.n), len(model.classes_)
    price, free = prices(case, model, data), bool(case.params["fit_intercept"])
    bias = digits.of(np.asarray(model.intercept_))
    columns = [spread(model, data, k) for k in range(1 if classes == 2 else classes)]
    square = sum(data.square_norm(column) for column in columns)
    exact = np.stack([data.scores(column) for column in columns], axis=1) + bias
    predicted = digits.of(np.asarray(model.decision_function(case.given)))[data.kept].reshape(data.n, -1)
    mass = sum(np.abs(column).sum() for column in columns)
    sizes = square_bound(data, every, mass), float(price.sum() * digits.log(digits.of([float(classes)]))[0])

    if classes == 2:
        sign = digits.of(np.where(codes == 1, 1.0, -1.0))

        def lost(f: np.ndarray) -> Any:
            z = sign * f[:, 0]
            return price @ (np.maximum(-z, 0) + digits.log1p(digits.exp(-np.abs(z))))

        def bound(g: np.ndarray) -> Any:
            alpha = np.minimum(np.maximum(sign * g[:, 0], 0), price)
            feasible = levelled(sign * alpha) if free else sign * alpha
            wrong = np.abs(feasible) / price
            return price @ _entropy(np.stack([wrong], axis=1), wrong, digits) - data.square_norm(feasible) / 2

    else:

        def lost(f: np.ndarray) -> Any:
            apart = f - f[every, codes][:, np.newaxis]
            top = apart.max(axis=1)
            e = digits.exp(apart - top[:, np.newaxis])
            e[every, codes] = 0
            return price @ (top + digits.log1p(e.sum(axis=1) + (digits.exp(-top) - 1)))

        def bound(g: np.ndarray) -> Any:
            feasible = zero_sums(g, codes, price, free)
            others = -feasible / price[:, np.newaxis]
            others[every, codes] = 0
            gain = price @ _entropy(others, others.sum(axis=1), digits)
            return gain - sum(data.square_norm(feasible[:, k]) for k in range(classes)) / 2

    dual = max(bound(np.stack(columns, axis=1)), bound(_slopes(exact, codes, price, digits)))
    return Subproblem(square / 2 + lost(predicted), square / 2 + lost(exact), dual, *sizes, record, every)


def _entropy(others: np.ndarray, wrong: np.ndarray, digits: Digits) -> np.ndarray:
    """``−Σ p log p`` of each row, from the probabilities of wrong classes and their sum."""
    one, zero = digits.of(1.0)[()], digits.of(0.0)[()]
    held, off = np.where(others > 0, others, one), np.where(wrong < 1, wrong, zero)
    own = np.where(wrong < 1, (one - off) * digits.log1p(zero - off), zero)
    return np.asarray(-(held * digits.log(held)).sum(axis=1) - own)


def _slopes(f: np.ndarray, codes: np.ndarray, price: np.ndarray, digits: Digits) -> np.ndarray:
    """``C (t − p)``."""
    every = np.arange(len(f))
    if f.shape[1] == 1:
        sign = np.where(codes == 1, 1, -1)
        z = sign * f[:, 0]
        e = digits.exp(-np.abs(z))
        wrong = np.where(z > 0, e, e * 0 + 1) / (1 + e)
        return (sign * price * wrong)[:, np.newaxis]
    e = digits.exp(f - f.max(axis=1)[:, np.newaxis])
    p = e / e.sum(axis=1)[:, np.newaxis]
    g = -p * price[:, np.newaxis]
    g[every, codes] = 0
    g[every, codes] = -g.sum(axis=1)
    return g
