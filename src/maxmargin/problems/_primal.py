"""Linear models in the primal: a penalty and a loss."""

from __future__ import annotations

import math
from enum import Enum
from typing import Any, Final, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.losses import Loss, MarginLoss, as_loss
from maxmargin.problems._centring import Centred, Centring, level_of
from maxmargin.problems._soft_margin import Offset
from maxmargin.validation import check_positive, check_share, feature_matrix, reject, target_column, training_set, weighted_rows

__all__ = ["Penalty", "PrimalProblem"]

Vector = NDArray[np.float64]

_SIDES: Final = np.array([-1, 1])
_SIDES.setflags(write=False)  # all problems share it
_ROUNDING: Final = 1e-12  # a w that is scaled to the surface of a ball is there up to this


def inner(x: Vector, y: Vector) -> float:
    """``<x, y>``, summed by numpy: BLAS sums in another order for every number of threads, and waits for busy cores.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems._primal import inner
    >>> inner(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float((x * y).sum())


class Penalty(Enum):
    """The penalty on large weights."""

    L2 = "l2"
    """``½|w|²``"""
    L1 = "l1"
    """``|w|₁ = Σ|w_k|``: weights that do not earn their cost are exactly 0."""
    ELASTIC = "elasticnet"
    """``ρ|w|₁ + (1 − ρ)/2 |w|²`` with ``ρ = l1_ratio``: also 0, and features that are alike share their weight."""
    BALL = "ball"
    """No penalty, but the constraint ``|w|² ≤ B``: the constrained form."""
    NONE = "none"
    """No penalty: the loss alone, which need not have a minimum."""


@final
class PrimalProblem:
    """Minimise ``½|w|² + Σ C_i ℓ(y_i f(x_i))`` over w and b, with ``f(x) = <w, x> + b``.

    A penalised offset adds ``½b²``. With ``penalty="l1"`` the penalty is ``|w|₁ = Σ|w_k|`` in place of ``½|w|²``, and ``|b|``
    in place of ``½b²``. With ``penalty="elasticnet"`` it is ``ρ|w|₁ + (1 − ρ)/2 |w|²`` with ``ρ = l1_ratio`` (Zou and Hastie
    2005), and the same of a penalised offset. With ``penalty="ball"`` the loss alone is minimised, subject to ``|w|² ≤ B`` (a
    penalised offset counts in ``|w|²``). For a loss of residuals (ε-insensitive), y are targets, and the loss is a function of
    ``y_i − f(x_i)``. ``C_i = C · sample_weight_i``. X is not copied: float32 stays float32, CSR stays CSR.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n, d)
        Training rows.
    y : array-like
        Labels of two classes, of which the one that sorts last is +1; or targets, for a loss of residuals.
    loss : Loss or str
        The loss of a row: an object of `maxmargin.losses` or its name, such as "hinge", "squared_hinge" or "logistic".
    penalty : "l2", "l1", "elasticnet", "ball" or None
        The penalty on large weights.
    C : float
        Factor of the loss.
    offset : "free", "penalised" or None
        Whether f has an offset b, and whether it is penalised like a weight.
    sample_weight : array-like, optional
        Weight of each row: 2 counts the row twice, 0 leaves it out.
    offset_scale : float
        Scale of a penalised offset: it costs ``½(b/scale)²`` or ``|b|/scale``, like the weight of a constant feature of this
        value.
    B : float, optional
        The largest ``|w|²``, for the penalty "ball".
    l1_ratio : float, optional
        ρ of the penalty "elasticnet", between 0 and 1.

    Attributes
    ----------
    X : ndarray or CSR matrix
        Rows with a positive weight.
    y : ndarray of float64
        Labels −1 and +1, or targets.
    cost : ndarray of float64
        ``C_i``.
    classes : ndarray of shape (2,) or None
        The user's labels for −1 and +1; None for a regression.
    centring : Centring
        Which columns are far from 0, and the rows with these centred.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import PrimalProblem
    >>> problem = PrimalProblem([[-1.0], [1.0]], [-1, 1], loss="hinge", C=10.0)
    >>> problem.objective(np.array([0.5]), 0.0), problem.objective(np.array([1.0]), 0.0)
    (10.125, 0.5)
    """

    __slots__ = (
        *(
            "B",
            "X",
            "_centred",
            "centring",
            "classes",
            "features",
            "l1",
            "loss",
            "offset",
            "offset_scale",
            "penalty",
            "cost",
            "y",
        ),
    )

    X: Any
    y: Vector
    cost: Vector
    classes: NDArray[Any] | None
    loss: Loss
    penalty: Penalty
    offset: Offset
    offset_scale: float
    B: float
    l1: float
    features: _core.Features
    centring: Centring
    _centred: tuple[Centred | None] | None

    def __init__(
        self,
        X: Any,
        y: Any,
        loss: Loss | str = "hinge",
        penalty: str | Penalty | None = "l2",
        C: float = 1.0,
        offset: str | Offset | None = "free",
        sample_weight: Any = None,
        offset_scale: float = 1.0,
        B: float | None = None,
        l1_ratio: float | None = None,
    ) -> None:
        owner = "PrimalProblem"
        lost, cost = as_loss(loss, owner), check_positive("C", C, owner)
        paid, kind = as_penalty(penalty, owner), _as_offset(offset, owner)
        scale = check_positive("offset_scale", offset_scale, owner)
        if kind is not Offset.PENALISED and scale != 1.0:
            raise reject("offset_scale", offset_scale, owner, "1.0 where the offset is not penalised")
        bound, l1 = as_bound(B, paid, owner), as_share(l1_ratio, paid, owner)
        if isinstance(lost, MarginLoss):
            data = training_set(X, y, sample_weight)
            self._fill(data.X, data.y, cost * data.weight, lost, paid, kind, scale, bound, l1=l1, classes=data.classes)
        else:
            matrix = feature_matrix(X)
            rows = weighted_rows(matrix, sample_weight)
            target = rows.of_kept(target_column(y, matrix))
            self._fill(rows.X, target, cost * rows.weight, lost, paid, kind, scale, bound, l1=l1)

    @classmethod
    def on(
        cls,
        X: Any,
        y: Vector,
        cost: Vector,
        loss: Loss,
        penalty: Penalty = Penalty.L2,
        offset: Offset = Offset.FREE,
        offset_scale: float = 1.0,
        B: float = math.inf,
        centring: Centring | None = None,
        features: _core.Features | None = None,
        l1: float = 1.0,
    ) -> Self:
        """The problem from parts that are valid already: rows, labels −1 and +1 or targets, and ``C_i > 0``.

        Problems of the same rows may share their ``centring``, and the rows as the core takes them. ``l1`` is ρ of an elastic
        net.
        """
        problem = cls.__new__(cls)
        problem._fill(X, y, cost, loss, penalty, offset, offset_scale, B, centring, features, l1)
        return problem

    def at(self, cost: Vector) -> Self:
        """The same problem with other ``C_i > 0``."""
        other = type(self).__new__(type(self))
        for name in self.__slots__:
            object.__setattr__(other, name, getattr(self, name))
        object.__setattr__(other, "cost", cost)
        object.__setattr__(other, "_centred", None)
        return other

    def _fill(
        self,
        X: Any,
        y: Vector,
        cost: Vector,
        loss: Loss,
        penalty: Penalty,
        offset: Offset,
        offset_scale: float,
        B: float,
        centring: Centring | None = None,
        features: _core.Features | None = None,
        l1: float = 1.0,
        classes: NDArray[Any] | None = None,
    ) -> None:
        centring = Centring(X) if centring is None else centring
        if not len(y) == len(cost) == X.shape[0]:
            raise InvalidInput(f"Got {X.shape[0]} rows, {len(y)} labels and {len(cost)} costs; they must be equally many.")
        fields = {
            "X": X,
            "y": y,
            "cost": cost,
            "classes": _SIDES if classes is None and isinstance(loss, MarginLoss) else classes,
            "loss": loss,
            "penalty": penalty,
            "offset": offset,
            "offset_scale": offset_scale,
            "B": B,
            "l1": l1,
            "features": centring.features if features is None else features,
            "centring": centring,
            "_centred": None,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"PrimalProblem is frozen: {name} cannot be set. Make another problem.")

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    @property
    def centred(self) -> Centred | None:
        """The same problem with rows and targets near 0; None where they already are, or where no free offset allows it."""
        known = self._centred
        if known is None:
            known = (self._moved(),)
            object.__setattr__(self, "_centred", known)
        return known[0]

    def _moved(self) -> Centred | None:
        if self.offset is not Offset.FREE:
            return None
        mean = self.centring.mean
        level = 0.0 if isinstance(self.loss, MarginLoss) else level_of(self.y)
        if mean is None and level == 0.0:
            return None
        X = self.centring.X
        terms = (self.loss, self.penalty, self.offset, self.offset_scale, self.B)
        # Its own rows are near 0, or as near as they can be.
        near = type(self).on(X, self.y - level, self.cost, *terms, features=self.centring.near, l1=self.l1)
        object.__setattr__(near, "_centred", (None,))
        return Centred(near, mean, level)

    @property
    def ridge(self) -> float:
        """Factor of ``½|w|²`` in the penalty."""
        if self.penalty is Penalty.ELASTIC:
            return 1.0 - self.l1
        return 1.0 if self.penalty is Penalty.L2 else 0.0

    def scores(self, w: Vector, b: float = 0.0) -> Vector:
        """``f(x_i) = <w, x_i> + b`` of the training rows, in float64."""
        if not np.count_nonzero(w):  # before the first step, and where the time is over then: the rows need not be looked at
            return np.full(self.n, float(b))
        return _core.row_products(self.features, np.ascontiguousarray(w, dtype=np.float64)) + b

    def combination(self, coefficients: Vector) -> Vector:
        """``Σ c_i x_i``, in float64."""
        if not np.count_nonzero(coefficients):
            return np.zeros(self.d)
        return _core.row_sum(self.features, np.ascontiguousarray(coefficients, dtype=np.float64))

    def objective(self, w: Vector, b: float = 0.0) -> float:
        """The objective at w and b."""
        loss = self.loss.value(self.loss.argument(self.y, self.scores(w, b)))
        return self.penalty_of(w, b) + inner(self.cost, loss)

    def penalty_of(self, w: Vector, b: float = 0.0) -> float:
        """``½|w|²``, ``|w|₁`` or both, and the same of ``b/scale`` if the offset is penalised; infinite outside a ball."""
        if self.penalty is Penalty.NONE:
            return 0.0
        offset = b / self.offset_scale if self.offset is Offset.PENALISED else 0.0
        if self.penalty in (Penalty.L1, Penalty.ELASTIC):
            absolute = float(np.abs(w).sum()) + abs(offset)
            return self.l1 * absolute + 0.5 * self.ridge * (inner(w, w) + offset * offset)
        half = 0.5 * inner(w, w) + 0.5 * offset * offset
        if self.penalty is Penalty.BALL:
            return math.inf if 2.0 * half > self.B * (1.0 + _ROUNDING) else 0.0
        return half

    def gradient(self, w: Vector, b: float = 0.0) -> tuple[Vector, float]:
        """The gradient of the objective in w and in b, or a subgradient; in b it is 0 where there is no offset.

        For a ball it is the gradient inside.
        """
        z = self.loss.argument(self.y, self.scores(w, b))
        change = self.cost * self.loss.derivative(z) * self.loss.slope(self.y)
        in_w, in_b = self.combination(change), float(change.sum())
        penalised = self.offset is Offset.PENALISED
        if self.ridge > 0.0:
            in_w += self.ridge * w
            in_b += self.ridge * b / self.offset_scale**2 if penalised else 0.0
        if self.penalty in (Penalty.L1, Penalty.ELASTIC):
            in_w += self.l1 * np.sign(w)
            in_b += self.l1 * float(np.sign(b)) / self.offset_scale if penalised else 0.0
        return in_w, 0.0 if self.offset is Offset.NONE else in_b


def as_penalty(penalty: Any, owner: str) -> Penalty:
    """A penalty from its name, None, or itself.

    Examples
    --------
    >>> from maxmargin.problems._primal import as_penalty
    >>> as_penalty("l2", owner="PrimalProblem"), as_penalty(None, owner="PrimalProblem")
    (<Penalty.L2: 'l2'>, <Penalty.NONE: 'none'>)
    """
    if isinstance(penalty, Penalty):
        return penalty
    if penalty is None:
        return Penalty.NONE
    names = [member.value for member in Penalty if member is not Penalty.NONE]
    if isinstance(penalty, str) and penalty in names:
        return Penalty(penalty)
    raise reject("penalty", penalty, owner, f"a str among {{{', '.join(map(repr, names))}}} or None")


def as_bound(B: Any, penalty: Penalty, owner: str) -> float:
    """B of a ball, infinite without one; raises where one is missing, or not for this penalty.

    Examples
    --------
    >>> from maxmargin.problems import Penalty
    >>> from maxmargin.problems._primal import as_bound
    >>> as_bound(4.0, Penalty.BALL, owner="PrimalProblem"), as_bound(None, Penalty.L2, owner="PrimalProblem")
    (4.0, inf)
    """
    if penalty is Penalty.BALL:
        return check_positive("B", B, owner)
    if B is not None:
        raise reject("B", B, owner, "None where the penalty is not 'ball'")
    return math.inf


def as_share(l1_ratio: Any, penalty: Penalty, owner: str) -> float:
    """ρ of an elastic net, 1 without one; raises where one is missing, or not for this penalty.

    Examples
    --------
    >>> from maxmargin.problems import Penalty
    >>> from maxmargin.problems._primal import as_share
    >>> as_share(0.5, Penalty.ELASTIC, owner="PrimalProblem"), as_share(None, Penalty.L2, owner="PrimalProblem")
    (0.5, 1.0)
    """
    if penalty is not Penalty.ELASTIC:
        if l1_ratio is not None:
            raise reject("l1_ratio", l1_ratio, owner, "None where the penalty is not 'elasticnet'")
        return 1.0
    wanted = "a float in the range (0.0, 1.0): at its ends the penalty is 'l2' or 'l1'"
    try:
        share = check_share("l1_ratio", l1_ratio, owner)
    except InvalidInput:
        raise reject("l1_ratio", l1_ratio, owner, wanted) from None
    if share in (0.0, 1.0):
        raise reject("l1_ratio", l1_ratio, owner, wanted)
    return share


def _as_offset(offset: Any, owner: str) -> Offset:
    if offset is None or isinstance(offset, Offset):
        return offset or Offset.NONE
    if isinstance(offset, str) and offset in (Offset.FREE.value, Offset.PENALISED.value):
        return Offset(offset)
    raise reject("offset", offset, owner, "a str among {'free', 'penalised'} or None")
