"""The arithmetic of the comparison, against scikit-learn's own decision function and an analytic solution."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_iris

from maxmargin import SVC
from maxmargin.cli._comparison import compare, objectives


@pytest.mark.parametrize("kind", [SVC, sklearn.svm.SVC])
def test_two_points(kind: type) -> None:
    X, y = np.array([[0.0], [2.0]]), np.array([5, 7])
    model = kind(kernel="linear", C=10.0).fit(X, y)  # w = 1, alpha = 1/2, objective 1/2
    assert objectives(model, X @ X.T, y, C=10.0) == pytest.approx((0.5, 0.5), abs=1e-6)


@pytest.mark.parametrize("kind", [SVC, sklearn.svm.SVC])
@pytest.mark.parametrize("classes", [2, 3])
def test_weak_duality_and_the_slack_of_every_pair(kind: type, classes: int) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    model = kind(kernel="linear", C=0.01, tol=1e-6, decision_function_shape="ovo").fit(X, y)
    primal, dual = objectives(model, X @ X.T, y, C=0.01)
    assert 0 <= primal - dual + 1e-9 <= 1e-4 * primal
    f = np.asarray(model.decision_function(X)).reshape(len(y), -1)
    expected = 0.0
    for pair, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)] if classes == 3 else [(0, 1)]):
        rows = (y == i) | (y == j)
        sign = np.where(y[rows] == (1 if classes == 2 else i), 1.0, -1.0)
        expected += 0.5 * model.coef_[pair] @ model.coef_[pair]
        expected += 0.01 * np.maximum(0, 1 - sign * f[rows, pair]).sum()
    assert primal == pytest.approx(expected, rel=1e-9)


def test_the_certificate_agrees() -> None:
    X, y = load_iris(return_X_y=True)
    result = compare("Iris", X, y, repeats=1)
    certificate = result.model.certificate_
    assert certificate.dual_objective == pytest.approx(result.ours.dual, rel=1e-9)
    assert certificate.primal_objective == pytest.approx(result.ours.primal, rel=1e-9)
