"""``warm_start=True``: a second fit begins at the first one's answer where it can, and says so where it cannot."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits

from maxmargin import (
    SVC,
    SVDD,
    SVR,
    LinearClassifier,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
)
from maxmargin.errors import InvalidInput, WarmStartWarning
from maxmargin.solvers import DualQP
from maxmargin.validation import same_rows

X, y = load_breast_cancer(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
D, d = load_digits(return_X_y=True)
D, d = D[d < 5] / 16.0, d[d < 5]
t = X[:, 0] + np.sin(X[:, 1])

KERNEL: dict[str, tuple[Any, Any, Any]] = {
    "SVC": (SVC(), X, y),
    "SVC, pairs": (SVC(), D, d),
    "SVC, one against the rest": (SVC(multi_class="ovr"), D, d),
    "SVC, joint": (SVC(multi_class="joint"), D[::3], d[::3]),
    "SVC, CSR": (SVC(), sparse.csr_matrix(D), d),
    "NuSVC": (NuSVC(nu=0.1), X, y),
    "SVR": (SVR(), X, t),
    "SVR, two outputs": (SVR(), X, np.stack([t, X[:, 2]], axis=1)),
    "NuSVR": (NuSVR(), X, t),
    "OneClassSVM": (OneClassSVM(nu=0.1), X, None),
    "SVDD": (SVDD(nu=0.1), X, None),
}
LINEAR: dict[str, tuple[Any, Any, Any]] = {
    "LinearSVC": (LinearSVC(), D, d),
    "LinearSVC, hinge": (LinearSVC(loss="hinge"), X, y),
    "LinearSVC, all classes": (LinearSVC(multi_class="crammer_singer"), D, d),
    "LogisticRegression": (LogisticRegression(), X, y),
    "LogisticRegression, multinomial": (LogisticRegression(), D, d),
    "LogisticRegression, two classes of several": (LogisticRegression(multi_class="multinomial"), X, y),
    "LogisticRegression, L1": (LogisticRegression(penalty="l1"), X, y),
    "LinearClassifier": (LinearClassifier(), X, y),
    "LinearSVR": (LinearSVR(), X, t),
}
EVERY = KERNEL | LINEAR


def _steps(model: Any) -> int:
    return int(np.sum(model.n_iter_))


def _machines(model: Any) -> int:
    return int(np.size(model.n_iter_))


@pytest.mark.parametrize("name", EVERY)
def test_the_same_fit_again_has_nothing_left_to_do(name: str) -> None:
    model, rows, labels = EVERY[name]
    model = clone(model).set_params(warm_start=True).fit(rows, labels)
    first, objective = _steps(model), model.certificate_.primal_objective
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(rows, labels)
    assert first > 2 * _machines(model)
    assert _steps(model) <= _machines(model)  # scikit-learn wants 1 at the least
    assert model.status_.is_optimal
    assert model.certificate_.primal_objective == pytest.approx(objective, rel=1e-9)


@pytest.mark.parametrize("name", [name for name in EVERY if not name.startswith(("NuSVC", "OneClassSVM", "SVDD"))])
def test_at_another_price_the_answer_is_that_of_a_fit_from_nothing(name: str) -> None:
    model, rows, labels = EVERY[name]
    warm = clone(model).set_params(warm_start=True).fit(rows, labels).set_params(C=1.5).fit(rows, labels)
    cold = clone(model).set_params(C=1.5).fit(rows, labels)
    assert warm.status_.is_optimal
    assert warm.certificate_.primal_objective == pytest.approx(cold.certificate_.primal_objective, rel=2e-3)


@pytest.mark.parametrize("name", ["NuSVC", "OneClassSVM", "SVDD"])
def test_at_another_nu(name: str) -> None:
    model, rows, labels = EVERY[name]
    warm = clone(model).set_params(warm_start=True, tol=1e-6).fit(rows, labels).set_params(nu=0.12).fit(rows, labels)
    cold = clone(model).set_params(nu=0.12, tol=1e-6).fit(rows, labels)
    np.testing.assert_allclose(warm.decision_function(rows), cold.decision_function(rows), atol=1e-4)


@pytest.mark.parametrize("name", ["SVC", "SVC, pairs", "SVC, one against the rest", "SVC, CSR", "SVR", "OneClassSVM"])
def test_rows_added_at_the_end(name: str) -> None:
    model, rows, labels = KERNEL[name]
    n = rows.shape[0] - 40
    warm = clone(model).set_params(warm_start=True).fit(rows[:n], None if labels is None else labels[:n])
    with warnings.catch_warnings():
        warnings.simplefilter("error", WarmStartWarning)
        warm.fit(rows, labels)
    cold = clone(model).fit(rows, labels)
    assert warm.certificate_.primal_objective == pytest.approx(cold.certificate_.primal_objective, rel=2e-3)


def test_rows_that_lose_their_weight() -> None:
    weight = np.ones(len(y))
    model = SVC(warm_start=True, tol=1e-8).fit(X, y)
    weight[model.support_[::2]] = 0.0
    model.fit(X, y, sample_weight=weight)
    cold = SVC(tol=1e-8).fit(X, y, sample_weight=weight)
    assert model.certificate_.primal_objective == pytest.approx(cold.certificate_.primal_objective, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("SVC", lambda rows, labels: (rows[::-1], labels[::-1]), "support"),
        ("SVC", lambda rows, labels: (rows[:50], labels[:50]), "gone|support"),
        ("SVC", lambda rows, labels: (rows[:, :5], labels), r"X\[support_\] is no longer support_vectors_"),
        ("SVC", lambda rows, labels: (rows, 1 - labels), "other labels"),
        ("SVC", lambda rows, labels: (rows, labels + 5), "classes are others"),
        ("SVC", lambda rows, labels: (sparse.csr_matrix(rows), labels), "another kind"),
        ("SVR", lambda rows, labels: (rows + 1.0, labels), r"X\[support_\] is no longer support_vectors_"),
        ("LinearSVC", lambda rows, labels: (rows[:, :5], labels), "not as many weights"),
        ("LinearSVC", lambda rows, labels: (rows, labels + 5), "classes are others"),
        ("LinearSVC, all classes", lambda rows, labels: (rows[:, :5], labels), "not as many weights"),
        ("LinearSVR", lambda rows, labels: (rows[:, :5], labels), "not as many weights"),
    ],
)
def test_what_cannot_be_used_is_said_and_not_used(name: str, change: Any, message: str) -> None:
    model, rows, labels = EVERY[name]
    model = clone(model).set_params(warm_start=True).fit(rows, labels)
    rows, labels = change(rows, labels)
    with pytest.warns(WarmStartWarning, match=f"starts from scratch: .*({message})"):
        model.fit(rows, labels)
    cold = clone(model).fit(rows, labels)
    assert _steps(model) == _steps(cold)


def test_a_solver_that_cannot_begin_anywhere_says_so() -> None:
    model = LinearSVC(penalty="l1", loss="hinge", warm_start=True).fit(X, y)
    with pytest.warns(WarmStartWarning, match="its solver cannot begin at a given point"):
        model.fit(X, y)


def test_another_scheme_starts_anew() -> None:
    model = SVC(warm_start=True).fit(D, d)
    with pytest.warns(WarmStartWarning, match="multi_class is another than before"):
        model.set_params(multi_class="ovr").fit(D, d)


def test_precomputed_kernels() -> None:
    K = np.exp(-0.02 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    model = SVC(kernel="precomputed", warm_start=True).fit(K, y)
    model.fit(K, y)
    assert _steps(model) == 1
    with pytest.warns(WarmStartWarning, match="matrix of another size"):
        model.fit(K[:500, :500], y[:500])


def test_objects() -> None:
    words = ["aa", "ab", "ba", "bb", "aab", "abb"] * 5
    labels = [word.count("a") > word.count("b") for word in words]

    def kernel(A: list[str], B: list[str]) -> np.ndarray:
        counts = [np.array([[word.count("a"), word.count("b")] for word in each], dtype=float) for each in (A, B)]
        return counts[0] @ counts[1].T

    model = SVC(kernel=kernel, warm_start=True).fit(words, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error", WarmStartWarning)
        model.fit(words, labels)
    assert _steps(model) == 1


def test_a_model_from_a_pickle_goes_on() -> None:
    for name in ("SVC", "LinearSVC, hinge"):
        model, rows, labels = EVERY[name]
        model = pickle.loads(pickle.dumps(clone(model).set_params(warm_start=True).fit(rows, labels)))
        assert _steps(model.fit(rows, labels)) == 1


def test_the_parameter_is_checked() -> None:
    for name in ("SVC", "LinearSVC", "LinearSVR"):
        model, rows, labels = EVERY[name]
        with pytest.raises(InvalidInput, match="warm_start"):
            clone(model).set_params(warm_start="yes").fit(rows, labels)


def test_without_it_nothing_is_held() -> None:
    model, rows, labels = EVERY["LinearSVC"]
    assert "_held" not in vars(clone(model).fit(rows, labels))


def test_all_classes_by_a_solver_that_begins_at_0() -> None:
    model = LinearSVC(multi_class="crammer_singer", solver="coordinate_descent", penalise_intercept=True, warm_start=True)
    model.fit(D, d)
    with pytest.warns(WarmStartWarning, match="its solver cannot begin at a given point"):
        model.set_params(C=2.0).fit(D, d)
    assert model.status_.is_optimal


def test_another_number_of_outputs_and_another_scheme_start_anew() -> None:
    model = SVR(warm_start=True).fit(X, np.stack([t, t], axis=1))
    with pytest.warns(WarmStartWarning, match="not as many outputs as before"):
        model.fit(X, t)
    linear = LinearSVC(warm_start=True).fit(D, d)
    with pytest.warns(WarmStartWarning, match="multi_class is another than before"):
        linear.set_params(multi_class="crammer_singer").fit(D, d)


def test_a_general_qp_starts_anew() -> None:
    model = SVC(solver=DualQP(), warm_start=True).fit(X[:60], y[:60])
    with pytest.warns(WarmStartWarning, match="its solver cannot begin at a given point"):
        model.fit(X[:60], y[:60])


FAR = np.abs(X[:, 0] + X[:, 1]) > 0.5
APART = (X[FAR], (X[FAR, 0] + X[FAR, 1] > 0.0).astype(int))  # separable
PERCEPTRONS: dict[str, tuple[Any, Any, Any]] = {
    "linear": (Perceptron(), *APART),
    "linear, without offset": (Perceptron(fit_intercept=False), *APART),
    "linear, CSR": (Perceptron(), sparse.csr_matrix(APART[0]), APART[1]),
    "kernel": (Perceptron(kernel="rbf"), *APART),
    "kernel, several classes": (Perceptron(kernel="poly", coef0=1.0), D, d),
    "precomputed": (Perceptron(kernel="precomputed"), (1.0 + APART[0] @ APART[0].T) ** 2, APART[1]),
}


@pytest.mark.parametrize("name", PERCEPTRONS)
def test_a_perceptron_that_separates_stays_where_it_is(name: str) -> None:
    model, rows, labels = PERCEPTRONS[name]
    model = clone(model).set_params(warm_start=True).fit(rows, labels)
    before = model.intercept_.copy(), model.decision_function(rows)
    assert model.status_.is_optimal
    assert model.n_iter_ > 1
    again = pickle.loads(pickle.dumps(model)).fit(rows, labels)
    assert [rounds.tolist() for rounds in again.mistakes_] == [[0]] * len(before[0])
    np.testing.assert_array_equal(again.intercept_, before[0])
    np.testing.assert_allclose(again.decision_function(rows), before[1], rtol=1e-12)


def test_a_perceptron_goes_on_with_its_rounds() -> None:
    """Rows at the end, another weight of a row, and a limit that was too low: all go on from the weights there are."""
    rows, labels = APART
    for kernel in ("linear", "rbf"):
        cold = Perceptron(kernel=kernel, gamma=0.01).fit(rows, labels)
        assert cold.n_iter_ > 2
        model = Perceptron(kernel=kernel, gamma=0.01, warm_start=True).fit(rows[:-5], labels[:-5])
        weight = np.ones(len(rows))
        weight[::7] = 2.0
        weight[3] = 0.0
        model.fit(rows, labels, weight)
        assert model.status_.is_optimal
        assert model.n_iter_ < cold.n_iter_
        assert (np.delete(model.predict(rows), 3) == np.delete(labels, 3)).all()


def test_a_perceptron_says_why_it_starts_anew() -> None:
    rows, labels = APART
    linear = Perceptron(warm_start=True).fit(rows, labels)
    with pytest.warns(WarmStartWarning, match="not as many weights"):
        linear.fit(rows[:, :-1], labels)
    with pytest.warns(WarmStartWarning, match="classes are others"):
        linear.fit(rows[:, :-1], labels + 1)
    with pytest.warns(WarmStartWarning, match="only one of the two kernels is linear"):
        linear.set_params(kernel="rbf").fit(rows, labels + 1)
    with pytest.warns(WarmStartWarning, match=r"X\[support_\] is no longer support_vectors_"):
        linear.fit(rows[::-1], labels[::-1] + 1)
    K = (1.0 + rows @ rows.T) ** 2
    given = Perceptron(kernel="precomputed", warm_start=True).fit(K, labels)
    with pytest.warns(WarmStartWarning, match="another size"):
        given.fit(K[:-5, :-5], labels[:-5])
    with pytest.raises(InvalidInput, match="warm_start"):
        Perceptron(warm_start="yes").fit(rows, labels)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_one_value_of_one_row_makes_rows_others(dtype: Any) -> None:
    rows = np.arange(0, len(X), 3, dtype=np.int32)
    here = np.ascontiguousarray(X, dtype=dtype)
    there = here[rows]
    assert same_rows(here, rows, there)
    assert same_rows(here, rows[:0], there[:0])
    assert same_rows(np.asfortranarray(here), rows, there)
    for place in (0, there.size // 2, there.size - 1):
        other = there.copy()
        other.flat[place] = np.nextafter(other.flat[place], dtype(np.inf))
        assert not same_rows(here, rows, other)
    assert not same_rows(here, rows, there[1:])
    assert not same_rows(here, rows, np.ascontiguousarray(there[:, 1:]))
    assert not same_rows(here, rows - 1, there)
    assert not same_rows(here, rows + np.int32(len(X)), there)
