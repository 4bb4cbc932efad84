"""OneClassSVM has scikit-learn's attributes and signs; SVDD its ball."""

import inspect
import warnings

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import is_outlier_detector
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVDD, OneClassSVM, solve
from maxmargin.errors import InvalidInput, NoMarginWarning
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import DataDescription, OneClass
from maxmargin.solution import Status

from ._sets import breast_cancer, diabetes, sines

EXACT = {"tol": 1e-8}
SETS = {"breast cancer": breast_cancer, "sines": sines, "diabetes": diabetes}
both_kinds = pytest.mark.parametrize("kind", [OneClassSVM, SVDD])


@both_kinds
def test_parameters_are_scikit_learns_and_ours(kind):
    mine, other = kind().get_params(), sklearn.svm.OneClassSVM().get_params()
    assert set(mine) - set(other) == {"max_time", "solver", "warm_start"}
    assert set(other) <= set(mine)
    assert {name for name in other if mine[name] != other[name]} == {"cache_size"}
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in inspect.signature(kind).parameters.values())
    assert is_outlier_detector(kind())


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("nu", [0.05, 0.3])
def test_attributes_are_scikit_learns(name, kernel, nu):
    X, _ = SETS[name]()
    params = {"kernel": kernel, "degree": 2, "coef0": 1.0, "nu": nu, **EXACT}
    ours, theirs = OneClassSVM(**params).fit(X), sklearn.svm.OneClassSVM(**params).fit(X)
    scale = float(np.abs(theirs.score_samples(X)).max())
    assert_array_equal(ours.support_, theirs.support_)
    assert_array_equal(ours.n_support_, theirs.n_support_)
    assert_allclose(ours.support_vectors_, theirs.support_vectors_)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6 * scale)
    assert_allclose(ours.offset_, theirs.offset_, atol=1e-6 * scale)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6 * scale)
    assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-6 * scale)
    assert_allclose(ours.score_samples(X), ours.decision_function(X) + ours.offset_)
    clear = np.abs(theirs.decision_function(X)) > 1e-5 * scale
    assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])
    assert ours.predict(X).dtype == theirs.predict(X).dtype
    assert (ours.shape_fit_, ours.n_features_in_) == (theirs.shape_fit_, theirs.n_features_in_)
    assert (ours.fit_status_, ours.status_) == (0, Status.CONVERGED)
    assert_allclose(ours._gamma, theirs._gamma)
    for attribute in ("support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_"):
        mine, other = getattr(ours, attribute), getattr(theirs, attribute)
        assert (mine.dtype, mine.shape) == (other.dtype, other.shape), attribute
    assert type(ours.n_iter_) is type(theirs.n_iter_) is int


def test_attributes_of_a_linear_kernel_are_scikit_learns():
    X = breast_cancer()[0] + 5.0
    ours = OneClassSVM(kernel="linear", nu=0.2, **EXACT).fit(X)
    theirs = sklearn.svm.OneClassSVM(kernel="linear", nu=0.2, **EXACT).fit(X)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)
    assert_allclose(ours.offset_, theirs.offset_, rtol=1e-6)
    assert_allclose(ours.decision_function(X), X @ ours.coef_[0] - ours.offset_, atol=1e-6 * float(ours.offset_[0]))


@both_kinds
@pytest.mark.parametrize("nu", [0.02, 0.1, 0.5, 0.9])
def test_a_part_nu_of_the_rows_is_outside(kind, nu):
    X, _ = sines()
    model = kind(nu=nu, gamma=0.02, **EXACT).fit(X)
    outside = np.mean(model.predict(X) < 0)
    assert outside <= nu <= len(model.support_) / len(X)
    assert outside >= nu - 0.1, "rows on the boundary are few"
    assert_array_equal(model.fit_predict(X), model.predict(X))


KERNELS = {
    "linear": linear_kernel,
    "rbf": lambda A, B: rbf_kernel(A, B, gamma=0.05),
    "poly": lambda A, B: polynomial_kernel(A, B, 2, 0.05, 1.0),
}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("nu", [0.001, 0.2])
def test_the_ball(kernel, nu):
    """Distances from the centre through the kernel, written out."""
    X, _ = diabetes()
    train, new = X[:300], X[300:]
    model = SVDD(kernel=kernel, nu=nu, gamma=0.05, degree=2, coef0=1.0, **EXACT).fit(train)
    k, beta, vectors = KERNELS[kernel], model.dual_coef_[0], model.support_vectors_

    def square_distance(A):
        return np.diag(k(A, A)) - 2 * k(A, vectors) @ beta + beta @ k(vectors, vectors) @ beta

    square = model.radius_**2
    assert beta.sum() == pytest.approx(1.0)
    assert_allclose(model.decision_function(new), 0.5 * (square - square_distance(new)), rtol=1e-7, atol=1e-9 * square)
    assert_array_equal(model.predict(new), np.where(square_distance(new) <= square, 1, -1))
    assert model.intercept_[0] == pytest.approx(0.5 * (square - beta @ k(vectors, vectors) @ beta), rel=1e-6)
    assert np.mean(square_distance(train) > square * (1 + 1e-6)) <= nu
    if nu < 1 / 300:
        assert square_distance(train).max() == pytest.approx(square, rel=1e-6)
    if kernel == "linear":
        centre = model.coef_[0]
        assert_allclose(square_distance(new), ((new - centre) ** 2).sum(axis=1), rtol=1e-9)


def test_the_ball_by_hand():
    """The smallest circle around a right triangle has its longest side for a diameter."""
    model = SVDD(kernel="linear", nu=0.01, **EXACT).fit([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    assert model.radius_ == pytest.approx(2.5)
    assert_allclose(model.coef_, [[2.0, 1.5]], atol=1e-8)
    assert model.predict([[2.0, 3.9], [2.0, 4.1]]).tolist() == [1, -1]


@pytest.mark.parametrize("scale", [1e-2, 1e-4, 1e-8, 1e4])
def test_a_ball_of_small_features_is_as_good_as_a_large_one(scale):
    X, _ = breast_cancer()
    ball, exact = SVDD(kernel="linear", nu=0.1).fit(X * scale), SVDD(kernel="linear", nu=0.1, **EXACT).fit(X)
    assert ball.status_ is Status.CONVERGED
    assert ball.certificate_.relative_gap <= 1e-3
    assert ball.radius_ == pytest.approx(scale * exact.radius_, rel=1e-3)
    assert_allclose(ball.coef_, scale * exact.coef_, rtol=0, atol=1e-2 * scale * exact.radius_)


def test_equal_rows_are_a_ball_of_radius_zero():
    model = SVDD(kernel="linear").fit(np.ones((5, 2)))
    assert model.radius_ == 0.0
    assert model.status_ is Status.ZERO_OPTIMUM
    assert model.predict([[1.0, 1.0], [1.1, 1.0]]).tolist() == [1, -1]


@pytest.mark.parametrize("nu", [0.05, 0.4])
def test_a_ball_of_an_rbf_has_the_predictions_of_one_class(nu):
    X, _ = breast_cancer()
    ball, level = (kind(nu=nu, gamma=0.02, **EXACT).fit(X[:400]) for kind in (SVDD, OneClassSVM))
    assert_array_equal(ball.predict(X[400:]), level.predict(X[400:]))
    assert_array_equal(ball.support_, level.support_)
    assert_allclose(ball.dual_coef_ * nu * 400, level.dual_coef_, atol=1e-6)


@pytest.mark.parametrize(("kind", "problem"), [(OneClassSVM, OneClass), (SVDD, DataDescription)])
def test_the_estimator_is_its_problem(kind, problem):
    X, _ = diabetes()
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    model = kind(nu=0.2, kernel=RBF(gamma=0.1)).fit(X, sample_weight=weight)
    solution = solve(problem(X, nu=0.2, kernel=RBF(gamma=0.1), sample_weight=weight))
    assert_allclose(model.decision_function(X), solution.decision_function(X), rtol=0, atol=1e-9 * abs(float(model.offset_[0])))
    assert model.certificate_ == solution.certificate
    (again,) = model.solutions_
    assert again.slack_rule == solution.slack_rule
    assert_array_equal(again.support, np.flatnonzero(weight)[solution.support])
    assert_array_equal(again.slack[weight > 0], solution.slack)


def test_rows_on_the_boundary_are_ordinary():
    """Free support vectors have the score 0: rounding must not make some of them outliers."""
    X, _ = sines()
    for kind in (OneClassSVM, SVDD):
        model = kind(nu=0.3, gamma=0.02, tol=1e-10).fit(X)
        alpha = model.dual_coef_[0]
        free = model.support_[(alpha > 1e-9 * alpha.max()) & (alpha < alpha.max() * (1 - 1e-9))]
        assert len(free) > 0
        assert np.all(model.predict(X[free]) == 1)


def test_precomputed_one_class_predicts_and_a_precomputed_ball_says_what_is_missing():
    X, _ = diabetes()
    K = rbf_kernel(X, gamma=0.1)
    direct = OneClassSVM(gamma=0.1, nu=0.2, **EXACT).fit(X)
    assert_allclose(
        OneClassSVM(kernel="precomputed", nu=0.2, **EXACT).fit(K).decision_function(K), direct.decision_function(X), atol=1e-6
    )
    ball = SVDD(kernel="precomputed", nu=0.2, **EXACT).fit(K)
    assert ball.radius_ == pytest.approx(SVDD(gamma=0.1, nu=0.2, **EXACT).fit(X).radius_, rel=1e-6)
    for ask in (ball.predict, ball.decision_function, ball.score_samples):
        with pytest.raises(InvalidInput, match=r"needs k\(x, x\).*Use a kernel object or a function"):
            ask(K)


@both_kinds
def test_searches_and_pipelines(kind):
    X, _ = sines()
    pipeline = make_pipeline(StandardScaler(), kind(nu=0.1, kernel=Linear() if kind is SVDD else "rbf", **EXACT))
    assert np.mean(pipeline.fit_predict(X * 50) < 0) <= 0.1
    labels = np.where(np.arange(len(X)) % 10 == 0, -1, 1)
    search = GridSearchCV(kind(), {"nu": [0.05, 0.5], "gamma": [0.01, 0.1]}, scoring="accuracy", cv=3).fit(X, labels)
    assert search.best_params_["nu"] == 0.05


@both_kinds
def test_y_is_ignored(kind):
    X, y = diabetes()
    assert_array_equal(kind().fit(X, y).decision_function(X), kind().fit(X).decision_function(X))
    assert_array_equal(kind().fit(X, ["text"]).decision_function(X), kind().fit(X).decision_function(X))


def test_an_origin_among_the_rows_is_said_with_what_to_do():
    """w = 0 separates nothing from it."""
    X = np.random.default_rng(0).normal(size=(60, 2))
    message = r"^The margin is 0: at nu = 0\.5 the origin is inside the reduced convex hull .* such as RBF, or raise nu, which"
    with pytest.warns(NoMarginWarning, match=message):
        OneClassSVM(kernel="linear").fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OneClassSVM(kernel="linear").fit(X + 5.0)
        OneClassSVM(kernel="rbf").fit(X)
