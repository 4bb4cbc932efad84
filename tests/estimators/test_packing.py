"""Pickles: small, whole, and safe to edit."""

import copy
import pickle

import joblib
import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_array_equal
from scipy import sparse

from maxmargin import SVC
from maxmargin.errors import InvalidInput
from maxmargin.estimators._kernel._packing import PackedCoefficients, explicit_csr, pack, unpack
from maxmargin.kernels import RBF

from ._sets import SETS, digits, iris


@pytest.mark.parametrize("container", [None, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("shape", [(1, 1), (2, 7), (9, 40), (3, 0)])
def test_packing_there_and_back(container, shape):
    dense = np.random.default_rng(0).normal(size=shape) * (np.random.default_rng(1).random(shape) < 0.3)
    matrix = dense if container is None else explicit_csr(dense, container)
    again = unpack(pack(matrix))
    assert type(again) is type(matrix)
    assert_array_equal(again if container is None else again.toarray(), dense)
    if container is not None:
        assert again.nnz == dense.size


def test_what_is_not_ours_is_not_packed():
    for other in (
        None,
        "x",
        np.zeros(3),
        np.array([["a"]]),
        sparse.csc_array(np.eye(3)),
        sparse.csr_array(np.eye(3)),
    ):
        assert pack(other) is other


def test_values_that_repeat_are_kept_once():
    few = np.random.default_rng(0).choice([0.0, 1.0, -1.0, 2.5], size=(5, 500))
    mixed = np.where(np.random.default_rng(1).random(few.shape) < 0.9, few, few * np.pi)
    for matrix in (few, mixed):
        packed = pack(matrix)
        assert len(pickle.dumps(packed)) < 0.4 * matrix.nbytes
        assert_array_equal(unpack(packed), matrix)


def test_edited_packs_raise():
    packed = pack(np.kron(np.eye(20), np.arange(1.0, 7.0)))
    for edit in (
        {"rare": packed.rare[:-1]},
        {"rare": packed.rare[:-8]},
        {"codes": packed.codes[:-1]},
        {"codes": b"\xff" * len(packed.codes)},
        {"bits": packed.bits[:-1]},
        {"bits": None},
        {"shape": (20, -120)},
        {"shape": ("x", 3)},
    ):
        changed = packed._replace(**edit)
        if changed != packed:
            with pytest.raises(InvalidInput, match="The pickled dual coefficients were altered"):
                unpack(changed)


FITS = [
    {},
    {"kernel": "linear"},
    {"kernel": RBF(gamma=0.1)},
    {"multi_class": "ovr"},
    {"kernel": "precomputed"},
]


def rows(params, X):
    return X @ X.T if params.get("kernel") == "precomputed" else X


@pytest.mark.parametrize("params", FITS, ids=str)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_a_pickle_is_the_same_model(params, container, tmp_path):
    if params.get("kernel") == "precomputed" and container is not np.asarray:
        pytest.skip("kernel matrices are dense")
    X, y = digits()
    X = container(rows(params, X[:200]))
    model = SVC(**params).fit(X, y[:200])
    file = tmp_path / "model.joblib"
    joblib.dump(model, file)
    for again in (
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        copy.copy(model),
        joblib.load(file),
        joblib.load(file, mmap_mode="r"),
    ):
        assert_array_equal(again.decision_function(X), model.decision_function(X))
        assert type(again.dual_coef_) is type(model.dual_coef_)
        assert again.certificate_ == model.certificate_
        assert_array_equal(again.solutions_[0].alpha, model.solutions_[0].alpha)


def test_an_unfitted_model_is_pickled_too():
    assert pickle.loads(pickle.dumps(SVC(C=3.0))).C == 3.0


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_a_pickle_is_no_larger_than_scikit_learns_and_a_fifth(name, kernel, C):
    X, y = SETS[name]()
    X = rows({"kernel": kernel}, X)
    ours, theirs = (Model(kernel=kernel, C=C, tol=1e-6).fit(X, y) for Model in (SVC, sklearn.svm.SVC))
    added = {key: value for key, value in ours.get_params().items() if key not in theirs.get_params()}
    assert len(pickle.dumps(ours)) <= 1.2 * len(pickle.dumps(theirs)) + len(pickle.dumps(added))


def test_a_sparse_pickle_is_no_larger_either():
    X, y = iris()
    matrix = sparse.csr_matrix(X)
    ours = len(pickle.dumps(SVC().fit(matrix, y)))
    assert ours <= 1.2 * len(pickle.dumps(sklearn.svm.SVC().fit(matrix, y)))


def test_edited_state_raises():
    X, y = digits()
    model = SVC().fit(X, y)
    state = model.__getstate__()
    assert isinstance(state["dual_coef_"], PackedCoefficients)
    bad = {**state, "dual_coef_": state["dual_coef_"]._replace(codes=b"", rare=bytes(24))}
    with pytest.raises(InvalidInput, match="altered"):
        SVC().__setstate__(bad)
    again = SVC()
    again.__setstate__({**state, "support_vectors_": np.ones((2, 2))})
    with pytest.raises(InvalidInput, match="altered"):
        again.predict(X)


def test_edited_records_raise():
    model = SVC().fit(*iris())
    restore, (statuses, *parts) = model._records.__reduce__()
    for bad in (
        (statuses[:-1], *parts),
        (("FINE",) * 3, *parts),
        (statuses, *parts[:-1]),
        (statuses, parts[0][:-1], *parts[1:]),
        (statuses, "text", *parts[1:]),
    ):
        with pytest.raises(InvalidInput, match="The pickled records were altered"):
            restore(*bad)
    model._records = restore(statuses, *parts[:-2], np.full(9, 9, dtype="<i4").tobytes(), parts[-1])
    with pytest.raises(InvalidInput, match="their counts do not add up"):
        _ = model.solutions_
    model._records = restore(statuses, *parts[:4], bytes(16), *parts[5:])
    with pytest.raises(InvalidInput, match="not one cost for each row"):
        _ = model.solutions_
