"""The curvatures of logistic losses, and the preconditioner of Newton's systems in the space of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from maxmargin.problems import KernelLogistic, Losses

__all__ = ["Curvature", "curvature_of_offsets", "preconditioner", "slices"]

Matrix = NDArray[np.float64]

_PIECE: Final = 1 << 29  # products between two looks


@final
class Curvature:
    """``M = L (I − Q)`` with ``W_i = C_i (diag p_i − p_i p_iᵀ) = L_i L_iᵀ``, and Q that of the offsets."""

    def __init__(self, losses: Losses, problem: KernelLogistic) -> None:
        shares, cost = losses.shares, problem.cost[:, np.newaxis]
        self.single = problem.outputs == 1
        if self.single:
            part = np.abs(losses.slopes) / cost  # of a sum of 1, without cancellation
            self.root = np.sqrt(cost * part * (1.0 - part))
        else:
            self.root = np.sqrt(cost)
            self.shares, self.sqrt = shares, np.sqrt(shares)
        self.weight = np.sqrt(cost * shares * (1.0 - shares)) if not self.single else self.root
        self._basis: Matrix | None = None
        if problem.offset:
            units = [self._lower_t(np.tile(row, (problem.n, 1))).ravel() for row in np.eye(problem.outputs)]
            basis, triangle = np.linalg.qr(np.stack(units, axis=1))
            size = np.abs(np.diagonal(triangle))
            self._basis = basis[:, size > 1e-10 * size.max(initial=1e-300)]

    def _lower(self, v: Matrix) -> Matrix:
        if self.single:
            return np.asarray(self.root * v)
        return np.asarray(self.root * (self.sqrt * v - self.shares * (self.sqrt * v).sum(axis=1, keepdims=True)))

    def _lower_t(self, v: Matrix) -> Matrix:
        if self.single:
            return np.asarray(self.root * v)
        return np.asarray(self.root * self.sqrt * (v - (self.shares * v).sum(axis=1, keepdims=True)))

    def project(self, v: Matrix) -> Matrix:
        """``(I − Q) v``."""
        if self._basis is None:
            return v
        flat = v.ravel()
        return (flat - self._basis @ (self._basis.T @ flat)).reshape(v.shape)

    def along(self, v: Matrix) -> Matrix:
        """``M v``."""
        return self._lower(self.project(v))

    def across(self, v: Matrix) -> Matrix:
        """``Mᵀ v``."""
        return self.project(self._lower_t(v))


def slices(rows: int, products: int) -> Iterator[slice]:
    """Rows, of so many products each, in pieces that take some hundredths of a second."""
    height = max(_PIECE // max(products, 1), 1)
    return (slice(begin, min(begin + height, rows)) for begin in range(0, rows, height))


def preconditioner(factor: Matrix | None, curve: Curvature, look: Callable[[], object]) -> Callable[[Matrix], Matrix]:
    """The inverse of ``I + D G Gᵀ D`` for each output, with ``K ≈ G Gᵀ`` and D the roots of the curvatures.

    Now and then it is looked whether to go on.
    """
    if factor is None:
        return np.array
    inner = []
    for weight in curve.weight.T:
        scaled = weight[:, np.newaxis] * factor
        square = np.eye(factor.shape[1])
        for some in slices(len(scaled), scaled.shape[1] ** 2):
            square += scaled[some].T @ scaled[some]
            look()
        try:
            inner.append((scaled, linalg.cho_factor(square, lower=True)))
        except linalg.LinAlgError:  # values so far apart that 1 is rounding beside them
            return np.array

    def solve(v: Matrix) -> Matrix:
        out = np.empty_like(v)
        for k, (scaled, root) in enumerate(inner):
            out[:, k] = v[:, k] - scaled @ linalg.cho_solve(root, scaled.T @ v[:, k], check_finite=False)
        return out

    return solve


def curvature_of_offsets(problem: KernelLogistic, losses: Losses) -> Matrix:
    cost, shares = problem.cost, losses.shares
    if problem.outputs == 1:
        part = np.abs(losses.slopes[:, 0]) / cost
        return np.array([[max(float((cost * part * (1.0 - part)).sum()), 1e-300)]])
    weighted = cost[:, np.newaxis] * shares
    return np.diag(weighted.sum(axis=0)) - weighted.T @ shares
