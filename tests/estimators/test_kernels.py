"""Kernels by name, as objects and as functions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from maxmargin import SVC
from maxmargin.errors import InvalidInput, KernelError
from maxmargin.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid

from ._sets import breast_cancer, iris

PAIRS = [
    ({"kernel": "linear"}, Linear()),
    ({"kernel": "rbf", "gamma": 0.1}, RBF(gamma=0.1)),
    ({"kernel": "rbf", "gamma": "auto"}, RBF(gamma="auto")),
    ({"kernel": "poly", "degree": 2, "gamma": 0.1, "coef0": 1.0}, Polynomial(degree=2, gamma=0.1, coef0=1.0)),
    ({"kernel": "sigmoid", "gamma": 0.01}, Sigmoid(gamma=0.01)),
]


@pytest.mark.parametrize(("named", "kernel"), PAIRS, ids=str)
def test_a_name_and_an_object_are_the_same(named, kernel):
    X, y = breast_cancer()
    first, second = SVC(**named).fit(X, y), SVC(kernel=kernel).fit(X, y)
    assert_array_equal(first.dual_coef_, second.dual_coef_)
    assert_array_equal(first.decision_function(X), second.decision_function(X))
    assert SVC(kernel=kernel).fit(X, y).kernel is kernel


def test_a_linear_object_has_weights_and_a_precomputed_one_is_pairwise():
    X, y = iris()
    assert SVC(kernel=Linear()).fit(X, y).coef_.shape == (3, 4)
    model = SVC(kernel=Precomputed()).fit(X @ X.T, y)
    assert_array_equal(model.predict(X @ X.T), SVC(kernel="precomputed").fit(X @ X.T, y).predict(X @ X.T))
    assert model.__sklearn_tags__().input_tags.pairwise
    assert not model.__sklearn_tags__().input_tags.sparse


def linear(A, B):
    return A @ B.T


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, np.ndarray.tolist])
def test_a_function_of_numbers(container):
    X, y = iris()
    model = SVC(kernel=linear, tol=1e-8).fit(container(np.array(X)), y)
    named = SVC(kernel="linear", tol=1e-8).fit(X, y)
    assert_array_equal(model.support_, named.support_)
    assert_allclose(model.decision_function(container(np.array(X))), named.decision_function(X), atol=1e-6)
    assert model.n_features_in_ == 4
    with pytest.raises(AttributeError, match="only available when using a linear kernel"):
        _ = model.coef_


def shared_letters(A, B):
    return np.array([[float(len(set(a) & set(b))) for b in B] for a in A])


WORDS = ["maximal", "margin", "marginal", "maxim", "kernel", "colonel", "keel", "eel"]
KIND = ["m", "m", "m", "m", "k", "k", "k", "k"]


@pytest.mark.parametrize("container", [list, tuple, np.array, lambda words: np.array(words, dtype=object)])
def test_a_function_of_objects(container):
    model = SVC(kernel=shared_letters, C=10.0).fit(container(WORDS), KIND)
    assert model.predict(container(WORDS)).tolist() == KIND
    assert model.predict(container(["maxi", "reel"])).tolist() == ["m", "k"]
    assert model.shape_fit_ == (8,)
    assert len(model.support_vectors_) == len(model.support_) == model.dual_coef_.shape[1]
    assert [str(word) for word in model.support_vectors_] == [WORDS[row] for row in model.support_]
    assert not hasattr(model, "n_features_in_")
    gram = SVC(kernel="precomputed", C=10.0).fit(shared_letters(WORDS, WORDS), KIND)
    assert_allclose(model.dual_coef_, gram.dual_coef_, atol=1e-9)


def test_objects_of_many_classes_with_weights():
    kinds = ["m", "m", "n", "n", "k", "k", "e", "e"]
    w = [1, 2, 1, 1, 1, 1, 1, 0]
    for multi_class in ("ovo", "ovr"):
        model = SVC(kernel=shared_letters, multi_class=multi_class).fit(WORDS, kinds, w)
        gram = SVC(kernel="precomputed", multi_class=multi_class).fit(shared_letters(WORDS, WORDS), kinds, w)
        assert_allclose(model.decision_function(WORDS), gram.decision_function(shared_letters(WORDS, WORDS)), atol=1e-6)


def test_a_function_is_asked_only_about_support_vectors_at_predict():
    X, y = breast_cancer()
    asked = []

    def watched(A, B):
        asked.append((len(A), len(B)))
        return A @ B.T

    model = SVC(kernel=watched).fit(X, y)
    asked.clear()
    model.predict(X[:7])
    assert asked == [(7, len(model.support_))]


def test_features_of_an_earlier_fit_are_forgotten():
    X, y = iris()
    model = SVC(kernel=linear).fit(X, y)
    model.set_params(kernel=shared_letters).fit(WORDS, KIND)
    assert not hasattr(model, "n_features_in_")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda A, B: A, "shape"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "finite"),
        (lambda A, B: np.full((len(A), len(B)), np.inf), "finite"),
        (lambda A, B: [["x"] * len(B)] * len(A), "numbers"),
        (lambda A, B: None, "numbers|shape|finite"),
    ],
)
def test_bad_functions(function, message):
    with pytest.raises(KernelError, match=message):
        SVC(kernel=function).fit(*iris())


@pytest.mark.parametrize("kernel", ["gauss", 3, None, RBF])
def test_unknown_kernels(kernel):
    with pytest.raises(InvalidInput, match="The 'kernel' parameter of SVC must be a str among"):
        SVC(kernel=kernel).fit(*iris())


@pytest.mark.parametrize("params", [{"gamma": 0.1}, {"coef0": 1.0}, {"degree": 2}])
def test_a_kernel_object_has_its_own_parameters(params):
    (name,) = params
    with pytest.raises(InvalidInput, match=f"{name}"):
        SVC(kernel=RBF(), **params).fit(*iris())
