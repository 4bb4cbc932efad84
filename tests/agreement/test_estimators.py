"""Agreement of SVR, NuSVR, NuSVC and OneClassSVM with scikit-learn at tol 1e-6, on public sets, scaled and not.

Both models are evaluated in plain numpy from ``dual_coef_``, ``support_`` and ``intercept_``: dual objective, feasibility, and
the primal objective of ours, which no dual objective may be above.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sklearn.svm
from sklearn.metrics.pairwise import rbf_kernel

import maxmargin
from maxmargin.solution import Status

from .._data import DataSet, load

TOL = 1e-6
DUAL_RTOL = 1e-6
"""Our dual objective may be below scikit-learn's by this share, no more."""

PREDICTION = 1e-3
"""Predictions of targets differ by at most this share of their deviation ..."""

CLEAR = 1e-2
"""... and signs not at all where |f| is above this."""

REGRESSION = ("cpusmall", "kin8nm", "abalone", "cpusmall unscaled")
CLASSES = {"heart": (0.1, 0.5), "splice": (0.1, 0.5), "mushrooms": (0.02, 0.3), "diabetes unscaled": (0.55, 0.65)}
ONE_CLASS = ("heart", "splice", "mushrooms", "diabetes unscaled")


@dataclass(frozen=True)
class Case:
    """An estimator, a data set, and its parameters; C and ε in units of the targets' deviation."""

    kind: str
    name: str
    C: float = 1.0
    nu: float = 0.5

    def __str__(self) -> str:
        return f"{self.kind}-{self.name}-C={self.C:g}-nu={self.nu:g}"

    def params(self, y: np.ndarray) -> dict[str, Any]:
        unit = float(y.std())
        own = {
            "SVR": {"C": self.C * unit, "epsilon": 0.1 * unit},
            "NuSVR": {"C": self.C * unit, "nu": self.nu},
            "NuSVC": {"nu": self.nu},
            "OneClassSVM": {"nu": self.nu},
        }
        return {**own[self.kind], "tol": TOL}


CASES = [Case("SVR", name, C=C) for name in REGRESSION for C in (0.1, 1.0, 5.0)]
CASES += [Case("NuSVR", name, C=C, nu=nu) for name in REGRESSION for C, nu in ((0.1, 0.5), (1.0, 0.2), (1.0, 0.8))]
CASES += [Case("NuSVC", name, nu=nu) for name, several in CLASSES.items() for nu in several]
CASES += [Case("OneClassSVM", name, nu=nu) for name in ONE_CLASS for nu in (0.1, 0.5)]


@dataclass(frozen=True)
class Evaluated:
    """Objectives of a model, and whether its coefficients are feasible."""

    primal: float
    dual: float
    feasible: bool


def judge(case: Case, model: Any, data: DataSet, K: np.ndarray) -> Evaluated:
    """What the docstring of the formulation says of these coefficients."""
    y, params, n = data.y, case.params(data.y), len(data.y)
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_[0]
    bias = float(model.intercept_[0])
    Kb = K @ beta
    half = 0.5 * float(beta @ Kb)
    size = np.abs(beta)
    if case.kind in ("SVR", "NuSVR"):
        C = params["C"]
        away = np.abs(Kb + bias - y)
        inside = bool(size.max() <= C * (1 + 1e-9) and abs(beta.sum()) <= 1e-9 * size.sum())
        if case.kind == "SVR":
            loss = C * np.maximum(0.0, away - params["epsilon"]).sum()
            return Evaluated(half + loss, float(y @ beta - params["epsilon"] * size.sum() - half), inside)
        abs_sum = params["nu"] * C * n
        # The best width for these scores: the part ν of the rows, counted from the largest distance, is outside.
        width = np.sort(away)[::-1][min(int(params["nu"] * n), n - 1)]
        primal = half + abs_sum * width + C * np.maximum(0.0, away - width).sum()
        return Evaluated(primal, float(y @ beta - half), inside and bool(size.sum() <= abs_sum * (1 + 1e-9)))
    abs_sum = params["nu"] * n
    if case.kind == "OneClassSVM":
        feasible = bool(beta.min() >= 0 and beta.max() <= 1 + 1e-9 and abs(beta.sum() - abs_sum) <= 1e-9 * abs_sum)
        return Evaluated(half + abs_sum * bias + np.maximum(0.0, -bias - Kb).sum(), -half, feasible)
    rho = abs_sum / size.sum()
    sign = np.where(y == model.classes_[1], 1.0, -1.0)
    primal = rho * rho * half - abs_sum * rho + rho * np.maximum(0.0, 1.0 - sign * (Kb + bias)).sum()
    feasible = bool((sign * beta).min() >= 0 and (rho * size).max() <= 1 + 1e-9 and abs(beta.sum()) <= 1e-9 * size.sum())
    return Evaluated(primal, -rho * rho * half, feasible)


@dataclass(frozen=True)
class Fit:
    """One case, solved by both."""

    case: Case
    data: DataSet
    ours: Any
    theirs: Any
    evaluated: Evaluated
    judged_theirs: Evaluated


@pytest.fixture(scope="module", params=CASES, ids=str)
def fit(request: pytest.FixtureRequest) -> Fit:
    case: Case = request.param
    data = load(case.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", maxmargin.errors.FeatureScaleWarning)
        ours = getattr(maxmargin, case.kind)(**case.params(data.y)).fit(data.X, data.y)
    theirs = getattr(sklearn.svm, case.kind)(**case.params(data.y), cache_size=500).fit(data.X, data.y)
    K = rbf_kernel(data.X, gamma=1.0 / (data.X.shape[1] * data.X.var()))
    return Fit(case, data, ours, theirs, judge(case, ours, data, K), judge(case, theirs, data, K))


def test_converged_and_feasible(fit: Fit) -> None:
    assert fit.ours.status_ is Status.CONVERGED
    assert fit.evaluated.feasible


def test_certificate_is_what_the_judge_computes(fit: Fit) -> None:
    certificate, scale = fit.ours.certificate_, abs(fit.evaluated.primal)
    assert certificate.dual_objective == pytest.approx(fit.evaluated.dual, abs=1e-8 * scale)
    assert certificate.primal_objective == pytest.approx(fit.evaluated.primal, abs=1e-5 * scale)
    assert certificate.primal_objective >= certificate.dual_objective - 1e-12 * scale
    assert certificate.relative_gap <= 1e-5


def test_dual_objective_is_not_below_scikit_learn(fit: Fit) -> None:
    assert fit.evaluated.dual >= fit.judged_theirs.dual - DUAL_RTOL * abs(fit.judged_theirs.dual)


def test_weak_duality_holds_between_the_two(fit: Fit) -> None:
    noise = DUAL_RTOL * abs(fit.evaluated.primal)
    assert fit.judged_theirs.dual <= fit.evaluated.primal + noise
    assert fit.evaluated.dual <= fit.judged_theirs.primal + noise


NUMBERS = [case for case in CASES if case.kind in ("SVR", "NuSVR")]


@pytest.mark.parametrize("fit", NUMBERS, ids=str, indirect=True)
def test_same_values(fit: Fit) -> None:
    rows = np.vstack([fit.data.X, fit.data.X_unseen])
    difference = np.abs(fit.ours.predict(rows) - fit.theirs.predict(rows)).max()
    assert difference <= PREDICTION * fit.data.y.std()


@pytest.mark.parametrize("fit", [case for case in CASES if case not in NUMBERS], ids=str, indirect=True)
def test_same_classes(fit: Fit) -> None:
    rows = np.vstack([fit.data.X, fit.data.X_unseen])
    scores = fit.theirs.decision_function(rows)
    clear = np.abs(scores) > CLEAR
    assert clear.mean() > 0.8, "support vectors on the boundary are not clear, and few"
    np.testing.assert_array_equal(fit.ours.predict(rows)[clear], fit.theirs.predict(rows)[clear])


@pytest.mark.parametrize("fit", [case for case in CASES if case.kind == "NuSVR"], ids=str, indirect=True)
def test_same_tube(fit: Fit) -> None:
    """scikit-learn does not tell the width that ν found: the rows that it has between 0 and C are on its edge."""
    coef, C = np.abs(fit.theirs.dual_coef_[0]), fit.case.params(fit.data.y)["C"]
    free = fit.theirs.support_[(coef > 1e-6 * C) & (coef < (1 - 1e-6) * C)]
    assert len(free) > 0
    away = np.abs(fit.theirs.predict(fit.data.X[free]) - fit.data.y[free])
    np.testing.assert_allclose(away, fit.ours.epsilon_[0], rtol=0, atol=PREDICTION * fit.data.y.std())
