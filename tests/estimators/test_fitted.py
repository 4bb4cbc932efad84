"""Edited state raises and never crashes."""

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse

from maxmargin import SVC
from maxmargin.errors import InvalidInput

from ._sets import breast_cancer, iris

ALTERED = "The internal representation of SVC was altered"


def models():
    X, y = iris()
    B, z = breast_cancer()
    return {
        "pairs": (SVC().fit(X, y), X),
        "rest": (SVC(multi_class="ovr").fit(X, y), X),
        "two": (SVC().fit(B, z), B),
        "linear": (SVC(kernel="linear").fit(X, y), X),
        "sparse": (SVC().fit(sparse.csr_array(X), y), X),
        "sparse linear": (SVC(kernel="linear").fit(sparse.csr_array(X), y), X),
        "precomputed": (SVC(kernel="precomputed").fit(X @ X.T, y), X @ X.T),
        "function": (SVC(kernel=dot).fit(X, y), X),
        "objects": (SVC(kernel=letters).fit(list("abcdef"), [0, 1, 2, 0, 1, 2]), list("abc")),
    }


def dot(A, B):
    return A @ B.T


def letters(A, B):
    return np.array([[float(ord(a) * ord(b)) / 1e4 for b in B] for a in A])


@pytest.fixture(scope="module")
def fitted():
    return models()


NAMES = ["pairs", "rest", "two", "linear", "sparse", "sparse linear", "precomputed", "function", "objects"]

EDITS = {
    "support short": lambda m: vars(m).update(support_=m.support_[:-1]),
    "support beyond": lambda m: vars(m).update(support_=m.support_ + 10**6),
    "support negative": lambda m: vars(m).update(support_=-m.support_ - 1),
    "support floats": lambda m: vars(m).update(support_=m.support_.astype(float)),
    "support list": lambda m: vars(m).update(support_=m.support_.tolist()),
    "support matrix": lambda m: vars(m).update(support_=m.support_[:, np.newaxis]),
    "coefficients narrow": lambda m: vars(m).update(dual_coef_=m.dual_coef_[:, :-1]),
    "coefficients high": lambda m: vars(m).update(dual_coef_=np.zeros((7, len(m.support_)))),
    "coefficients none": lambda m: vars(m).update(dual_coef_=None),
    "coefficients text": lambda m: vars(m).update(dual_coef_=np.full((1, len(m.support_)), "x")),
    "offsets many": lambda m: vars(m).update(intercept_=np.zeros(99)),
    "offsets none": lambda m: vars(m).update(intercept_=None),
    "counts huge": lambda m: m._n_support.__setitem__(0, 10**6),
    "counts negative": lambda m: m._n_support.__setitem__(slice(0, 2), [-5, 5 + m._n_support[:2].sum()]),
    "counts many": lambda m: vars(m).update(_n_support=np.ones(50, dtype=np.int32)),
    "classes one": lambda m: vars(m).update(classes_=m.classes_[:1]),
    "classes many": lambda m: vars(m).update(classes_=np.arange(50)),
    "shape small": lambda m: vars(m).update(shape_fit_=(2, 2)),
    "shape text": lambda m: vars(m).update(shape_fit_="wide"),
    "kernel gone": lambda m: vars(m).update(_kernel=None),
}
VECTORS = {
    "vectors few": lambda m: vars(m).update(support_vectors_=m.support_vectors_[:-1]),
    "vectors none": lambda m: vars(m).update(support_vectors_=None),
}
NUMBERS = {
    "vectors narrow": lambda m: vars(m).update(support_vectors_=m.support_vectors_[:, :-1]),
    "vectors of objects": lambda m: vars(m).update(support_vectors_=np.full(m.support_vectors_.shape, "x", dtype=object)),
    "vectors half precision": lambda m: vars(m).update(support_vectors_=m.support_vectors_.astype(np.float16)),
}


def cases():
    for name in NAMES:
        edits = dict(EDITS)
        if name != "precomputed":
            edits |= VECTORS
        if name not in ("precomputed", "objects"):
            edits |= NUMBERS
        if name.startswith("sparse"):
            edits.pop("coefficients narrow")
            edits.pop("vectors half precision")
        for what, edit in edits.items():
            yield pytest.param(name, edit, id=f"{name}: {what}")


@pytest.mark.parametrize(("name", "edit"), list(cases()))
def test_an_edited_model_raises(fitted, name, edit):
    model, X = fitted[name]
    model = copy.deepcopy(model)
    edit(model)
    for method in (model.predict, model.decision_function):
        with pytest.raises(InvalidInput, match=ALTERED):
            method(X)
    with pytest.raises(InvalidInput):
        _ = model.solutions_


def rewrite(matrix, **parts):
    for name, value in parts.items():
        getattr(matrix, name)[:] = value


CSR_EDITS = {
    "columns beyond": lambda M: rewrite(M, indices=10**6),
    "columns negative": lambda M: rewrite(M, indices=-7),
    "columns unsorted": lambda M: rewrite(M, indices=M.indices[::-1].copy()),
    "starts beyond": lambda M: rewrite(M, indptr=10**6),
    "starts falling": lambda M: rewrite(M, indptr=M.indptr[::-1].copy()),
    "starts negative": lambda M: rewrite(M, indptr=-3),
    "data short": lambda M: setattr(M, "data", M.data[:-3]),
    "data text": lambda M: setattr(M, "data", np.full(len(M.data), "x")),
    "indices floats": lambda M: setattr(M, "indices", M.indices.astype(float)),
}


@pytest.mark.parametrize("name", ["sparse", "sparse linear"])
@pytest.mark.parametrize("attribute", ["support_vectors_", "dual_coef_"])
@pytest.mark.parametrize("what", CSR_EDITS)
def test_an_edited_sparse_model_raises(fitted, name, attribute, what):
    model, X = fitted[name]
    model = copy.deepcopy(model)
    CSR_EDITS[what](getattr(model, attribute))
    with pytest.raises(InvalidInput, match=ALTERED):
        model.predict(X)


@pytest.mark.parametrize("name", ["sparse", "sparse linear"])
@pytest.mark.parametrize("what", CSR_EDITS)
def test_an_edited_sparse_model_can_be_pickled_and_still_raises(fitted, name, what):
    model, X = fitted[name]
    model = copy.deepcopy(model)
    CSR_EDITS[what](model.dual_coef_)
    with pytest.raises(InvalidInput, match=ALTERED):
        pickle.loads(pickle.dumps(model)).predict(X)


def test_another_format_raises(fitted):
    model, X = fitted["sparse"]
    model = copy.deepcopy(model)
    model.support_vectors_ = model.support_vectors_.tocsc()
    with pytest.raises(InvalidInput, match="is in csc format, not csr"):
        model.predict(X)
    model.support_vectors_ = model.support_vectors_.toarray()
    with pytest.raises(InvalidInput, match="not sparse"):
        model.predict(X)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "objects"])
def test_coefficients_can_be_changed_on_purpose(fitted, name):
    model, X = fitted[name]
    model = copy.deepcopy(model)
    before = model.decision_function(X)
    model._dual_coef_ = 0 * model._dual_coef_
    model._intercept_ = 0 * model._intercept_
    assert not np.allclose(before, model.decision_function(X))


def test_scikit_learns_tweak():
    X, y = [[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]], [1, 1, 1, 2, 2, 2]
    model = SVC(kernel="linear").fit(X, y)
    assert model.predict([[-0.1, -0.1]]) == [1]
    model._dual_coef_ = np.array([[0.0, 1.0]])
    assert model.predict([[-0.1, -0.1]]) == [2]
