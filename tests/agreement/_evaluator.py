"""An independent judge of a fitted SVC: plain numpy, float64, nothing of maxmargin imported.

From ``dual_coef_``, ``support_``, ``n_support_`` and ``intercept_`` it rebuilds the binary binary classifiers
and computes, for each,

    primal     P = 1/2 b'Kb + sum_i C_i max(0, 1 - y_i f_i)          f = Kb + bias,  b_i = y_i alpha_i
    dual       D = sum_i alpha_i - 1/2 b'Kb
    violation  m - M,  m = max_{I_up} (y - Kb)_i,  M = min_{I_low} (y - Kb)_i    (Keerthi et al. 2001)

The evaluation works for scikit-learn's SVC as well as for ours, so that one can be held against the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

IMBALANCE = 1e-12
"""|y'alpha| may be this share of sum alpha: pair steps keep it at 0 but for round-off (LIBSVM: 1e-16)."""

KERNEL_ROUNDING = 32 * np.finfo(np.float64).eps
"""Two honest float64 evaluations of one kernel value of size 1 differ by at most about this: the squared
distance is a sum of d terms, and |x|^2 + |z|^2 - 2xz rounds otherwise than sum (x - z)^2."""


@dataclass(frozen=True)
class Subproblem:
    """One binary binary classifier: its rows in the training set, labels, multipliers, bounds and offset."""

    rows: np.ndarray
    y: np.ndarray
    alpha: np.ndarray
    upper: np.ndarray
    bias: float


@dataclass(frozen=True)
class Verdict:
    """What the evaluation computed.

    ``rounding`` bounds the float64 noise in a score ``f_i``, and ``rounding * scale`` that in an objective
    (every multiplier meets a score, every slack a bound).
    """

    primal: float
    dual: float
    violation: float
    balance: float
    imbalance: float
    rounding: float
    scale: float
    inside: bool

    @property
    def feasible(self) -> bool:
        """In the box, and on the plane y'alpha = 0."""
        return self.inside and self.imbalance <= IMBALANCE

    @property
    def gap(self) -> float:
        return self.primal - self.dual

    @property
    def relative_gap(self) -> float:
        return self.gap / max(abs(self.primal), abs(self.dual), np.finfo(np.float64).tiny)

    @property
    def dual_bound(self) -> float:
        """A value that the optimum cannot be below, though ``y'alpha`` be not exactly 0."""
        return self.dual - self.balance


def subproblems(model: Any, y: np.ndarray, upper: np.ndarray) -> Iterator[Subproblem]:
    """The binary binary classifiers of a fitted SVC: LIBSVM's order of pairs, or one a class for one-against-rest."""
    classes = model.classes_
    coef = model.dual_coef_.toarray() if sparse.issparse(model.dual_coef_) else np.asarray(model.dual_coef_)
    full = np.zeros((len(coef), len(y)))
    full[:, model.support_] = coef
    if len(classes) == 2:
        yield _subproblem(np.arange(len(y)), np.where(y == classes[1], 1.0, -1.0), full[0], upper, model.intercept_[0])
    elif getattr(model, "multi_class", "ovo") == "ovr":
        for k, label in enumerate(classes):
            yield _subproblem(np.arange(len(y)), np.where(y == label, 1.0, -1.0), full[k], upper, model.intercept_[k])
    else:
        for pair, (i, j) in enumerate(combinations(range(len(classes)), 2)):
            first, second = np.flatnonzero(y == classes[i]), np.flatnonzero(y == classes[j])
            rows = np.concatenate([first, second])
            sign = np.repeat([1.0, -1.0], [len(first), len(second)])
            beta = np.concatenate([full[j - 1, first], full[i, second]])
            yield _subproblem(rows, sign, beta, upper[rows], model.intercept_[pair])


def _subproblem(rows: np.ndarray, sign: np.ndarray, beta: np.ndarray, upper: np.ndarray, bias: float) -> Subproblem:
    return Subproblem(rows, sign, sign * beta, upper, float(bias))


def judge(subproblem: Subproblem, K: np.ndarray, offset: bool = True) -> Verdict:
    """Objectives, violation and feasibility of one binary classifier on the Gram matrix of the whole training set."""
    K = K if len(subproblem.rows) == len(K) else K[np.ix_(subproblem.rows, subproblem.rows)]
    y, alpha, upper = subproblem.y, subproblem.alpha, subproblem.upper
    Kb = K @ (y * alpha)
    quadratic = 0.5 * float(alpha @ (y * Kb))
    slack = np.maximum(0.0, 1.0 - y * (Kb + subproblem.bias))
    rounding = KERNEL_ROUNDING * float(np.abs(K).max()) * max(1.0, float(alpha.sum()))
    return Verdict(
        primal=quadratic + float(upper @ slack),
        dual=float(alpha.sum()) - quadratic,
        violation=violation(y, alpha, upper, y - Kb, offset),
        balance=abs(subproblem.bias * float(y @ alpha)) if offset else 0.0,
        imbalance=abs(float(y @ alpha)) / max(float(alpha.sum()), 1e-300) if offset else 0.0,
        rounding=rounding,
        scale=float(alpha.sum() + upper[slack > 0].sum()),
        inside=bool(np.all(alpha >= 0) and np.all(alpha <= upper)),
    )


def violation(y: np.ndarray, alpha: np.ndarray, upper: np.ndarray, score: np.ndarray, offset: bool = True) -> float:
    """``m - M`` of LIBSVM at least 0; without an offset, the largest violated single condition.

    ``score`` is ``y - Kb``: minus ``y`` times the gradient of the dual in its minimising form.
    """
    can_rise = np.where(y > 0, alpha < upper, alpha > 0)
    can_fall = np.where(y > 0, alpha > 0, alpha < upper)
    highest = float(score[can_rise].max()) if can_rise.any() else -np.inf
    lowest = float(score[can_fall].min()) if can_fall.any() else np.inf
    if offset:
        return max(0.0, highest - lowest)
    return max(0.0, highest, -lowest)


def total(verdicts: list[Verdict]) -> tuple[float, float]:
    """Primal and dual objective summed over all binary classifiers, as ``certificate_`` reports them."""
    return sum(v.primal for v in verdicts), sum(v.dual for v in verdicts)
