"""Whether kernel values can be inner products, and what to do where they cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from maxmargin import _core
from maxmargin._blas import one_blas_thread
from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import BoundKernel, Kernel
from maxmargin.kernels._choice import as_kernel
from maxmargin.kernels._eigen import BlockProduct, Eigenpairs, fits_krylov, outer_eigenpairs
from maxmargin.kernels._precomputed import Precomputed
from maxmargin.validation import check_option, feature_matrix, length, object_rows, rows_are_objects, take_rows

__all__ = ["Mercer", "gram_product", "matrix_product", "mercer", "repair"]

_WHOLE = 1000  # rows up to which all eigenvalues are computed
_HELD_BYTES = 1 << 30  # a larger matrix is computed again for every product
_LOOKED_AT = 256  # rows whose symmetry is looked at where the matrix is not held
_ASYMMETRY = 1e-5  # as a part of the largest value: what a fit with a precomputed kernel allows
_ROUNDING = 1e-10  # as a part of the largest value: an eigenvalue this little below 0 is rounding
_MOST_ROUNDS = 200


@final
@dataclass(frozen=True, eq=False)
class Mercer:
    """What one sample says about a kernel.

    Attributes
    ----------
    n : int
        Rows of the sample.
    violated : bool
        Whether Mercer's condition is violated: the matrix is not symmetric, or has a negative eigenvalue beyond rounding.
    asymmetry : float
        The largest ``|K_ij − K_ji|``; for a matrix too large to be stored, only over 256 rows i and all j.
    smallest_eigenvalue : float
        Of ``(K + Kᵀ)/2``.
    vector : ndarray of shape (n,)
        c with ``|c| = 1`` and ``cᵀKc`` the smallest eigenvalue: the witness, where that is negative.
    tolerance : float
        How far below 0 rounding errors can put an eigenvalue.
    verdict : str
        The result in words.

    Examples
    --------
    >>> from maxmargin.kernels import mercer
    >>> found = mercer([[1.0, 2.0], [2.0, 1.0]])
    >>> print(found)
    not a Mercer kernel: the smallest eigenvalue is -1
    >>> found.vector.round(3), found.violated
    (array([ 0.707, -0.707]), True)
    """

    n: int
    violated: bool
    asymmetry: float
    smallest_eigenvalue: float
    vector: NDArray[np.float64]
    tolerance: float
    verdict: str

    def __str__(self) -> str:
        return self.verdict


def mercer(K_or_kernel: Any, X: Any = None) -> Mercer:
    """Check Mercer's condition on a sample: K must be symmetric and without a negative eigenvalue.

    A function k is an inner product, ``k(u, v) = <φ(u), φ(v)>`` in some space, if and only if **every** Gram matrix ``k(x_i,
    x_j)`` is symmetric and positive semidefinite: ``cᵀKc ≥ 0`` for all c (Mercer 1909). So one matrix with ``cᵀKc < 0`` proves
    that k is no such kernel, while one without proves nothing for other samples: the verdict is then "no violation on this
    sample".

    Parameters
    ----------
    K_or_kernel : array-like of shape (n, n), Kernel, str or callable
        A Gram matrix; or, with X, a kernel: an object of `maxmargin.kernels`, its name, or a function of two blocks of rows.
    X : rows, optional
        The sample.

    Returns
    -------
    Mercer
        For up to 1 000 rows all eigenvalues are computed. For more, block Lanczos looks for the smallest one; beyond 11 585
        rows the kernel values are not stored but computed for every product.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import RBF, Sigmoid, mercer
    >>> X = np.random.default_rng(0).normal(size=(50, 2))
    >>> print(mercer(RBF(gamma=1.0), X).verdict)
    no violation on this sample of 50 rows: the smallest eigenvalue is ...
    >>> mercer(Sigmoid(gamma=1.0, coef0=-1.0), X).violated
    True
    """
    if X is None:
        if isinstance(K_or_kernel, Kernel | str) or callable(K_or_kernel):
            raise InvalidInput(
                f"mercer needs a sample to look at a kernel. Got {K_or_kernel!r} and X=None. Pass rows as X, or a Gram matrix."
            )
        return _of_matrix(feature_matrix(K_or_kernel, pairwise=True))
    kernel = as_kernel(K_or_kernel, owner="mercer")
    if kernel.input_kind == "precomputed":
        matrix = feature_matrix(X, pairwise=True)
        return _of_matrix(matrix if isinstance(kernel, Precomputed) else np.ascontiguousarray(kernel(matrix)))
    rows = object_rows(X) if rows_are_objects(X) or kernel.input_kind == "structured" else feature_matrix(X)
    bound, n = kernel.bind(rows), length(rows)
    if 8 * n * n <= _HELD_BYTES:
        return _of_matrix(bound.cross(rows, rows))
    return _of_products(bound, rows)


def repair(K: Any, method: str = "clip") -> NDArray[np.float64]:
    """Make a symmetric matrix positive semidefinite by changing its negative eigenvalues.

        K = V diag(λ) Vᵀ   ↦   V diag(max(λ, 0)) Vᵀ (clip),   V diag(|λ|) Vᵀ (flip),   K − min(λ_min, 0) I (shift)

    "clip" gives the nearest positive semidefinite matrix (in the Frobenius norm); "shift" changes only the diagonal, and so no
    similarity of two different rows; "flip" keeps the information in the negative part by changing its sign. A model fitted on
    a repaired matrix is exact for that matrix, but its kernel values of new rows are not repaired.

    Parameters
    ----------
    K : array-like of shape (n, n)
        A symmetric matrix; it is not changed. Where it differs from its transpose by rounding, ``(K + Kᵀ)/2`` is taken.
    method : {"clip", "shift", "flip"}
        How to change the negative eigenvalues.

    Returns
    -------
    ndarray of shape (n, n)
        In float64; equal to K if no eigenvalue is negative.

    References
    ----------
    Chen, Garcia, Gupta, Rahimi and Cazzanti, Similarity-based classification: concepts and algorithms, Journal of Machine
    Learning Research 10, 2009.

    Examples
    --------
    >>> from maxmargin.kernels import repair
    >>> K = [[1.0, 2.0], [2.0, 1.0]]
    >>> repair(K, "clip").round(3)
    array([[1.5, 1.5],
           [1.5, 1.5]])
    >>> repair(K, "shift").round(3)
    array([[2., 2.],
           [2., 2.]])
    >>> repair(K, "flip").round(3)
    array([[2., 1.],
           [1., 2.]])
    """
    check_option("method", method, "repair", ("clip", "flip", "shift"))
    given = feature_matrix(K, pairwise=True)
    found = _core.square_check(given)
    if not found.asymmetry <= _ASYMMETRY * found.largest:
        raise InvalidInput(
            f"repair changes eigenvalues of symmetric matrices. Got entries that differ from their transpose by up to "
            f"{found.asymmetry:.3g}. If the order of two rows shall not matter, use (K + K.T) / 2."
        )
    whole = _symmetric_part(given)
    with one_blas_thread():
        values, vectors = linalg.eigh(whole)
        below = values < 0.0
        if not below.any():
            return whole
        if method == "shift":
            whole[np.diag_indices_from(whole)] -= values[0]
            return whole
        negative = vectors[:, below]
        mended = whole - (negative * (values[below] * (2.0 if method == "flip" else 1.0))) @ negative.T
    return _symmetric_part(mended)


def gram_product(kernel: BoundKernel, X: Any) -> BlockProduct:
    """``V K`` for blocks of vectors V: the values are held if they need less than 1 GB, else computed every time."""
    n = length(X)
    if 8 * n * n <= _HELD_BYTES:
        return matrix_product(kernel.cross(X, X))
    return lambda V: np.ascontiguousarray(kernel.weighted_sums(X, X, V, (0, n))[0])


def matrix_product(K: NDArray[Any]) -> BlockProduct:
    """``V K`` for a symmetric float64 matrix, by the core: on all threads, with the same bits for any number of them."""
    return lambda V: _core.matrix_products(K, V)


def _of_matrix(K: NDArray[Any]) -> Mercer:
    found = _core.square_check(K)
    n = len(K)
    if n <= _WHOLE or not fits_krylov(n, 1):
        with one_blas_thread():
            values, vectors = linalg.eigh(_symmetric_part(K), subset_by_index=(0, 0))
        end = Eigenpairs(values, np.ascontiguousarray(vectors.T), 0.0, 0, True)
    else:
        end = _smallest(matrix_product(_symmetric_part(K)), n)
    return _with_verdict(end, found.largest, found.asymmetry, float(np.finfo(K.dtype).eps))


def _of_products(kernel: BoundKernel, X: Any) -> Mercer:
    n = length(X)
    some = take_rows(X, np.linspace(0, n - 1, _LOOKED_AT).astype(np.intp))
    across, down = kernel.cross(some, X), kernel.cross(X, some)
    asymmetry = float(np.abs(across - down.T).max())
    end = _smallest(gram_product(kernel, X), n)
    largest = max(float(np.abs(across).max()), float(np.abs(kernel.diagonal(X)).max()))
    return _with_verdict(end, largest, asymmetry, float(np.finfo(np.float64).eps))


def _smallest(product: BlockProduct, n: int) -> Eigenpairs:
    """An upper bound of the smallest eigenvalue, which it is once the search has converged, and its vector."""
    return outer_eigenpairs(product, n, 1, "smallest", tolerance=0.1 * _ROUNDING, most_rounds=_MOST_ROUNDS)


def _with_verdict(end: Eigenpairs, largest: float, asymmetry: float, rounding: float) -> Mercer:
    smallest, vector = float(end.values[0]), end.vectors[0]
    n = len(vector)
    tolerance = max(_ROUNDING, n * rounding) * largest
    if not asymmetry <= _ASYMMETRY * largest:
        verdict = f"not a Mercer kernel: not symmetric, k(u, v) and k(v, u) differ by up to {asymmetry:.3g}"
    elif smallest < -tolerance:
        verdict = f"not a Mercer kernel: the smallest eigenvalue is {'' if end.converged else 'at most '}{smallest:.3g}"
    else:
        verdict = (
            f"no violation on this sample of {n} rows: the smallest eigenvalue is {smallest:.3g}"
            f"{'' if end.converged else f' or up to {end.residual * largest * n:.1g} below'}. "
            "That proves nothing for other samples."
        )
    sign = 1.0 if vector[np.abs(vector).argmax()] >= 0.0 else -1.0
    return Mercer(n, verdict.startswith("not"), asymmetry, smallest, sign * vector, tolerance, verdict)


def _symmetric_part(K: NDArray[Any]) -> NDArray[np.float64]:
    wide = np.array(K, dtype=np.float64)
    return 0.5 * (wide + wide.T)
