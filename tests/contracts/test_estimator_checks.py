"""scikit-learn's own contract for estimators, with three expected failures: one for ν-classification, two for draws.

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
    LinearClassifier,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    StochasticClassifier,
)
from maxmargin.kernels import RBF

ESTIMATORS = [
    SVC(),
    SVC(kernel="linear"),
    SVC(kernel=RBF()),
    SVC(multi_class="ovr"),
    SVC(multi_class="joint"),
    SVC(kernel="linear", multi_class="joint"),
    SVC(kernel="precomputed"),
    NuSVC(nu=0.2),
    SVR(),
    SVR(kernel="linear"),
    NuSVR(),
    OneClassSVM(),
    SVDD(),
    LinearSVC(),
    LinearSVC(loss="hinge"),
    LinearSVC(penalise_intercept=True),
    LinearClassifier(),
    LinearClassifier(loss="logistic", C=0.1),
    LinearSVR(),
    LinearSVR(loss="squared_epsilon_insensitive", epsilon=0.1, penalise_intercept=True),
    LogisticRegression(),
    StochasticClassifier(max_iter=2000),
    Perceptron(),
    Perceptron(kernel="rbf"),
    Perceptron(kernel="precomputed"),
]


def _expected_failures(estimator: Any) -> dict[str, str]:
    """One check gives a class a weight of 1 000 and another one of 0.0001: no ν that is not tiny is feasible then.

    Two want a row of weight 2 and a row that is there twice to make the same model to 1e-7: of draws they have the same
    probability, but no walk is another's (scikit-learn expects the same of its SGDClassifier).
    """
    if isinstance(estimator, NuSVC):
        return {"check_class_weight_classifiers": "extreme class weights"}
    if isinstance(estimator, StochasticClassifier):
        return dict.fromkeys(
            ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"), "other draws"
        )
    return {}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=_expected_failures)
def test_estimator_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
