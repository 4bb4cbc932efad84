"""SVR and NuSVR have the attributes, shapes, orders and signs of scikit-learn's."""

import inspect

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import is_regressor
from sklearn.metrics import r2_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVR, NuSVR, solve
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import EpsilonRegression, NuRegression
from maxmargin.solution import Status

from ._sets import diabetes, sines

EXACT = {"tol": 1e-8}
PAIRS = [(SVR, sklearn.svm.SVR), (NuSVR, sklearn.svm.NuSVR)]
both_kinds = pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=["SVR", "NuSVR"])


@both_kinds
def test_parameters_are_scikit_learns_and_ours(ours, theirs):
    mine, other = ours().get_params(), theirs().get_params()
    assert set(mine) - set(other) == {"interval", "max_time", "solver", "warm_start"}
    assert set(other) <= set(mine)
    assert {name for name in other if mine[name] != other[name]} == {"cache_size"}
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in inspect.signature(ours).parameters.values())
    assert is_regressor(ours())


@both_kinds
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("data", [diabetes, sines], ids=["diabetes", "sines"])
def test_attributes_are_scikit_learns(ours, theirs, kernel, data):
    X, y = data()
    params = {"kernel": kernel, "C": 0.7, "coef0": 1.0, **EXACT}
    mine, other = ours(**params).fit(X, y), theirs(**params).fit(X, y)
    assert_array_equal(mine.support_, other.support_)
    assert_array_equal(mine.n_support_, other.n_support_)
    assert_allclose(mine.support_vectors_, other.support_vectors_)
    assert_allclose(mine.dual_coef_, other.dual_coef_, atol=1e-4)
    assert_allclose(mine.intercept_, other.intercept_, atol=1e-4)
    assert_allclose(mine._dual_coef_, other._dual_coef_, atol=1e-4)
    assert_allclose(mine._intercept_, other._intercept_, atol=1e-4)
    assert_allclose(mine._gamma, other._gamma)
    assert_allclose(mine.predict(X), other.predict(X), atol=1e-4)
    assert mine.score(X, y) == pytest.approx(other.score(X, y), abs=1e-5)
    assert (mine.shape_fit_, mine.n_features_in_) == (other.shape_fit_, other.n_features_in_)
    assert (mine.fit_status_, mine.status_) == (0, Status.CONVERGED)
    for name in ("support_", "support_vectors_", "n_support_", "dual_coef_", "intercept_"):
        assert (getattr(mine, name).dtype, getattr(mine, name).shape) == (
            getattr(other, name).dtype,
            getattr(other, name).shape,
        )
    assert type(mine.n_iter_) is type(other.n_iter_) is int


@both_kinds
def test_attributes_of_a_linear_kernel_are_scikit_learns(ours, theirs):
    X, y = diabetes()
    mine, other = ours(kernel="linear", **EXACT).fit(X, y), theirs(kernel="linear", **EXACT).fit(X, y)
    assert_allclose(mine.coef_, other.coef_, atol=1e-5)
    assert_allclose(mine.intercept_, other.intercept_, atol=1e-5)
    assert_allclose(mine.predict(X), X @ mine.coef_[0] + mine.intercept_, atol=1e-12)
    with pytest.raises(ValueError, match="read-only"):
        mine.coef_[0, 0] = 1.0
    with pytest.raises(AttributeError, match="coef_ is only available when using a linear kernel"):
        _ = ours().fit(X, y).coef_


@both_kinds
def test_predictions_follow_from_the_attributes(ours, theirs):
    X, y = sines()
    model = ours(gamma=0.05, C=3.0).fit(X, y)
    K = rbf_kernel(X, model.support_vectors_, gamma=0.05)
    assert_allclose(model.predict(X), K @ model.dual_coef_[0] + model.intercept_, rtol=1e-9, atol=1e-9)
    assert model.dual_coef_.sum() == pytest.approx(0.0, abs=1e-9)


@both_kinds
def test_the_estimator_is_its_problem(ours, theirs):
    X, y = diabetes()
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    problem = EpsilonRegression if ours is SVR else NuRegression
    model = ours(C=2.0, kernel=RBF(gamma=0.1)).fit(X, y, weight)
    solution = solve(problem(X, y, C=2.0, kernel=RBF(gamma=0.1), sample_weight=weight))
    assert_array_equal(model.predict(X), solution.decision_function(X))
    assert model.certificate_ == solution.certificate
    (again,) = model.solutions_
    assert again.slack_rule == solution.slack_rule
    assert again.n == len(y)
    assert_array_equal(again.support, np.flatnonzero(weight)[solution.support])
    assert_array_equal(again.slack[weight > 0], solution.slack)
    assert_array_equal(again.support_y, y[again.support])


def test_the_width_of_the_tube_that_nu_finds():
    X, y = sines()
    model = NuSVR(nu=0.3, C=5.0, **EXACT).fit(X, y)
    assert model.epsilon_.shape == (1,)
    outside = np.abs(model.predict(X) - y) > model.epsilon_[0] + 1e-6
    assert outside.mean() <= 0.3 <= len(model.support_) / len(y)
    fixed = SVR(C=5.0, epsilon=model.epsilon_[0], **EXACT).fit(X, y)
    assert_allclose(fixed.predict(X), model.predict(X), atol=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
@both_kinds
def test_several_outputs_are_a_model_for_each(ours, theirs, kernel):
    X, y = diabetes()
    Y = np.column_stack([y, y**2 - 1.0, X[:, 0]])
    rows = X @ X.T if kernel == "precomputed" else X
    model = ours(kernel=kernel, **EXACT).fit(rows, Y)
    singles = [ours(kernel=kernel, **EXACT).fit(rows, column) for column in Y.T]
    assert model.predict(rows).shape == Y.shape
    assert_allclose(model.predict(rows), np.column_stack([each.predict(rows) for each in singles]), rtol=1e-12, atol=1e-12)
    assert_allclose(model.intercept_, np.concatenate([each.intercept_ for each in singles]), rtol=1e-9)
    assert_array_equal(model.support_, np.unique(np.concatenate([each.support_ for each in singles])))
    assert model.n_support_.tolist() == [len(model.support_)]
    assert model.dual_coef_.shape == (3, len(model.support_))
    assert len(model.solutions_) == 3
    for k, each in enumerate(singles):
        full = np.zeros((3, len(y)))
        full[:, model.support_] = model.dual_coef_
        assert_allclose(full[k, each.support_], each.dual_coef_[0], rtol=0, atol=1e-9)
        assert_allclose(model.solutions_[k].alpha, each.solutions_[0].alpha, rtol=0, atol=1e-9)
        assert_array_equal(model.solutions_[k].support, each.support_)
    objectives = [each.certificate_.primal_objective for each in singles]
    assert model.certificate_.primal_objective == pytest.approx(sum(objectives))
    assert type(model.n_iter_) is int
    assert model.score(rows, Y) == pytest.approx(r2_score(Y, model.predict(rows)))
    if kernel == "linear":
        assert_allclose(model.coef_, np.vstack([each.coef_ for each in singles]), rtol=1e-12, atol=1e-12)
    if ours is NuSVR:
        assert_allclose(model.epsilon_, np.concatenate([each.epsilon_ for each in singles]))


def test_several_outputs_are_scikit_learns_wrapper():
    X, y = diabetes()
    Y = np.column_stack([y, -2.0 * y])
    wrapped = MultiOutputRegressor(sklearn.svm.SVR(**EXACT)).fit(X, Y)
    assert_allclose(SVR(**EXACT).fit(X, Y).predict(X), wrapped.predict(X), atol=1e-5)
    ours = MultiOutputRegressor(SVR(**EXACT)).fit(X, Y)
    assert_allclose(SVR(**EXACT).fit(X, Y).predict(X), ours.predict(X), rtol=0, atol=1e-9)


def test_a_column_of_targets_is_one_output():
    X, y = diabetes()
    with pytest.warns(UserWarning, match="column-vector y"):
        model = SVR().fit(X, y[:, np.newaxis])
    assert model.predict(X).shape == y.shape
    assert_array_equal(model.predict(X), SVR().fit(X, y).predict(X))


def test_an_infinite_price_keeps_all_rows_inside():
    X, y = sines()
    model = SVR(C=np.inf, epsilon=0.25, gamma=0.1, **EXACT).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert np.abs(model.predict(X) - y).max() <= 0.25 + 1e-6
    largest = np.abs(model.dual_coef_).max()
    finite = SVR(C=2 * largest, epsilon=0.25, gamma=0.1, **EXACT).fit(X, y)
    assert_allclose(model.predict(X), finite.predict(X), atol=1e-6)
    assert model.certificate_.primal_objective == pytest.approx(finite.certificate_.primal_objective, rel=1e-6)


def test_by_hand():
    """A line through (0, 0) and (2, 2) may miss both by a half: the flattest has the slope a half."""
    model = SVR(kernel="linear", C=10.0, epsilon=0.5, **EXACT).fit([[0.0], [2.0]], [0.0, 2.0])
    assert_allclose(model.coef_, [[0.5]], atol=1e-9)
    assert_allclose(model.intercept_, [0.5], atol=1e-9)
    assert_allclose(model.dual_coef_, [[-0.25, 0.25]], atol=1e-9)


def test_targets_that_a_flat_line_fits_need_no_support_vector():
    model = SVR(epsilon=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.5])
    assert model.support_.shape == (0,)
    assert model.dual_coef_.shape == (1, 0)
    assert_allclose(model.predict([[5.0]]), 0.5)
    assert model.status_ is Status.CONVERGED


@pytest.mark.parametrize("value", [0.0, -3.5, 1e6])
@both_kinds
def test_constant_targets(ours, theirs, value):
    X, _ = diabetes()
    model = ours().fit(X, np.full(len(X), value))
    assert_allclose(model.predict(X), value, atol=0.1 + 1e-9 * abs(value))
    assert model.status_ is Status.CONVERGED


def test_searches_and_pipelines():
    X, y = sines()
    search = GridSearchCV(SVR(kernel=RBF()), {"kernel__gamma": [1e-4, 0.03, 10.0], "C": [1.0, 10.0]}, cv=3).fit(X, y)
    assert search.best_params_["kernel__gamma"] == 0.03
    assert search.best_estimator_.kernel.gamma == 0.03
    pipeline = make_pipeline(StandardScaler(), NuSVR(kernel=Linear())).fit(X * 100, y)
    assert pipeline.score(X * 100, y) == pytest.approx(
        NuSVR(kernel=Linear()).fit(StandardScaler().fit_transform(X), y).score(StandardScaler().fit_transform(X), y), abs=1e-9
    )
    given = cross_val_score(SVR(kernel="precomputed"), X @ X.T, y)
    assert_allclose(given, cross_val_score(SVR(kernel="linear"), X, y), atol=1e-3)
