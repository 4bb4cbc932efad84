"""Gradients of kernels against finite differences, for every smooth kernel and combination."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Cosine, Laplacian, Linear, Normalised, Precomputed, Spectrum, Tanimoto, UserFunction

from ..contracts._registry import COMBINATIONS, KERNELS, KernelCase

ROUGH = {"laplacian", "intersection", "min max", "matern 1/2"} | {
    "product with a sum",
    "product of three",
    "power",
    "on columns of columns",
    "of histograms",
    "too long for the core",
}
"""Those with a kink: by name, so that a smooth kernel cannot become one of them unseen."""

CASES = [*KERNELS, *COMBINATIONS]
SMOOTH = [case for case in CASES if case.name not in ROUGH]


def _rows(case: KernelCase, count: int, seed: int) -> Any:
    """Rows away from 0, where a finite difference of a kernel of histograms would leave its domain."""
    X = np.random.default_rng(seed).normal(size=(count, 7))
    X = np.where(np.abs(X) < 0.05, 0.05, X)
    return case.rows(X)


def _differences(function: Any, X: Any, step: float = 1e-5) -> Any:
    """Central differences of fourth order, of each row by each feature: shape (m, d)."""
    found = np.zeros(X.shape)
    for k in range(X.shape[1]):
        move = np.zeros(X.shape[1])
        move[k] = step
        near = function(X + move) - function(X - move)
        far = function(X + 2 * move) - function(X - 2 * move)
        found[:, k] = (8.0 * near - far) / (12.0 * step)
    return found


@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_gradient_against_finite_differences(case: KernelCase) -> None:
    X, R = _rows(case, 6, 0), _rows(case, 9, 1)
    W = np.random.default_rng(2).normal(size=(6, 9))
    bound = case.kernel.bind(R)
    assert bound.roughness == ""
    expected = _differences(lambda rows: (W * case.reference(rows, R)).sum(axis=1), X)
    found = bound.gradient_sums(X, R, W)
    assert np.allclose(found, expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())
    for left, right in ((sparse.csr_matrix(X), sparse.csr_matrix(R)), (X, sparse.csr_matrix(R))):
        assert np.allclose(bound.gradient_sums(left, right, W), found, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("case", SMOOTH, ids=str)
def test_own_gradient_against_finite_differences(case: KernelCase) -> None:
    X = _rows(case, 5, 3)
    bound = case.kernel.bind(X)
    expected = _differences(lambda rows: np.diag(case.reference(rows, rows)).copy(), X)
    assert np.allclose(bound.own_gradient(X), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("case", [case for case in CASES if case.name in ROUGH], ids=str)
def test_kernel_with_a_kink_says_so(case: KernelCase) -> None:
    assert case.name in ROUGH
    assert "has a kink" in case.kernel.bind(_rows(case, 5, 0)).roughness


def test_kinks_are_where_they_are_said_to_be() -> None:
    """One-sided slopes differ where two rows agree in a feature."""
    for case in KERNELS:
        if case.name in ROUGH:
            X = case.rows(np.full((1, 7), 0.5))
            up, down, at = (case.reference(X + move, X)[0, 0] for move in (1e-6, -1e-6, 0.0))
            assert abs((up - at) - (at - down)) > 1e-7, case


def test_every_case_is_smooth_or_rough() -> None:
    assert {case.name for case in CASES} >= ROUGH
    assert len(SMOOTH) >= 18


def test_gradient_at_a_support_vector() -> None:
    """Where a root of the distance is 0, Matérn's kernels of ν > ½ and the Gaussian are flat."""
    X = np.arange(6.0).reshape(2, 3)
    for case in KERNELS:
        if case.name in ("matern 3/2", "matern 5/2", "rbf", "rational quadratic"):
            assert np.array_equal(case.kernel.bind(X).gradient_sums(X, X, np.eye(2)), np.zeros((2, 3)))


def test_a_constant_far_from_0_costs_no_digits() -> None:
    rng = np.random.default_rng(0)
    X, R, W = rng.normal(size=(4, 3)), rng.normal(size=(5, 3)), rng.normal(size=(4, 5))
    bound = RBF(gamma=0.5).bind(R)
    assert np.allclose(bound.gradient_sums(X + 1e6, R + 1e6, W), bound.gradient_sums(X, R, W), rtol=1e-6, atol=1e-8)


def test_kernels_known_by_values_only() -> None:
    X = np.eye(3)
    for kernel, rows in (
        (UserFunction(lambda A, B: A @ B.T), X),
        (UserFunction(lambda A, B: A @ B.T) + Linear(), X),
        (Precomputed(), X),
        (Spectrum(2), ["abc", "bcd"]),
    ):
        bound = kernel.bind(rows)
        assert "values only" in bound.roughness
    with pytest.raises(TypeError, match="has no gradient"):
        UserFunction(lambda A, B: A @ B.T).bind(X).gradient_sums(X, X, X)
    with pytest.raises(TypeError, match="has no gradient"):
        UserFunction(lambda A, B: A @ B.T).bind(X).own_gradient(X)


def test_rows_of_zeros_have_no_direction() -> None:
    X, zero = np.eye(3), np.zeros((1, 3))
    for kernel in (Cosine(), Tanimoto(), Normalised(Linear())):
        with pytest.raises(InvalidInput, match="has no gradient"):
            kernel.bind(X).gradient_sums(zero, X, np.ones((1, 3)))


def test_laplacian_names_itself() -> None:
    assert Laplacian().bind(np.eye(2)).roughness == "Laplacian has a kink wherever two rows agree in a feature"
