"""Mercer's condition: what is shown, what is not, and the repairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from maxmargin import SVC
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid, as_kernel, mercer, repair
from maxmargin.kernels import _mercer as inside

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))


def indefinite(n: int, seed: int = 0) -> Any:
    """A symmetric matrix with eigenvalues of both signs, the smallest of them −0.5."""
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(n, n)))
    K = (Q * np.linspace(-0.5, 4.0, n)) @ Q.T
    return 0.5 * (K + K.T)


@pytest.mark.parametrize("kernel", [Linear(), RBF(gamma=0.5), Polynomial(degree=3, gamma=1.0, coef0=1.0), "rbf"], ids=str)
@pytest.mark.parametrize("rows", [X, np.repeat(X[:20], 4, axis=0), X * 1e6, X.astype(np.float32)], ids=["", "x4", "1e6", "f32"])
def test_mercer_kernels_pass_on_degenerate_rows_too(kernel: Any, rows: Any) -> None:
    found = mercer(kernel, rows)
    assert not found.violated
    assert found.verdict.startswith("no violation on this sample of 80 rows")
    assert "proves nothing for other samples" in found.verdict
    assert found.asymmetry <= 1e-12 * np.abs(as_kernel(kernel)(rows)).max()
    assert str(found) == found.verdict


def test_a_negative_eigenvalue_comes_with_its_witness() -> None:
    kernel = Sigmoid(gamma=1.0, coef0=-1.0)
    found, K = mercer(kernel, X), kernel(X)
    assert found.violated
    assert found.verdict.startswith("not a Mercer kernel: the smallest eigenvalue is -")
    assert found.vector @ K @ found.vector == pytest.approx(found.smallest_eigenvalue)
    assert found.vector @ found.vector == pytest.approx(1.0)
    assert found.smallest_eigenvalue == pytest.approx(np.linalg.eigvalsh(K)[0])


def test_a_kernel_may_pass_on_one_sample_and_fail_on_another() -> None:
    """(<u, v> − 1)² is no inner product, but two rows do not show it."""
    kernel = Polynomial(degree=2, gamma=1.0, coef0=-1.0)
    assert not mercer(kernel, [[2.0, 0.0], [0.0, 2.0]]).violated
    assert mercer(kernel, X).violated


def test_not_symmetric() -> None:
    K = np.eye(4)
    K[0, 1] = 0.5
    found = mercer(K)
    assert found.violated
    assert found.asymmetry == 0.5
    assert found.verdict == "not a Mercer kernel: not symmetric, k(u, v) and k(v, u) differ by up to 0.5"
    assert mercer(lambda A, B: A[:, :1] - B[:, 0], X).verdict.startswith("not a Mercer kernel: not symmetric")


def test_rounding_is_no_violation() -> None:
    """Of rank 3, in float64 and float32: eigenvalues that are 0 come out a little below."""
    for dtype in (np.float64, np.float32):
        K = (X @ X.T).astype(dtype)
        found = mercer(K)
        assert found.smallest_eigenvalue < 0.0
        assert not found.violated
    assert mercer(X @ X.T - 1e-6 * np.eye(80)).violated


def test_many_rows_by_lanczos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inside, "_WHOLE", 100)
    n = 400
    K = indefinite(n)
    found = mercer(K)
    assert found.violated
    assert found.smallest_eigenvalue == pytest.approx(-0.5, abs=1e-6)
    assert found.vector @ K @ found.vector == pytest.approx(found.smallest_eigenvalue)
    many = np.random.default_rng(1).normal(size=(n, 4))
    assert not mercer(RBF(gamma=0.3), many).violated
    assert not mercer(Linear(), many).violated


def test_values_that_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    many = np.random.default_rng(1).normal(size=(500, 4))
    held = {kernel: mercer(kernel, many) for kernel in ("rbf", "sigmoid")}
    monkeypatch.setattr(inside, "_HELD_BYTES", 0)
    for kernel, before in held.items():
        found = mercer(kernel, many)
        assert found.verdict.partition(":")[0] == before.verdict.partition(":")[0]
        assert found.smallest_eigenvalue == pytest.approx(before.smallest_eigenvalue, abs=1e-4)
    skew = mercer(lambda A, B: A[:, :1] - B[:, 0], many)
    assert skew.verdict.startswith("not a Mercer kernel: not symmetric")


def test_rows_of_any_kind() -> None:
    words = ["margin", "kernel", "street", "slack", "support"]

    def common(A: Any, B: Any) -> Any:
        return np.array([[len(set(a) & set(b)) for b in B] for a in A])

    assert not mercer(common, words).violated
    assert mercer(lambda A, B: common(A, B) - 6.0, words).violated
    assert mercer(Precomputed(), common(words, words)).smallest_eigenvalue == mercer(common, words).smallest_eigenvalue


def test_bits_do_not_depend_on_blas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inside, "_WHOLE", 100)
    K = indefinite(600)
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append((mercer(K).vector.tobytes(), repair(K[:300, :300]).tobytes()))
    assert found[0] == found[1]


@pytest.mark.parametrize("method", ["clip", "shift", "flip"])
def test_a_repaired_matrix_passes(method: str) -> None:
    K = indefinite(60)
    before = K.copy()
    mended = repair(K, method)
    assert_array_equal(K, before)
    assert_array_equal(mended, mended.T)
    assert not mercer(mended).violated
    assert_allclose(repair(mended, method), mended, atol=1e-12)
    values, vectors = np.linalg.eigh(K)
    expected = {"clip": np.maximum(values, 0.0), "shift": values - values[0], "flip": np.abs(values)}[method]
    assert_allclose(mended, (vectors * expected) @ vectors.T, atol=1e-12)
    y = np.arange(60) % 2
    assert SVC(kernel="precomputed").fit(mended, y).status_.name == "CONVERGED"


def test_clip_is_the_nearest() -> None:
    """Higham 1988; against random matrices that are positive semidefinite."""
    K = indefinite(12)
    nearest = np.linalg.norm(repair(K) - K)
    rng = np.random.default_rng(5)
    for _ in range(200):
        B = rng.normal(size=(12, 2))
        A = repair(K) + 0.1 * rng.normal() * B @ B.T
        assert np.linalg.norm(repair(A) - K) >= nearest - 1e-9


def test_what_needs_no_repair_stays() -> None:
    K = RBF(gamma=2.0)(X[:30])
    for method in ("clip", "shift", "flip"):
        assert_array_equal(repair(K, method), K)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mercer(RBF()), "mercer needs a sample to look at a kernel"),
        (lambda: mercer("rbf"), "mercer needs a sample"),
        (lambda: mercer(np.zeros((2, 3))), "must be a square matrix"),
        (lambda: mercer("gaussian", X), "The 'kernel' parameter of mercer must be a str among"),
        (lambda: mercer([[np.nan]]), "NaN"),
        (lambda: repair(np.eye(2), "mend"), "The 'method' parameter of repair must be a str among {'clip', 'flip', 'shift'}"),
        (lambda: repair([[1.0, 2.0], [0.0, 1.0]]), "repair changes eigenvalues of symmetric matrices.*up to 2"),
        (lambda: repair(np.zeros((2, 3))), "must be a square matrix"),
    ],
)
def test_messages(call: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        call()
