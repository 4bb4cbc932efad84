"""The soft margin with linear slack."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Gram, Kernel, Precomputed, UserFunction, as_kernel
from maxmargin.problems._base import Problem
from maxmargin.problems._dual import DualProblem
from maxmargin.validation import check_boolean, check_positive, rows_are_objects, training_set

__all__ = ["SoftMargin"]

Vector = NDArray[np.float64]


@final
class SoftMargin(Problem):
    """Minimise ``½|w|² + Σ C_i max(0, 1 − y_i f(x_i))`` with ``f(x) = <w, φ(x)> + b``.

    The dual is ``max Σα − ½ Σ α_i α_j y_i y_j k(x_i, x_j)`` subject to ``0 ≤ α_i ≤ C_i`` and, with an offset, ``Σ y_i α_i = 0``
    (Cortes and Vapnik 1995). ``C_i = C · sample_weight_i``.

    Parameters
    ----------
    X : array-like, CSR matrix or sequence of objects
        Training rows; a square Gram matrix for ``Precomputed``, any objects for a kernel function.
    y : array-like
        Labels of two classes; the one that sorts last is +1.
    C : float
        Price of slack.
    kernel : Kernel, callable or str
        The likeness; ``RBF()`` by default.
    offset : bool
        Whether f has a free offset b.
    sample_weight : array-like, optional
        Weight w_i of each row: ``C_i = C w_i``. A weight of 2 is the row twice, of 0 the row left out.

    Examples
    --------
    Two points at −1 and +1: the widest street has w = 1 and b = 0, and both points carry α = ½.

    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> solution = solve(SoftMargin([[-1.0], [1.0]], [-1, 1], C=10.0, kernel=Linear()))
    >>> solution.alpha, solution.weights, solution.margin
    (array([0.5, 0.5]), array([1.]), 2.0)
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        C: float = 1.0,
        kernel: Kernel | Any = None,
        offset: bool = True,
        sample_weight: Any = None,
    ) -> None:
        price = check_positive("C", C, "SoftMargin")
        chosen = as_kernel(RBF() if kernel is None else kernel, owner="SoftMargin")
        pairwise = isinstance(chosen, Precomputed)
        data = training_set(
            X, y, sample_weight, pairwise=pairwise, objects=isinstance(chosen, UserFunction) and rows_are_objects(X)
        )
        gram = chosen.bind(data.X, data.sample_weight).gram(data.X)
        self._fill(gram, data.y, price * data.weight, check_boolean("offset", offset, "SoftMargin"))

    @classmethod
    def on(cls, gram: Gram, y: Vector, upper: Vector, offset: bool = True) -> Self:
        """The problem from parts that are valid already.

        Parameters
        ----------
        gram : Gram
            Source of kernel values.
        y : ndarray of float64
            Labels −1 and +1.
        upper : ndarray of float64
            ``C_i > 0`` of each row.
        offset : bool
            Whether f has a free offset b.
        """
        problem = cls.__new__(cls)
        problem._fill(gram, y, upper, offset)
        return problem

    def _fill(self, gram: Gram, y: Vector, upper: Vector, offset: bool) -> None:
        if not (gram.n == len(y) == len(upper)):
            raise InvalidInput(f"Got {gram.n} rows, {len(y)} labels and {len(upper)} bounds; they must be equally many.")
        self.gram = gram
        self.y = y
        self.upper = upper
        self.offset = offset

    @cached_property
    def dual(self) -> DualProblem:
        """``q = −y``, and β between 0 and ``y C_i``."""
        ends = self.y * self.upper
        return DualProblem(
            gram=self.gram, q=-self.y, lower=np.minimum(ends, 0.0), upper=np.maximum(ends, 0.0), offset=self.offset
        )
