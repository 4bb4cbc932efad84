"""Inputs on which SVM solvers hang or fail: each ends within 10 s on one core, at default settings."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from maxmargin import SVC, solve
from maxmargin.errors import ConvergenceWarning
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin

from ._isolated import run

pytestmark = pytest.mark.alone

SECONDS = 10.0
"""What one fit may take on one core; the child is killed well after it: a slow end is not none."""

FIT = """
from maxmargin import SVC
def fit(model, X, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        begin = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - begin
    certificate = model.certificate_
    return dict(seconds=seconds, status=model.status_.name, fit_status=int(model.fit_status_),
        gap=float(certificate.relative_gap), primal=float(certificate.primal_objective),
        dual=float(certificate.dual_objective), violation=float(certificate.kkt_violation),
        warnings=[[w.category.__name__, str(w.message)] for w in caught],
        finite=bool(np.isfinite(model.decision_function(X)).all()))
"""

BREAST_CANCER = FIT + "from sklearn.datasets import load_breast_cancer\nX, y = load_breast_cancer(return_X_y=True)\n"


def _fit(source: str) -> dict[str, Any]:
    result = run(source, one_core=True, timeout=6 * SECONDS)
    assert result["seconds"] <= SECONDS
    assert result["finite"]
    return result


@pytest.mark.parametrize(
    ("kernel", "alpha", "status"),
    [
        # Two rows of opposite labels at squared kernel distance D: alpha = min(C, 2 / D). The optimum is 2e-20, and a score
        # that is off by its last place loses 1e-16: float64 cannot certify it.
        ("linear", "2 / (1e20 + 1)", "STALLED"),
        # gamma = 1 / (d var): here gamma |x - z|^2 = 8 / 3 up to 1e-10, and 1 / (1 - e^(-8/3)) > C = 1.
        ("rbf", "1.0", "CONVERGED"),
    ],
)
def test_two_rows_with_one_huge_value(kernel: str, alpha: str, status: str) -> None:
    """scikit-learn issue 4648: two rows, and it never came back."""
    result = _fit(
        FIT
        + f"""
X, y = np.array([[0.0, 1.0], [1e10, 0.0]]), np.array([0, 1])
model = SVC(kernel="{kernel}")
outcome = fit(model, X, y)
report(**outcome, coef=model.dual_coef_.tolist(), support=model.support_.tolist(), expected={alpha})
"""
    )
    assert result["status"] == status
    assert result["support"] == [0, 1]
    assert result["coef"][0] == pytest.approx([-result["expected"], result["expected"]], rel=1e-9)


@pytest.mark.parametrize("positive", [100, 30, 1])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_equal_rows_with_both_labels(kernel: str, positive: int) -> None:
    """Nothing can be told apart: f is constant, and the optimum is 2 C min(n+, n-)."""
    result = _fit(
        FIT
        + f"""
X, y = np.tile([[1.0, 2.0, 3.0]], (200, 1)), np.repeat([1, 0], [{positive}, {200 - positive}])
report(**fit(SVC(kernel="{kernel}"), X, y))
"""
    )
    assert result["status"] == "CONVERGED"
    assert result["dual"] == pytest.approx(2.0 * positive, rel=1e-6)
    assert result["primal"] == pytest.approx(2.0 * positive, rel=1e-3)


@pytest.mark.parametrize(
    "scales", ["1e-5", "1e5", "np.where(np.arange(30) % 2, 1e-5, 1e5)"], ids=["all 1e-5", "all 1e5", "both"]
)
def test_features_of_extreme_scale(scales: str) -> None:
    """scikit-learn issue 30353: large C and scaled features never came back."""
    result = _fit(
        BREAST_CANCER
        + f"""
X = (X - X.mean(axis=0)) / X.std(axis=0) * {scales}
report(**fit(SVC(C=1e5), X, y))
"""
    )
    assert result["status"] == "CONVERGED"
    assert result["gap"] <= 1e-3


@pytest.mark.parametrize(
    "model",
    ['SVC(kernel="linear", C=1e10)', 'SVC(kernel="poly", degree=9)'],
    ids=["linear, C=1e10", "polynomial of degree 9"],
)
def test_hopeless_on_unscaled_data(model: str) -> None:
    """scikit-learn does not end here. Ours converges, or says that it stalled, and at which gap."""
    result = _fit(BREAST_CANCER + f"report(**fit({model}, X, y))")
    assert result["status"] in ("CONVERGED", "STALLED")
    if result["status"] == "STALLED":
        assert result["fit_status"] == 1
        messages = [text for kind, text in result["warnings"] if kind == "ConvergenceWarning"]
        assert len(messages) == 1
        assert "gap" in messages[0]
    else:
        assert result["gap"] <= 1e-3
        assert result["violation"] <= 1e-3


@pytest.mark.parametrize("model", ['SVC(kernel="sigmoid")', 'SVC(kernel="sigmoid", gamma=1.0, coef0=-1.0, C=100)'])
def test_sigmoid_says_indefinite(model: str) -> None:
    result = _fit(BREAST_CANCER + f"X = (X - X.mean(axis=0)) / X.std(axis=0)\nreport(**fit({model}, X, y))")
    assert result["status"] == "INDEFINITE"
    assert any(kind == "IndefiniteKernelWarning" for kind, _ in result["warnings"])


def test_random_indefinite_matrix_says_indefinite() -> None:
    result = _fit(
        FIT
        + """
rng = np.random.default_rng(0)
K = rng.normal(size=(200, 200))
report(**fit(SVC(kernel="precomputed"), K + K.T, rng.integers(0, 2, 200)))
"""
    )
    assert result["status"] == "INDEFINITE"
    assert result["gap"] != result["gap"], "an indefinite problem has no duality gap: nan"


def test_no_limit_of_time_is_hidden_in_the_defaults() -> None:
    defaults = {name: p.default for name, p in inspect.signature(SVC).parameters.items()}
    assert defaults["max_time"] is None
    assert defaults["max_iter"] == -1


def test_a_gap_that_rounding_made_negative_is_no_progress() -> None:
    """Resuming goes on while the gap halves; one below 0 is less than half of itself for ever."""
    X = np.array([[i % 4, i // 4 % 4] for i in range(40)], dtype=float)
    y = np.where((X.sum(axis=1) % 3 == 0) ^ (np.arange(40) % 7 == 0), 1.0, -1.0)
    with pytest.warns(ConvergenceWarning, match="STALLED"):
        solution = solve(SoftMargin(X, y, kernel=RBF()), tol=1e-300)
    assert solution.certificate.kkt_violation < 1e-12


@pytest.mark.parametrize(
    ("rows", "model"),
    [
        ("rng.integers(0, 2, (30, 5)).astype(float)", "SVC(kernel='poly', degree=2, gamma=7e7, C=2e3, multi_class='joint')"),
        ("np.sort(rng.normal(size=(300, 1)), axis=0)", "SVC(C=np.inf, gamma=1.0, multi_class='joint')"),
        ("rng.normal(size=(300, 8)) @ rng.normal(size=(8, 12))", "SVC(kernel='poly', degree=1, C=np.inf, multi_class='joint')"),
        ("10.0 ** rng.uniform(-9, 9, (300, 4))", "SVC(kernel='linear', C=1e6, tol=1e-8, multi_class='joint')"),
    ],
)
def test_all_classes_at_once(rows: str, model: str) -> None:
    """Systems of the exact finish that lead nowhere, and coefficients that grow for ever: their number is bounded."""
    _fit(FIT + f"rng = np.random.default_rng(0)\nX = {rows}\ny = np.arange(len(X)) % 3\nreport(**fit({model}, X, y))\n")


@pytest.mark.parametrize("model", ["SVC(C=np.inf, gamma=1.0, multi_class='joint', max_time=0.3)"])
def test_all_classes_at_once_in_time(model: str) -> None:
    """The exact finish looks at the clock, too."""
    rows = "np.sort(np.random.default_rng(0).normal(size=(300, 1)), axis=0)"
    result = _fit(FIT + f"X = {rows}\ny = np.arange(len(X)) % 3\nreport(**fit({model}, X, y))\n")
    assert result["status"] == "TIME_LIMIT"
    assert result["seconds"] <= 1.0
