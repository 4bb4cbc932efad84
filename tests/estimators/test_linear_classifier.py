"""LinearClassifier: every loss against what it is known as, one's own losses, the optimum by another way, refusals."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_iris, load_wine, make_classification
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

from maxmargin import LinearClassifier, LinearSVC, LogisticRegression
from maxmargin.errors import ConvergenceWarning, InvalidInput, NoMarginWarning
from maxmargin.losses import ConvexLoss, EpsilonInsensitive, Exponential, MarginLoss
from maxmargin.problems import Penalty, PrimalProblem
from maxmargin.scales import C_from_lam
from maxmargin.solution import Status
from maxmargin.solvers import CoordinateDescent, GradientDescent

SMOOTH = ["squared_hinge", "logistic", "exponential", "squared"]


def _overlap() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    X, y = make_classification(200, 5, n_informative=3, flip_y=0.25, random_state=2)
    return X, y


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2])
def test_special_cases(C: float) -> None:
    X, y = _overlap()
    for loss in ("hinge", "squared_hinge"):
        one, other = LinearClassifier(loss=loss, C=C).fit(X, y), LinearSVC(loss=loss, C=C).fit(X, y)
        np.testing.assert_array_equal(one.coef_, other.coef_)
    one, other = LinearClassifier(loss="logistic", C=C).fit(X, y), LogisticRegression(C=C).fit(X, y)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    least = LinearClassifier(loss="squared", C=C, tol=1e-9).fit(X, y)
    ridge = Ridge(alpha=0.5 / C).fit(X, 2.0 * y - 1.0)
    np.testing.assert_allclose(least.coef_[0], ridge.coef_, rtol=1e-4, atol=1e-6)
    assert least.intercept_[0] == pytest.approx(ridge.intercept_, abs=1e-4)


@pytest.mark.parametrize("penalty", ["l2", None])
@pytest.mark.parametrize("intercept", ["free", "penalised", None])
@pytest.mark.parametrize("loss", SMOOTH)
def test_no_general_minimiser_finds_less(loss: str, intercept: str | None, penalty: str | None) -> None:
    X, y = _overlap()
    how = {"fit_intercept": intercept is not None, "penalise_intercept": intercept == "penalised"}
    model = LinearClassifier(loss=loss, penalty=penalty, C=0.5, tol=1e-6, **how).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert model.certificate_.relative_gap <= 1e-6
    problem = PrimalProblem(X, y, loss=loss, penalty=penalty, C=0.5, offset=intercept)

    def value(p: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        in_w, in_b = problem.gradient(p[:-1], float(p[-1]))
        return problem.objective(p[:-1], float(p[-1])), np.append(in_w, in_b)

    known = minimize(value, np.zeros(X.shape[1] + 1), jac=True, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-10})
    assert model.certificate_.primal_objective <= known.fun * (1 + 1e-6)
    assert model.certificate_.dual_objective <= known.fun * (1 + 1e-9)


@dataclass(frozen=True)
class Huber(ConvexLoss, MarginLoss):
    """A loss of one's own: ``½(1 − z)²`` up to a slack of 1, linear beyond."""

    curvature: ClassVar[float] = 1.0

    def value(self, z: ArrayLike) -> NDArray[np.float64]:
        slack = np.maximum(1.0 - np.asarray(z, dtype=np.float64), 0.0)
        return np.where(slack < 1.0, 0.5 * slack**2, slack - 0.5)

    def derivative(self, z: ArrayLike) -> NDArray[np.float64]:
        return -np.clip(1.0 - np.asarray(z, dtype=np.float64), 0.0, 1.0)

    def conjugate(self, u: ArrayLike) -> NDArray[np.float64]:
        u = np.asarray(u, dtype=np.float64)
        return np.where((u <= 0.0) & (u >= -1.0), u + 0.5 * u * u, np.inf)


def test_a_loss_of_ones_own() -> None:
    X, y = _overlap()
    model = LinearClassifier(loss=Huber(), C=0.1).fit(X, y)
    assert model.status_ is Status.CONVERGED
    np.testing.assert_allclose(
        LinearClassifier(loss=Huber(), C=0.1, solver=GradientDescent()).fit(X, y).coef_, model.coef_, rtol=1e-9
    )


def test_lambda_and_mean_loss() -> None:
    """``λ|w|² + (1/n) Σ loss`` has its minimum where ``C = 1/(2 λ n)`` says."""
    X, y = _overlap()
    lam, signs = 0.05, 2.0 * y - 1.0
    model = LinearClassifier(loss="logistic", C=C_from_lam(lam, len(y)), fit_intercept=False, tol=1e-10).fit(X, y)

    def value(w: NDArray[np.float64]) -> float:
        return float(lam * w @ w + np.logaddexp(0.0, -signs * (X @ w)).mean())

    known = minimize(value, np.zeros(X.shape[1]), method="BFGS")
    np.testing.assert_allclose(model.coef_[0], known.x, atol=1e-4)


def test_classes_rows_and_weights() -> None:
    X, y = load_iris(return_X_y=True)
    model = LinearClassifier(loss="exponential", C=0.1).fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.score(X, y) > 0.9
    X, y = _overlap()
    dense = LinearClassifier(loss="squared", tol=1e-8).fit(X, y)
    np.testing.assert_allclose(LinearClassifier(loss="squared", tol=1e-8).fit(sparse.csr_array(X), y).coef_, dense.coef_, 1e-6)
    single = LinearClassifier(loss="squared", tol=1e-8).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(single.coef_, dense.coef_, rtol=1e-4, atol=1e-6)
    weight = np.arange(len(y)) % 3
    one = LinearClassifier(loss="exponential", tol=1e-9).fit(X, y, sample_weight=weight)
    other = LinearClassifier(loss="exponential", tol=1e-9).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-4, atol=1e-6)


def test_the_perceptrons_loss_has_its_optimum_at_zero() -> None:
    X, y = _overlap()
    with pytest.warns(NoMarginWarning, match=r"Perceptron\(\) costs nothing where all scores are 0: w = 0 is optimal"):
        model = LinearClassifier(loss="perceptron").fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert not model.coef_.any()


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_separable_without_penalty(loss: str) -> None:
    X, _ = _overlap()
    with pytest.warns(UserWarning, match="SEPARABLE"):
        assert LinearClassifier(loss=loss, penalty=None).fit(X, X[:, 0] > 0.3).status_ is Status.SEPARABLE


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearClassifier(loss="hinged"), "The 'loss' parameter of LinearClassifier must be one of"),
        (LinearClassifier(loss=EpsilonInsensitive()), "must be a loss of the margin. Got EpsilonInsensitive"),
        (LinearClassifier(loss="zero_one"), "Choose another loss. In detail: LinearNewton: it has no curvature"),
        (LinearClassifier(penalty=None), "There is no solver for loss Hinge() with penalty=None. Choose penalty='l2'"),
        (LinearClassifier(penalty="l7"), "The 'penalty' parameter of LinearClassifier must be a str among {'l2'"),
        (LinearClassifier(penalty=2), "The 'penalty' parameter of LinearClassifier must be a str among {'l2'"),
        (LinearClassifier(C=0.0), "The 'C' parameter of LinearClassifier"),
        (LinearClassifier(max_iter=-2), "The 'max_iter' parameter of LinearClassifier must be an int in the range [-1, inf)"),
        (LinearClassifier(intercept_scaling=2.0, penalise_intercept=False), "Set penalise_intercept=True"),
        (LinearClassifier(penalise_intercept=0), "The 'penalise_intercept' parameter of LinearClassifier"),
        (LinearClassifier(solver=CoordinateDescent()), "a free offset ties all multipliers together"),
        (LinearClassifier(loss=Exponential(), solver="coordinate_descent"), "it needs the hinge or the squared hinge"),
    ],
    ids=repr,
)
def test_refusals(model: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        model.fit(*_overlap())
    assert message in str(error.value)


def test_penalties_by_member() -> None:
    X, y = _overlap()
    for member in (Penalty.L2, Penalty.NONE):
        named = LinearClassifier(loss="logistic", penalty=None if member is Penalty.NONE else member.value).fit(X, y)
        np.testing.assert_array_equal(LinearClassifier(loss="logistic", penalty=member).fit(X, y).coef_, named.coef_)


@pytest.mark.parametrize("shift", [0.0, 1e2, 1e4])
def test_rows_far_from_zero(shift: float) -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(100, 2))
    b = (A[:, 0] + 0.5 * rng.normal(size=100) > 0).astype(int)
    here, there = LogisticRegression().fit(A, b), LogisticRegression().fit(A + shift, b)
    assert there.status_ is Status.CONVERGED
    assert there.certificate_.primal_objective == pytest.approx(here.certificate_.primal_objective, rel=1e-3)


@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_without_penalty_the_floor_is_never_above_the_optimum(shift: float) -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(100, 2))
    b = (A[:, 0] + 0.5 * rng.normal(size=100) > 0).astype(int)
    optimum = LogisticRegression(penalty=None).fit(A, b).certificate_.primal_objective
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = LogisticRegression(penalty=None).fit(A + shift, b).certificate_
    assert found.dual_objective <= optimum * (1.0 + 1e-6)
    assert found.gap >= -1e-6 * optimum


def test_separable_rows_have_the_floor_0() -> None:
    X, y = load_wine(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="SEPARABLE"):
        model = LogisticRegression(penalty=None).fit(StandardScaler().fit_transform(X), y)
    assert model.certificate_.dual_objective == 0.0
    assert model.certificate_.gap > 0.0


def test_an_optimum_of_0_is_found() -> None:
    X, y = make_classification(60, 200, n_informative=10, random_state=1)
    for model in (
        LinearClassifier(loss="squared_hinge", penalty=None),
        LinearClassifier(loss="squared", penalty="ball", B=100.0),
    ):
        assert model.fit(X, y).status_ in (Status.CONVERGED, Status.ZERO_OPTIMUM)
        assert model.fit_status_ == 0
        assert model.certificate_.primal_objective < 1e-10


def test_a_loss_without_a_conjugate() -> None:
    class Own(MarginLoss):
        curvature = 2.0

        def value(self, z: Any) -> Any:
            return np.maximum(0.0, 1.0 - z) ** 2

        def derivative(self, z: Any) -> Any:
            return -2.0 * np.maximum(0.0, 1.0 - z)

    with pytest.raises(InvalidInput, match="has no conjugate"):
        LinearClassifier(loss=Own()).fit([[0.0], [1.0], [2.0]], [0, 1, 1])
