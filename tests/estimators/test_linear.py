"""LinearSVC and LogisticRegression: the optimum of SVC and of scikit-learn, probabilities, refusals."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_classification
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as TheirLinearSVC

from maxmargin import SVC, LinearSVC, LogisticRegression
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.solution import Status
from maxmargin.solvers import CoordinateDescent


def _cancer() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2, 1e4])
def test_hinge_has_the_optimum_of_svc(C: float) -> None:
    X, y = make_classification(300, 6, flip_y=0.2, random_state=0)
    linear = LinearSVC(loss="hinge", C=C, tol=1e-8).fit(X, y)
    kernel = SVC(kernel="linear", C=C, tol=1e-7).fit(X, y)
    assert linear.certificate_.primal_objective == pytest.approx(kernel.certificate_.primal_objective, rel=1e-6)
    np.testing.assert_allclose(linear.coef_, kernel.coef_, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(linear.intercept_, kernel.intercept_, atol=1e-3)


@pytest.mark.parametrize("scaling", [1.0, 10.0])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_penalised_intercept_is_liblinears(loss: Any, scaling: float) -> None:
    X, y = _cancer()
    mine = LinearSVC(loss=loss, C=0.1, penalise_intercept=True, intercept_scaling=scaling, tol=1e-9).fit(X, y)
    theirs = TheirLinearSVC(loss=loss, C=0.1, intercept_scaling=scaling, tol=1e-8, max_iter=1_000_000, random_state=0).fit(X, y)
    np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(mine.intercept_, theirs.intercept_, atol=1e-4)


@pytest.mark.parametrize("scaling", [1.0, 10.0])
def test_l1_with_a_penalised_intercept_is_liblinears(scaling: float) -> None:
    X, y = _cancer()
    mine = LinearSVC(penalty="l1", C=0.1, penalise_intercept=True, intercept_scaling=scaling, tol=1e-9).fit(X, y)
    theirs = TheirLinearSVC(
        penalty="l1", dual=False, C=0.1, intercept_scaling=scaling, tol=1e-8, max_iter=100_000, random_state=0
    )
    theirs.fit(X, y)
    np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(mine.intercept_, theirs.intercept_, atol=1e-4)
    np.testing.assert_array_equal(mine.coef_ == 0.0, np.abs(theirs.coef_) < 1e-9)
    assert 0 < np.count_nonzero(mine.coef_) < X.shape[1]


def test_l1_of_the_hinge_and_of_many_classes() -> None:
    X, y = _cancer()
    model = LinearSVC(penalty="l1", loss="hinge", C=0.1, tol=1e-6).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert model.score(X, y) > 0.95
    assert 0 < np.count_nonzero(model.coef_) < X.shape[1]
    digits = LinearSVC(penalty="l1", C=1e-3).fit(*load_digits(return_X_y=True))
    assert digits.coef_.shape == (10, 64)
    assert digits.status_ is Status.CONVERGED
    np.testing.assert_array_equal(digits.coef_[:, 0], 0.0)  # a pixel that is always empty


def test_l1_logistic_is_sagas() -> None:
    X, y = _cancer()
    mine = LogisticRegression(penalty="l1", C=0.1, tol=1e-9).fit(X, y)
    theirs = TheirLogistic(l1_ratio=1.0, solver="saga", C=0.1, tol=1e-10, max_iter=20_000).fit(X, y)
    np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), atol=1e-5)


def test_classes_against_the_rest() -> None:
    X, y = load_digits(return_X_y=True)
    model = LinearSVC(C=1e-3).fit(X, y)
    assert model.coef_.shape == (10, 64)
    assert model.decision_function(X).shape == (len(y), 10)
    assert model.score(X, y) > 0.95
    assert model.status_ is Status.CONVERGED
    assert model.certificate_.relative_gap <= 1e-4
    alone = LinearSVC(C=1e-3).fit(X, y == 3)
    np.testing.assert_allclose(alone.coef_[0], model.coef_[3], atol=1e-6)


def test_sparse_and_float32_are_kept() -> None:
    X, y = _cancer()
    dense = LinearSVC(C=0.1).fit(X, y)
    for kind in (sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix):
        model = LinearSVC(C=0.1).fit(kind(X), y)
        np.testing.assert_allclose(model.coef_, dense.coef_, atol=1e-8)
        np.testing.assert_allclose(model.decision_function(kind(X)), dense.decision_function(X), atol=1e-7)
    single = LinearSVC(C=0.1).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(single.coef_, dense.coef_, atol=1e-5)
    rows = sparse.csr_matrix(X)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    np.testing.assert_allclose(LinearSVC(C=0.1).fit(rows, y).coef_, dense.coef_, atol=1e-8)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2])
@pytest.mark.parametrize("intercept", [True, False])
def test_logistic_is_scikit_learns(C: float, intercept: bool) -> None:
    X, y = _cancer()
    mine = LogisticRegression(C=C, fit_intercept=intercept).fit(X, y)
    theirs = TheirLogistic(C=C, fit_intercept=intercept, tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(mine.coef_, theirs.coef_, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


def test_probabilities() -> None:
    X, y = make_classification(200, 4, flip_y=0.2, random_state=1)
    labels = np.array(["no", "yes"])[y]
    model = LogisticRegression().fit(X, labels)
    p, f = model.predict_proba(X), model.decision_function(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.log(p[:, 1] / p[:, 0]), f, rtol=1e-9, atol=1e-12)  # the log-odds
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), p)
    for threshold in (0.0, 0.2, 0.5, 0.9, 1.0):
        model.set_params(threshold=threshold)
        np.testing.assert_array_equal(model.predict(X) == "yes", p[:, 1] > threshold)


def test_maximum_likelihood_and_separation() -> None:
    X, y = make_classification(200, 4, flip_y=0.3, random_state=1)
    one, other = LogisticRegression(penalty=None).fit(X, y), LogisticRegression(C=1e8).fit(X, y)
    assert one.status_ is Status.CONVERGED
    # Two of the features are sums of the others: the weights are not unique, the scores are.
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-5)
    assert np.abs(one.coef_).max() < 10.0
    with pytest.warns(ConvergenceWarning, match="SEPARABLE"):
        apart = LogisticRegression(penalty=None).fit(X, X[:, 0] > 0.0)
    assert apart.status_ is Status.SEPARABLE
    assert apart.fit_status_ == 1


@pytest.mark.parametrize("model", [LinearSVC(class_weight={0: 2.0, 1: 0.5}), LogisticRegression(class_weight={0: 2.0, 1: 0.5})])
def test_class_weight_is_a_sample_weight(model: Any) -> None:
    X, y = make_classification(200, 4, flip_y=0.3, random_state=1)
    by_class = model.fit(X, y).coef_.copy()
    by_row = model.set_params(class_weight=None).fit(X, y, sample_weight=np.where(y == 0, 2.0, 0.5)).coef_
    np.testing.assert_allclose(by_class, by_row, rtol=1e-6)


def test_solver_pickle_verbose_and_limit(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = _cancer()
    model = LinearSVC(C=0.01, penalise_intercept=True, solver=CoordinateDescent(seed=1), verbose=1).fit(X, y)
    assert "converged" in capsys.readouterr().out
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.certificate_ == model.certificate_
    with pytest.warns(ConvergenceWarning, match=r"2 of 3 binary classifiers|3 of 3 binary classifiers"):
        short = LinearSVC(loss="hinge", max_iter=1).fit(*load_iris(return_X_y=True))
    assert short.status_ is Status.ITERATION_LIMIT
    assert short.n_iter_ == 1


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearSVC(penalty="l0"), "The 'penalty' parameter of LinearSVC must be a str among {'l1', 'l2'}. Got 'l0' instead."),
        (LinearSVC(penalty="l1", solver="newton"), "the L1 penalty has a kink at every 0"),
        (LinearSVC(loss="logistic"), "The 'loss' parameter of LinearSVC must be a str among {'hinge', 'squared_hinge'}"),
        (LinearSVC(dual="yes"), "The 'dual' parameter of LinearSVC must be an instance of 'bool' or the str 'auto'"),
        (LinearSVC(C=0), "The 'C' parameter of LinearSVC"),
        (LinearSVC(tol=0), "The 'tol' parameter of LinearSVC"),
        (LinearSVC(max_iter=-1), "The 'max_iter' parameter of LinearSVC must be an int in the range [0, inf)"),
        (LinearSVC(max_time=0), "The 'max_time' parameter of LinearSVC"),
        (LinearSVC(fit_intercept=1), "The 'fit_intercept' parameter of LinearSVC"),
        (LinearSVC(penalise_intercept=1), "The 'penalise_intercept' parameter of LinearSVC"),
        (
            LinearSVC(intercept_scaling=2.0, penalise_intercept=False),
            "Set penalise_intercept=True, or leave intercept_scaling at 1.",
        ),
        (LinearSVC(solver="coordinate_descent"), "a free offset ties all multipliers together"),
        (LinearSVC(solver="smo"), "The 'solver' parameter must be one of 'auto', 'newton'"),
        (LinearSVC(class_weight=3), "The 'class_weight' parameter of LinearSVC"),
        (
            LogisticRegression(penalty="l0"),
            "The 'penalty' parameter of LogisticRegression must be a str among {'auto', 'elasticnet', 'l1', 'l2'} or None",
        ),
        (LogisticRegression(threshold=1.5), "The 'threshold' parameter of LogisticRegression"),
        (LogisticRegression(threshold=None), "must be a float in the range [0.0, 1.0]. Got None instead."),
        (LogisticRegression(C=-1), "The 'C' parameter of LogisticRegression"),
    ],
    ids=repr,
)
def test_refusals(model: Any, message: str) -> None:
    X, y = make_classification(20, 4, random_state=1)
    with pytest.raises(InvalidInput) as error:
        model.fit(X, y)
    assert message in str(error.value)
