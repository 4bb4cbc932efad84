"""Scales at the ends of float64: an answer, an honest status or a clear error; no nan, and no endless search."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from maxmargin import SVC, SVDD, SVR, KernelLogisticRegression, NuSVC, NuSVR, OneClassSVM, solve
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Linear
from maxmargin.problems import DataDescription, HardMargin, KernelLogistic, OneClass
from maxmargin.solution import CrammerSingerEvaluation, LinearEvaluation, Status, certify_kernel_logistic

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
TARGETS = X[:, 0] + 0.1 * RNG.normal(size=40)
LABELS = (TARGETS > 0).astype(int)
MODELS: dict[str, tuple[type[Any], tuple[Any, ...]]] = {
    "SVC": (SVC, (LABELS,)),
    "NuSVC": (NuSVC, (LABELS,)),
    "SVR": (SVR, (TARGETS,)),
    "NuSVR": (NuSVR, (TARGETS,)),
    "OneClassSVM": (OneClassSVM, ()),
    "SVDD": (SVDD, ()),
}
SECONDS = 20.0
"""A search without end would be seen as TIME_LIMIT."""


def _fitted(model: Any, *data: Any, **more: Any) -> Any:
    """The model if it is finite in all its parts, None if it was refused with a reason."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.set_params(max_time=SECONDS).fit(*data, **more)
        except InvalidInput as error:
            words = str(error)
            return None if "overflow" in words or "too large" in words else pytest.fail(words)
    assert model.status_ is not Status.TIME_LIMIT
    assert np.isfinite(model.dual_coef_).all()
    assert np.isfinite(model.intercept_).all()
    certificate = model.certificate_
    assert np.isfinite([certificate.primal_objective, certificate.dual_objective, certificate.kkt_violation]).all()
    assert model.kernel == "sigmoid" or not np.isnan(certificate.relative_gap)  # an indefinite kernel has no gap
    score = model.predict if isinstance(model, SVR | NuSVR) else model.decision_function
    assert np.isfinite(score(data[0])).all()
    return model


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-150, 1e-100, 1e-20, 1e20, 1e100, 1e150, 1e160, 1e300])
def test_features(name: str, kernel: str, scale: float) -> None:
    kind, y = MODELS[name]
    model = _fitted(kind(kernel=kernel), scale * X, *y)
    if scale >= 1e160:
        assert model is None, "squares of features overflow"
    elif kernel == "rbf" and scale >= 1e-150:
        assert model is not None
        assert model.status_ is Status.CONVERGED  # gamma="scale" takes the scale out


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("C", [1e-300, 1e-10, 1.0, 1e10, 1e100, 1e300])
@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_targets_and_prices(scale: float, C: float, kernel: str) -> None:
    for model in (SVR(C=C, kernel=kernel), SVR(C=C, kernel=kernel, epsilon=0.1 * scale), NuSVR(C=C, kernel=kernel)):
        found = _fitted(model, X, scale * TARGETS)
        assert found is None or C < 1e300


@pytest.mark.parametrize("C", [1e-300, 1e-100, 1e100, 1e300])
def test_prices_of_slack(C: float) -> None:
    model = _fitted(SVC(C=C), X, LABELS)
    assert (model is None) == (C == 1e300)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weight", [1e-300, 1e300])
def test_weights(name: str, weight: float) -> None:
    kind, y = MODELS[name]
    model = _fitted(kind(), X, *y, sample_weight=np.where(np.arange(40) < 20, weight, 1.0))
    assert (model is None) == (weight == 1e300)


@pytest.mark.parametrize("name", ["NuSVC", "NuSVR", "OneClassSVM", "SVDD"])
@pytest.mark.parametrize("nu", [1e-300, 1e-100, 1e-10, 1e-3])
def test_small_shares(name: str, nu: float) -> None:
    kind, y = MODELS[name]
    assert _fitted(kind(nu=nu), X, *y) is not None


@pytest.mark.parametrize("nu", [1e-300, 1e-10, 1e-4])
def test_a_share_of_nothing_is_the_smallest_ball(nu: float) -> None:
    """A bound that the sum of all β keeps from being met does not matter, however large."""
    few = solve(DataDescription(X, nu=1e-3, kernel=Linear()), tol=1e-8)
    fewer = solve(DataDescription(X, nu=nu, kernel=Linear()), tol=1e-8)
    assert fewer.status is Status.CONVERGED
    assert fewer.slack_rule.radius == pytest.approx(few.slack_rule.radius, rel=1e-9)
    if nu >= 1e-10:
        one = solve(OneClass(X + 5.0, nu=nu, kernel=Linear()), tol=1e-6 * nu)
        assert one.status is Status.CONVERGED


def test_the_variance_that_gamma_is_made_of_underflows() -> None:
    message = r"gamma='scale' is 1 / \(n_features · variance of X\) and overflows.* Scale the features up"
    with pytest.raises(InvalidInput, match=message):
        SVC().fit(1e-160 * X, LABELS)


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_a_hard_margin(scale: float) -> None:
    apart = X + 8.0 * np.outer(2 * LABELS - 1, [1.0, 0.0, 0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = solve(HardMargin(scale * apart, LABELS, kernel=Linear()))
    assert not np.isnan([solution.certificate.relative_gap, solution.bias, *solution.weights]).any()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_squares_that_overflow_bound_nothing(n_classes: int) -> None:
    """``gᵀKg`` is inf − inf for rows near 1e151: once that was taken for 0, so that 0 was the optimum at any cost."""
    rows, labels = 1e151 * X, np.arange(len(X)) % n_classes
    model = KernelLogisticRegression(C=2e7, kernel="linear").fit(rows, labels)
    assert model.status_ is not Status.CONVERGED
    assert model.certificate_.dual_objective < model.certificate_.primal_objective
    problem = KernelLogistic(rows, labels, C=2e7, kernel=Linear())
    outputs = 1 if n_classes == 2 else n_classes
    assert certify_kernel_logistic(problem, np.zeros((len(rows), outputs)), np.zeros(outputs)).dual == -np.inf


def test_an_infinite_scale_makes_no_optimum_0() -> None:
    """Beside infinity every gap is small: so ended one class with rows near 1e151, whose objective could be 1e307."""
    found = LinearEvaluation(primal=0.0, dual=-2.7e305, stationarity=0.0, infeasibility=0.0, rounding=1e290, at_zero=np.inf)
    assert found.status(Status.STALLED, 1e-3) is Status.STALLED
    assert replace(found, at_zero=1e307, dual=-1e297).status(Status.STALLED, 1e-3) is Status.ZERO_OPTIMUM


def test_an_infinite_objective_is_no_optimum() -> None:
    found = CrammerSingerEvaluation(primal=np.inf, dual=1.0, kkt_violation=0.0, infeasibility=0.0)
    assert found.verdict(1e-3) is None
    beside = CrammerSingerEvaluation(primal=1.0, dual=-1.0, kkt_violation=0.0, infeasibility=0.0, scale=np.inf)
    assert beside.verdict(1e-3) is None
