"""Every formulation of the dual family, and the same quadratic program in plain numpy, as ARCHITECTURE.md has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from maxmargin.problems import (
    DataDescription,
    EpsilonRegression,
    HardMargin,
    NuClassification,
    NuRegression,
    OneClass,
    SoftMargin,
)

from ._programs import QP, Array


@dataclass(frozen=True)
class Answer:
    """What is read of a solution: coefficients of all rows, offset, and the number its reading has (ε, R)."""

    beta: Array
    bias: float
    width: float


@dataclass(frozen=True, eq=False)
class Formulation:
    """How maxmargin states a problem, and how the table states it.

    ``t`` are labels or targets, ``u`` the bounds ``C_i``, or the weights where there is no C. ``variables`` gives the
    variables of the program, ``primal`` the formula of the docstring, both in plain numpy.
    """

    name: str
    build: Callable[[Array, Array, Array, Any], Any]
    qp: Callable[[Array, Array, Array], QP]
    variables: Callable[[Array, Answer, Array], Array]
    primal: Callable[[Array, Array, Array, Answer], float]
    offset: bool = True
    regression: bool = False
    slack: bool = True

    def targets(self, X: Array, y: Array) -> Array:
        """What the problem is given beside the rows: labels, or numbers that no line fits."""
        return np.sin(X.sum(axis=1)) + 0.3 * y if self.regression else y

    def __str__(self) -> str:
        return self.name


NU = 0.4
"""Of all ν-problems; classification takes 0.8 of the largest that is feasible."""


def _nu(y: Array, u: Array) -> float:
    return 0.8 * 2.0 * min(u[y > 0].sum(), u[y < 0].sum()) / u.sum()


def _margin_qp(K: Array, y: Array, u: Array) -> QP:
    return QP(y[:, None] * K * y, -np.ones(len(y)), u, y[None, :], np.zeros(1))


def _squared_qp(K: Array, y: Array, u: Array) -> QP:
    return _margin_qp(K + np.diag(0.5 / u), y, np.full(len(y), np.inf))


def _tube_qp(K: Array, t: Array, u: Array, width: float) -> QP:
    s = np.repeat([1.0, -1.0], len(t))
    return QP(
        s[:, None] * np.tile(K, (2, 2)) * s,
        np.concatenate([width - t, width + t]),
        np.tile(u, 2),
        s[None, :],
        np.zeros(1),
    )


def _without_offset(qp: QP) -> QP:
    return QP(qp.Q, qp.p, qp.u, np.empty((0, len(qp.p))), np.empty(0))


def _and_total(qp: QP, total: float, p: Array | None = None) -> QP:
    ones = np.ones((1, len(qp.p)))
    return QP(qp.Q, np.zeros(len(qp.p)) if p is None else p, qp.u, np.vstack([qp.A, ones]), np.append(qp.c, total))


def _of_one_class(K: Array, u: Array, p: Array, total: float) -> QP:
    return QP(K, p, u, np.ones((1, len(p))), np.array([total]))


def _half(K: Array, a: Answer) -> float:
    return float(0.5 * a.beta @ K @ a.beta)


def _margin_primal(K: Array, y: Array, u: Array, a: Answer, power: int = 1) -> float:
    return float(_half(K, a) + u @ np.maximum(0.0, 1.0 - y * (K @ a.beta + a.bias)) ** power)


def _penalised_primal(K: Array, y: Array, u: Array, a: Answer, power: int = 1) -> float:
    return _margin_primal(K, y, u, a, power) + 0.5 * a.bias**2


def _nu_margin_primal(K: Array, y: Array, u: Array, a: Answer) -> float:
    """The answer has a margin of 1; ``Σ|β| = νW`` before the division by ρ gives ρ back."""
    abs_sum = _nu(y, u) * u.sum()
    rho = abs_sum / np.abs(a.beta).sum()
    slack = np.maximum(0.0, 1.0 - y * (K @ a.beta + a.bias))
    return float(rho * rho * _half(K, a) - abs_sum * rho + rho * u @ slack)


def _tube_primal(K: Array, t: Array, u: Array, a: Answer) -> float:
    return float(_half(K, a) + u @ np.maximum(0.0, np.abs(K @ a.beta + a.bias - t) - a.width))


def _ball_primal(K: Array, u: Array, a: Answer) -> float:
    distance = np.diag(K) - 2.0 * K @ a.beta + 2.0 * _half(K, a)
    return float(0.5 * (a.width**2 + u @ np.maximum(0.0, distance - a.width**2) / (NU * u.sum())))


def _signed(y: Array, a: Answer, u: Array) -> Array:
    return y * a.beta


def _doubled(t: Array, a: Answer, u: Array) -> Array:
    return np.concatenate([np.maximum(a.beta, 0.0), np.maximum(-a.beta, 0.0)])


def _doubled_and_filled(t: Array, a: Answer, u: Array) -> Array:
    """The program keeps the mass; ours lets it fall where ε is 0: both multipliers of a row take up what is missing."""
    room = u - np.abs(a.beta)
    missing = max(0.0, NU * u.sum() - np.abs(a.beta).sum())
    return _doubled(t, a, u) + np.tile(0.5 * missing * room / room.sum(), 2)


def _soft(name: str, slack: str, offset: Any, qp: Any, primal: Any) -> Formulation:
    return Formulation(
        name,
        lambda X, y, u, kernel: SoftMargin(X, y, C=1.0, kernel=kernel, offset=offset, sample_weight=u, slack=slack),
        qp if offset is True else lambda K, y, u: _without_offset(qp(K + (offset == "penalised"), y, u)),
        _signed,
        primal,
        offset=offset is True,
    )


FORMULATIONS = [
    _soft("soft margin", "linear", True, _margin_qp, _margin_primal),
    _soft("soft margin, no offset", "linear", False, _margin_qp, _margin_primal),
    _soft("soft margin, penalised offset", "linear", "penalised", _margin_qp, _penalised_primal),
    _soft("squared slack", "squared", True, _squared_qp, partial(_margin_primal, power=2)),
    _soft("squared slack, no offset", "squared", False, _squared_qp, partial(_margin_primal, power=2)),
    _soft("squared slack, penalised offset", "squared", "penalised", _squared_qp, partial(_penalised_primal, power=2)),
    Formulation(
        "hard margin",
        lambda X, y, u, kernel: HardMargin(X, y, kernel=kernel, sample_weight=u),
        lambda K, y, u: _margin_qp(K, y, np.full(len(y), np.inf)),
        _signed,
        lambda K, y, u, a: _half(K, a),
        slack=False,
    ),
    Formulation(
        "hard margin, no offset",
        lambda X, y, u, kernel: HardMargin(X, y, kernel=kernel, offset=False, sample_weight=u),
        lambda K, y, u: _without_offset(_margin_qp(K, y, np.full(len(y), np.inf))),
        _signed,
        lambda K, y, u, a: _half(K, a),
        offset=False,
        slack=False,
    ),
    Formulation(
        "nu-classification",
        lambda X, y, u, kernel: NuClassification(X, y, nu=_nu(y, u), kernel=kernel, sample_weight=u),
        lambda K, y, u: _and_total(_margin_qp(K, y, u), _nu(y, u) * u.sum()),
        lambda y, a, u: y * a.beta * (_nu(y, u) * u.sum() / np.abs(a.beta).sum()),
        _nu_margin_primal,
    ),
    Formulation(
        "epsilon-regression",
        lambda X, t, u, kernel: EpsilonRegression(X, t, C=1.0, epsilon=0.1, kernel=kernel, sample_weight=u),
        lambda K, t, u: _tube_qp(K, t, u, 0.1),
        _doubled,
        _tube_primal,
        regression=True,
    ),
    Formulation(
        "epsilon-regression, no offset",
        lambda X, t, u, kernel: EpsilonRegression(X, t, C=1.0, epsilon=0.1, kernel=kernel, offset=False, sample_weight=u),
        lambda K, t, u: _without_offset(_tube_qp(K, t, u, 0.1)),
        _doubled,
        _tube_primal,
        offset=False,
        regression=True,
    ),
    Formulation(
        "nu-regression",
        lambda X, t, u, kernel: NuRegression(X, t, C=1.0, nu=NU, kernel=kernel, sample_weight=u),
        lambda K, t, u: _and_total(_tube_qp(K, t, u, 0.0), NU * u.sum(), _tube_qp(K, t, u, 0.0).p),
        _doubled_and_filled,
        lambda K, t, u, a: _tube_primal(K, t, u, a) + NU * u.sum() * a.width,
        regression=True,
    ),
    Formulation(
        "one class",
        lambda X, y, u, kernel: OneClass(X, nu=NU, kernel=kernel, sample_weight=u),
        lambda K, y, u: _of_one_class(K, u, np.zeros(len(u)), NU * u.sum()),
        lambda y, a, u: a.beta,
        lambda K, y, u, a: _half(K, a) + NU * u.sum() * a.bias + u @ np.maximum(0.0, -a.bias - K @ a.beta),
    ),
    Formulation(
        "data description",
        lambda X, y, u, kernel: DataDescription(X, nu=NU, kernel=kernel, sample_weight=u),
        lambda K, y, u: _of_one_class(K, u / (NU * u.sum()), -0.5 * np.diag(K), 1.0),
        lambda y, a, u: a.beta,
        lambda K, y, u, a: _ball_primal(K, u, a),
    ),
]

SOFT_MARGINS = FORMULATIONS[:2]
"""With linear slack, free offset or none: what the evaluation of the agreement tests knows."""
