"""Kernel values that stay from one fit to the next: the same values, of the same rows and kernel only, and never pickled."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_breast_cancer

from maxmargin import SVC, SVR, OneClassSVM
from maxmargin.kernels import RBF

X, y = load_breast_cancer(return_X_y=True)
X = np.ascontiguousarray((X - X.mean(axis=0)) / X.std(axis=0))


def _held(model: Any) -> Any:
    return vars(model).get("_kept_values")


def _twice(model: Any, rows: Any, target: NDArray[Any] | None) -> Any:
    return model.set_params(warm_start=True).fit(rows, target).fit(rows, target)


@pytest.mark.parametrize("rows", [X, X.astype(np.float32), sparse.csr_matrix(X)], ids=["float64", "float32", "CSR"])
def test_products_are_those_of_the_inner_source_up_to_the_order_of_sums(rows: Any) -> None:
    bound = RBF(gamma=0.05).bind(rows)
    plain, beta = bound.gram(rows), np.where(np.arange(len(y)) % 3 == 0, np.linspace(-1.0, 1.0, len(y)), 0.0)
    kept = bound.gram(rows).kept(1 << 30)
    size = float(np.abs(beta).sum())
    np.testing.assert_allclose(kept.matvec(beta), plain.matvec(beta), rtol=0, atol=1e-15 * size)
    for point in (beta, 2.5 * beta, beta + np.eye(len(y))[4], np.roll(beta, 1), 0.0 * beta):
        found = kept.start_product(point)
        assert found is not None
        np.testing.assert_allclose(found, plain.matvec(point), rtol=0, atol=1e-14 * size)
    np.testing.assert_array_equal(kept.matvec(beta), bound.gram(rows).kept(1 << 30).matvec(beta))


def test_where_there_is_no_room_the_inner_source_answers() -> None:
    bound = RBF(gamma=0.05).bind(X)
    kept, beta = bound.gram(X).kept(8 * len(y) * 3), np.linspace(-1.0, 1.0, len(y))
    np.testing.assert_array_equal(kept.matvec(beta), bound.gram(X).matvec(beta))


@pytest.mark.parametrize(
    ("model", "target"),
    [(SVC(), y), (SVC(kernel="poly"), y), (SVR(), X[:, 0]), (OneClassSVM(nu=0.1), None), (SVC(cache_size=2.0), y)],
    ids=["SVC", "poly", "SVR", "OneClassSVM", "little memory"],
)
def test_a_third_fit_reaches_the_optimum_of_one_that_starts_anew(model: Any, target: NDArray[Any] | None) -> None:
    again = _twice(model, X, target)
    assert _held(again) is not None
    settings = {"nu": 0.2} if isinstance(model, OneClassSVM) else {"C": 7.0}
    again.set_params(**settings).fit(X, target)
    anew = type(model)(**{**model.get_params(), "warm_start": False, **settings}).fit(X, target)
    assert again.status_.is_optimal
    assert again.certificate_.dual_objective == pytest.approx(anew.certificate_.dual_objective, rel=2e-3)
    assert again.certificate_.dual_objective <= anew.certificate_.primal_objective * (1 + 1e-9) + 1e-12


def test_rows_that_were_changed_in_place_have_other_values() -> None:
    rows = X.copy()
    model = _twice(SVC(C=2.0), rows, y)
    before = _held(model)
    idle = np.setdiff1d(np.arange(len(y)), model.support_)
    rows[idle[:50]] = rows[idle[50:100]]  # rows that are no support vectors: the start is still good
    model.fit(rows, y)
    assert _held(model) is not before
    anew = SVC(C=2.0).fit(rows, y)
    assert model.certificate_.dual_objective == pytest.approx(anew.certificate_.dual_objective, rel=2e-3)
    np.testing.assert_allclose(model.decision_function(rows), anew.decision_function(rows), atol=0.02)


def test_another_kernel_drops_them_and_one_fit_alone_keeps_none() -> None:
    model = SVC(warm_start=True, gamma=0.03).fit(X, y)
    assert _held(model) is None
    assert _held(model.fit(X, y)) is not None
    assert _held(model.set_params(gamma=0.04).fit(X, y)) is None
    assert _held(_twice(SVC(kernel="linear"), X, y)) is None
    assert _held(SVC().fit(X, y).fit(X, y)) is None


def test_they_are_neither_pickled_nor_copied() -> None:
    model = _twice(SVC(), X, y)
    plain = SVC(warm_start=True).fit(X, y)
    assert len(pickle.dumps(model)) <= 1.05 * len(pickle.dumps(plain))
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert _held(other) is None
        assert other.set_params(C=3.0).fit(X, y).status_.is_optimal
