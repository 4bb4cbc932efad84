"""Kernel PCA: scikit-learn's up to sign, whatever finds it; inverse; containers; what it refuses."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
import sklearn.decomposition
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from maxmargin import SVC, KernelPCA
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.estimators._kernel import _components
from maxmargin.kernels import RBF, Linear, Polynomial, Sigmoid, _mercer

RNG = np.random.default_rng(0)
X = RNG.normal(size=(420, 6)) * [3.0, 2.0, 1.5, 1.0, 0.7, 0.5]
NEW = RNG.normal(size=(30, 6))
KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.05},
    {"kernel": "rbf"},
    {"kernel": "poly", "degree": 2},
    {"kernel": "sigmoid", "gamma": 0.01, "coef0": 0.1},
]


def theirs(Z: Any, other: Any) -> Any:
    """The components with the signs of the other ones."""
    return Z * np.sign((Z * other).sum(axis=0))


@pytest.mark.parametrize("eigen_solver", ["auto", "dense", "lanczos", "arpack"])
@pytest.mark.parametrize("given", KERNELS, ids=str)
def test_equals_scikit_learn_up_to_sign(given: Any, eigen_solver: str) -> None:
    ours = KernelPCA(4, eigen_solver=eigen_solver, **given)
    other = sklearn.decomposition.KernelPCA(4, eigen_solver="dense", **given)
    Z, W = ours.fit_transform(X), other.fit_transform(X)
    assert_allclose(theirs(Z, W), W, atol=1e-8)
    assert_allclose(theirs(ours.transform(NEW), other.transform(NEW)), other.transform(NEW), atol=1e-8)
    assert_allclose(ours.transform(X), Z, atol=1e-8)
    assert_allclose(ours.eigenvalues_, other.eigenvalues_, rtol=1e-10)
    assert_allclose(theirs(ours.eigenvectors_, other.eigenvectors_), other.eigenvectors_, atol=1e-8)


@pytest.mark.parametrize("n", [10, 300, 301, 600])
@pytest.mark.parametrize("count", [1, 7, None])
def test_sizes(n: int, count: int | None) -> None:
    rows = np.random.default_rng(n).normal(size=(n, 3))
    ours, other = KernelPCA(count, kernel="rbf"), sklearn.decomposition.KernelPCA(count, kernel="rbf", eigen_solver="dense")
    Z, W = ours.fit_transform(rows)[:, :7], other.fit_transform(rows)[:, :7]
    assert_allclose(theirs(Z, W), W, atol=1e-8)


def test_subspace_iteration_is_near() -> None:
    exact = KernelPCA(3, kernel="rbf", gamma=0.05).fit_transform(X)
    rough = KernelPCA(3, kernel="rbf", gamma=0.05, eigen_solver="randomized").fit_transform(X)
    better = KernelPCA(3, kernel="rbf", gamma=0.05, eigen_solver="randomized", iterated_power=20).fit_transform(X)
    assert np.abs(theirs(rough, exact) - exact).max() < 1e-2
    assert np.abs(theirs(better, exact) - exact).max() < 1e-8


def test_kernel_objects_functions_matrices_and_sparse_rows() -> None:
    named = KernelPCA(4, kernel="rbf", gamma=0.05).fit(X)
    K = RBF(gamma=0.05)
    as_object = KernelPCA(4, kernel=RBF(gamma=0.05)).fit(X)
    assert_array_equal(as_object.eigenvectors_, named.eigenvectors_)
    assert as_object.gamma_ == 0.05
    precomputed = KernelPCA(4, kernel="precomputed").fit(K(X))
    assert_allclose(precomputed.transform(K(NEW, X)), named.transform(NEW), atol=1e-9)
    function = KernelPCA(4, kernel=lambda A, B, gamma: RBF(gamma=gamma)(A, B), kernel_params={"gamma": 0.05}).fit(X)
    assert_allclose(function.transform(NEW), named.transform(NEW), atol=1e-9)
    for form in (sparse.csr_matrix, sparse.csr_array):
        rows = KernelPCA(4, kernel="rbf", gamma=0.05).fit(form(X))
        assert_allclose(rows.transform(form(NEW)), named.transform(NEW), atol=1e-9)
        assert_allclose(rows.transform(NEW), named.transform(NEW), atol=1e-9)
    assert_allclose(
        KernelPCA(4, kernel="rbf", gamma=0.05).fit(X.astype(np.float32)).transform(NEW), named.transform(NEW), atol=1e-4
    )


def test_rows_of_any_kind() -> None:
    words = ["margin", "margins", "kernel", "kernels", "street", "streets"]

    def common(A: Any, B: Any) -> Any:
        return np.array([[len(set(a) & set(b)) / np.sqrt(len(set(a)) * len(set(b))) for b in B] for a in A])

    model = KernelPCA(2, kernel=common)
    Z = model.fit_transform(words)
    assert_allclose(model.transform(words), Z, atol=1e-12)
    assert np.linalg.norm(Z[0] - Z[1]) < np.linalg.norm(Z[0] - Z[2])


def test_values_that_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    held = KernelPCA(4, kernel="rbf", gamma=0.05).fit_transform(X)
    monkeypatch.setattr(_mercer, "_HELD_BYTES", 0)
    assert_allclose(KernelPCA(4, kernel="rbf", gamma=0.05).fit_transform(X), held, atol=1e-9)


@pytest.mark.parametrize("given", [KERNELS[1], KERNELS[3]], ids=str)
def test_the_way_back(given: Any) -> None:
    ours = KernelPCA(4, fit_inverse_transform=True, alpha=0.1, **given).fit(X)
    other = sklearn.decomposition.KernelPCA(4, fit_inverse_transform=True, alpha=0.1, eigen_solver="dense", **given).fit(X)
    Z = ours.transform(NEW)
    assert_allclose(
        ours.inverse_transform(Z), other.inverse_transform(Z * np.sign((Z * other.transform(NEW)).sum(0))), atol=1e-8
    )
    again = ours.set_params(fit_inverse_transform=False).fit(X)
    assert not hasattr(again, "dual_coef_")


def test_removed_components() -> None:
    """Of rank 6: beyond, the eigenvalues are 0."""
    assert KernelPCA().fit_transform(X).shape == (420, 6)
    assert KernelPCA(8, remove_zero_eig=True).fit_transform(X).shape == (420, 6)
    kept = KernelPCA(8).fit(X)
    assert kept.eigenvalues_.shape == (8,)
    assert_array_equal(kept.eigenvalues_[6:], 0.0)
    assert_array_equal(kept.transform(NEW)[:, 6:], 0.0)
    assert_array_equal(KernelPCA(2).fit_transform(np.ones((5, 3))), 0.0)


def test_parameters_are_scikit_learns_and_ours() -> None:
    ours, other = inspect.signature(KernelPCA).parameters, inspect.signature(sklearn.decomposition.KernelPCA).parameters
    assert set(other) - set(ours) == {"n_jobs"}
    assert set(ours) - set(other) == set()
    assert {name for name in ours if ours[name].default != other[name].default} == set()


def test_contract() -> None:
    model = KernelPCA(3, kernel=RBF(gamma=0.1))
    assert model.get_params()["kernel__gamma"] == 0.1
    copy = clone(model).set_params(kernel__gamma=0.2).fit(X)
    assert copy.gamma_ == 0.2
    assert copy.get_feature_names_out().tolist() == ["kernelpca0", "kernelpca1", "kernelpca2"]
    assert_array_equal(pickle.loads(pickle.dumps(copy)).transform(NEW), copy.transform(NEW))
    y = (np.abs(X) > 1.0).sum(axis=1) > 2
    assert make_pipeline(KernelPCA(20, kernel="rbf", gamma=0.1), SVC()).fit(X, y).score(X, y) > 0.8


def test_x_is_copied_unless_told_otherwise() -> None:
    for copy_X in (True, False):
        rows = X[:50].copy()
        model = KernelPCA(2, copy_X=copy_X).fit(rows)
        assert np.shares_memory(model.X_fit_, rows) is not copy_X
        assert_array_equal(rows, X[:50])


@pytest.mark.parametrize("eigen_solver", ["dense", "lanczos", "randomized"])
def test_bits_do_not_depend_on_blas(eigen_solver: str) -> None:
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            model = KernelPCA(5, kernel="rbf", eigen_solver=eigen_solver, fit_inverse_transform=True).fit(X)
            found.append((model.eigenvectors_.tobytes(), model.dual_coef_.tobytes(), model.transform(NEW).tobytes()))
    assert found[0] == found[1]


def test_a_budget_that_is_spent_warns() -> None:
    with pytest.warns(ConvergenceWarning, match="exact to .* after 1 rounds. Raise max_iter or tol"):
        KernelPCA(3, kernel="rbf", eigen_solver="lanczos", max_iter=1).fit(X)
    with pytest.raises(InvalidInput, match=r"ARPACK found \d+ of 30 components"):
        KernelPCA(30, kernel="rbf", gamma=3.0, eigen_solver="arpack", max_iter=1).fit(X)
    few = KernelPCA(3, kernel="rbf", eigen_solver="lanczos", tol=1e-3).fit(X)
    assert_allclose(few.eigenvalues_, KernelPCA(3, kernel="rbf").fit(X).eigenvalues_, rtol=1e-4)


def test_an_indefinite_kernel() -> None:
    with pytest.raises(InvalidInput, match=r"negative eigenvalues among the components.*kernels.repair"):
        KernelPCA(kernel=Sigmoid(gamma=1.0, coef0=-1.0)).fit(X)
    assert KernelPCA(3, kernel=Sigmoid(gamma=1.0, coef0=-1.0)).fit(X).eigenvalues_.min() > 0.0


def test_edited_state_is_refused() -> None:
    for name, value in {"X_fit_": X[:5], "eigenvectors_": X[:, :2], "eigenvalues_": np.ones((2, 2)), "_kernel": RBF()}.items():
        model = KernelPCA(3).fit(X)
        setattr(model, name, value)
        with pytest.raises(InvalidInput, match=r"internal representation of KernelPCA was altered.*Fit it again"):
            model.transform(NEW)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n_components": 0}, r"The 'n_components' parameter of KernelPCA must be an int in the range \[1, inf\). Got 0"),
        ({"gamma": -1.0}, "The 'gamma' parameter of KernelPCA"),
        ({"gamma": "wide"}, "The 'gamma' parameter of KernelPCA must be a str among {'auto', 'scale'}, a float"),
        ({"degree": 1.5}, "The 'degree' parameter of KernelPCA"),
        ({"coef0": np.inf}, "The 'coef0' parameter of KernelPCA"),
        ({"alpha": -1.0}, "The 'alpha' parameter of KernelPCA"),
        ({"tol": -1.0}, "The 'tol' parameter of KernelPCA"),
        ({"max_iter": 0}, "The 'max_iter' parameter of KernelPCA"),
        ({"iterated_power": -1}, "The 'iterated_power' parameter of KernelPCA"),
        ({"eigen_solver": "qr"}, "The 'eigen_solver' parameter of KernelPCA must be a str among"),
        ({"copy_X": 2}, "The 'copy_X' parameter of KernelPCA"),
        ({"remove_zero_eig": 2}, "The 'remove_zero_eig' parameter of KernelPCA"),
        ({"fit_inverse_transform": 2}, "The 'fit_inverse_transform' parameter of KernelPCA"),
        ({"random_state": -1}, "The 'random_state' parameter of KernelPCA"),
        ({"kernel_params": 3}, "The 'kernel_params' parameter of KernelPCA must be an instance of 'dict' or None"),
        ({"kernel_params": {"gamma": 1.0}}, "The 'kernel_params' parameter of KernelPCA is for kernel functions"),
        ({"kernel": "gaussian"}, "The 'kernel' parameter of KernelPCA must be a str among"),
        (
            {"kernel": Linear(), "gamma": 0.1},
            "The 'gamma' parameter of KernelPCA must be left at None when 'kernel' is an object",
        ),
        ({"kernel": Polynomial(), "coef0": 2}, "The 'coef0' parameter of KernelPCA must be left at 1"),
        ({"n_components": 100, "eigen_solver": "lanczos"}, "eigen_solver='lanczos' finds few components of many rows"),
        ({"n_components": 420, "eigen_solver": "arpack"}, "eigen_solver='arpack' finds fewer components than rows"),
        ({"kernel": "linear", "fit_inverse_transform": True, "alpha": 0.0}, "cannot be learnt with alpha=0.*Raise alpha"),
    ],
    ids=str,
)
def test_messages(given: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        KernelPCA(**given).fit(X)


def test_messages_about_rows() -> None:
    with pytest.raises(InvalidInput, match=r"needs dense rows of features. Got sparse rows"):
        KernelPCA(2, fit_inverse_transform=True).fit(sparse.csr_matrix(X))
    with pytest.raises(InvalidInput, match=r"needs dense rows of features. Got pairwise rows"):
        KernelPCA(2, kernel="precomputed", fit_inverse_transform=True).fit(np.eye(5))
    with pytest.raises(InvalidInput, match="must be symmetric"):
        KernelPCA(2, kernel="precomputed").fit([[1.0, 2.0], [0.0, 1.0]])
    model = KernelPCA(2).fit(X)
    with pytest.raises(NotFittedError, match="Set fit_inverse_transform=True"):
        model.inverse_transform(np.ones((3, 2)))
    with pytest.raises(InvalidInput, match="trained on dense data"):
        model.transform(sparse.csr_matrix(NEW))
    with pytest.raises(InvalidInput, match="X has 5 features, but KernelPCA is expecting 6"):
        model.transform(NEW[:, :5])
    with pytest.raises(InvalidInput, match=r"takes dense rows of 2 components. Got shape"):
        KernelPCA(2, fit_inverse_transform=True).fit(X).inverse_transform(np.ones((3, 3)))
    with pytest.raises(NotFittedError):
        KernelPCA().transform(X)


def test_auto_takes_lanczos_for_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    used = []
    for name in ("_dense", "_lanczos"):
        find = getattr(_components, name)
        monkeypatch.setattr(_components, name, lambda K, asked, name=name, find=find: used.append(name) or find(K, asked))
    KernelPCA(4).fit(X)
    KernelPCA(4).fit(X[:300])
    KernelPCA(30).fit(X)
    KernelPCA().fit(X)
    assert used == ["_lanczos", "_dense", "_dense", "_dense"]
