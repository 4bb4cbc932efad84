"""The reliability curve, against scikit-learn's, and its messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import log_loss
from sklearn.preprocessing import scale

from maxmargin import SVC, LinearSVC
from maxmargin.calibration import CalibratedClassifierCV
from maxmargin.errors import InvalidInput
from maxmargin.plots import canvas, reliability


def _rows() -> tuple[Any, Any]:
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), y


def test_points_are_scikit_learns_quantile_groups() -> None:
    X, y = _rows()
    model = SVC(probability=True).fit(X[::2], y[::2])
    ax = reliability(model, X, y, bins=8, ax=canvas()[1])
    (line,) = [each for each in ax.lines if each.get_gid() == "SVC"]
    share, said = calibration_curve(y, model.predict_proba(X)[:, 1], n_bins=8, strategy="quantile")
    assert np.allclose(line.get_xdata(), said, atol=0.02)
    assert np.allclose(line.get_ydata(), share, atol=0.06)
    assert f"{log_loss(y, model.predict_proba(X)):.3g}" in str(line.get_label())
    assert ax.get_xlabel() == "predicted probability of class 1"


def test_several_models_and_three_classes() -> None:
    X, y = load_iris(return_X_y=True)
    models = {"pairs": SVC(probability=True).fit(X, y), "linear": CalibratedClassifierCV(LinearSVC()).fit(X, y)}
    ax = reliability(models, X, y, ax=canvas()[1])
    assert {line.get_gid() for line in ax.lines} == {"diagonal", "pairs", "linear"}
    (line,) = [each for each in ax.lines if each.get_gid() == "pairs"]
    P = models["pairs"].predict_proba(X)
    assert np.mean(line.get_xdata()) == pytest.approx(P.max(axis=1).mean())
    assert np.mean(line.get_ydata()) == pytest.approx(np.mean(P.argmax(axis=1) == y))


def test_messages() -> None:
    X, y = _rows()
    model = SVC(probability=True).fit(X, y)
    with pytest.raises(InvalidInput, match=r"LinearSVC has no predict_proba. Fit SVC\(probability=True\)"):
        reliability(LinearSVC().fit(X, y), X, y)
    with pytest.raises(InvalidInput, match="Got 569 rows and 3 labels"):
        reliability(model, X, y[:3])
    with pytest.raises(InvalidInput, match=r"labels that the model does not know: \[7\]"):
        reliability(model, X, np.where(y == 1, 7, y))
    with pytest.raises(InvalidInput, match="'bins' parameter of reliability"):
        reliability(model, X, y, bins=0)
    with pytest.raises(InvalidInput, match="Got an empty mapping"):
        reliability({}, X, y)
