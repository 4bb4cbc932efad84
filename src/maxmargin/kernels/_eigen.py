"""Eigenvalues at one end of a symmetric matrix that is known by its products only: block Lanczos with thick restarts.

The Krylov space of a whole block of vectors costs little more than that of one, since each kernel value is computed, or read
from memory, once for all of them. Every new block is made orthogonal to the whole basis, twice; when the basis is full, the
outermost Ritz vectors and the next block go on (Wu and Simon, Thick-restart Lanczos method for large symmetric eigenvalue
problems, SIAM Journal on Matrix Analysis and Applications 22, 2000).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from maxmargin._blas import one_blas_thread

__all__ = ["BlockProduct", "Eigenpairs", "fits_krylov", "outer_eigenpairs"]

Array = NDArray[np.float64]
BlockProduct = Callable[[Array], Array]
"""``V A`` for some rows V of length n, and a symmetric matrix A."""

_MORE = 4  # vectors in a block beyond those that are wanted: the last ones converge sooner
_FEWEST = 8
_BLOCKS = 12  # of which a full basis consists
_SMALLEST = 8 * float(np.finfo(np.float64).eps)  # part of the norm below which a direction is rounding
_MOST_ROUNDS = 1000


@final
@dataclass(frozen=True, eq=False)
class Eigenpairs:
    """Some eigenvalues with their vectors.

    Attributes
    ----------
    values : ndarray of shape (k,)
        From the outermost inwards.
    vectors : ndarray of shape (k, n)
        In rows, orthonormal.
    residual : float
        The largest ``|A v − λ v|``, as a part of the largest ``|λ|``.
    rounds : int
        Products with a block that were needed.
    converged : bool
        Whether the residual is as small as was asked for.
    """

    values: Array
    vectors: Array
    residual: float
    rounds: int
    converged: bool


def fits_krylov(n: int, count: int) -> bool:
    """Whether a basis of some blocks is clearly smaller than the whole space."""
    return 2 * _BLOCKS * _width(count) <= n


def outer_eigenpairs(
    product: BlockProduct,
    n: int,
    count: int,
    end: Literal["largest", "smallest"] = "largest",
    *,
    tolerance: float = 1e-13,
    most_rounds: int | None = None,
    seed: int | np.random.RandomState = 0,
) -> Eigenpairs:
    """The largest or smallest eigenvalues of a symmetric matrix, and their vectors.

    Parameters
    ----------
    product : callable
        ``V A`` for a C-contiguous array V of shape (h, n), as a new array.
    n : int
        Rows of A; `fits_krylov` must hold.
    count : int
        How many.
    end : {"largest", "smallest"}
        Which.
    tolerance : float
        Largest residual, as a part of the largest ``|λ|``.
    most_rounds : int, optional
        Products at the most.
    seed : int or RandomState
        Of the block to begin with.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels._eigen import outer_eigenpairs
    >>> found = outer_eigenpairs(lambda V: V * np.arange(500.0), 500, 2, tolerance=1e-9)
    >>> found.values.round(6), found.converged
    (array([499., 498.]), True)
    """
    with one_blas_thread():
        search = _Krylov(product, n, count, -1.0 if end == "smallest" else 1.0, np.random.RandomState(_seed_of(seed)))
        for _ in range(_MOST_ROUNDS if most_rounds is None else most_rounds):
            search.expand()
            if search.residual <= tolerance:
                break
        return search.found(tolerance)


def _seed_of(seed: int | np.random.RandomState) -> int:
    return int(seed.randint(2**31 - 1)) if isinstance(seed, np.random.RandomState) else int(seed)


def _width(count: int) -> int:
    return max(_FEWEST, count + _MORE)


@final
class _Krylov:
    """An orthonormal basis that grows by blocks, and the matrix within it; the sign makes the wanted end the upper one."""

    def __init__(self, product: BlockProduct, n: int, count: int, sign: float, random: np.random.RandomState) -> None:
        self._product = product
        self._count = count
        self._sign = sign
        self._random = random
        self._width = _width(count)
        self._basis = np.empty((_BLOCKS * self._width, n))
        self._inner = np.zeros((len(self._basis), len(self._basis)))
        self._size = 0
        self._next, _ = self._orthonormal(random.standard_normal((self._width, n)), 1.0)
        self._values = np.zeros(0)
        self._mixture = np.zeros((0, 0))
        self.residual = np.inf
        self.rounds = 0

    def expand(self) -> None:
        """One product with the next block, and the Ritz values of the basis with it."""
        if self._size + self._width > len(self._basis):
            self._restart()
        old, new = self._size, self._size + self._width
        beyond = self._sign * self._product(self._next)
        self._basis[old:new] = self._next
        held = self._basis[:new]
        inside = held @ beyond.T
        beyond -= inside.T @ held
        self._inner[:new, old:new] = inside
        self._inner[old:new, :new] = inside.T
        self._inner[old:new, old:new] = 0.5 * (inside[old:] + inside[old:].T)
        self._size = new
        self._values, self._mixture = linalg.eigh(self._inner[:new, :new])
        norm = float(np.abs(self._values).max())
        self._next, factor = self._orthonormal(beyond, norm)
        wanted = self._mixture[old:, -self._count :]
        apart = np.linalg.norm(factor / (norm or 1.0) @ wanted, axis=0)
        self.residual = float(apart.max())
        self.rounds += 1

    def found(self, tolerance: float) -> Eigenpairs:
        best = self._mixture[:, : -self._count - 1 : -1]
        vectors = np.ascontiguousarray(best.T @ self._basis[: self._size])
        values = self._sign * self._values[: -self._count - 1 : -1]
        return Eigenpairs(values, vectors, self.residual, self.rounds, self.residual <= tolerance)

    def _restart(self) -> None:
        """Keep the best Ritz vectors; the next block is where all their residuals lie.

        Some of the other end too: large eigenvalues there would come back, and hide small differences at this one.
        """
        kept = np.r_[: self._width, -self._count - self._width : 0]
        self._basis[: len(kept)] = self._mixture[:, kept].T @ self._basis[: self._size]
        self._inner[:] = 0.0
        self._inner[range(len(kept)), range(len(kept))] = self._values[kept]
        self._size = len(kept)

    def _orthonormal(self, block: Array, norm: float) -> tuple[Array, Array]:
        """Rows Q, orthonormal and orthogonal to the basis, and F with ``block = Fᵀ Q`` but for rounding.

        Where rows of the block depend on each other, or on the basis, random rows stand in: F has zeros for them.
        """
        held = self._basis[: self._size]
        block = block - (block @ held.T) @ held
        rows, factor, order = linalg.qr(block.T, mode="economic", pivoting=True)
        lost = np.abs(np.diagonal(factor)) <= _SMALLEST * norm
        rows = np.ascontiguousarray(rows.T)
        # Short rows had more of the basis in them than their own: what of a direction is left decides whether it is one.
        rows -= (rows @ held.T) @ held
        lost |= np.linalg.norm(rows, axis=1) < 0.5
        factor[lost] = 0.0
        rows[lost] = self._random.standard_normal((int(lost.sum()), rows.shape[1]))
        order_of = np.argsort(lost, kind="stable")
        for _ in range(2):
            rows -= (rows @ held.T) @ held
            unit, turned = linalg.qr(rows[order_of].T, mode="economic")
            rows[order_of] = (unit * np.where(np.diagonal(turned) < 0.0, -1.0, 1.0)).T
        unpivoted = np.empty_like(factor)
        unpivoted[:, order] = factor
        return rows, unpivoted
