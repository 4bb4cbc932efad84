"""scikit-learn's own contract for estimators, without a single expected failure.

scikit-learn exempts its SVMs from the checks on weight equivalence (they compare to 1e-7); ours pass them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import SVC
from maxmargin.kernels import RBF

ESTIMATORS = [
    SVC(),
    SVC(kernel="linear"),
    SVC(kernel=RBF()),
    SVC(multi_class="ovr"),
    SVC(kernel="precomputed"),
]


@parametrize_with_checks(ESTIMATORS)
def test_estimator_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
