"""All classes at once."""

from __future__ import annotations

import math
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import RBF, Gram, Kernel, as_kernel
from maxmargin.problems._base import gram_of, require_range
from maxmargin.problems._coincidence import classes_coincidence
from maxmargin.problems._proofs import InseparableClasses
from maxmargin.validation import (
    check_boolean,
    check_positive,
    feature_matrix,
    label_column,
    labelled_set,
    object_rows,
    takes_objects,
)

__all__ = ["CrammerSinger"]


@final
class CrammerSinger:
    """Minimise ``Σ_k |w_k|² + Σ_i C_i ξ_i`` subject to ``f_y(x_i) − f_k(x_i) ≥ 1 − ξ_i`` for all classes ``k ≠ y = y_i``.

    There is one score ``f_k(x) = <w_k, φ(x)> + b_k`` for each class and one slack ``ξ_i ≥ 0`` for each row; the class with the
    highest score wins (Weston and Watkins 1998 with one slack for each row, Crammer and Singer 2001 with offsets). The dual has
    K coefficients for each row, which sum to 0, and ``w_k = ½ Σ β_ik φ(x_i)``. For two classes it is `SoftMargin` at the same
    C. ``C = inf`` allows no slack; where no scores put every row in its own class, `maxmargin.solve` looks for a proof
    (`InseparableClasses`).

    Its dual has a form of its own, and so it has its own solver, which ``maxmargin.solve`` chooses. The answer has converged if
    the gap between a feasible primal and a feasible dual point is at most ``tol`` times the primal objective; the KKT violation
    is reported as well. Where several offsets are optimal, the solver's exact finish takes the middle.

    Parameters
    ----------
    X : array-like, CSR matrix or sequence of objects
        Training rows; a square Gram matrix for ``Precomputed``, any objects for a kernel function.
    y : array-like
        Labels of two or more classes.
    C : float
        Cost of slack.
    kernel : Kernel, callable or str
        The kernel; ``RBF()`` by default.
    offset : bool
        Whether the scores have offsets b_k; they sum to 0.
    sample_weight : array-like, optional
        Weight w_i of each row: ``C_i = C w_i``. A weight of 2 counts the row twice, 0 leaves it out.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import CrammerSinger
    >>> solution = solve(CrammerSinger([[0.0], [2.0], [4.0]], ["a", "b", "c"], C=10.0, kernel=Linear()))
    >>> solution.predict([[0.5], [2.2], [5.0]])
    array(['a', 'b', 'c'], dtype='<U1')
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
        cost = check_positive("C", C, "CrammerSinger", infinite=True)
        free = check_boolean("offset", offset, "CrammerSinger")
        chosen = as_kernel(RBF() if kernel is None else kernel, owner="CrammerSinger")
        pairwise = chosen.input_kind == "precomputed"
        objects = takes_objects(chosen.input_kind, X)
        rows = object_rows(X) if objects else feature_matrix(X, pairwise=pairwise)
        data = labelled_set(rows, label_column(y, rows), sample_weight, pairwise=pairwise)
        self._fill(gram_of(chosen, data), data.codes, data.classes, cost * data.weight, free)

    @classmethod
    def on(
        cls, gram: Gram, codes: NDArray[np.intp], classes: NDArray[Any], upper: NDArray[np.float64], offset: bool = True
    ) -> Self:
        """The problem from a source of kernel values, class numbers, the classes and ``C_i > 0``."""
        problem = cls.__new__(cls)
        problem._fill(gram, codes, classes, upper, offset)
        return problem

    def _fill(
        self, gram: Gram, codes: NDArray[np.intp], classes: NDArray[Any], upper: NDArray[np.float64], offset: bool
    ) -> None:
        require_range(upper, "C times sample_weight", endless=True)
        self.gram = gram
        self.codes = codes
        self.classes = classes
        self.upper = upper
        self.offset = offset
        self._proof: tuple[InseparableClasses | None] | None = None
        self.source = gram.centred() if offset else gram
        """Kernel values that solvers and evaluations use: with offsets and a linear kernel, those of the centred rows."""

    @property
    def room(self) -> NDArray[np.float64]:
        """Upper bound of ``β_ik``: C_i for a row's own class, 0 for the others."""
        room = np.zeros((self.gram.n, len(self.classes)))
        room[np.arange(self.gram.n), self.codes] = self.upper
        return room

    def proof(self, seconds: float = math.inf) -> InseparableClasses | None:
        """Why there is no answer: that rows without slack cannot all be put in their own classes; None if that is not proven.

        It is sought once, for about a second, or for ``seconds`` if that is less.
        """
        if self._proof is None:
            self._proof = (self._found_proof(seconds),)
        return self._proof[0]

    def _found_proof(self, seconds: float) -> InseparableClasses | None:
        hard = np.flatnonzero(np.isinf(self.upper))
        if not len(hard):
            return None
        gram = self.gram if len(hard) == self.gram.n else self.gram.take(hard)
        found = classes_coincidence(gram, self.codes[hard], len(self.classes), offset=self.offset, seconds=seconds)
        if found is None:
            return None
        weights = np.zeros((self.gram.n, len(self.classes)))
        weights[hard] = found
        return InseparableClasses(weights)
