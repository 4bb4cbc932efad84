"""sparsify and densify; float32 rows give float32 weights, and the certificate is that of the weights as they are stored."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression as Theirs

from maxmargin import LinearClassifier, LinearSVC, LinearSVR, LogisticRegression, StochasticClassifier
from maxmargin.errors import InvalidInput

X, Y = make_classification(150, 20, n_informative=3, n_redundant=0, flip_y=0.1, random_state=0)
IRIS = load_iris(return_X_y=True)
MODELS = [
    LinearSVC(penalty="l1", C=0.1),
    LinearSVR(),
    LogisticRegression(l1_ratio=0.9, C=0.1),
    LinearClassifier(loss="squared", penalty="l1", C=0.05),
    StochasticClassifier(lam_half=0.1, max_iter=2000, tol=1e-9),
]


def _outputs(model: Any, rows: Any) -> list[Any]:
    names = ("predict", "decision_function", "predict_proba", "predict_log_proba")
    return [getattr(model, name)(rows) for name in names if hasattr(model, name)]


@pytest.mark.filterwarnings("ignore::maxmargin.errors.ConvergenceWarning")
@pytest.mark.parametrize("data", [(X, Y), IRIS], ids=["two classes", "three classes"])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_sparse_weights_predict_with_the_same_bits(model: Any, data: Any) -> None:
    rows, labels = data
    model = clone(model).fit(rows, labels)
    dense, before = model.coef_.copy(), _outputs(model, rows)
    assert model.sparsify() is model
    assert sparse.isspmatrix_csr(model.coef_)
    assert model.coef_.nnz == np.count_nonzero(dense)
    for again in (model, pickle.loads(pickle.dumps(model)), model.sparsify()):
        for one, other in zip(_outputs(again, rows), before, strict=True):
            np.testing.assert_array_equal(one, other)
        for one, other in zip(_outputs(again, sparse.csr_matrix(rows)), before, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    assert model.densify() is model
    np.testing.assert_array_equal(model.coef_, dense)
    assert model.coef_.flags.c_contiguous
    assert model.densify().coef_ is model.coef_


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_only_fitted_models_have_weights(model: Any) -> None:
    with pytest.raises(NotFittedError, match="must be fitted before sparsifying"):
        clone(model).sparsify()
    with pytest.raises(NotFittedError, match="must be fitted before densifying"):
        clone(model).densify()


@pytest.mark.parametrize("coef", [np.zeros(20), "weights", np.zeros((1, 20), dtype=int)])
def test_edited_weights_are_refused(coef: Any) -> None:
    model = LogisticRegression().fit(X, Y)
    model.coef_ = coef
    with pytest.raises(InvalidInput, match="coef_ of LogisticRegression must be an array of floats with 2 axes"):
        model.predict(X)


@pytest.mark.parametrize("settings", [{}, {"l1_ratio": 0.5}, {"l1_ratio": 1.0}, {"C": np.inf}, {"multi_class": "multinomial"}])
@pytest.mark.parametrize("data", [(X, Y), IRIS], ids=["two classes", "three classes"])
def test_float32_in_float32_out(data: Any, settings: dict[str, Any]) -> None:
    rows, labels = data
    if settings.get("multi_class") == "multinomial" and len(np.unique(labels)) > 2:
        settings = {}
    labels = np.where(np.arange(len(labels)) % 7 == 0, labels[0], labels)  # not separable
    narrow = rows.astype(np.float32)
    model = LogisticRegression(**settings).fit(narrow, labels)
    wide = LogisticRegression(**settings).fit(narrow.astype(np.float64), labels)
    assert model.status_.is_optimal
    for value in (model.coef_, model.intercept_, *_outputs(model, narrow)[1:]):
        assert value.dtype == np.float32
    for value in (*_outputs(model, rows)[1:], wide.coef_, *_outputs(wide, narrow)[1:]):
        assert value.dtype == np.float64
    np.testing.assert_allclose(model.coef_, wide.coef_, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(model.coef_ == 0.0, wide.coef_ == 0.0)
    np.testing.assert_allclose(model.predict_proba(narrow).sum(axis=1), 1.0, atol=1e-6)
    np.testing.assert_array_equal(model.classes_[_outputs(model, narrow)[2].argmax(axis=1)], model.predict(narrow))


def _objective(model: Any, rows: Any, labels: Any) -> float:
    """``½|w|² + C Σ log(1 + e^(−yf))`` with the weights as they are stored, in extended precision."""
    w, b = model.coef_[0].astype(np.longdouble), np.longdouble(model.intercept_[0])
    f = rows.astype(np.longdouble) @ w + b
    return float(w @ w / 2 + np.logaddexp(np.longdouble(0), -np.where(labels, 1, -1) * f).sum())


@pytest.mark.parametrize(("tol", "dtype"), [(1e-4, np.float32), (1e-12, np.float64)])
def test_the_certificate_is_that_of_the_stored_weights(tol: float, dtype: type) -> None:
    narrow = X.astype(np.float32)
    model = LogisticRegression(tol=tol).fit(narrow, Y)
    found = model.certificate_
    assert model.coef_.dtype == dtype
    assert found.primal_objective == pytest.approx(_objective(model, narrow, Y), rel=1e-14)
    assert found.dual_objective <= found.primal_objective * (1 + 1e-14)
    exact = LogisticRegression(tol=1e-13).fit(narrow.astype(np.float64), Y).certificate_
    assert found.dual_objective <= exact.primal_objective * (1 + 1e-13)


def test_weights_stay_float64_where_rounding_would_cost_the_certificate() -> None:
    """Rows at a million: float32 has no offset for them."""
    rows = (X[:, :2] + 1e6).astype(np.float32)
    model = LogisticRegression(tol=1e-10).fit(rows, Y)
    assert model.status_.is_optimal
    assert model.coef_.dtype == np.float64
    assert model.certificate_.primal_objective == pytest.approx(_objective(model, rows, Y), rel=1e-8)


def test_where_scikit_learn_has_float64_ours_has_it() -> None:
    narrow = X.astype(np.float32)
    models: list[Any] = [LogisticRegression(solver="liblinear"), LinearSVC(), LinearSVR(), Theirs(solver="liblinear")]
    for model in models:
        assert model.fit(narrow, Y).coef_.dtype == np.float64
    assert Theirs().fit(narrow, Y).coef_.dtype == np.float32
