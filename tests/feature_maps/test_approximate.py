"""Nyström's and random Fourier features: how near they are to the kernel, and what they promise."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import maxmargin
from maxmargin.errors import IndefiniteKernelWarning, InvalidInput
from maxmargin.feature_maps import Nystroem, RandomFourier
from maxmargin.kernels import RBF, ChiSquared, Kernel, Laplacian, Linear, Matern, Polynomial, Spectrum

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
COUNTS = RNG.poisson(2.0, size=(300, 4)).astype(float)
FIVE: dict[str, tuple[Kernel, np.ndarray]] = {
    "rbf": (RBF(gamma=0.3), X),
    "laplacian": (Laplacian(gamma=0.3), X),
    "matern": (Matern(length_scale=1.5), X),
    "polynomial": (Polynomial(degree=5, gamma=0.2, coef0=1.0), X),
    "chi2": (ChiSquared(gamma=0.3), COUNTS),
}
SPECTRA = {
    "rbf": RBF(gamma=0.2),
    "laplacian": Laplacian(gamma=0.2),
    **{f"matern {nu}": Matern(2.0, nu) for nu in (0.5, 1.5, 2.5)},
}
WORDS = ["".join(RNG.choice(list("abcd"), 12)) for _ in range(40)]


def _without_addresses(case: object) -> str:
    """An id that is the same in every process: a function prints where it lies in memory."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(case))


def norms(E: np.ndarray) -> tuple[float, float]:
    return float(np.linalg.norm(E, "fro")), float(np.linalg.norm(E, 2))


@pytest.mark.parametrize("how", ["uniform", "kmeans", "leverage"])
@pytest.mark.parametrize("name", FIVE)
def test_the_error_is_within_its_bound(name: str, how: str) -> None:
    kernel, rows = FIVE[name]
    map = Nystroem(40, kernel=kernel, landmarks=how, random_state=0).fit(rows)
    Z, K = map.transform(rows), kernel(rows)
    E = K - Z @ Z.T
    frobenius, spectral = norms(E)
    found = map.approximation_error(rows, rows=None)
    assert found.rows == 300
    assert_allclose([found.frobenius, found.spectral], [frobenius, spectral], rtol=1e-9)
    assert_allclose([found.kernel_frobenius, found.kernel_spectral], norms(K), rtol=1e-9)
    assert frobenius <= found.frobenius_bound
    assert spectral <= found.spectral_bound
    assert np.linalg.eigvalsh(E)[0] >= -1e-9 * norms(K)[1], "the error is positive semidefinite"
    assert map.error_bound(rows) == pytest.approx(np.trace(E), rel=1e-9)
    assert found.spectral_bound < np.trace(K), "a bound that says something"


@pytest.mark.parametrize("name", FIVE)
def test_features_are_those_of_the_formula(name: str) -> None:
    """``ΦΦᵀ = K_nZ K_ZZ⁺ K_Zn``, by numpy's pseudo-inverse."""
    kernel, rows = FIVE[name]
    map = Nystroem(30, kernel=kernel, random_state=1).fit(rows)
    Z = map.transform(rows)
    K = kernel(rows, map.landmarks_)
    by_hand = K @ np.linalg.pinv(kernel(map.landmarks_), rcond=1e-10, hermitian=True) @ K.T
    assert_allclose(Z @ Z.T, by_hand, atol=1e-9 * np.abs(by_hand).max())
    assert_allclose(rows[map.component_indices_], map.landmarks_)
    landmarks = map.transform(map.landmarks_)
    assert_allclose(landmarks @ landmarks.T, kernel(map.landmarks_), atol=1e-8 * np.abs(by_hand).max())


def test_as_many_landmarks_as_rows_are_exact() -> None:
    map = Nystroem(1000, gamma=0.3).fit(X)
    Z = map.transform(X)
    assert len(map.landmarks_) == 300
    assert_allclose(Z @ Z.T, RBF(gamma=0.3)(X), atol=1e-8)


def test_the_rank_is_found() -> None:
    """A kernel of degree 2 in 4 features spans 15 dimensions; landmarks that are the same add nothing."""
    assert Nystroem(60, kernel="poly", degree=2, coef0=1.0, gamma=0.5).fit_transform(X).shape[1] == 15
    twice = np.concatenate([X[:10], X[:10]])
    assert Nystroem(20, gamma=0.5).fit(twice).transform(X).shape[1] == 10
    assert Nystroem(300, gamma=0.01, rank_tol=1e-3).fit(X).transform(X).shape[1] < 10


DRAWN = [(name, orthogonal) for name in SPECTRA for orthogonal in (False, True) if not (orthogonal and name == "laplacian")]


@pytest.mark.parametrize(("name", "orthogonal"), DRAWN)
def test_fourier_features_have_the_kernel_as_mean(name: str, orthogonal: bool) -> None:
    K = SPECTRA[name](X[:60])
    sums, seeds = np.zeros_like(K), 40
    for seed in range(seeds):
        map = RandomFourier(500, kernel=SPECTRA[name], orthogonal=orthogonal, random_state=seed).fit(X)
        Z = map.transform(X[:60])
        sums += Z @ Z.T
    assert_allclose(np.diag(sums) / seeds, 1.0, rtol=1e-12)
    # 10 000 frequencies: five standard deviations of a mean of cosines
    assert np.abs(sums / seeds - K).max() < 5 / np.sqrt(2 * 10_000) * 1.5


@pytest.mark.parametrize(("name", "orthogonal"), DRAWN)
def test_fourier_errors_are_within_their_bounds(name: str, orthogonal: bool) -> None:
    for seed in range(5):
        map = RandomFourier(1000, kernel=SPECTRA[name], orthogonal=orthogonal, random_state=seed).fit(X)
        Z, K = map.transform(X), SPECTRA[name](X)
        found = map.approximation_error(X, rows=None, delta=1e-3)
        assert_allclose([found.frobenius, found.spectral], norms(K - Z @ Z.T), rtol=1e-9)
        assert found.frobenius <= found.frobenius_bound == map.error_bound(300, 1e-3)[0]
        assert found.spectral <= found.spectral_bound <= map.error_bound(300, 1e-3)[1]


def test_an_odd_number_of_features() -> None:
    """Without a sine the mean is the kernel all the same."""
    K, sums = RBF(gamma=0.2)(X[:40]), np.zeros((40, 40))
    for seed in range(3000):
        Z = RandomFourier(3, gamma=0.2, random_state=seed).fit(X).transform(X[:40])
        sums += Z @ Z.T
    assert np.abs(sums / 3000 - K).max() < 5 / np.sqrt(3000)
    odd = RandomFourier(999, gamma=0.2, random_state=0).fit(X).approximation_error(X)
    assert odd.frobenius <= odd.frobenius_bound
    assert odd.spectral <= odd.spectral_bound


def test_the_fourier_bound_by_hand() -> None:
    """500 frequencies, 100 rows, δ = e⁻¹: √(1/500) (√9900 + 100)."""
    map = RandomFourier(1000, gamma=0.3, random_state=0).fit(X)
    assert map.error_bound(100, np.exp(-1.0))[0] == pytest.approx((np.sqrt(9900.0) + 100.0) / np.sqrt(500.0))


def test_orthogonal_frequencies_are_orthogonal_and_better() -> None:
    W = RandomFourier(40, gamma=0.5, orthogonal=True, random_state=0).fit(X).frequencies_
    for begin in range(0, 20, 4):
        inner = W[begin : begin + 4] @ W[begin : begin + 4].T
        assert_allclose(inner, np.diag(np.diag(inner)), atol=1e-12)
    rows = RNG.normal(size=(100, 16))
    errors = [
        np.mean(
            [
                RandomFourier(64, gamma=0.02, orthogonal=o, random_state=s).fit(rows).approximation_error(rows).frobenius
                for s in range(20)
            ]
        )
        for o in (False, True)
    ]
    assert errors[1] < 0.8 * errors[0]


def test_leverage_scores_find_small_groups() -> None:
    """Ten groups of ten rows among 3 000 others: four times as many uniform landmarks are worse."""
    rng = np.random.default_rng(1)
    rare = [8.0 * rng.normal(size=4) + 0.3 * rng.normal(size=(10, 4)) for _ in range(10)]
    rows = np.concatenate([0.3 * rng.normal(size=(3000, 4)), *rare])

    def spectral(how: str, count: int) -> float:
        maps = [Nystroem(count, gamma=0.3, landmarks=how, random_state=seed).fit(rows) for seed in range(3)]
        return float(np.median([map.approximation_error(rows[2700:], rows=None).spectral for map in maps]))

    assert spectral("leverage", 120) < 0.2 * spectral("uniform", 480)


def test_means_are_better_than_single_rows() -> None:
    rows = np.random.default_rng(0).normal(size=(2000, 2))
    errors = {
        how: np.mean([Nystroem(20, gamma=0.5, landmarks=how, random_state=s).fit(rows).error_bound(rows) for s in range(5)])
        for how in ("uniform", "kmeans")
    }
    assert errors["kmeans"] < 0.7 * errors["uniform"]


def test_strings() -> None:
    kernel = Spectrum(2)
    for how in ("uniform", "leverage"):
        map = Nystroem(15, kernel=kernel, landmarks=how, random_state=0).fit(WORDS)
        Z = map.transform(WORDS)
        K = kernel(WORDS, map.landmarks_)
        assert_allclose(Z @ Z.T, K @ np.linalg.pinv(kernel(map.landmarks_), hermitian=True) @ K.T, atol=1e-8 * K.max())
        assert map.approximation_error(WORDS).spectral <= map.error_bound(WORDS) + 1e-9
    with pytest.raises(InvalidInput, match="landmarks='kmeans' needs feature vectors"):
        Nystroem(5, kernel=kernel, landmarks="kmeans").fit(WORDS)


@pytest.mark.parametrize("how", ["uniform", "leverage"])
def test_a_precomputed_kernel_is_the_same_map(how: str) -> None:
    K = RBF(gamma=0.3)(X)
    own = Nystroem(25, gamma=0.3, landmarks=how, random_state=3).fit(X)
    given = Nystroem(25, kernel="precomputed", landmarks=how, random_state=3).fit(K)
    assert np.array_equal(own.component_indices_, given.component_indices_)
    assert_allclose(given.transform(K[:7]), own.transform(X[:7]), atol=1e-9)
    assert given.error_bound(K) == pytest.approx(own.error_bound(X), rel=1e-6)
    with pytest.raises(InvalidInput, match=r"needs its square matrix. Got shape \(7, 300\)"):
        given.error_bound(K[:7])


@pytest.mark.parametrize("map", [Nystroem(40, random_state=0), RandomFourier(40, random_state=0)], ids=str)
def test_float32_and_sparse_rows(map: Any) -> None:
    rows = np.where(X > 0.3, X, 0.0).astype(np.float32)
    wide = clone(map).fit(rows.astype(np.float64))
    Z = wide.transform(rows.astype(np.float64))
    narrow = clone(map).fit(rows).transform(rows)
    assert (Z.dtype, narrow.dtype) == (np.float64, np.float32)
    assert_allclose(narrow @ narrow.T, Z @ Z.T, atol=1e-5)
    loose = clone(map).fit(sparse.csr_matrix(rows))
    found = loose.transform(sparse.csr_array(rows))
    assert found.dtype == np.float32
    assert_allclose(found @ found.T, Z @ Z.T, atol=1e-5)
    assert_allclose(wide.transform(sparse.csr_matrix(rows.astype(np.float64))), Z, atol=1e-9)


@pytest.mark.parametrize(
    "map",
    [
        *(Nystroem(30, landmarks=how, random_state=0) for how in ("uniform", "kmeans", "leverage")),
        RandomFourier(30, random_state=0),
        RandomFourier(30, kernel=Matern(), orthogonal=True, random_state=0),
    ],
    ids=str,
)
def test_bits_do_not_depend_on_threads_nor_on_other_rows(map: Any) -> None:
    before, found = maxmargin.get_threads(), []
    try:
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            found.append(clone(map).fit(X).transform(X))
    finally:
        maxmargin.set_threads(before)
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    fitted = clone(map).fit(X)
    assert np.array_equal(fitted.transform(X[7:9]), found[0][7:9])
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.transform(X), found[0])


def test_bits_of_many_rows_do_not_depend_on_threads() -> None:
    """More rows than one thread takes at a time."""
    rows, before, found = RNG.normal(size=(2000, 4)), maxmargin.get_threads(), []
    map = RandomFourier(101, random_state=0).fit(rows)
    try:
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            found.append(map.transform(rows))
    finally:
        maxmargin.set_threads(before)
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    angles = rows @ map.frequencies_.T
    assert_allclose(found[0][:, :50], np.sqrt(2.0 / 101) * np.cos(angles[:, :50]), atol=1e-12)
    assert_allclose(found[0][:, 51:], np.sqrt(2.0 / 101) * np.sin(angles[:, :50]), atol=1e-12)


def test_names_and_frames() -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    shown = Nystroem(3, random_state=0).set_output(transform="pandas").fit_transform(frame)
    assert list(shown.columns) == ["nystroem0", "nystroem1", "nystroem2"]
    assert RandomFourier(2).fit(frame).get_feature_names_out().tolist() == ["randomfourier0", "randomfourier1"]


@pytest.mark.parametrize(
    ("map", "words"),
    [
        (Nystroem(0), r"The 'n_components' parameter of Nystroem must be an int in the range \[1, inf\). Got 0"),
        (
            Nystroem(landmarks="best"),
            "The 'landmarks' parameter of Nystroem must be a str among {'kmeans', 'leverage', 'uniform'}",
        ),
        (Nystroem(rank_tol=-1.0), "The 'rank_tol' parameter of Nystroem"),
        (Nystroem(random_state="a"), "The 'random_state' parameter of Nystroem"),
        (Nystroem(kernel="nothing"), "The 'kernel' parameter of Nystroem must be"),
        (Nystroem(kernel=RBF(), gamma=2.0), "The 'gamma' parameter of Nystroem must be left at 'scale'"),
        (
            Nystroem(kernel=lambda A, B: np.zeros((len(A), len(B)))),
            "All kernel values between the landmarks are 0, or negative",
        ),
        (Nystroem(kernel=Spectrum(2)), "Spectrum"),
        (RandomFourier(0), r"The 'n_components' parameter of RandomFourier must be an int in the range \[1, inf\)"),
        (RandomFourier(orthogonal=1), "The 'orthogonal' parameter of RandomFourier must be an instance of 'bool'"),
        (
            RandomFourier(kernel="laplacian", orthogonal=True),
            "orthogonal=True needs a spectrum that is the same in all directions",
        ),
        (RandomFourier(kernel=Linear()), "RandomFourier knows the spectra of RBF, Laplacian and Matern. Got kernel=Linear"),
        (RandomFourier(random_state=-1), "The 'random_state' parameter of RandomFourier"),
    ],
    ids=_without_addresses,
)
def test_bad_parameters(map: Any, words: str) -> None:
    with pytest.raises((InvalidInput, TypeError), match=words):
        map.fit(X)


def test_messages() -> None:
    with pytest.warns(
        IndefiniteKernelWarning, match="the kernel is no inner product. The features leave its negative part out"
    ):
        Nystroem(30, kernel="sigmoid", gamma=1.0, coef0=-1.0, random_state=0).fit(X)
    with pytest.raises(AttributeError, match="Nystroem has no landmarks_ before fit"):
        _ = Nystroem().landmarks_
    with pytest.raises(InvalidInput, match="X has 2 features, but Nystroem is expecting 4"):
        Nystroem().fit(X).transform(X[:, :2])
    with pytest.raises(InvalidInput, match="The 'rows' parameter of approximation_error"):
        Nystroem().fit(X).approximation_error(X, rows=0)
    with pytest.raises(InvalidInput, match=r"Products of rows and frequencies overflow\. Scale X"):
        RandomFourier(gamma=1e200).fit(X).transform(1e300 * X)
    with pytest.raises(InvalidInput, match="The 'delta' parameter of error_bound"):
        RandomFourier().fit(X).error_bound(10, 0.0)


@parametrize_with_checks(
    [
        Nystroem(),
        Nystroem(5, landmarks="kmeans"),
        Nystroem(5, landmarks="leverage"),
        Nystroem(kernel="precomputed"),
        RandomFourier(),
        RandomFourier(kernel="laplacian"),
        RandomFourier(orthogonal=True),
    ]
)
def test_estimator_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
