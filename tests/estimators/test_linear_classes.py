"""LogisticRegression and LinearSVC of all classes at once: the optimum of scikit-learn, probabilities, refusals."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, load_wine, make_classification
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as TheirLinearSVC

from maxmargin import SVC, LinearSVC, LogisticRegression
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.solution import Status


def _rows(loader: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    X, y = loader(return_X_y=True)
    return StandardScaler().fit_transform(X), y


SETS = {"iris": _rows(load_iris), "wine": _rows(load_wine), "digits": _rows(load_digits)}


def _joint_objective(model: Any, X: Any, y: Any, C: float, *, penalised: bool = True) -> float:
    f = X @ model.coef_.T + model.intercept_
    every, own = np.arange(len(y)), np.searchsorted(model.classes_, y)
    rivals = f + 1.0
    rivals[every, own] -= 1.0
    squares = (model.coef_**2).sum() + ((model.intercept_**2).sum() if penalised else 0.0)
    return float(0.5 * squares + C * (rivals.max(axis=1) - f[every, own]).sum())


def _logistic_objective(model: Any, X: Any, y: Any, C: float) -> float:
    logs = model.predict_log_proba(X)
    own = np.searchsorted(model.classes_, y)
    return float(0.5 * (model.coef_**2).sum() - C * logs[np.arange(len(y)), own].sum())


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2])
@pytest.mark.parametrize("name", SETS)
def test_multinomial_against_scikit_learn(name: str, C: float) -> None:
    X, y = SETS[name]
    ours = LogisticRegression(C=C, tol=1e-7).fit(X, y)
    theirs = TheirLogistic(C=C, tol=1e-8, max_iter=5000).fit(X, y)
    value = _logistic_objective(ours, X, y, C)
    assert value == pytest.approx(ours.certificate_.primal_objective, rel=1e-9)
    assert value <= _logistic_objective(theirs, X, y, C) * (1 + 1e-7)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-3)
    assert ours.coef_.shape == theirs.coef_.shape
    assert ours.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    np.testing.assert_array_equal(ours.predict(X), ours.classes_[ours.predict_proba(X).argmax(axis=1)])


@pytest.mark.parametrize("C", [1e-2, 1.0])
@pytest.mark.parametrize("name", SETS)
def test_joint_against_scikit_learn(name: str, C: float) -> None:
    X, y = SETS[name]
    ours = LinearSVC(multi_class="crammer_singer", C=C, tol=1e-7, penalise_intercept=True).fit(X, y)
    theirs = TheirLinearSVC(multi_class="crammer_singer", C=C, tol=1e-6, max_iter=100_000, random_state=0).fit(X, y)
    value = _joint_objective(ours, X, y, C)
    assert value == pytest.approx(ours.certificate_.primal_objective, rel=1e-9)
    assert value <= _joint_objective(theirs, X, y, C) * (1 + 1e-6)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=0.05)


def test_joint_is_the_kernel_machine() -> None:
    X, y = SETS["iris"]
    linear = LinearSVC(multi_class="joint", C=1.0, tol=1e-8).fit(X, y)
    kernel = SVC(kernel="linear", multi_class="joint", C=2.0, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(linear.decision_function(X), kernel.decision_function(X), atol=1e-5)
    assert linear.certificate_.primal_objective == pytest.approx(0.5 * kernel.certificate_.primal_objective, rel=1e-7)
    assert _joint_objective(linear, X, y, 1.0, penalised=False) == pytest.approx(linear.certificate_.primal_objective)


def test_two_classes_keep_one_score() -> None:
    X, y = make_classification(200, 5, flip_y=0.2, random_state=0)
    both = LogisticRegression(multi_class="multinomial", C=0.5, tol=1e-10).fit(X, y)
    one = LogisticRegression(C=1.0, tol=1e-10).fit(X, y)
    assert both.coef_.shape == (1, 5)
    np.testing.assert_allclose(both.coef_, one.coef_, atol=1e-5)
    np.testing.assert_allclose(both.predict_proba(X), one.predict_proba(X), atol=1e-5)
    joint = LinearSVC(multi_class="crammer_singer", C=0.5, tol=1e-10).fit(X, y)
    hinge = LinearSVC(loss="hinge", C=1.0, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(joint.coef_, hinge.coef_, atol=1e-4)
    assert joint.decision_function(X).shape == (200,)


def test_one_against_the_rest() -> None:
    X, y = SETS["iris"]
    model = LogisticRegression(multi_class="ovr", tol=1e-9).fit(X, y)
    single = [LogisticRegression(tol=1e-9).fit(X, y == k).predict_proba(X)[:, 1] for k in range(3)]
    wanted = np.stack(single, axis=1)
    np.testing.assert_allclose(model.predict_proba(X), wanted / wanted.sum(axis=1, keepdims=True), atol=1e-6)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


def test_small_probabilities_keep_their_digits() -> None:
    X, y = SETS["wine"]
    model = LogisticRegression(C=100.0).fit(X, y)
    logs = model.predict_log_proba(1000.0 * X)
    assert np.isfinite(logs).all()
    assert logs.min() < -1000.0
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0)


@pytest.mark.parametrize("model", [LogisticRegression(), LinearSVC(multi_class="joint")], ids=repr)
def test_class_weight_is_a_sample_weight(model: Any) -> None:
    X, y = SETS["wine"]
    model.set_params(class_weight={0: 2.0, 1: 0.5, 2: 1.0}, tol=1e-10)
    by_class = model.fit(X, y).coef_.copy()
    by_row = model.set_params(class_weight=None).fit(X, y, sample_weight=np.array([2.0, 0.5, 1.0])[y]).coef_
    np.testing.assert_allclose(by_class, by_row, atol=1e-6)


@pytest.mark.parametrize("model", [LogisticRegression(tol=1e-9), LinearSVC(multi_class="joint", tol=1e-9)], ids=repr)
def test_sparse_rows_pickle_verbose_and_labels(model: Any, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = SETS["wine"]
    names = np.array(["red", "rosé", "white"])[y]
    dense = model.fit(X, names).decision_function(X)
    assert set(model.predict(X)) == {"red", "rosé", "white"}
    assert capsys.readouterr().out == ""
    model.set_params(verbose=1).fit(sparse.csr_matrix(X), names)
    assert "all classes: converged" in capsys.readouterr().out
    np.testing.assert_allclose(model.decision_function(sparse.csr_matrix(X)), dense, atol=1e-4)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.certificate_ == model.certificate_
    assert model.n_iter_ >= 1


def test_separation_and_limits() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="SEPARABLE"):
        apart = LogisticRegression(penalty=None).fit(X, y)
    assert apart.status_ is Status.SEPARABLE
    assert apart.fit_status_ == 1
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        short = LogisticRegression(max_iter=1).fit(X, y)
    assert short.n_iter_ == 1
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        assert LinearSVC(multi_class="joint", tol=1e-12, max_time=1e-6).fit(X, y).status_ is Status.TIME_LIMIT


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LogisticRegression(multi_class="no"), "must be a str among {'auto', 'multinomial', 'ovr'}. Got 'no' instead."),
        (LogisticRegression(threshold=0.9), "threshold=0.9 chooses between two classes. Got 3 classes."),
        (LinearSVC(multi_class="one"), "must be a str among {'crammer_singer', 'joint', 'ovr'}. Got 'one' instead."),
        (
            LinearSVC(multi_class="joint", solver="gradient_descent"),
            "The 'solver' parameter must be one of 'auto', 'newton', 'coordinate_descent', or a MulticlassSolver",
        ),
    ],
    ids=repr,
)
def test_refusals(model: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        model.fit(*load_iris(return_X_y=True))
    assert message in str(error.value)


def test_an_l1_penalty_of_several_classes_is_multinomial() -> None:
    X, y = load_iris(return_X_y=True)
    automatic, named, apart = (
        LogisticRegression(penalty="l1", multi_class=how).fit(X, y) for how in ("auto", "multinomial", "ovr")
    )
    np.testing.assert_array_equal(automatic.coef_, named.coef_)
    np.testing.assert_array_equal(automatic.predict_proba(X), named.predict_proba(X))
    scores = np.exp(automatic.decision_function(X))
    np.testing.assert_allclose(automatic.predict_proba(X), scores / scores.sum(axis=1, keepdims=True), rtol=1e-12)
    assert np.abs(automatic.predict_proba(X) - apart.predict_proba(X)).max() > 0.01


def test_both_names_of_crammer_and_singers_formulation_are_one() -> None:
    X, y = load_iris(return_X_y=True)
    joint, named = SVC(multi_class="joint").fit(X, y), SVC(multi_class="crammer_singer").fit(X, y)
    np.testing.assert_array_equal(joint.dual_coef_, named.dual_coef_)
    assert joint.certificate_ == named.certificate_
