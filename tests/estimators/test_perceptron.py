"""The perceptron: the lecture's rounds, Novikoff's bound, and an end where there is no separating hyperplane."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons

from maxmargin import Perceptron, solve
from maxmargin.errors import ConvergenceWarning, FitInterrupted, InvalidInput
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.problems import HardMargin
from maxmargin.solution import Status

RNG = np.random.default_rng(0)


def separable(n: int, d: int, seed: int, room: float = 0.1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=d), 0.3 * rng.normal()
    X = rng.normal(size=(40 * n, d))
    f = X @ w + b
    X, f = X[np.abs(f) > room], f[np.abs(f) > room]
    both = np.concatenate([np.flatnonzero(f > 0)[: n // 2], np.flatnonzero(f < 0)[: n - n // 2]])
    return X[both], (f[both] > 0).astype(int)


def rounds(X: Any, c: Any, epsilon: float, most: int) -> tuple[list[Any], list[int]]:
    """``w ← w − ε Σ (step(<w, x̃_k>) − c_k) x̃_k`` as it is written: all w, and the rows that each has wrong."""
    extended = np.column_stack([X, np.ones(len(X))])
    every, wrong = [np.zeros(extended.shape[1])], []
    while True:
        step = (extended @ every[-1] >= 0).astype(int)
        wrong.append(int((step != c).sum()))
        if wrong[-1] == 0 or len(wrong) > most:
            return every, wrong
        every.append(every[-1] - epsilon * (step - c) @ extended)


@pytest.mark.parametrize("epsilon", [1.0, 0.1])
def test_the_rounds_are_the_lectures(epsilon: float) -> None:
    X, y = separable(60, 3, seed=1)
    every, wrong = rounds(X, y, epsilon, most=1000)
    model = Perceptron(eta0=epsilon).fit(X, y)
    assert model.mistakes_[0].tolist() == wrong
    assert model.n_iter_ == len(every) - 1
    assert model.status_ is Status.CONVERGED
    assert model.fit_status_ == 0
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_[0]), every[-1], rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X), y)


def test_the_fewest_mistakes_are_kept() -> None:
    X = RNG.normal(size=(50, 2))
    y = (X[:, 0] + 0.8 * RNG.normal(size=50) > 0).astype(int)
    every, wrong = rounds(X, y, 1.0, most=30)
    with pytest.warns(ConvergenceWarning):
        model = Perceptron(max_iter=30).fit(X, y)
    best = every[int(np.argmin(wrong))]
    np.testing.assert_allclose(np.append(model.coef_[0], model.intercept_[0]), best, rtol=1e-9)
    assert (model.predict(X) != y).sum() == min(wrong)
    assert model.mistakes_[0].tolist() == wrong


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), d=st.integers(1, 5), n=st.integers(2, 40))
def test_novikoffs_bound(seed: int, d: int, n: int) -> None:
    """Rounds with m_1, m_2, … wrong rows: ``γ Σm ≤ <w, u> ≤ |w| ≤ R √Σm²``, and so ``Σm ≤ (R/γ)²`` where each m is 1.

    R is the longest ``x̃``, and γ how far the best unit vector u has all rows on their side: half the street through the
    origin.
    """
    X, y = separable(n, d, seed, room=0.2)
    assume(len(np.unique(y)) == 2)
    model = Perceptron(max_iter=100_000).fit(X, y)
    assert model.status_ is Status.CONVERGED
    extended = np.column_stack([X, np.ones(len(X))])
    widest = solve(HardMargin(extended, y, kernel=Linear(), offset=False), tol=1e-6)
    gamma, longest = widest.geometry.width / 2, np.linalg.norm(extended, axis=1).max()
    m = model.mistakes_[0].astype(float)
    assert gamma * m.sum() <= longest * np.sqrt((m**2).sum()) * (1 + 1e-4)
    assert m.sum() <= len(X) * (longest / gamma) ** 2 * (1 + 1e-4)
    w = np.append(model.coef_[0], model.intercept_[0])
    assert np.linalg.norm(w) <= longest * np.sqrt((m**2).sum()) * (1 + 1e-9)
    if m.max() <= 1:
        assert m.sum() <= (longest / gamma) ** 2 * (1 + 1e-4)


def test_the_bound_by_hand() -> None:
    """One row of each class, at 3 and −1 without offset: R = 3, γ = 1, so at most 9 mistakes; it makes one."""
    model = Perceptron(fit_intercept=False).fit([[3.0], [-1.0]], [1, 0])
    assert model.mistakes_[0].tolist() == [1, 0]
    np.testing.assert_array_equal(model.coef_, [[1.0]])
    np.testing.assert_array_equal(model.intercept_, [0.0])


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_kernel_form_is_the_linear_one_for_a_linear_kernel(fit_intercept: bool) -> None:
    X, y = separable(50, 3, seed=3)
    linear = Perceptron(fit_intercept=fit_intercept, max_iter=200)
    kernel = Perceptron(kernel=lambda A, B: A @ B.T, fit_intercept=fit_intercept, max_iter=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        linear.fit(X, y)
        kernel.fit(X, y)
    assert [m.tolist() for m in linear.mistakes_] == [m.tolist() for m in kernel.mistakes_]
    np.testing.assert_allclose(kernel.dual_coef_ @ X[kernel.support_], linear.coef_, atol=1e-9)
    np.testing.assert_allclose(kernel.decision_function(X), linear.decision_function(X), atol=1e-9)


def test_coefficients_of_the_kernel_form_count_mistakes() -> None:
    """``c_i`` is how often row i was wrong, with its sign: with ε = 1 a whole number."""
    X, y = make_moons(80, noise=0.1, random_state=0)
    model = Perceptron(kernel=RBF(gamma=2.0)).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert np.abs(model.dual_coef_).sum() == model.mistakes_[0].sum()
    np.testing.assert_array_equal(model.dual_coef_, np.round(model.dual_coef_))
    np.testing.assert_array_equal(np.sign(model.dual_coef_[0]), np.where(y[model.support_] == 1, 1, -1))
    assert model.intercept_[0] == model.dual_coef_.sum()
    assert not hasattr(model, "coef_")


def test_above_some_rows_kernel_values_are_computed_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make_moons(80, noise=0.1, random_state=0)
    held = Perceptron(kernel=RBF(gamma=2.0)).fit(X, y)
    monkeypatch.setattr("maxmargin.solvers._primal._perceptron._HELD", 10)
    np.testing.assert_array_equal(Perceptron(kernel=RBF(gamma=2.0)).fit(X, y).dual_coef_, held.dual_coef_)


@pytest.mark.parametrize("kernel", ["linear", Polynomial(degree=1, gamma=1.0)])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_inseparable_rows_end_and_it_is_said(kernel: Any, fit_intercept: bool) -> None:
    X, y = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]), [1, 0, 1]
    with pytest.warns(ConvergenceWarning, match=r"INSEPARABLE: no hyperplane .* \(1 row is misclassified\)\. Allow slack"):
        model = Perceptron(kernel=kernel, fit_intercept=fit_intercept).fit(X, y)
    assert model.status_ is Status.INSEPARABLE
    assert model.fit_status_ == 1
    assert model.n_iter_ == 1000


def test_too_few_rounds_are_not_called_inseparable() -> None:
    X, y = separable(60, 3, seed=1, room=0.01)
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        assert Perceptron(max_iter=2).fit(X, y).status_ is Status.ITERATION_LIMIT


def test_a_time_limit_is_kept() -> None:
    X, y = separable(60, 3, seed=1)
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = Perceptron(max_time=1e-9).fit(X, y)
    assert model.status_ is Status.TIME_LIMIT
    assert model.predict(X).shape == (60,)
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = Perceptron(kernel="rbf", max_time=1e-9).fit(X, y)
    assert model.predict(X).tolist() == [1] * 60  # w = 0, and a score of 0 is the positive side


def test_ctrl_c_keeps_the_best_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = separable(60, 3, seed=1, room=0.01)
    every, wrong = rounds(X, y, 1.0, most=5)

    def pressed(mistakes: list[int], limits: Any, begin: float) -> None:
        if len(mistakes) == 5:
            raise KeyboardInterrupt

    monkeypatch.setattr("maxmargin.solvers._primal._perceptron._ending", pressed)
    with pytest.raises(FitInterrupted, match="Interrupted after 5 rounds") as caught:
        Perceptron().fit(X, y)
    run = caught.value.solution
    assert run.status is Status.INTERRUPTED
    np.testing.assert_allclose(np.append(run.coefficients, run.bias), every[int(np.argmin(wrong[:5]))], rtol=1e-9)


def test_several_classes() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.warns(
        ConvergenceWarning, match=r"2 of 3 binary classifiers did not converge; the worst is \d against the rest\. INSEPARABLE"
    ):
        model = Perceptron().fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.decision_function(X).shape == (150, 3)
    assert len(model.mistakes_) == 3
    assert model.mistakes_[0][-1] == 0
    assert model.score(X, y) > 0.8
    assert Perceptron(kernel=RBF(gamma=2.0), max_iter=20_000).fit(X[::2], y[::2]).score(X[::2], y[::2]) == 1.0


def test_a_weight_of_2_is_the_row_twice_and_of_0_the_row_left_out() -> None:
    X, y = separable(40, 3, seed=5)
    weight = np.arange(40) % 3
    twice = np.repeat(np.arange(40), weight)
    for kernel in ("linear", "rbf"):
        model = Perceptron(kernel=kernel, gamma=0.5).fit(X, y, sample_weight=weight)
        other = Perceptron(kernel=kernel, gamma=0.5).fit(X[twice], y[twice])
        np.testing.assert_allclose(model.decision_function(X), other.decision_function(X), atol=1e-8)
    balanced, by_hand = Perceptron(class_weight={0: 1.0, 1: 2.0}).fit(X, y), Perceptron().fit(X, y, sample_weight=1.0 + y)
    np.testing.assert_allclose(balanced.coef_, by_hand.coef_)
    np.testing.assert_array_equal(balanced.class_weight_, [1.0, 2.0])


def test_sparse_rows_precomputed_kernels_and_pickles() -> None:
    X, y = separable(50, 4, seed=6)
    dense = Perceptron(kernel=RBF(gamma=0.5)).fit(X, y)
    thin = Perceptron(kernel=RBF(gamma=0.5)).fit(sparse.csr_matrix(X), y)
    given_ = Perceptron(kernel="precomputed").fit(RBF(gamma=0.5)(X), y)
    np.testing.assert_allclose(thin.decision_function(sparse.csr_matrix(X)), dense.decision_function(X), atol=1e-9)
    np.testing.assert_allclose(given_.decision_function(RBF(gamma=0.5)(X)), dense.decision_function(X), atol=1e-9)
    again = pickle.loads(pickle.dumps(dense))
    np.testing.assert_array_equal(again.decision_function(X), dense.decision_function(X))
    linear = clone(Perceptron()).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(linear.decision_function(X), Perceptron().fit(X, y).decision_function(X), atol=1e-9)
    linear.set_params(kernel="rbf").fit(X, y)
    assert not hasattr(linear, "coef_")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"eta0": 0.0}, r"The 'eta0' parameter of Perceptron must be a float in the range \(0\.0, inf\)\. Got 0\.0"),
        ({"fit_intercept": 1}, r"The 'fit_intercept' parameter of Perceptron"),
        ({"max_iter": 0}, r"The 'max_iter' parameter of Perceptron must be an int in the range \[1, inf\)"),
        ({"max_time": -1.0}, r"The 'max_time' parameter of Perceptron"),
        ({"class_weight": "even"}, r"The 'class_weight' parameter of Perceptron"),
        ({"kernel": "cubic"}, r"The 'kernel' parameter of Perceptron must be a str among"),
        ({"kernel": RBF(), "gamma": 2.0}, r"The 'gamma' parameter of Perceptron must be left at 'scale'"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        Perceptron(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_edited_state_is_refused() -> None:
    X, y = separable(30, 2, seed=7)
    linear, kernel = Perceptron().fit(X, y), Perceptron(kernel="rbf").fit(X, y)
    linear.coef_ = linear.coef_[:, :1]
    kernel.dual_coef_ = kernel.dual_coef_[:, :1]
    for model in (linear, kernel):
        with pytest.raises(InvalidInput, match="The internal representation of Perceptron was altered"):
            model.predict(X)


def test_scores_that_overflow_are_refused_with_what_to_do() -> None:
    """Kernel values are numbers here, but not times the weights that rows have."""
    X, y = 1e150 * RNG.normal(size=(30, 3)), np.arange(30) % 2
    with pytest.raises(
        InvalidInput, match=r"not finite after \d+ rounds.*largest sample_weight is 1e\+12\. Scale the features"
    ):
        Perceptron(max_iter=10).fit(X, y, sample_weight=np.full(30, 1e12))
