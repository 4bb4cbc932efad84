"""Linear models in the primal: a penalty and a loss."""

from __future__ import annotations

import math
from typing import Any, Final, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.losses import Loss, MarginLoss, Perceptron, as_loss
from maxmargin.problems._centring import Centred, Centring, level_of
from maxmargin.problems._linear_objective import LinearObjective, inner
from maxmargin.problems._primal_terms import Penalty, as_bound, as_offset, as_penalty, as_share
from maxmargin.problems._soft_margin import Offset
from maxmargin.validation import (
    check_fraction,
    check_positive,
    feature_matrix,
    reject,
    target_column,
    training_set,
    weighted_rows,
)

__all__ = ["PrimalProblem"]

Vector = NDArray[np.float64]

_SIDES: Final = np.array([-1, 1])
_SIDES.setflags(write=False)  # all problems share it


@final
class PrimalProblem(LinearObjective):
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
    pull : float
        The objective has ``pull · b`` besides: 0 but for `one_class`.

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
            "pull",
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
    pull: float
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
        paid, kind = as_penalty(penalty, owner), as_offset(offset, owner)
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
        pull: float = 0.0,
    ) -> Self:
        """The problem from parts that are valid already: rows, labels −1 and +1 or targets, and ``C_i > 0``.

        Problems of the same rows may share their ``centring``, and the rows as the core takes them. ``l1`` is ρ of an elastic
        net.
        """
        problem = cls.__new__(cls)
        problem._fill(X, y, cost, loss, penalty, offset, offset_scale, B, centring, features, l1, pull=pull)
        return problem

    @classmethod
    def one_class(cls, X: Any, nu: float = 0.5, sample_weight: Any = None) -> Self:
        """One class: minimise ``½|w|² − ν W ρ + Σ w_i max(0, ρ − <w, x_i>)`` over w and ρ, with ``b = −ρ``.

        ``w_i`` are the sample weights and W is their sum. It is the problem `OneClass` with the linear kernel, for many rows:
        the loss is the perceptron's of ``f(x_i) = <w, x_i> − ρ``, and the offset has the linear term ``ν W b``.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n, d)
            Training rows.
        nu : float
            In (0, 1].
        sample_weight : array-like, optional
            Weight of each row: 2 counts the row twice, 0 leaves it out.

        Examples
        --------
        >>> from maxmargin import solve
        >>> from maxmargin.problems import PrimalProblem
        >>> solution = solve(PrimalProblem.one_class([[1.0], [2.0], [3.0], [4.0]], nu=0.2))
        >>> solution.weights.round(6), round(solution.bias, 6)
        (array([0.8]), -0.8)
        """
        share = check_fraction("nu", nu, "PrimalProblem.one_class")
        rows = weighted_rows(feature_matrix(X), sample_weight)
        pull = share * float(rows.weight.sum())
        return cls.on(rows.X, np.ones(len(rows.weight)), rows.weight, Perceptron(), pull=pull)

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
        pull: float = 0.0,
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
            "pull": pull,
            "features": centring.features if features is None else features,
            "centring": centring,
            "_centred": None,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        if pull != 0.0 and not math.isfinite(
            pull / float(cost.sum()) * pull * float(_core.column_squares(self.features, cost).sum())
        ):
            raise InvalidInput(
                "The rows of one class overflow: the squares of their values, times that of the sum of sample_weight, are above"
                f" {np.finfo(np.float64).max:.3g}. Scale X, for example with StandardScaler, or choose smaller weights."
            )

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
        if self.offset is not Offset.FREE or self.pull != 0.0:  # moved rows would pull at the weights too
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

    def gradient(self, w: Vector, b: float = 0.0) -> tuple[Vector, float]:
        """The gradient of the objective in w and in b, or a subgradient; in b it is 0 where there is no offset.

        For a ball it is the gradient inside.
        """
        z = self.loss.argument(self.y, self.scores(w, b))
        change = self.cost * self.loss.derivative(z) * self.loss.slope(self.y)
        in_w, in_b = self.combination(change), float(change.sum()) + self.pull
        penalised = self.offset is Offset.PENALISED
        if self.ridge > 0.0:
            in_w += self.ridge * w
            in_b += self.ridge * b / self.offset_scale**2 if penalised else 0.0
        if self.penalty in (Penalty.L1, Penalty.ELASTIC):
            in_w += self.l1 * np.sign(w)
            in_b += self.l1 * float(np.sign(b)) / self.offset_scale if penalised else 0.0
        return in_w, 0.0 if self.offset is Offset.NONE else in_b
