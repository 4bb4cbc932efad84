"""The judge of kernel logistic regression and of models on landmarks knows optima by hand, and notices what is spoilt."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ._evaluator import judge
from ._generator import Case
from ._landmark_models import _of_features, of_landmarks, stored_features
from ._linear_models import linear_problems
from ._logistic_models import logistic_machine
from ._numbers import DEEP, LONG, Digits, precise


def case_of(estimator: str, X: Any, y: Any, **params: Any) -> Case:
    rows = np.asarray(X, dtype=np.float64)
    return Case(-1, estimator, params, "by hand", True, rows, rows, None if y is None else np.asarray(y), None)


LINE = [[0.0], [1.0], [3.0], [4.0]]
UNIT_SLOPE = 0.5 * (1.0 + math.e)
"""C for which ``½w² + 2C log(1 + e^−w)`` is least at w = 1."""
LOGISTIC = {"kernel": "linear", "tol": 1e-9}
BY_HAND = [
    (
        case_of("KernelLogisticRegression", [[-1.0], [1.0]], [0, 1], C=UNIT_SLOPE, fit_intercept=False, **LOGISTIC),
        0.5 + 2.0 * UNIT_SLOPE * math.log1p(math.exp(-1.0)),
    ),
    # nothing tells rows of zeros apart: every class is as likely as it is frequent
    (
        case_of("KernelLogisticRegression", np.zeros((3, 1)), [0, 1, 2], C=2.0, fit_intercept=True, **LOGISTIC),
        6.0 * math.log(3.0),
    ),
    (
        case_of("KernelLogisticRegression", np.zeros((4, 1)), [0, 1, 1, 1], C=1.0, fit_intercept=True, **LOGISTIC),
        math.log(4.0) + 3.0 * math.log(4.0 / 3.0),
    ),
]


@pytest.mark.parametrize("digits", [LONG, DEEP], ids=["long", "deep"])
@pytest.mark.parametrize(("case", "optimum"), BY_HAND, ids=["slope", "three", "two"])
def test_logistic_optima_by_hand(case: Case, optimum: float, digits: Digits) -> None:
    with precise():
        machine = logistic_machine(case, case.fit(), digits)
    assert (float(machine.primal), float(machine.dual)) == pytest.approx((optimum, optimum), rel=1e-7)


@pytest.mark.parametrize("y", [[0, 1, 0, 1], [0, 1, 2, 1]])
@pytest.mark.parametrize("spoilt", ["dual_coef_", "intercept_"])
def test_a_spoilt_logistic_model_is_noticed(y: list[int], spoilt: str) -> None:
    case = case_of("KernelLogisticRegression", LINE, y, C=10.0, fit_intercept=True, kernel="rbf", tol=1e-6)
    model = case.fit()
    assert judge(case, model).findings == []
    values = getattr(model, spoilt)
    setattr(model, spoilt, values + np.linspace(0.2, 0.5, values.size).reshape(values.shape))
    assert "CONVERGED beyond" in {finding.kind for finding in judge(case, model).findings}


ON_LANDMARKS = {"kernel": "rbf", "gamma": 0.3, "n_components": 3, "landmarks": "uniform", "random_state": 0, "tol": 1e-7}
MODELS = [
    case_of("ApproximateSVC", LINE, [0, 1, 0, 1], C=10.0, loss="squared_hinge", **ON_LANDMARKS),
    case_of("ApproximateSVC", LINE, [0, 1, 2, 1], C=10.0, loss="hinge", **ON_LANDMARKS),
    case_of("ApproximateSVR", LINE, [0.0, 1.0, 2.0, 5.0], C=1.0, epsilon=0.1, loss="epsilon_insensitive", **ON_LANDMARKS),
    case_of("ApproximateOneClass", LINE, None, nu=0.3, **ON_LANDMARKS),
]


@pytest.mark.parametrize("case", MODELS, ids=[f"{case.estimator}-{case.params.get('loss')}" for case in MODELS])
def test_a_spoilt_model_on_landmarks_is_noticed(case: Case) -> None:
    model = case.fit()
    assert judge(case, model).findings == []
    held = stored_features(case, model)
    spoilt = _of_features(case, model, held._replace(Z=held.Z * 1.001), 0.3)
    assert [finding.kind for finding in spoilt] == ["other features"]
    longer = _of_features(case, model, held._replace(Z=held.Z * 1.001, projection=held.projection * 1.001), 0.3)
    assert "other features" in {finding.kind for finding in longer}
    model.landmark_coef_ = model.landmark_coef_ * 0.9
    assert of_landmarks(case, model) == []  # it is another model, of the same features
    assert "CONVERGED beyond" in {finding.kind for finding in judge(case, model).findings}
    model = case.fit()
    other = case_of(case.estimator, case.X, case.y, **case.params | {"gamma": 0.4})
    assert [finding.kind for finding in judge(other, model).findings] == ["another gamma"]


def test_weights_are_found_from_coefficients_of_landmarks() -> None:
    """With all rows as landmarks, the features' problem is that of the kernel: ``|w|² = aᵀKa``."""
    case = case_of("ApproximateSVC", LINE, [0, 1, 0, 1], C=10.0, loss="hinge", **ON_LANDMARKS | {"n_components": 4})
    model = case.fit()
    ((_, w, _, _),) = linear_problems(case, model, LONG)
    a, K = model.landmark_coef_[0], np.exp(-0.3 * (case.X - case.X.T) ** 2)
    assert float(w @ w) == pytest.approx(float(a @ K @ a), rel=1e-9)
