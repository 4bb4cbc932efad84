"""scikit-learn's own contract for estimators, with expected failures of ν-classification alone.

scikit-learn exempts its SVMs from the checks on weight equivalence (they compare to 1e-7); ours pass them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import (
    SVC,
    SVDD,
    SVR,
    KernelLogisticRegression,
    KernelPCA,
    LinearClassifier,
    LinearOneClassSVM,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    StochasticClassifier,
)
from maxmargin.calibration import CalibratedClassifierCV
from maxmargin.kernels import RBF

ESTIMATORS = [
    SVC(),
    SVC(kernel="linear"),
    SVC(kernel=RBF()),
    SVC(multi_class="ovr"),
    SVC(multi_class="joint"),
    SVC(kernel="linear", multi_class="joint"),
    SVC(kernel="precomputed"),
    SVC(probability=True),
    SVC(probability=True, multi_class="ovr"),
    SVC(loss="squared_hinge", fit_intercept=False),
    NuSVC(nu=0.2),
    SVR(),
    SVR(kernel="linear"),
    NuSVR(),
    OneClassSVM(),
    SVDD(),
    LinearOneClassSVM(),
    LinearSVC(),
    LinearSVC(loss="hinge"),
    LinearSVC(penalise_intercept=True),
    LinearSVC(penalty="l1"),
    LinearSVC(penalty="l1", loss="hinge"),
    LinearSVC(multi_class="crammer_singer"),
    LinearSVC(multi_class="joint", penalise_intercept=True),
    LinearClassifier(),
    LinearClassifier(loss="logistic", C=0.1),
    LinearSVR(),
    LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.1, penalise_intercept=True),
    LogisticRegression(),
    LogisticRegression(penalty="l1"),
    LogisticRegression(l1_ratio=0.5),
    LogisticRegression(solver="liblinear", multi_class="ovr"),
    LogisticRegression(multi_class="multinomial"),
    LogisticRegression(multi_class="ovr"),
    StochasticClassifier(),
    StochasticClassifier(loss="logistic", draws="shuffled", lam_half=0.01),
    Perceptron(),
    Perceptron(kernel="rbf"),
    Perceptron(kernel="precomputed"),
    CalibratedClassifierCV(),
    CalibratedClassifierCV(SVC()),
    KernelLogisticRegression(),
    KernelPCA(),
    KernelPCA(n_components=2, kernel="rbf", fit_inverse_transform=True),
    KernelPCA(n_components=2, kernel="poly", eigen_solver="randomized"),
]


def _expected_failures(estimator: Any) -> dict[str, str]:
    """One check gives a class a weight of 1 000 and another one of 0.0001: no ν that is not tiny is feasible then."""
    return {"check_class_weight_classifiers": "extreme class weights"} if isinstance(estimator, NuSVC) else {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=_expected_failures)
def test_estimator_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
