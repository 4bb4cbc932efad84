"""Logistic regression with a kernel."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple, Self, final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from maxmargin._deadline import Deadline
from maxmargin.kernels import RBF, Gram, Kernel, as_kernel
from maxmargin.problems._base import gram_of, require_range
from maxmargin.validation import (
    check_boolean,
    check_positive,
    feature_matrix,
    label_column,
    labelled_set,
    object_rows,
    takes_objects,
)

__all__ = ["KernelLogistic"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_BLOCK: Final = 256  # rows of a product between two looks at the clock


@final
class Losses(NamedTuple):
    """The loss of all rows, its slopes and its probabilities.

    Attributes
    ----------
    value : float
        ``Σ C_i ℓ_i``.
    slopes : ndarray of shape (n, m)
        ``g_ik = −C_i ∂ℓ_i/∂f_ik = C_i (t_ik − p_ik)``.
    shares : ndarray of shape (n, m)
        ``p_ik``.
    """

    value: float
    slopes: Matrix
    shares: Matrix


@final
class KernelLogistic:
    """Minimise ``½ Σ_k |f_k|² + Σ C_i ℓ(y_i, f(x_i) + b)`` over functions f_k of the kernel's space and offsets b.

    For two classes there is one function, ``ℓ = log(1 + exp(−y f))`` with y = ±1; for more one for each class, and
    ``ℓ = log Σ_k exp(f_k) − f_y``, the multinomial loss. The offsets are free. By the representer theorem
    ``f_k = Σ_i β_ik k(x_i, ·)``, and at the optimum ``β_ik = C_i (t_ik − p_ik)``, where t is 1 for a row's own class and p the
    probability: so any f gives multipliers, whose dual objective is

        −½ Σ_k β_kᵀ K β_k + Σ C_i H(p_i)   with H the entropy of a row's probabilities, if Σ_i β_ik = 0 where b is free

    and with it a bound on the optimum (Fenchel).

    Parameters
    ----------
    X : array-like, CSR matrix or sequence of objects
        Training rows; a square Gram matrix for ``Precomputed``, any objects for a kernel function.
    y : array-like
        Labels of two or more classes.
    C : float
        Factor of the loss, finite.
    kernel : Kernel, callable or str
        The kernel; ``RBF()`` by default.
    offset : bool
        Whether there are offsets.
    sample_weight : array-like, optional
        Weight w_i of each row: ``C_i = C w_i``. A weight of 2 counts the row twice, 0 leaves it out.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import KernelLogistic
    >>> solution = solve(KernelLogistic([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], C=10.0))
    >>> solution.status.name, solution.predict_proba([[1.5]]).round(6)
    ('CONVERGED', array([[0.5, 0.5]]))
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
        cost = check_positive("C", C, "KernelLogistic")
        free = check_boolean("offset", offset, "KernelLogistic")
        chosen = as_kernel(RBF() if kernel is None else kernel, owner="KernelLogistic")
        pairwise = chosen.input_kind == "precomputed"
        objects = takes_objects(chosen.input_kind, X)
        rows = object_rows(X) if objects else feature_matrix(X, pairwise=pairwise)
        data = labelled_set(rows, label_column(y, rows), sample_weight, pairwise=pairwise)
        self._fill(gram_of(chosen, data), data.codes, data.classes, cost * data.weight, free)

    @classmethod
    def on(
        cls,
        gram: Gram,
        codes: NDArray[np.intp],
        classes: NDArray[Any],
        cost: Vector,
        offset: bool = True,
        shift: Matrix | None = None,
    ) -> Self:
        """The problem from a source of kernel values, class numbers, the classes, ``C_i > 0``; ``shift`` is added to scores."""
        problem = cls.__new__(cls)
        problem._fill(gram, codes, classes, cost, offset)
        problem._shift = shift
        return problem

    def _fill(self, gram: Gram, codes: NDArray[np.intp], classes: NDArray[Any], cost: Vector, offset: bool) -> None:
        require_range(cost, "C times sample_weight")
        self.gram = gram
        self.codes = codes
        self.classes = classes
        self.cost = cost
        self.offset = offset
        self._shift: Matrix | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.cost)

    @property
    def outputs(self) -> int:
        """Number of functions: 1 for two classes, else one for each."""
        return 1 if len(self.classes) == 2 else len(self.classes)

    def shifted(self, scores: Matrix) -> Matrix:
        """What the losses are of: the scores, with what is added to them."""
        return scores if self._shift is None else scores + self._shift

    def losses(self, scores: Matrix) -> Losses:
        """The losses at scores of shape (n, m), offsets included."""
        cost = self.cost[:, np.newaxis]
        scores = self.shifted(scores)
        if self.outputs == 1:
            sign = np.where(self.codes == 1, 1.0, -1.0)[:, np.newaxis]
            margin = sign * scores
            value = np.logaddexp(0.0, -margin)
            return Losses(float((cost * value).sum()), sign * cost * special.expit(-margin), special.expit(scores))
        # relative to the own score, so that a loss near 0, which a large cost makes count, keeps its digits
        rows = np.arange(self.n)
        apart = scores - scores[rows, self.codes][:, np.newaxis]
        top = apart.max(axis=1, keepdims=True)
        each = np.exp(apart - top)
        others = each.copy()
        others[rows, self.codes] = 0.0
        wrong, own = others.sum(axis=1), each[rows, self.codes]
        total = wrong + own
        value = top[:, 0] + np.log1p(wrong + (own - 1.0))
        shares = each / total[:, np.newaxis]
        slopes = -cost * shares
        slopes[rows, self.codes] = self.cost * (wrong / total)  # 1 − p without cancellation
        return Losses(float((self.cost * value).sum()), slopes, shares)

    def entropy(self, losses: Losses) -> float:
        """``Σ C_i H(p_i)``, minus ``Σ g_ik s_ik`` where scores are shifted by s."""
        shares, cost = losses.shares, self.cost
        less = 0.0 if self._shift is None else float((losses.slopes * self._shift).sum())
        if self.outputs == 1:
            part = np.abs(losses.slopes[:, 0]) / cost
            return float((cost * (special.entr(part) - special.xlog1py(1.0 - part, -part))).sum()) - less
        rows = np.arange(self.n)
        others, wrong = shares.copy(), losses.slopes[rows, self.codes] / cost
        others[rows, self.codes] = 0.0
        return float((cost * (special.entr(others).sum(axis=1) - special.xlog1py(1.0 - wrong, -wrong))).sum()) - less

    def product(self, beta: Matrix) -> Matrix:
        """``K β`` in float64, from kernel values computed anew; shape (n, m)."""
        found = self.product_within(math.inf, beta)
        assert found is not None
        return found

    def product_within(self, seconds: float, beta: Matrix) -> Matrix | None:
        """The same, or None if that takes more than so many seconds."""
        gram, deadline = self.gram, Deadline(seconds)
        if not beta.any():
            return np.zeros_like(beta)
        if gram.kernel.is_precomputed or self.outputs == 1:
            columns = []
            for column in beta.T:
                found = Gram.matvecs_within(deadline.left(), [gram], np.ascontiguousarray(column))
                if found is None:
                    return None
                columns.append(found)
            return np.stack(columns, axis=1)
        every, held, whole = gram.rows(np.arange(self.n)), np.ascontiguousarray(beta.T), np.empty(beta.shape)
        for begin in range(0, self.n, _BLOCK):
            some = gram.rows(np.arange(begin, min(begin + _BLOCK, self.n)))
            whole[begin : begin + _BLOCK] = gram.kernel.weighted_sums(some, every, held, (0, self.n))[0].T
            if deadline.is_over():
                return None
        return whole
