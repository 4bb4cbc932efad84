"""Sums, products and the like as objects: parameters that a search reaches, messages, what is known of them."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.model_selection import GridSearchCV

from maxmargin import SVC
from maxmargin.bounds import feature_dimension
from maxmargin.errors import InvalidInput
from maxmargin.kernels import (
    RBF,
    ChiSquared,
    Cosine,
    Intersection,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    MinMax,
    Normalised,
    OnColumns,
    Polynomial,
    Power,
    Precomputed,
    Product,
    Quadratic,
    RationalQuadratic,
    Scaled,
    Sigmoid,
    Sum,
    Tanimoto,
    UserFunction,
    as_kernel,
    mercer,
)

X = np.random.default_rng(0).normal(size=(30, 4))


def _linear(A: Any, B: Any) -> Any:
    return A @ B.T


class TestParameters:
    """Nested parameters, as scikit-learn names them."""

    def test_a_grid_search_reaches_them(self) -> None:
        y = (X[:, 0] * X[:, 1] > 0).astype(int)
        kernel = RBF(gamma=1.0) + 0.1 * Linear()
        grid = {
            "kernel__left__gamma": [1e-3, 1.0],
            "kernel__right__factor": [0.0, 1.0],
            "kernel__right__kernel": [Linear(), Cosine()],
        }
        search = GridSearchCV(SVC(kernel=kernel, C=10.0), grid, cv=3, error_score="raise").fit(X, y)
        assert search.best_params_["kernel__left__gamma"] == 1.0
        assert search.best_estimator_.kernel.left.gamma == 1.0
        assert kernel == RBF(gamma=1.0) + 0.1 * Linear(), "the kernel that was given stays as it was"

    def test_names_and_values(self) -> None:
        kernel = (RBF(gamma=0.1).on([0, 2]) + Linear()) ** 2
        assert {"kernel", "exponent", "kernel__left__columns", "kernel__left__kernel__gamma"} <= set(kernel.get_params())
        assert set(kernel.get_params(deep=False)) == {"kernel", "exponent"}
        kernel.set_params(kernel__left__kernel__gamma=7.0, exponent=3)
        assert kernel == (RBF(gamma=7.0).on([0, 2]) + Linear()) ** 3
        kernel.set_params(kernel__right=Laplacian(), kernel__right__gamma=2.0)
        assert kernel == (RBF(gamma=7.0).on([0, 2]) + Laplacian(gamma=2.0)) ** 3

    @pytest.mark.parametrize("name", ["kernel__nothing", "exponent__gamma", "gamma"])
    def test_names_that_are_none(self, name: str) -> None:
        with pytest.raises(InvalidInput, match=r"Invalid parameter .* for kernel .* Valid parameters are"):
            (RBF() ** 2).set_params(**{name: 1})

    def test_a_clone_shares_nothing(self) -> None:
        kernel = RBF(gamma=0.1) + Linear()
        copy = clone(kernel)
        copy.set_params(left__gamma=5.0)
        assert kernel.left.gamma == 0.1  # type: ignore[attr-defined]
        assert copy != kernel
        assert pickle.loads(pickle.dumps(kernel)) == kernel

    def test_columns_may_be_an_array(self) -> None:
        kernel = RBF(gamma=1.0).on(np.array([2, 0]))
        assert kernel == RBF(gamma=1.0).on([2, 0]) != RBF(gamma=1.0).on([0, 2])
        assert clone(kernel) == kernel
        np.testing.assert_array_equal(kernel(X), RBF(gamma=1.0).on((2, 0))(X))
        assert kernel != RBF(gamma=1.0)

    def test_factors_from_both_sides(self) -> None:
        assert 2.0 * Linear() == Linear() * 2.0 == Linear() * np.float64(2.0) == Scaled(Linear(), 2.0)


BAD = [
    (lambda: RBF(gamma=-1.0), "'gamma' parameter of RBF"),
    (lambda: RBF(gamma="wide"), "'gamma' parameter of RBF"),
    (lambda: RBF(sigma=0.0), "'sigma' parameter of RBF must be a float in the range"),
    (lambda: RBF(sigma=1e-200), "so small that 1/"),
    (lambda: RBF(gamma=0.1, sigma=1.0), "takes gamma or sigma.*Give one"),
    (lambda: Laplacian(gamma=-1.0), "'gamma' parameter of Laplacian"),
    (lambda: ChiSquared(gamma=np.nan), "'gamma' parameter of ChiSquared"),
    (lambda: Matern(length_scale=0.0), "'length_scale' parameter of Matern must be a float in the range"),
    (lambda: Matern(nu=1.0), "'nu' parameter of Matern must be 0.5, 1.5 or 2.5. Got 1.0"),
    (lambda: RationalQuadratic(alpha=0.0), "'alpha' parameter of RationalQuadratic must be a float in the range"),
    (lambda: RationalQuadratic(length_scale=1e-200), "divides by 2 alpha length_scale², which is 0"),
    (lambda: Intersection() ** 0.5, r"int in the range \[1, .*Got 0.5.*not positive semidefinite"),
    (lambda: Linear() ** 0, "Got 0 instead"),
    (lambda: Linear() ** -1, "Got -1 instead"),
    (lambda: Linear() ** True, "Got True instead"),
    (lambda: Linear() ** 2**31, "Got 2147483648 instead"),
    (lambda: -1.0 * Linear(), r"'factor' parameter of Scaled must be a float in the range \[0.0, inf\). Got -1.0"),
    (lambda: np.inf * Linear(), "'factor' parameter of Scaled"),
    (lambda: Linear().on([4]), "from 0 to 3.*X has 4 columns. Got 4"),
    (lambda: Linear().on([-1]), "Got -1"),
    (lambda: Linear().on([0, 2, 0]), "Got column 0 more than once"),
    (lambda: Linear().on([True, False]), "Got the bool True. Use np.flatnonzero"),
    (lambda: Linear().on(np.array([True, False, True, True])), "Use np.flatnonzero"),
    (lambda: Linear().on(["age"]), "Got the name 'age': kernels see rows without names"),
    (lambda: Linear().on("age"), "Got the name 'age'"),
    (lambda: Linear().on([]), "must name a column at least"),
    (lambda: Linear().on([1.0]), "Got 1.0"),
    (lambda: Linear().on(3), "Got 3 instead"),
    (lambda: Linear().on([0, 1]).on([0]), "from 0 to 0.*Got 1"),
    (lambda: Sum("rbf", Linear()), "'left' parameter of Sum must be a kernel object.*Got 'rbf'.*as_kernel"),  # type: ignore[arg-type]
    (lambda: Product(Linear(), None), "'right' parameter of Product must be a kernel object"),  # type: ignore[arg-type]
    (lambda: Scaled(2, 2), "'kernel' parameter of Scaled"),  # type: ignore[arg-type]
    (lambda: Power(2, 2), "'kernel' parameter of Power"),  # type: ignore[arg-type]
    (lambda: Normalised(2), "'kernel' parameter of Normalised"),  # type: ignore[arg-type]
    (lambda: OnColumns(2, [0]), "'kernel' parameter of OnColumns"),  # type: ignore[arg-type]
    (lambda: Precomputed() + Linear(), "one takes a Gram matrix, the other rows"),
    (lambda: Linear() * Precomputed(), "one takes a Gram matrix, the other rows"),
    (lambda: Precomputed().normalised(), "needs k\\(x, x\\) of every row.*Normalise the matrices yourself"),
    (lambda: Precomputed().on([0]), "Choose the features before"),
]


@pytest.mark.parametrize(("make", "message"), BAD, ids=[message for _, message in BAD])
def test_what_a_kernel_cannot_be(make: Any, message: str) -> None:
    """Parameters are stored as given and checked when the kernel is bound to data."""
    kernel = make()
    assert type(clone(kernel)) is type(kernel)
    with pytest.raises(InvalidInput, match=message):
        kernel.bind(X)


@pytest.mark.parametrize("other", ["rbf", None, [Linear()], True])
def test_only_kernels_are_added(other: Any) -> None:
    with pytest.raises(TypeError):
        Linear() + other
    with pytest.raises(TypeError):
        Linear() * other
    with pytest.raises(TypeError):
        other + Linear()


def test_columns_of_objects() -> None:
    with pytest.raises(InvalidInput, match="Got rows that are objects"):
        UserFunction(_linear).on([0]).bind(["a", "b"])


NON_NEGATIVE = [ChiSquared(), Intersection(), MinMax()]


@pytest.mark.parametrize("kernel", NON_NEGATIVE, ids=str)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array], ids=["dense", "csr"])
def test_rows_below_zero(kernel: Kernel, container: Any) -> None:
    good = np.abs(X)
    bad = good.copy()
    bad[3, 2] = bad[5, 1] = -0.25
    name = type(kernel).__name__
    message = f"{name} needs features that are at least 0. Got -0.25 for feature 2 of row 3"
    y = np.arange(30) % 2
    with pytest.raises(InvalidInput, match=message):
        SVC(kernel=kernel).fit(container(bad), y)
    model = SVC(kernel=kernel).fit(container(good), y)
    with pytest.raises(InvalidInput, match=message):
        model.predict(container(bad))
    with pytest.raises(InvalidInput, match=message):
        kernel(container(good), container(bad))
    inside = SVC(kernel=Linear() + 2.0 * kernel.on([3, 2])).fit(container(good), y)
    with pytest.raises(InvalidInput, match=message):
        inside.decision_function(container(bad))
    assert inside.predict(container(np.where(np.arange(4) == 1, -good, good))).shape == (30,), "other columns may be below 0"


@pytest.mark.parametrize(
    "kernel", [Tanimoto(), MinMax(), Cosine(), Linear().normalised(), Intersection().normalised()], ids=str
)
def test_a_row_of_zeros_has_a_direction_of_its_own(kernel: Kernel) -> None:
    rows = np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]])
    K = kernel(rows)
    np.testing.assert_array_equal(K, [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    np.testing.assert_array_equal(kernel.bind(rows).gram(rows).diagonal(), [1.0, 1.0, 1.0])


def test_normalised_by_blocks_is_the_same() -> None:
    """A part that is a function: the whole is made of blocks of its parts."""
    rows = np.vstack([X, np.zeros((1, 4))])
    by_blocks = UserFunction(_linear).normalised() * 0.5
    np.testing.assert_allclose(by_blocks(rows), (Linear().normalised() * 0.5)(rows), atol=1e-14)
    np.testing.assert_allclose(by_blocks.bind(rows).diagonal(rows), np.full(31, 0.5))


def test_a_root_of_the_intersection_is_no_kernel() -> None:
    """Why powers are whole numbers."""
    rows = np.abs(np.random.default_rng(0).normal(size=(40, 5)))
    assert not mercer(Intersection(), rows).violated
    assert not mercer(Intersection() ** 2, rows).violated
    ring = 0.5 * (np.eye(4) + np.roll(np.eye(4), 1, axis=1))
    assert mercer(np.sqrt(Intersection()(ring))).smallest_eigenvalue == pytest.approx(1.0 - np.sqrt(2.0))


class TestKnowledge:
    """What proofs and bounds rely on."""

    @pytest.mark.parametrize(
        ("kernel", "degrees"),
        [
            (Quadratic(), range(3)),
            (2.0 * Quadratic(), range(3)),
            (0.0 * Quadratic(), None),
            (Linear() + Polynomial(degree=2, gamma=1.0), range(1, 3)),
            (Linear() + Polynomial(degree=3, gamma=1.0), None),
            (Linear() * Quadratic(), range(1, 4)),
            (Quadratic() ** 3, range(7)),
            (Linear() + RBF(gamma=1.0), None),
            (Linear() * Sigmoid(gamma=1.0), None),
            (Quadratic().normalised(), None),
            (Linear().on([0, 1]), None),
            (Laplacian(gamma=0.0), range(1)),
        ],
        ids=str,
    )
    def test_degrees(self, kernel: Kernel, degrees: range | None) -> None:
        assert kernel.bind(X).degrees == degrees

    @pytest.mark.parametrize(
        ("kernel", "dimension"),
        [
            (Quadratic(), 4 + 10),
            (3.0 * Linear(), 4),
            (Linear().on([0, 2]), 2),
            (2.0 * Linear().on([0, 2]), 2),
            (Quadratic().on([1, 2]), 2 + 3),
            (Linear() ** 2, 10),
            (Linear() * RBF(gamma=1.0), None),
            (Laplacian(), None),
        ],
        ids=str,
    )
    def test_feature_dimension(self, kernel: Kernel, dimension: int | None) -> None:
        assert feature_dimension(kernel, 4) == dimension
        if dimension is not None:
            centred = kernel(np.random.default_rng(1).normal(size=(60, 4)))
            centred = centred - centred.mean(axis=0)
            assert np.linalg.matrix_rank(centred - centred.mean(axis=1, keepdims=True)) == dimension

    @pytest.mark.parametrize(
        ("kernel", "strict"),
        [
            (RBF(gamma=0.0), False),
            (RBF(gamma=1.0) + Sigmoid(gamma=1.0), False),
            (RBF(gamma=1.0) * Linear(), False),
            (0.0 * RBF(gamma=1.0), False),
            (RBF(gamma=1.0).on([0, 1, 2, 3]), False),
            (UserFunction(_linear) + RBF(gamma=1.0), False),
            ((RBF(gamma=1.0) + Linear()).normalised() ** 2, True),
        ],
    )
    def test_strictly_positive(self, kernel: Kernel, strict: bool) -> None:
        assert kernel.bind(X).strictly_positive == strict

    @pytest.mark.parametrize(
        ("kernel", "kind"),
        [
            (RBF() + Linear(), "vectors"),
            (UserFunction(_linear) * 2.0, "objects"),
            (UserFunction(_linear) + RBF(), "vectors"),
            (UserFunction(_linear).on([0]), "vectors"),
            (Precomputed() ** 2 + 2.0 * Precomputed(), "precomputed"),
        ],
    )
    def test_input_kind(self, kernel: Kernel, kind: str) -> None:
        assert kernel.input_kind == kind

    def test_overflow(self) -> None:
        assert (Linear() ** 3).bind(X).overflows_at(1e150)
        assert not (Linear() ** 3).normalised().bind(X).overflows_at(1e150)
        assert (Linear() * Quadratic() + RBF()).bind(X).overflows_at(1e150)
        assert not (RBF() * Cosine()).bind(X).overflows_at(1e300)
        far = np.where(np.arange(30)[:, np.newaxis] == 4, 1e60, X)
        with pytest.raises(InvalidInput, match="the kernel overflows at row 4"):
            SVC(kernel=Linear() ** 6).fit(far * [1.0, 0.0, 0.0, 0.0] + X, np.arange(30) % 2)


def test_precomputed_combinations() -> None:
    K = X @ X.T + 5.0
    y = (X[:, 0] > 0).astype(int)
    kernel = 0.5 * Precomputed() ** 2 + Precomputed()
    expected = 0.5 * K**2 + K
    np.testing.assert_allclose(kernel(K), expected, rtol=1e-14)
    model, plain = SVC(kernel=kernel).fit(K, y), SVC(kernel="precomputed").fit(expected, y)
    assert model.__sklearn_tags__().input_tags.pairwise
    np.testing.assert_allclose(model.decision_function(K[:7]), plain.decision_function(expected[:7]), rtol=1e-9)
    assert not mercer(kernel, K).violated


NAMES = {
    "laplacian": Laplacian(gamma=0.3),
    "chi2": ChiSquared(gamma=0.3),
    "matern": Matern(),
    "cosine": Cosine(),
    "quadratic": Quadratic(),
    "rational_quadratic": RationalQuadratic(),
    "intersection": Intersection(),
    "min_max": MinMax(),
    "tanimoto": Tanimoto(),
}


@pytest.mark.parametrize("name", NAMES)
def test_names(name: str) -> None:
    takes = {"gamma": 0.3} if hasattr(NAMES[name], "gamma") else {}
    assert as_kernel(name, **takes) == NAMES[name]


def test_laplacian_by_name_is_that_of_scikit_learn() -> None:
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    named = SVC(kernel="laplacian", gamma=0.5, tol=1e-8).fit(X, y)
    given = SVC(kernel="precomputed", tol=1e-8).fit(laplacian_kernel(X, gamma=0.5), y)
    np.testing.assert_allclose(named.decision_function(X), given.decision_function(laplacian_kernel(X, gamma=0.5)), atol=1e-6)
    assert named._gamma == 0.5


class _Letters:
    """A user's kernel with its diagonal, which counts what it is asked for."""

    def __init__(self) -> None:
        self.blocks: list[tuple[int, int]] = []
        self.diagonals: list[int] = []

    def __call__(self, A: Any, B: Any) -> Any:
        self.blocks.append((len(A), len(B)))
        return A @ B.T + 1.0

    def diag(self, A: Any) -> Any:
        self.diagonals.append(len(A))
        return (A * A).sum(axis=1) + 1.0


class TestUserKernels:
    """A class with ``__call__`` and ``diag``; lazily, by blocks, and only against support vectors at prediction."""

    def test_the_diagonal_is_asked_for_once_and_blocks_against_support_vectors(self) -> None:
        rng = np.random.default_rng(3)
        rows = rng.normal(size=(600, 3))
        y = np.where(rows[:, 0] + 0.1 * rng.normal(size=600) > 0, 1, -1)
        user = _Letters()
        model = SVC(kernel=user).fit(rows, y)
        assert user.diagonals == [600]
        assert all(height < 600 for height, width in user.blocks if width == 600)
        assert sum(height * width for height, width in user.blocks) < 600 * 600, "no value is asked for that is not needed"
        user.blocks.clear()
        model.predict(rows[:11])
        assert user.blocks == [(11, len(model.support_))]
        assert len(model.support_) < 300

    def test_within_a_sum(self) -> None:
        y = np.where(X[:, 0] > 0, 1, -1)
        user = _Letters()
        model = SVC(kernel=UserFunction(user) * 0.5 + RBF(gamma=0.1), tol=1e-8).fit(X, y)
        user.blocks.clear()
        scores = model.decision_function(X[:5])
        assert user.blocks == [(5, len(model.support_))]
        plain = SVC(kernel=0.5 * Polynomial(degree=1, gamma=1.0, coef0=1.0) + RBF(gamma=0.1), tol=1e-8).fit(X, y)
        np.testing.assert_allclose(scores, plain.decision_function(X[:5]), atol=1e-6)

    @pytest.mark.parametrize(
        ("diag", "message"),
        [
            (lambda A: np.ones(len(A) + 1), r"array of 30 finite numbers for 30 rows. Got shape \(31,\)"),
            (lambda A: np.full(len(A), np.nan), "Got values that are not finite"),
            (lambda A: "ones", "must return 30 numbers. Got str"),
        ],
    )
    def test_bad_diagonals(self, diag: Any, message: str) -> None:
        user = _Letters()
        user.diag = diag  # type: ignore[method-assign]
        with pytest.raises(ValueError, match=message):
            SVC(kernel=user).fit(X, np.arange(30) % 2)
