"""Without a penalty a floor must hold for all weights, however large: also those of nearly dependent columns."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import LogisticRegression, solve
from maxmargin.errors import ConvergenceWarning
from maxmargin.problems import MulticlassLinear, PrimalProblem
from maxmargin.solution import Status, certify_linear, certify_multiclass
from maxmargin.solution._unpenalised import repair_sizes

Long = np.longdouble


def quietly(problem: Any, **given: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solve(problem, **given)


def lost(X: np.ndarray, codes: np.ndarray, W: np.ndarray) -> np.longdouble:
    """The multinomial loss in extended precision."""
    f = X.astype(Long) @ W.T.astype(Long)
    apart = f - f[np.arange(len(f)), codes][:, np.newaxis]
    top = apart.max(axis=1)
    return np.longdouble((top + np.log(np.exp(apart - top[:, np.newaxis]).sum(axis=1))).sum())


def nearly(seed: int, apart: float, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose last column is a sum of two others but for a small part, which the labels follow."""
    rng = np.random.default_rng(seed)
    X, hidden = rng.normal(size=(150, 2)), rng.normal(size=150)
    codes = np.digitize(hidden + rng.normal(size=150), np.linspace(-0.5, 0.5, classes - 1) if classes > 2 else [0.0])
    return np.column_stack([X, X.sum(axis=1) + apart * hidden]), codes


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9, 1e-11])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_point_that_looks_optimal_to_small_weights_has_no_false_floor(classes: int, apart: float) -> None:
    """The optimum of two columns, and 0 for the third: its multipliers miss one equality by ``apart`` only."""
    X, codes = nearly(classes, apart, classes)
    small = MulticlassLinear(X[:, :2], codes, penalty=None, offset=None)
    found = quietly(small, tol=1e-12)
    W = np.column_stack([found.weights, np.zeros(classes)])
    # along the difference of columns scores change by what is hidden: a weight of 1/apart is better
    hidden = (X @ np.array([-1.0, -1.0, 1.0])) / apart
    level = np.linspace(-1.0, 1.0, classes)
    better = min(lost(np.column_stack([X, hidden]), codes, np.column_stack([W, t * level])) for t in (0.2, 0.5, 1.0))
    assert better < 0.95 * lost(X, codes, W)
    whole = MulticlassLinear(X, codes, penalty=None, offset=None)
    assert certify_multiclass(whole, W, np.zeros(classes), found.alpha).dual <= better
    if classes == 2:
        binary = PrimalProblem(X, codes, loss="logistic", penalty=None, offset=None)
        w, alpha = W[1] - W[0], found.alpha[np.arange(150), 1 - codes]
        assert certify_linear(binary, w, 0.0, alpha).dual <= better


@pytest.mark.parametrize("limit", [{}, {"max_iter": 3}, {"max_time": 1e-3}])
@pytest.mark.parametrize("offset", ["free", None])
@pytest.mark.parametrize("seed", range(4))
def test_the_floor_of_collinear_float32_rows(seed: int, offset: str | None, limit: dict[str, Any]) -> None:
    """Rounding to float32 makes columns independent, and their optimal weights 10⁷ times as large."""
    rng = np.random.default_rng(seed)
    exact = rng.normal(size=(120, 3)) @ rng.integers(-2, 3, size=(3, 6))
    X, y = exact.astype(np.float32), exact[:, 0] + 2.0 * rng.normal(size=120) > 0
    floor = quietly(PrimalProblem(X, y, loss="logistic", penalty=None, offset=offset), **limit).certificate.dual_objective
    # the same columns, made independent where they are: differences of float32 numbers, as large as the others
    directions = np.linalg.svd(X.astype(np.float64))[2]
    spread = X.astype(Long) @ directions.T.astype(Long)
    size = np.abs(spread).max(axis=0)
    spread = (spread / np.where(size > 0.0, size, 1.0)).astype(np.float64)
    best = quietly(PrimalProblem(spread, y, loss="logistic", penalty=None, offset=offset), tol=1e-10)
    assert floor <= best.certificate.primal_objective * (1.0 + 1e-7)


@pytest.mark.parametrize("multi_class", ["ovr", "multinomial"])
@pytest.mark.parametrize("kind", ["copies", "one-hot", "constant", "sums", "csr", "float32", "weights"])
def test_what_depends_exactly_is_still_proven(kind: str, multi_class: str) -> None:
    rng = np.random.default_rng(5)
    X, weight = rng.normal(size=(200, 3)), None
    y = X[:, 0] + 1.5 * rng.normal(size=200) > 0
    if kind in ("copies", "csr"):
        X = np.column_stack([X, X])
    elif kind == "one-hot":
        X = np.eye(4)[rng.integers(0, 4, 200)]
    elif kind == "constant":
        X = np.column_stack([X, np.full(200, 7.0)])
    elif kind == "sums":
        X = np.column_stack([X, X @ [1.0, -2.0, 0.5]])
    elif kind == "weights":
        weight = 10.0 ** rng.uniform(-3, 3, 200)
    rows: Any = sparse.csr_matrix(X) if kind == "csr" else X.astype(np.float32) if kind == "float32" else X
    model = LogisticRegression(penalty=None, multi_class=multi_class, tol=1e-8).fit(rows, y, sample_weight=weight)
    assert model.status_ is Status.CONVERGED
    assert abs(model.certificate_.relative_gap) <= 1e-8
    assert model.n_iter_ <= 20  # a dual objective that is no bound yet keeps no search going


def test_many_rows_are_repaired_by_a_sample() -> None:
    rng = np.random.default_rng(6)
    X, signed = rng.normal(size=(20_000, 5)), rng.normal(size=20_000)
    for rows in (X, sparse.csr_matrix(X)):
        sizes = repair_sizes(rows, 1.0, np.ones(20_000), signed)
        assert sizes is not None
        assert 0 < np.count_nonzero(sizes) < 2_000
        # the change of least squares, of these rows alone, is within
        few = sizes > 0.0
        A = np.column_stack([X[few], np.ones(few.sum())])
        off = np.column_stack([X, np.ones(20_000)]).T @ signed
        delta = -A @ np.linalg.solve(A.T @ A, off)
        assert (np.abs(delta) <= sizes[few] * (1.0 + 1e-9)).all()
        assert (sizes[few] <= np.abs(delta) + 1e-9).all()


def test_rows_that_cannot_move_prove_nothing() -> None:
    X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    assert repair_sizes(X, 0.0, np.array([1.0, 1.0, 0.0]), np.array([0.5, -0.5, 1e-12])) is None
    assert repair_sizes(X, 0.0, np.array([1.0, 1.0, 1.0]), np.array([0.5, -0.5, 1e-12])) is not None
