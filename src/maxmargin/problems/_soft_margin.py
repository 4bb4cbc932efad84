"""The soft margin: linear or squared slack, with a free offset, a penalised one, or none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from itertools import accumulate
from numbers import Real
from typing import Any, Self, final, overload

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin._lazy import lazy
from maxmargin.kernels import Gram, Kernel
from maxmargin.problems._base import Evaluated, Model, Problem, gram_of, labelled, require_equally_many, require_range
from maxmargin.problems._dual import DualBatch, DualProblem
from maxmargin.problems._kkt_data import KKTData
from maxmargin.problems._pairs import LabelledParts
from maxmargin.problems._slack_rule import Margin
from maxmargin.validation import check_option, check_positive, reject

__all__ = ["Offset", "Slack", "SoftMargin", "SoftMargins", "as_offset"]

Vector = NDArray[np.float64]


class Slack(Enum):
    """How slack is penalised."""

    LINEAR = "linear"
    """``Σ C_i ξ_i``"""
    SQUARED = "squared"
    """``Σ C_i ξ_i²``"""


class Offset(Enum):
    """What kind of offset b the score has."""

    FREE = "free"
    """Any value, without a penalty."""
    NONE = "none"
    """``b = 0``."""
    PENALISED = "penalised"
    """The weight of a constant feature 1, which counts in ``|w|²`` like every other: kernel ``k + 1``, ``b = Σ β``."""


def as_offset(offset: Any, owner: str) -> Offset:
    """An offset from True, False, a name or an `Offset`."""
    if isinstance(offset, Offset):
        return offset
    if isinstance(offset, bool | np.bool_):
        return Offset.FREE if offset else Offset.NONE
    if isinstance(offset, str) and offset == Offset.PENALISED.value:
        return Offset.PENALISED
    raise reject("offset", offset, owner, "an instance of 'bool' or the str 'penalised'")


@final
class SoftMargin(Problem):
    """Minimise ``½|w|² + Σ C_i ξ_i`` (or ``Σ C_i ξ_i²``), ``ξ_i = max(0, 1 − y_i f(x_i))``, ``f(x) = <w, φ(x)> + b``.

    The dual is ``max Σα − ½ Σ α_i α_j y_i y_j k(x_i, x_j)`` subject to ``0 ≤ α_i ≤ C_i`` and, with a free offset,
    ``Σ y_i α_i = 0`` (Cortes and Vapnik 1995). With squared slack α has no upper bound, ``½ Σ α_i²/(2 C_i)`` is subtracted from
    the dual objective, and ``ξ_i = α_i/(2 C_i)``. ``C_i = C · sample_weight_i``.

    Parameters
    ----------
    X : array-like, CSR matrix or sequence of objects
        Training rows; a square Gram matrix for ``Precomputed``, any objects for a kernel function.
    y : array-like
        Labels of two classes; the one that sorts last is +1.
    C : float
        Cost of slack.
    kernel : Kernel, callable or str
        The kernel; ``RBF()`` by default.
    offset : bool or "penalised"
        Whether f has a free offset b; "penalised" makes b the weight of a constant feature, which changes the optimum.
    sample_weight : array-like, optional
        Weight w_i of each row: ``C_i = C w_i``. A weight of 2 counts the row twice, 0 leaves it out.
    slack : "linear" or "squared"
        How slack is penalised.

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
        offset: bool | str | Offset = True,
        sample_weight: Any = None,
        slack: str | Slack = Slack.LINEAR,
    ) -> None:
        if isinstance(C, Real) and math.inf == C:
            raise reject("C", C, "SoftMargin", "a float in the range (0.0, inf): without slack it is HardMargin")
        cost = check_positive("C", C, "SoftMargin")
        kind = as_offset(offset, "SoftMargin")
        names = [each.value for each in Slack]
        paid = slack if isinstance(slack, Slack) else Slack(check_option("slack", slack, "SoftMargin", names))
        chosen, data = labelled(X, y, kernel, sample_weight, "SoftMargin")
        upper = cost * data.weight
        require_range(upper, "C times sample_weight")
        self._fill(gram_of(chosen, data), data.y, upper, kind, paid)
        self.classes, self.weight = data.classes, data.weight

    @classmethod
    def on(cls, gram: Gram, y: Vector, upper: Vector, offset: Offset = Offset.FREE, slack: Slack = Slack.LINEAR) -> Self:
        """The problem from parts that are valid already.

        Parameters
        ----------
        gram : Gram
            Source of kernel values.
        y : ndarray of float64
            Labels −1 and +1.
        upper : ndarray of float64
            ``C_i > 0`` of each row.
        offset : Offset
            What kind of offset b.
        slack : Slack
            How slack is penalised.
        """
        problem = cls.__new__(cls)
        problem._fill(gram, y, upper, offset, slack)
        return problem

    def _fill(self, gram: Gram, y: Vector, upper: Vector, offset: Offset, slack: Slack) -> None:
        require_equally_many(gram, labels=y, bounds=upper)
        self.gram = gram
        self.y = y
        self.upper = self.weight = upper  # of parts nothing else is known: as if C were 1
        self.offset = offset
        self.slack = slack

    @lazy
    def dual(self) -> DualProblem:
        """``q = −y``, and β between 0 and ``y C_i``; for squared slack ``D = 1/(2 C_i)`` instead of the bound."""
        squared = self.slack is Slack.SQUARED
        ends = self.y * np.inf if squared else self.y * self.upper
        penalised, free = self.offset is Offset.PENALISED, self.offset is Offset.FREE
        return DualProblem(
            gram=self.gram.adjusted(np.ones(len(self.y)), 1.0) if penalised else self.gram.centred() if free else self.gram,
            q=-self.y,
            lower=np.minimum(ends, 0.0),
            upper=np.maximum(ends, 0.0),
            offset=free,
            D=0.5 / self.upper if squared else None,
        )

    def slack_rule(self, evaluated: Evaluated) -> Margin:
        """A margin."""
        return Margin()

    def kkt_data(self, evaluated: Evaluated) -> KKTData:
        """Costs ``C_i``, for linear and squared slack alike."""
        return KKTData(
            self.upper,
            free_offset=self.offset is Offset.FREE,
            penalised_offset=self.offset is Offset.PENALISED,
            squared=self.slack is Slack.SQUARED,
        )

    def model(self, beta: Vector, evaluated: Evaluated) -> Model:
        """The answer; a penalised offset is ``Σ β``, and already in the scores of ``k + 1``."""
        model = super().model(beta, evaluated)
        if self.offset is not Offset.PENALISED:
            return model
        bias = float(beta.sum())
        return Model(beta, evaluated.scores, bias, (bias, bias), model.primal, model.dual, model.slack_rule)


@final
class SoftMargins(Sequence[SoftMargin]):
    """Soft margins with a free offset and linear slack over parts of one set of rows.

    What a solver and the evaluation need of all of them is made at once (`batch`); a problem itself where somebody asks for it.

    Parameters
    ----------
    gram : Gram
        Source of kernel values of all rows.
    parts : LabelledParts
        Which rows each problem has, and their labels.
    upper : ndarray of float64
        ``C_i`` of each of all rows, or of each row of each problem, one problem after the other. A row with ``C_i = 0`` is held
        out: its coefficient stays 0.
    own_costs : bool
        Whether every problem has costs of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems._pairs import class_pairs
    >>> from maxmargin.problems._soft_margin import SoftMargins
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> problems = SoftMargins(RBF(gamma=1.0).bind(X).gram(X), class_pairs(np.array([0, 1, 2]), 3), np.ones(3))
    >>> len(problems), problems[2].y
    (3, array([ 1., -1.]))
    """

    def __init__(
        self,
        gram: Gram,
        parts: LabelledParts,
        upper: Vector,
        cores: Sequence[_core.Gram] | None = None,
        *,
        own_costs: bool = False,
    ) -> None:
        self.gram = gram
        self._parts = parts
        self._upper = upper
        self._cores = cores
        self._own_costs = own_costs
        self._cuts = list(accumulate(parts.sizes, initial=0))

    def at(self, upper: Vector) -> SoftMargins:
        """The same problems with other bounds; they share their sources of kernel values."""
        return SoftMargins(self.gram, self._parts, upper, self.batch.grams, own_costs=self._own_costs)

    @lazy
    def batch(self) -> DualBatch:
        """Duals of all."""
        (rows, y, _), count = self._parts, len(self)
        box = _core.margin_box(y, None if self._own_costs else rows, self._upper)
        cores = self._cores
        if cores is None:
            gram = self.gram.centred()
            cores = [gram.core] * count if rows is None else gram.cores_of(rows, self._cuts)
        return DualBatch(
            grams=cores,
            q=box.q,
            lower=box.lower,
            upper=box.upper,
            D=None,
            l1_weight=0.0,
            offset=True,
            total=np.zeros(count),
            abs_sum=None,
            abs_sum_may_fall=False,
        )

    @property
    def sizes(self) -> Sequence[int]:
        """Rows of each."""
        return self._parts.sizes

    def __len__(self) -> int:
        return len(self._parts.sizes)

    @overload
    def __getitem__(self, k: int) -> SoftMargin: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[SoftMargin]: ...
    def __getitem__(self, k: int | slice) -> SoftMargin | Sequence[SoftMargin]:
        if isinstance(k, slice):
            return [self[each] for each in range(*k.indices(len(self)))]
        own = slice(self._cuts[k], self._cuts[k + 1])
        rows, y = self._parts.rows, self._parts.y[own]
        gram = self.gram if rows is None else self.gram.take(rows[own])
        if self._own_costs:
            return SoftMargin.on(gram, y, self._upper[own])
        return SoftMargin.on(gram, y, self._upper if rows is None else self._upper.take(rows[own]))
