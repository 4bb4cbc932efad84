"""Models on landmarks: the exact model where there are as many landmarks as rows, bounds of what is lost where not."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.svm import LinearSVC as TheirLinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import maxmargin
from maxmargin import (
    SVC,
    SVR,
    ApproximateOneClass,
    ApproximateSVC,
    ApproximateSVR,
    LinearOneClassSVM,
    LinearSVC,
    LinearSVR,
    OneClassSVM,
)
from maxmargin.errors import ConvergenceWarning, FitInterrupted, InvalidInput, NoMarginWarning, WarmStartWarning
from maxmargin.estimators import ExactBound
from maxmargin.feature_maps import Nystroem
from maxmargin.kernels import RBF, Spectrum
from maxmargin.solution import Certificate, Status

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
Y = (np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * RNG.normal(size=400) > 0.0).astype(int)
TARGET = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * RNG.normal(size=400)
WEIGHT = RNG.uniform(0.5, 2.0, 400)
WORDS = ["".join(RNG.choice(list("abcd"), 10)) for _ in range(60)]
STARTS_WITH = np.array([word[0] for word in WORDS])


def assert_between(bound: ExactBound, exact: Certificate) -> None:
    """The optimum is between both objectives, but for the rounding of sums."""
    rounding = 1e-12 * abs(exact.primal_objective)
    assert bound.dual_objective <= exact.primal_objective + rounding
    assert bound.primal_objective >= exact.dual_objective - rounding


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_all_rows_as_landmarks_are_the_exact_model(loss: str, fit_intercept: bool) -> None:
    common = {"gamma": 0.5, "C": 2.0, "loss": loss, "fit_intercept": fit_intercept}
    near = ApproximateSVC(1000, tol=1e-6, **common).fit(X, Y, WEIGHT)
    exact = SVC(tol=1e-6, **common).fit(X, Y, WEIGHT)
    assert near.status_ is Status.CONVERGED
    assert near.certificate_.primal_objective == pytest.approx(exact.certificate_.primal_objective, rel=1e-5)
    assert_allclose(near.decision_function(X), exact.decision_function(X), atol=2e-2)
    bound = near.exact_bound(X, Y, WEIGHT)
    assert bound.is_proven
    assert bound.relative_gap < 1e-4
    assert_between(bound, exact.certificate_)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regression_with_all_rows_is_the_exact_model(loss: str) -> None:
    near = ApproximateSVR(1000, gamma=0.5, C=2.0, epsilon=0.1, loss=loss, tol=1e-6).fit(X, TARGET, WEIGHT)
    exact = SVR(gamma=0.5, C=2.0, epsilon=0.1, tol=1e-6)
    bound = near.exact_bound(X, TARGET, WEIGHT)
    assert bound.relative_gap < 1e-3
    if loss == "epsilon_insensitive":
        exact.fit(X, TARGET, WEIGHT)
        assert near.certificate_.primal_objective == pytest.approx(exact.certificate_.primal_objective, rel=1e-5)
        assert_allclose(near.predict(X), exact.predict(X), atol=2e-2)
        assert_between(bound, exact.certificate_)


def test_one_class_with_all_rows_is_the_exact_model() -> None:
    near = ApproximateOneClass(1000, gamma=0.5, nu=0.2, tol=1e-7).fit(X, sample_weight=WEIGHT)
    exact = OneClassSVM(gamma=0.5, nu=0.2, tol=1e-6).fit(X, sample_weight=WEIGHT)
    assert near.certificate_.primal_objective == pytest.approx(exact.certificate_.primal_objective, rel=1e-5)
    assert_allclose(near.score_samples(X) / near.offset_, exact.score_samples(X) / exact.offset_, atol=2e-3)
    bound = near.exact_bound(X, sample_weight=WEIGHT)
    assert_between(bound, exact.certificate_)
    assert bound.relative_gap < 1e-3


def test_few_landmarks_are_a_linear_model_of_their_features() -> None:
    """The same problems as those of the linear estimators on `Nystroem`'s features."""
    Z = Nystroem(40, gamma=0.5, random_state=7).fit_transform(X)
    common: dict[str, Any] = {"gamma": 0.5, "random_state": 7, "tol": 1e-7}
    cases = [
        (ApproximateSVC(40, C=3.0, **common).fit(X, Y), LinearSVC(C=3.0, tol=1e-7).fit(Z, Y)),
        (ApproximateSVR(40, C=3.0, loss="squared_epsilon_insensitive", epsilon=0.1, **common).fit(X, TARGET),
         LinearSVR(C=3.0, epsilon=0.1, loss="squared_epsilon_insensitive", tol=1e-7).fit(Z, TARGET)),
        (ApproximateOneClass(40, nu=0.2, **common).fit(X), LinearOneClassSVM(nu=0.2, tol=1e-7).fit(Z)),
    ]  # fmt: skip
    for near, linear in cases:
        assert near.certificate_.primal_objective == pytest.approx(linear.certificate_.primal_objective, rel=1e-9)
        mine = near.predict(X) if isinstance(near, ApproximateSVR) else near.decision_function(X)
        theirs = linear.predict(Z) if isinstance(near, ApproximateSVR) else linear.decision_function(Z)
        assert_allclose(mine, theirs, atol=1e-6)
    # and the same as another library's where it penalises nothing else
    other = TheirLinearSVC(C=3.0, tol=1e-9, max_iter=100_000, fit_intercept=False).fit(Z, Y)
    own = ApproximateSVC(40, C=3.0, fit_intercept=False, **common).fit(X, Y)
    assert_allclose(own.decision_function(X), other.decision_function(Z), atol=1e-4)


@pytest.mark.parametrize("m", [10, 40, 160])
@pytest.mark.parametrize("how", ["uniform", "kmeans", "leverage"])
def test_the_exact_bound_holds(how: str, m: int) -> None:
    """The optimum, known from a precise exact fit, lies between both objectives; it is found again by numpy."""
    for loss in ("hinge", "squared_hinge"):
        model = ApproximateSVC(m, gamma=0.5, C=5.0, loss=loss, landmarks=how, random_state=0, tol=1e-6).fit(X, Y, WEIGHT)
        exact = SVC(gamma=0.5, C=5.0, loss=loss, tol=1e-7).fit(X, Y, WEIGHT).certificate_
        bound = model.exact_bound(X, Y, WEIGHT)
        assert bound.is_proven
        assert bound.standard_error == 0.0
        assert_between(bound, exact)
        a, K = model.landmark_coef_[0], RBF(gamma=0.5)(model.landmarks_)
        missed = np.maximum(1.0 - np.where(Y == 1, 1, -1) * model.decision_function(X), 0.0)
        lost = missed if loss == "hinge" else missed**2
        assert bound.primal_objective == pytest.approx(0.5 * a @ K @ a + 5.0 * (WEIGHT * lost).sum(), rel=1e-7)


def test_the_exact_bound_falls_with_the_landmarks() -> None:
    for loss in ("hinge", "squared_hinge"):
        models = [ApproximateSVC(m, gamma=0.5, C=5.0, loss=loss, random_state=0, tol=1e-6).fit(X, Y) for m in (20, 100, 380)]
        gaps = [model.exact_bound(X, Y).relative_gap for model in models]
        assert gaps == sorted(gaps, reverse=True)
        assert gaps[-1] < 1e-3 < gaps[0]


def test_the_estimated_bound_is_near_the_proven_one() -> None:
    model = ApproximateSVC(60, gamma=0.5, C=5.0, random_state=0).fit(X, Y)
    proven = model.exact_bound(X, Y)
    found = [model.exact_bound(X, Y, rows=60, random_state=seed) for seed in range(20)]
    assert not any(each.is_proven for each in found)
    assert all(0 < each.rows <= 60 for each in found)
    assert all(each.primal_objective == proven.primal_objective for each in found)
    below = [each.dual_objective <= proven.dual_objective + 1e-9 for each in found]
    assert np.mean(below) >= 0.9  # three standard errors below
    assert all(abs(each.dual_objective - proven.dual_objective) <= 10.0 * each.standard_error for each in found)


def test_three_classes_and_class_weights() -> None:
    rows, labels = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[labels]
    near = ApproximateSVC(150, class_weight={"a": 2.0}, tol=1e-7).fit(rows, names)
    exact = SVC(multi_class="ovr", loss="squared_hinge", class_weight={"a": 2.0}, tol=1e-7).fit(rows, names)
    assert near.landmark_coef_.shape == (3, 150)
    assert near.certificate_.primal_objective == pytest.approx(exact.certificate_.primal_objective, rel=1e-6)
    assert (near.predict(rows) == exact.predict(rows)).all()
    assert near.class_weight_.tolist() == [2.0, 1.0, 1.0]
    assert near.exact_bound(rows, names).relative_gap < 1e-5


@pytest.mark.parametrize("model", [ApproximateSVC(30, random_state=0), ApproximateSVR(30, random_state=0)], ids=str)
def test_containers_and_weights(model: Any) -> None:
    y = Y if isinstance(model, ApproximateSVC) else TARGET
    rows = np.where(X > 0.0, X, 0.0)
    dense = clone(model).fit(rows, y)
    values = dense._values(rows)
    assert_allclose(clone(model).fit(sparse.csr_matrix(rows), y)._values(sparse.csr_array(rows)), values, atol=1e-5)
    assert_allclose(dense._values(sparse.csr_matrix(rows)), values, atol=1e-9)
    assert_allclose(clone(model).fit(rows.astype(np.float32), y)._values(rows), values, atol=1e-2)
    zero = np.ones(400)
    zero[300:] = 0.0
    assert_allclose(
        clone(model).fit(rows, y, zero)._values(rows), clone(model).fit(rows[:300], y[:300])._values(rows), atol=1e-9
    )
    again = pickle.loads(pickle.dumps(dense))
    assert np.array_equal(again._values(rows), values)


def test_precomputed_kernels_and_strings() -> None:
    K, zero = RBF(gamma=0.5)(X), np.ones(400)
    zero[:50] = 0.0
    own = ApproximateSVC(60, gamma=0.5, random_state=0, tol=1e-8).fit(X, Y, zero)
    given = ApproximateSVC(60, kernel="precomputed", random_state=0, tol=1e-8).fit(K, Y, zero)
    assert np.array_equal(X[given.landmarks_], own.landmarks_)
    assert_allclose(given.decision_function(K), own.decision_function(X), atol=1e-5)
    assert given.exact_bound(K, Y, zero).dual_objective == pytest.approx(own.exact_bound(X, Y, zero).dual_objective, rel=1e-6)
    words = ApproximateSVC(60, kernel=Spectrum(1) + Spectrum(2), C=10.0).fit(WORDS, STARTS_WITH)
    exact = SVC(kernel=Spectrum(1) + Spectrum(2), C=10.0, loss="squared_hinge", multi_class="ovr").fit(WORDS, STARTS_WITH)
    assert (words.predict(WORDS) == exact.predict(WORDS)).mean() > 0.95
    assert words.exact_bound(WORDS, STARTS_WITH).relative_gap < 1e-3


def test_auto_stops_where_more_landmarks_do_not_help() -> None:
    rng = np.random.default_rng(0)
    rows = rng.uniform(-4.0, 4.0, size=(6000, 2))
    easy = ApproximateSVC("auto", random_state=0).fit(rows, rows[:, 0] > 0.0)
    hard = ApproximateSVC("auto", gamma=10.0, C=100.0, random_state=0).fit(rows, np.floor(rows).sum(axis=1) % 2 == 0)
    for model in (easy, hard):
        numbers, _ = model.auto_scores_.T
        assert numbers.tolist() == [64 * 2**k for k in range(len(numbers))]
        assert model.n_components_ in (numbers[-1], numbers[-1] / 2)
        assert model.score(rows, rows[:, 0] > 0.0 if model is easy else np.floor(rows).sum(axis=1) % 2 == 0) > 0.9
    assert easy.n_components_ == 64
    assert hard.n_components_ >= 256
    assert ApproximateSVR("auto", random_state=0, gamma=5.0).fit(rows, np.sin(3.0 * rows[:, 0])).n_components_ >= 128
    assert ApproximateOneClass("auto", gamma=0.01, random_state=0).fit(rows).n_components_ == 64
    assert ApproximateOneClass("auto", gamma=1.0, random_state=0).fit(rows).n_components_ >= 128
    assert ApproximateSVC("auto", random_state=0).fit(X[:3], [0, 1, 1]).n_components_ == 3


@pytest.mark.parametrize(
    "model",
    [
        ApproximateSVC(50, random_state=0),
        ApproximateSVC("auto", loss="hinge", random_state=0),
        ApproximateSVR(50, landmarks="leverage", random_state=0),
        ApproximateOneClass(50, landmarks="kmeans", random_state=0),
    ],
    ids=str,
)
def test_bits_do_not_depend_on_threads(model: Any) -> None:
    before, found = maxmargin.get_threads(), []
    target = TARGET if isinstance(model, ApproximateSVR) else Y
    try:
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            fitted = clone(model).fit(X, target)
            found.append((fitted._values(X).tobytes(), fitted.exact_bound(X, target, rows=20)))
    finally:
        maxmargin.set_threads(before)
    assert found[0] == found[1] == found[2]


def test_warm_starts() -> None:
    model = ApproximateSVC(60, loss="hinge", warm_start=True, random_state=0, tol=1e-6).fit(X, Y)
    cold = model.n_iter_
    model.fit(X, Y)
    assert model.n_iter_ < cold
    model.set_params(C=2.0).fit(X, Y)
    fresh = clone(model).set_params(warm_start=False).fit(X, Y)
    assert model.certificate_.primal_objective == pytest.approx(fresh.certificate_.primal_objective, rel=1e-5)
    model.set_params(random_state=1)
    with pytest.warns(WarmStartWarning, match="its landmarks are others than before; give random_state a number"):
        model.fit(X, Y)


def test_a_limit_of_time_leaves_a_model() -> None:
    rows = np.random.default_rng(0).normal(size=(60_000, 10))
    labels = rows[:, 0] > rows[:, 1] ** 2
    model = ApproximateSVC(500, max_time=0.05, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_time"):
        model.fit(rows, labels)
    assert (model.status_, model.fit_status_) == (Status.TIME_LIMIT, 1)
    assert model.predict(rows[:5]).shape == (5,)
    assert sum(model._seconds.values()) < 5.0
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        assert ApproximateSVC(30, max_iter=1, loss="hinge").fit(X, Y).status_ is Status.ITERATION_LIMIT


def test_ctrl_c_leaves_the_model_as_it_was() -> None:
    rows = np.random.default_rng(0).normal(size=(150_000, 10))  # some ten seconds
    labels = np.sin(5.0 * rows[:, 0]) > rows[:, 1]
    model = ApproximateSVC(400, loss="hinge", C=1e4, gamma=1.0, tol=1e-9, random_state=0)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises((FitInterrupted, KeyboardInterrupt)):
            model.fit(rows, labels)
    finally:
        timer.cancel()
    assert not hasattr(model, "landmark_coef_")


def test_the_summary() -> None:
    model = ApproximateSVC(50, gamma=0.5, random_state=0).fit(X, Y)
    text = " ".join(str(model.summary()).split())
    for words in ("on landmarks", "gamma = 0.5", "CONVERGED", "landmarks 50, ", "features "):
        assert words in text
    assert "epsilon-regression on landmarks" in " ".join(str(ApproximateSVR(50).fit(X, TARGET).summary()).split())
    assert "one class on landmarks" in str(ApproximateOneClass(50).fit(X).summary())


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            ApproximateSVC(0),
            r"The 'n_components' parameter of ApproximateSVC must be an int in the range \[1, inf\) or the str 'auto'",
        ),
        (ApproximateSVC("many"), "or the str 'auto'. Got 'many' instead"),
        (ApproximateSVC(C=0.0), "The 'C' parameter of ApproximateSVC"),
        (
            ApproximateSVC(loss="logistic"),
            "The 'loss' parameter of ApproximateSVC must be a str among {'hinge', 'squared_hinge'}",
        ),
        (ApproximateSVC(landmarks=3), "The 'landmarks' parameter of ApproximateSVC"),
        (ApproximateSVC(rank_tol=2.0), "The 'rank_tol' parameter of ApproximateSVC"),
        (ApproximateSVC(class_weight="even"), "The 'class_weight' parameter of ApproximateSVC"),
        (ApproximateSVC(fit_intercept=2), "The 'fit_intercept' parameter of ApproximateSVC"),
        (ApproximateSVC(gamma=-1.0), "The 'gamma' parameter of ApproximateSVC"),
        (ApproximateSVC(kernel=RBF(), gamma=0.1), "The 'gamma' parameter of ApproximateSVC must be left at 'scale'"),
        (ApproximateSVC(max_time=0.0), "The 'max_time' parameter of ApproximateSVC"),
        (ApproximateSVC(warm_start=1), "The 'warm_start' parameter of ApproximateSVC"),
        (ApproximateSVC(random_state="x"), "The 'random_state' parameter of ApproximateSVC"),
        (ApproximateSVR(epsilon=-1.0), "The 'epsilon' parameter of ApproximateSVR"),
        (ApproximateSVR(loss="hinge"), "The 'loss' parameter of ApproximateSVR"),
        (ApproximateOneClass(nu=0.0), "The 'nu' parameter of ApproximateOneClass"),
        (ApproximateOneClass("auto", kernel="precomputed"), "n_components='auto' of ApproximateOneClass needs k"),
    ],
    ids=str,
)
def test_bad_parameters(model: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        model.fit(X, Y)


def test_messages() -> None:
    model = ApproximateSVC(20, random_state=0).fit(X, Y)
    with pytest.raises(
        InvalidInput, match="exact_bound needs the rows of fit: it had 400 rows with a weight, and these are 100"
    ):
        model.exact_bound(X[:100], Y[:100])
    with pytest.raises(InvalidInput, match="requires y to be passed"):
        model.exact_bound(X)
    with pytest.raises(InvalidInput, match="The 'rows' parameter of exact_bound"):
        model.exact_bound(X, Y, rows=1)
    with pytest.warns(NoMarginWarning, match="The margin is 0: at nu = 0.9"):
        assert ApproximateOneClass(kernel="linear", nu=0.9).fit(np.concatenate([X, -X])).status_ is Status.ZERO_OPTIMUM
    with pytest.raises(AttributeError, match="ApproximateSVC has no landmarks_ before fit"):
        _ = ApproximateSVC().landmarks_
    with pytest.raises(InvalidInput, match="landmarks='kmeans' needs feature vectors"):
        ApproximateSVC(5, kernel=Spectrum(2), landmarks="kmeans").fit(WORDS, STARTS_WITH)


@pytest.mark.parametrize("seed", [0, 1, 3, 4])
def test_rows_of_float32_solved_to_the_last_digit_are_optimal(seed: int) -> None:
    """The features are rounded, and the scores that predict are not: the bound is lower by what that may be."""
    rows, labels = make_classification(400, 6, random_state=seed)
    rows = rows.astype(np.float32)
    model = ApproximateSVC(40, C=100.0, gamma=0.1, random_state=0).fit(rows, labels)
    wide = ApproximateSVC(40, C=100.0, gamma=0.1, random_state=0, tol=1e-12).fit(rows.astype(np.float64), labels)
    assert model.status_ is Status.CONVERGED
    assert 0.0 <= model.certificate_.relative_gap < 1e-6
    assert model.certificate_.dual_objective <= wide.certificate_.primal_objective * (1.0 + 1e-12)
    assert model.certificate_.primal_objective >= wide.certificate_.dual_objective * (1.0 - 1e-12)


@parametrize_with_checks(
    [
        ApproximateSVC(),
        ApproximateSVC(loss="hinge"),
        ApproximateSVC("auto"),
        ApproximateSVC(kernel="precomputed"),
        ApproximateSVR(),
        ApproximateSVR(loss="epsilon_insensitive"),
        ApproximateOneClass(),
    ]
)
def test_estimator_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
