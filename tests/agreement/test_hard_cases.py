"""Cases on which SVM libraries are known to differ: scales, contradictions, imbalance, weights, kernels.

The same judge as for the public sets; scikit-learn's dual objective (with a cap on its steps: any feasible
point bounds the optimum) must not be above ours.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from maxmargin import SVC
from maxmargin.solution import Status

from .._data import standardised
from ._cases import STEP_CAP, TOL
from ._evaluator import Verdict, judge, subproblems, total

DUAL_RTOL = 1e-7
GAP_OF_CONVERGED = 1e-3
CERTIFICATE_RTOL = 1e-9

Array = np.ndarray


@dataclass(frozen=True)
class Hard:
    """Data, parameters of SVC, and the float64 Gram matrix that they mean."""

    X: Array
    y: Array
    gram: Callable[[Array], Array]
    params: dict[str, Any] = field(default_factory=dict)
    weight: Array | None = None
    peer: bool = True


def _rbf(X: Array) -> Array:
    X = X.astype(np.float64)
    return rbf_kernel(X, gamma=1.0 / (X.shape[1] * X.var()))


def _breast_cancer(scaled: bool) -> tuple[Array, Array]:
    X, y = load_breast_cancer(return_X_y=True)
    return (standardised(X, X) if scaled else X), y


def _unscaled(C: float) -> Hard:
    return Hard(*_breast_cancer(scaled=False), _rbf, {"C": C})


def _contradictions(C: float) -> Hard:
    """Every row twice with the opposite label: no classifier fits; and triples that lean to one side."""
    X, y = make_classification(120, 5, random_state=3)
    X, y = np.vstack([X, X, X[:30]]), np.concatenate([y, 1 - y, y[:30]])
    return Hard(X, y, _rbf, {"C": C})


def _imbalance(C: float, class_weight: str | None) -> Hard:
    """1 : 1000; ``balanced`` puts the box at 1000 : 1."""
    rng = np.random.default_rng(7)
    X = np.vstack([rng.normal(0, 1, (3000, 4)), rng.normal(1.5, 1, (3, 4))])
    y = np.repeat([0, 1], [3000, 3])
    return Hard(X, y, _rbf, {"C": C, "class_weight": class_weight})


def _weights() -> Hard:
    X, y = _breast_cancer(scaled=True)
    weight = np.random.default_rng(1).lognormal(0, 2, len(y))
    gamma = 0.05
    return Hard(X, y, lambda X: rbf_kernel(X, gamma=gamma), {"C": 10.0, "gamma": gamma}, weight)


def _float32(C: float) -> Hard:
    X, y = _breast_cancer(scaled=True)
    return Hard(
        X.astype(np.float32),
        y,
        lambda X: rbf_kernel(X.astype(np.float64), gamma=0.03),
        {"C": C, "gamma": 0.03},
    )


def _far_from_origin() -> Hard:
    """All rows far from 0: the expanded squared distance |x|^2 + |z|^2 - 2xz loses six digits."""
    X, y = _breast_cancer(scaled=True)
    return Hard(X + 1e3, y, lambda X: rbf_kernel(X - 1e3, gamma=0.03), {"C": 10.0, "gamma": 0.03})


def _one_against_rest() -> Hard:
    X, y = load_iris(return_X_y=True)
    return Hard(X, y, _rbf, {"C": 10.0, "multi_class": "ovr"}, peer=False)


def _text_labels() -> Hard:
    X, y = load_iris(return_X_y=True)
    return Hard(X, np.array(["setosa", "versicolor", "virginica"])[y], linear_kernel, {"kernel": "linear"})


def _polynomial() -> Hard:
    X, y = _breast_cancer(scaled=True)
    params = {"kernel": "poly", "degree": 3, "gamma": 0.05, "coef0": 1.0, "C": 1.0}
    return Hard(X, y, lambda X: polynomial_kernel(X, degree=3, gamma=0.05, coef0=1.0), params)


CASES: dict[str, Callable[[], Hard]] = {
    "unscaled features, C=1": lambda: _unscaled(1.0),
    "unscaled features, C=1e3": lambda: _unscaled(1e3),
    "opposite labels on equal rows, C=1": lambda: _contradictions(1.0),
    "opposite labels on equal rows, C=1e4": lambda: _contradictions(1e4),
    "1 to 1000, C=1": lambda: _imbalance(1.0, None),
    "1 to 1000, C=1e3": lambda: _imbalance(1e3, None),
    "1 to 1000, balanced": lambda: _imbalance(1.0, "balanced"),
    "weights over six decades": _weights,
    "float32, C=1": lambda: _float32(1.0),
    "float32, C=1e5": lambda: _float32(1e5),
    "rows far from the origin": _far_from_origin,
    "one against rest": _one_against_rest,
    "labels that are text, linear": _text_labels,
    "polynomial": _polynomial,
}


def _upper(model: Any, case: Hard) -> Array:
    """C_i = C * class weight * sample weight, from the rule of scikit-learn's documentation."""
    upper = np.full(len(case.y), float(case.params.get("C", 1.0)))
    if case.params.get("class_weight") == "balanced":
        classes, counts = np.unique(case.y, return_counts=True)
        upper *= (len(case.y) / (len(classes) * counts))[np.searchsorted(classes, case.y)]
    return upper if case.weight is None else upper * case.weight


def _evaluated(model: Any, case: Hard) -> list[Verdict]:
    K = case.gram(case.X)
    return [judge(subproblem, K) for subproblem in subproblems(model, case.y, _upper(model, case))]


@pytest.fixture(scope="module", params=CASES, ids=str)
def solved(request: pytest.FixtureRequest) -> tuple[Hard, SVC, list[Verdict]]:
    case = CASES[request.param]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = SVC(tol=TOL, **case.params).fit(case.X, case.y, sample_weight=case.weight)
    return case, model, _evaluated(model, case)


def test_converges(solved: tuple[Hard, SVC, list[Verdict]]) -> None:
    _, model, verdicts = solved
    assert model.status_ is Status.CONVERGED
    for verdict in verdicts:
        assert verdict.feasible
        assert verdict.violation <= TOL + verdict.rounding
        assert verdict.gap <= GAP_OF_CONVERGED * abs(verdict.primal)


def test_certificate_is_honest(solved: tuple[Hard, SVC, list[Verdict]]) -> None:
    _, model, verdicts = solved
    primal, dual = total(verdicts)
    atol = CERTIFICATE_RTOL * abs(primal) + sum(v.rounding * v.scale for v in verdicts)
    np.testing.assert_allclose(model.certificate_.primal_objective, primal, rtol=0, atol=atol)
    np.testing.assert_allclose(model.certificate_.dual_objective, dual, rtol=0, atol=atol)


def test_dual_is_not_below_scikit_learn(solved: tuple[Hard, SVC, list[Verdict]]) -> None:
    case, _, verdicts = solved
    if not case.peer:
        pytest.skip("scikit-learn's SVC has no such binary classifier")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = sklearn.svm.SVC(tol=TOL, max_iter=STEP_CAP, **case.params)
        peer.fit(case.X, case.y, sample_weight=case.weight)
    for ours, theirs in zip(verdicts, _evaluated(peer, case), strict=True):
        assert ours.dual_bound >= theirs.dual_bound - DUAL_RTOL * abs(theirs.dual)
