"""A guarantee over all C is true at every C that is tried, also where the solutions behind it are bad."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.preprocessing import scale

from maxmargin import SVC, SVCCV, solve
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear, Precomputed, Sigmoid
from maxmargin.model_selection import Certified, c_path, certified_cost
from maxmargin.model_selection._balls import Fold, certainly_wrong
from maxmargin.model_selection._certified_values import value_error
from maxmargin.problems import HardMargin, SoftMargin

from .._data import FULL


def _errors(problem: Any, X: Any, y: Any, Cs: Any, splits: Any, **given: Any) -> Any:
    """The cross-validation error at each C, by solutions of each fold by itself."""
    found = np.zeros(len(Cs))
    for train, test in splits:
        found += c_path(problem(X[train], y[train], **given), Cs, tol=1e-7).error(X[test], y[test]) / len(splits)
    return found


@pytest.mark.parametrize("offset", [False, "penalised", True])
@pytest.mark.parametrize("name", ["heart", "sonar", "german", "splice"])
def test_no_other_c_is_better_by_more_than_was_proven(name: str, offset: Any, data_set: Any) -> None:
    """2 000 values of C with MAXMARGIN_FULL, a part of the rows of the larger sets and fewer values without."""
    data = data_set(name)
    X, y = (data.X, data.y) if FULL else (data.X[:220], data.y[:220])
    kernel = RBF(gamma=1.0 / (X.shape[1] * X.var()))
    ends = (1e-2, 1e3)
    found = certified_cost(SoftMargin(X, y, kernel=kernel, offset=offset), ends)
    assert found.epsilon <= 0.05 + 1e-9
    Cs = np.geomspace(*ends, 2000 if FULL else 60)
    errors = _errors(SoftMargin, X, y, Cs, list(StratifiedKFold(5).split(X, y)), kernel=kernel, offset=offset)
    assert (errors >= found.lower_bound(Cs) - 1e-12).all()
    assert errors.min() >= found.error - found.epsilon - 1e-12
    assert found.lower_bound(Cs).max() > 0.0


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_bad_points_prove_nothing_false(free: bool, seed: int) -> None:
    """Points far from the optimum, whose gaps are large: no row is called wrong that is right at some C in between."""
    rng = np.random.default_rng(seed)
    n, kernel = 90, RBF(gamma=0.3)
    X = rng.normal(size=(n, 3))
    y = np.sign(X[:, 0] + 0.8 * rng.normal(size=n))
    cost = rng.uniform(0.5, 2.0, size=n)
    train, test = np.arange(60), np.arange(60, n)
    K = kernel.bind(X).gram(X).block(np.arange(n), np.arange(n))
    fold = Fold(K, 1e-14, y, train, test, cost[train], free=free)
    Cs, claims = (0.5, 0.5 * 10.0 ** rng.uniform(0.1, 0.8)), 0
    for quality in (0.0, 1e-6, 1e-3, 0.03, 0.2):
        points = []
        for C in Cs:
            problem = SoftMargin(X[train], y[train], C=C, kernel=kernel, offset=free, sample_weight=cost[train])
            exact = solve(problem, tol=1e-10)
            beta = np.zeros(60)
            beta[exact.support] = exact.beta
            moved = beta * (1.0 - quality * rng.uniform(size=60))
            if free and quality:  # which need not sum to 0: the bound takes that into account
                moved += quality * 1e-3 * y[train]
            points.append(fold.point(C, moved, exact.bias + quality * rng.normal()))
        ends = np.geomspace(*Cs, 5)
        counts = certainly_wrong(fold, *points, ends)
        claims += counts.sum()
        for cell in range(4):
            wrong = np.ones(len(test), dtype=bool)
            for C in np.geomspace(ends[cell], ends[cell + 1], 7):
                problem = SoftMargin(X[train], y[train], C=C, kernel=kernel, offset=free, sample_weight=cost[train])
                wrong &= solve(problem, tol=1e-10).decision_function(X[test]) * y[test] < 0.0
            assert counts[cell] <= wrong.sum()
    assert claims > 0


@pytest.mark.parametrize("free", [False, True])
def test_the_balls_hold_the_solutions(free: bool) -> None:
    """Both balls, by their formulas in numpy, for points with a gap: distances in the space of a linear kernel."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    y = np.sign(X[:, 0] + 0.5 * rng.normal(size=50))
    points = []
    for C in (0.3, 1.1):
        found = solve(SoftMargin(X, y, C=C, kernel=Linear(), offset=free), tol=1e-10)
        beta = found.alpha * y * 0.97
        w, b = beta @ X, found.bias if free else 0.0
        loss = np.maximum(1.0 - y * (X @ w + b), 0.0).sum()
        points.append((C, w, b, loss, w @ w + C * loss - np.abs(beta).sum()))
    (C1, w1, _, L1, g1), (C2, w2, _, L2, g2) = points
    bend = (C2 - C1) * (L1 - L2) - (w2 - w1) @ (w2 - w1)
    assert min(g1, g2) > 1e-3
    for C in np.linspace(C1, C2, 9):
        exact = solve(SoftMargin(X, y, C=C, kernel=Linear(), offset=free), tol=1e-10).weights
        t = (C - C1) / (C2 - C1)
        away = exact - ((1 - t) * w1 + t * w2)
        assert away @ away <= (1 - t) * g1 + t * g2 + t * (1 - t) * bend + 1e-12
        for C0, w, _, _, g in points:
            r = C / C0
            away = exact - 0.5 * (1 + r) * w
            assert away @ away <= 0.25 * (1 - r) ** 2 * (w @ w) + r * g + 1e-12


def test_an_optimal_offset_is_an_order_statistic() -> None:
    """The sign of every optimal offset, by counting breakpoints, against the minimum of the loss on a fine grid."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        n = 15
        s, cost = rng.normal(size=n), rng.uniform(0.5, 2.0, size=n)
        y = np.where(np.arange(n) < 7, 1.0, -1.0)
        breakpoints = y - s
        losses = [(cost * np.maximum(0.0, 1.0 - y * (s + b))).sum() for b in breakpoints]
        optimal = breakpoints[np.asarray(losses) <= min(losses) + 1e-12]
        positive = cost[y > 0].sum()
        assert (optimal.max() < 0.0) == (cost[breakpoints < 0.0].sum() > positive)
        assert (optimal.min() > 0.0) == (cost[breakpoints <= 0.0].sum() < positive)


@pytest.fixture(scope="module")
def cancer() -> tuple[Any, Any]:
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X)[:250], y[:250]


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0}])
def test_the_estimator(cancer: tuple[Any, Any], fit_intercept: bool, class_weight: Any) -> None:
    X, y = cancer
    given: dict[str, Any] = {"fit_intercept": fit_intercept, "class_weight": class_weight}
    search = Certified(epsilon=0.02)
    model = SVCCV(search=search, Cs=[0.05, 50.0], gammas=0.05, cv=KFold(3), **given).fit(X, y)
    found = model.guarantee_
    assert found.epsilon <= 0.02 + 1e-9
    assert (model.C_, model.best_score_) == (found.C, pytest.approx(1.0 - found.error))
    assert model.scores_.shape == (3, 1, len(model.Cs_))
    assert "No C in [0.05, 50] has a cross-validation error lower than" in str(found)
    for k in (0, len(model.Cs_) // 2):
        alone = cross_val_score(SVC(C=model.Cs_[k], gamma=0.05, tol=1e-8, **given), X, y, cv=KFold(3))
        np.testing.assert_allclose(model.scores_[:, 0, k], alone)
    for C in np.geomspace(0.05, 50.0, 12):
        error = 1.0 - cross_val_score(SVC(C=C, gamma=0.05, tol=1e-8, **given), X, y, cv=KFold(3)).mean()
        assert error >= found.lower_bound(C)[0] - 1e-12
    np.testing.assert_allclose(model.decision_function(X), model.best_estimator_.decision_function(X))
    assert (model.gaps_ < 1e-5).all()


def test_limits_say_what_is_proven_then(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    problem = SoftMargin(X, y, kernel=RBF(gamma=0.05))
    few = certified_cost(problem, (0.01, 1e3), settings=Certified(epsilon=0.001, most=6))
    more = certified_cost(problem, (0.01, 1e3), settings=Certified(epsilon=0.001, most=20))
    assert (len(few.Cs), len(more.Cs)) == (6, 20)
    assert few.epsilon > more.epsilon > 0.001
    out = certified_cost(problem, (0.01, 1e3), settings=Certified(epsilon=0.001, max_time=1e-9))
    assert len(out.Cs) == 8
    assert (out.ends[0], out.ends[-1]) == (0.01, 1e3)


def test_a_separable_problem_needs_few_solutions_at_large_c() -> None:
    """Beyond the largest α the solution stays as it is, and two solutions prove it for all C in between."""
    X, y = load_iris(return_X_y=True)
    found = certified_cost(SoftMargin(X[:100], y[:100], kernel=Linear()), (10.0, 1e6), settings=Certified(epsilon=1e-3))
    assert (found.error, found.epsilon, len(found.Cs)) == (0.0, 0.0, 8)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gammas": 3}, "Got 3 settings of the kernel: give one value"),
        ({"gammas": 0.1, "Cs": [1.0]}, "needs Cs with the two ends of an interval"),
        ({"gammas": 0.1, "scoring": "roc_auc"}, "proves something of the accuracy. Got scoring='roc_auc'"),
        ({"gammas": 0.1, "one_standard_error": True}, "takes the best C"),
    ],
)
def test_what_an_estimator_cannot_prove(cancer: tuple[Any, Any], given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        SVCCV(search="certified", **given).fit(*cancer)


def test_what_cannot_be_proven(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    with pytest.raises(InvalidInput, match="needs two classes\\. Got 3"):
        SVCCV(search="certified", gammas=0.1).fit(*load_iris(return_X_y=True))
    with pytest.raises(InvalidInput, match="known to be positive semidefinite"):
        certified_cost(SoftMargin(X, y, kernel=Sigmoid(gamma=1.0, coef0=1.0)), (0.1, 1.0))
    with pytest.raises(InvalidInput, match="kernel values in float64"):
        certified_cost(SoftMargin((X @ X.T).astype(np.float32), y, kernel=Precomputed()), (0.1, 1.0))
    with pytest.raises(InvalidInput, match="a SoftMargin with linear slack"):
        certified_cost(HardMargin(X, y), (0.1, 1.0))  # type: ignore[arg-type]  # what is tested
    with pytest.raises(InvalidInput, match="a SoftMargin with linear slack"):
        certified_cost(SoftMargin(X, y, slack="squared"), (0.1, 1.0))
    for ends in ((1.0, 0.1), (0.0, 1.0), (1.0,), "ab"):
        with pytest.raises(InvalidInput, match="the two ends of an interval, positive and ascending"):
            certified_cost(SoftMargin(X, y), ends)  # type: ignore[arg-type]  # what is tested
    order = np.argsort(y, kind="stable")
    with pytest.raises(InvalidInput, match="Fold 0 has"):
        certified_cost(SoftMargin(X[order], y[order]), (0.1, 1.0), cv=[(np.arange(50), np.arange(50, 250))])
    found = certified_cost(SoftMargin(X, y), (0.1, 1.0))
    with pytest.raises(InvalidInput, match=r"Nothing is proven outside of 0.1 to 1"):
        found.lower_bound(2.0)
    with pytest.raises(InvalidInput, match="The 'epsilon' parameter of Certified"):
        Certified(epsilon=0.0)
    with pytest.raises(InvalidInput, match="'search' parameter of SVCCV must be 'grid', 'auto', 'certified' or a Certified"):
        SVCCV(search="clever").fit(X, y)


def test_eigenvalues_a_little_below_zero_are_part_of_the_values_error() -> None:
    """The balls are those of a space: of ``K + τ``, so that the values of K may be off by τ."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    K = X @ X.T
    below = 5e-9 * np.diagonal(K).max()
    kappas = []
    for matrix in (K, K - below * np.eye(40)):
        gram = Precomputed().bind(matrix).gram(matrix)
        kappas.append(value_error(gram, np.sign(X[:, 0])))
    assert kappas[0] < 1e-3 * below
    assert kappas[1] >= below - np.abs(np.linalg.eigvalsh(K)[:-2]).max()


@pytest.mark.parametrize("offset", [False, "penalised", True])
@pytest.mark.parametrize("seed", range(8))
def test_brute_force_on_small_problems_of_all_sorts(seed: int, offset: Any) -> None:
    """Ties, doubled rows with other labels, weights of six decades, few solutions: the bound is true wherever it is tried."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(15, 40)), int(rng.integers(1, 4))
    X = np.round(2.0 * rng.normal(size=(n, d))) * 10.0 ** rng.uniform(-3, 3)
    if seed % 2:
        X[n // 2 :] = X[: n - n // 2]
    y = np.where(X[:, 0] / np.abs(X).max() + 0.5 * rng.normal(size=n) > 0.0, 1.0, -1.0)
    y[:4], y[-4:] = [1.0, -1.0, 1.0, -1.0], [1.0, -1.0, 1.0, -1.0]
    weight = 10.0 ** rng.uniform(-3, 3, n) if seed % 3 == 0 else np.ones(n)
    spread = float(np.square(X - X.mean(axis=0)).sum(axis=1).mean())
    kernel, unit = (Linear(), 1.0 / spread) if seed % 4 < 2 else (RBF(gamma=10.0 ** rng.uniform(-1, 1) / spread), 1.0)
    ends = (0.05 * unit, 50.0 * unit)
    splits = [(np.flatnonzero(np.arange(n) % 3 != k), np.flatnonzero(np.arange(n) % 3 == k)) for k in range(3)]
    given: dict[str, Any] = {"kernel": kernel, "offset": offset}
    most = int(rng.integers(3, 30))
    problem = SoftMargin(X, y, sample_weight=weight, **given)
    found = certified_cost(problem, ends, cv=splits, settings=Certified(epsilon=0.01, most=most))
    Cs = np.unique(np.clip(np.concatenate([np.geomspace(*ends, 150), found.ends]), *ends))
    errors = np.zeros(len(Cs))
    for train, test in splits:
        path = c_path(SoftMargin(X[train], y[train], sample_weight=weight[train], **given), Cs, tol=1e-9)
        scores = path.decision_function(X[test])
        is_tie = np.abs(scores) <= 1e-6 * (1.0 + np.abs(scores).max())  # exactly 0 but for rounding: wrong, or not
        errors += ((scores * y[test] < 0.0) | is_tie).mean(axis=1) / len(splits)
    assert (errors >= found.lower_bound(Cs) - 1e-12).all()
