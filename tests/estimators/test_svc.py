"""SVC has the attributes, shapes, orders and signs of scikit-learn's."""

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import SVC
from maxmargin.solution import Status

from ._sets import SETS, breast_cancer, digits, iris

EXACT = {"tol": 1e-8}
KERNELS = ["linear", "rbf", "poly", "sigmoid"]


def both(X, y, **params):
    shared = {key: value for key, value in params.items() if key not in ("multi_class", "max_time", "solver")}
    return SVC(**params, **EXACT).fit(X, y), sklearn.svm.SVC(**shared, **EXACT).fit(X, y)


def distinct(X, y):
    """Without rows that are there twice: their coefficients are not unique."""
    _, first = np.unique(X, axis=0, return_index=True)
    first.sort()
    return X[first], y[first]


@pytest.mark.parametrize("name", SETS)
def test_attributes_of_a_linear_kernel_are_scikit_learns(name):
    X, y = SETS[name]()
    ours, theirs = both(X, y, kernel="linear", C=0.7)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert ours.dual_coef_.shape == (theirs.dual_coef_.shape[0], len(ours.support_))
    assert_allclose(ours._gamma, 0.0)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_attributes_are_scikit_learns(name, kernel):
    X, y = distinct(*SETS[name]())
    ours, theirs = both(X, y, kernel=kernel, C=0.7)
    assert_array_equal(ours.support_, theirs.support_)
    assert_array_equal(ours.n_support_, theirs.n_support_)
    assert_allclose(ours.support_vectors_, theirs.support_vectors_)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert_allclose(ours._dual_coef_, theirs._dual_coef_, atol=1e-4)
    assert_allclose(ours._intercept_, theirs._intercept_, atol=1e-4)
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_array_equal(ours.class_weight_, theirs.class_weight_)
    assert ours.shape_fit_ == theirs.shape_fit_
    assert ours.n_features_in_ == theirs.n_features_in_
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    assert (ours.fit_status_, ours.status_) == (0, Status.CONVERGED)
    assert_allclose(ours._gamma, theirs._gamma)


def test_types_are_scikit_learns():
    ours, theirs = both(*iris())
    for name in (
        "support_",
        "support_vectors_",
        "n_support_",
        "dual_coef_",
        "intercept_",
        "n_iter_",
        "class_weight_",
    ):
        mine, other = getattr(ours, name), getattr(theirs, name)
        assert (mine.dtype, mine.shape) == (other.dtype, other.shape), name


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("shape", ["ovo", "ovr"])
def test_scores_are_scikit_learns(name, shape):
    X, y = SETS[name]()
    ours, theirs = both(X, y, decision_function_shape=shape)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.parametrize("kernel", KERNELS)
def test_scores_follow_from_the_attributes(kernel):
    X, y = breast_cancer()
    model = SVC(kernel=kernel, gamma=0.01, coef0=0.3, degree=2).fit(X, y)
    pairwise = sklearn.metrics.pairwise.pairwise_kernels
    options = {"linear": {}, "rbf": {"gamma": 0.01}, "sigmoid": {"gamma": 0.01, "coef0": 0.3}}
    options["poly"] = {"gamma": 0.01, "coef0": 0.3, "degree": 2}
    K = pairwise(X, model.support_vectors_, metric=kernel, **options[kernel])
    assert_allclose(model.decision_function(X), K @ model.dual_coef_[0] + model.intercept_, rtol=1e-9, atol=1e-9)


def test_two_classes_count_the_last_as_positive():
    model = SVC(kernel="linear").fit([[-1.0], [1.0]], ["a", "b"])
    assert model.decision_function([[5.0]]).shape == (1,)
    assert model.decision_function([[5.0]])[0] > 0
    assert model.predict([[5.0], [-5.0]]).tolist() == ["b", "a"]
    assert_allclose(model.dual_coef_, [[-0.5, 0.5]])


def test_a_score_of_zero_is_the_last_class_as_in_libsvm():
    ours, theirs = both(np.array([[-1.0], [1.0]]), [0, 1], kernel="linear")
    assert ours.predict([[0.0]]) == theirs.predict([[0.0]]) == [1]


def test_coef_is_read_only_and_only_for_linear_kernels():
    X, y = iris()
    model = SVC(kernel="linear").fit(X, y)
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 1.0
    with pytest.raises(AttributeError):
        model.coef_ = np.ones((3, 4))
    with pytest.raises(AttributeError, match="coef_ is only available when using a linear kernel"):
        _ = SVC().fit(X, y).coef_


def test_breaking_ties():
    X, y = digits()
    model = SVC(gamma=1e4, break_ties=True).fit(X[:100], y[:100])
    assert_array_equal(model.predict(X), model.classes_[np.argmax(model.decision_function(X), axis=1)])
    model.set_params(decision_function_shape="ovo")
    with pytest.raises(ValueError, match="break_ties must be False when decision_function_shape is 'ovo'"):
        model.predict(X)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_one_against_the_rest_trains_a_machine_for_each_class(kernel):
    X, y = digits()
    model = SVC(kernel=kernel, multi_class="ovr", **EXACT).fit(X, y)
    n = len(model.support_)
    assert model.dual_coef_.shape == (10, n)
    assert model.intercept_.shape == model.n_iter_.shape == (10,)
    values = model.decision_function(X)
    assert values.shape == (len(X), 10)
    assert_array_equal(model.predict(X), np.argmax(values, axis=1))
    for k in (0, 7):
        subproblem = sklearn.svm.SVC(kernel=kernel, **EXACT).fit(X, y == k)
        assert_allclose(values[:, k], subproblem.decision_function(X), atol=1e-4)
        mine = np.zeros(len(X))
        mine[model.support_] = model.dual_coef_[k]
        other = np.zeros(len(X))
        other[subproblem.support_] = subproblem.dual_coef_[0]
        assert_allclose(mine, other, atol=1e-3)
    if kernel == "linear":
        assert_allclose(X @ model.coef_.T + model.intercept_, values)


def test_one_against_the_rest_of_two_classes_is_one_machine():
    X, y = breast_cancer()
    rest, pair = SVC(multi_class="ovr").fit(X, y), SVC().fit(X, y)
    assert_array_equal(rest.dual_coef_, pair.dual_coef_)
    assert_array_equal(rest.decision_function(X), pair.decision_function(X))


def test_pair_scores_of_one_against_the_rest_are_an_error():
    X, y = iris()
    with pytest.raises(ValueError, match=r"decision_function_shape='ovo' needs a binary classifier for each pair"):
        SVC(multi_class="ovr", decision_function_shape="ovo").fit(X, y)
    model = SVC(multi_class="ovr").fit(X, y).set_params(decision_function_shape="ovo")
    with pytest.raises(ValueError, match="Set decision_function_shape='ovr', or multi_class='ovo'"):
        model.decision_function(X)


@pytest.mark.parametrize("maker", [iris, breast_cancer])
def test_precomputed_is_the_same_model(maker):
    X, y = maker()
    K = X @ X.T
    direct, given = SVC(kernel="linear", **EXACT).fit(X, y), SVC(kernel="precomputed", **EXACT).fit(K, y)
    assert_array_equal(direct.support_, given.support_)
    assert_allclose(direct.dual_coef_, given.dual_coef_, atol=1e-5)
    assert_allclose(direct.decision_function(X), given.decision_function(K), atol=1e-5)
    assert given.support_vectors_.shape == (0, 0)
    with pytest.raises(ValueError, match=f"X has {len(X) - 1} features, but SVC is expecting {len(X)} features"):
        given.predict(K[:, :-1])


def test_float32_is_kept():
    X, y = breast_cancer()
    single = X.astype(np.float32)
    model, double = SVC(**EXACT).fit(single, y), SVC(**EXACT).fit(single.astype(np.float64), y)
    assert model.support_vectors_.dtype == np.float32
    assert_allclose(model.dual_coef_.sum(axis=1), 0.0, atol=1e-9)
    assert_allclose(model.decision_function(single), double.decision_function(single), atol=1e-3)
    assert_allclose(model.decision_function(X), model.decision_function(single), atol=1e-3)
    assert_allclose(double.decision_function(single), double.decision_function(single.astype(float)), atol=1e-5)


@pytest.mark.parametrize("C", [np.inf, float("inf")])
def test_infinite_cost_is_a_very_large_one(C):
    X, y = breast_cancer()
    assert_array_equal(SVC(C=C, gamma=1.0).fit(X, y).predict(X), SVC(C=1e10, gamma=1.0).fit(X, y).predict(X))


def test_class_weights_change_the_cost():
    X, y = distinct(*iris())
    for weight in ("balanced", {0: 0.5, 2: 3.0}):
        ours, theirs = both(X[:120], y[:120], class_weight=weight)
        assert_allclose(ours.class_weight_, theirs.class_weight_)
        assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-4)


def test_nothing_of_the_caller_changes():
    X, y = (np.array(part) for part in iris())
    w = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    before = X.copy(), y.copy(), w.copy()
    matrix = sparse.csr_array(X)[:, ::-1]
    model = SVC(class_weight={0: 1.0})
    parameters = model.get_params()
    model.fit(X, y, w).predict(X)
    model.fit(matrix, y, w).predict(matrix)
    for now, then in zip((X, y, w), before, strict=True):
        assert_array_equal(now, then)
    assert model.get_params() == parameters


def test_values_of_many_rows_come_in_blocks(monkeypatch):
    X, y = digits()
    model = SVC(kernel=rbf_kernel).fit(X, y)
    whole = model.decision_function(X)
    monkeypatch.setattr("maxmargin.kernels._base._BLOCK_VALUES", 1000)
    assert_allclose(model.decision_function(X), whole, rtol=1e-10, atol=1e-10)


def test_random_state_is_not_touched():
    X, y = iris()
    state = np.random.RandomState(3)
    SVC(random_state=state).fit(X, y)
    assert state.randint(1000) == np.random.RandomState(3).randint(1000)
