"""Linear models of all classes at once in the primal."""

from __future__ import annotations

from enum import Enum
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels import as_features
from maxmargin.problems._class_objective import ClassObjective
from maxmargin.problems._primal_terms import Penalty, as_offset, as_share
from maxmargin.problems._soft_margin import Offset
from maxmargin.validation import check_positive, feature_matrix, label_column, labelled_set, reject

__all__ = ["ClassLoss", "MulticlassLinear", "log_of_sum"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


class ClassLoss(Enum):
    """Loss of a row of class y with scores f."""

    MULTINOMIAL = "multinomial"
    """``log Σ_k exp f_k − f_y``: minus the logarithm of its probability."""
    JOINT = "joint"
    """``max_k (f_k + [k ≠ y]) − f_y``: how far the highest rival is from being 1 behind."""


@final
class MulticlassLinear(ClassObjective):
    """Minimise ``½ Σ_k |w_k|² + Σ_i C_i ℓ(f(x_i), y_i)`` over all w_k and b_k, with ``f_k(x) = <w_k, x> + b_k``.

    The multinomial loss ``log Σ_k exp f_k − f_y`` gives multinomial logistic regression; the joint loss
    ``max_k (f_k + [k ≠ y]) − f_y`` is that of Crammer and Singer (2001): `CrammerSinger` at twice the C has the same optimum.
    For two classes ``f_1 − f_0`` is the binary model at ``2C``. A penalised offset adds ``½b_k²``. The multinomial loss may
    have ``Σ_k |w_k|₁`` in place of ``½ Σ_k |w_k|²`` (``penalty="l1"``), or ``Σ_k (ρ|w_k|₁ + (1 − ρ)/2 |w_k|²)`` with
    ``ρ = l1_ratio`` (``penalty="elasticnet"``), and the same of penalised offsets. With ``|w|₁`` alone the scores of all
    classes may often rise by the same without a cost: their differences are unique where weights are not.
    ``C_i = C · sample_weight_i``. X is not copied: float32 stays float32, CSR stays CSR.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n, d)
        Training rows.
    y : array-like
        Labels of two or more classes.
    loss : "multinomial", "joint" or ClassLoss
        The loss of a row.
    penalty : "l2", "l1", "elasticnet" or None
        The penalty on large weights; the joint loss needs "l2".
    C : float
        Factor of the loss.
    offset : "free", "penalised" or None
        Whether the scores have offsets b_k, and whether they are penalised like weights. Free ones sum to 0.
    sample_weight : array-like, optional
        Weight of each row: 2 counts the row twice, 0 leaves it out.
    offset_scale : float
        Scale of a penalised offset: it costs ``½(b_k/scale)²``, like the weight of a constant feature of this value.
    l1_ratio : float, optional
        ρ of the penalty "elasticnet", between 0 and 1.

    Attributes
    ----------
    X : ndarray or CSR matrix
        Rows with a positive weight.
    codes : ndarray of intp
        The number of each row's class.
    classes : ndarray
        The labels, sorted.
    cost : ndarray of float64
        ``C_i``.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import MulticlassLinear
    >>> problem = MulticlassLinear([[-1.0], [0.0], [1.0]], ["a", "b", "c"], loss="joint", C=10.0)
    >>> problem.objective(np.zeros((3, 1)), np.zeros(3))
    30.0
    >>> problem.objective(np.array([[-2.0], [0.0], [2.0]]), np.array([-1.0, 0.0, -1.0]))
    4.0
    """

    __slots__ = ("X", "classes", "codes", "cost", "features", "l1", "loss", "offset", "offset_scale", "penalty")

    X: Any
    codes: NDArray[np.intp]
    classes: NDArray[Any]
    cost: Vector
    loss: ClassLoss
    penalty: Penalty
    offset: Offset
    offset_scale: float
    l1: float
    features: _core.Features

    def __init__(
        self,
        X: Any,
        y: Any,
        loss: ClassLoss | str = "multinomial",
        penalty: str | Penalty | None = "l2",
        C: float = 1.0,
        offset: str | Offset | None = "free",
        sample_weight: Any = None,
        offset_scale: float = 1.0,
        l1_ratio: float | None = None,
    ) -> None:
        owner = "MulticlassLinear"
        lost, cost = _as_class_loss(loss, owner), check_positive("C", C, owner)
        paid = _as_class_penalty(penalty, owner)
        kind = as_offset(offset, owner)
        scale = check_positive("offset_scale", offset_scale, owner)
        if kind is not Offset.PENALISED and scale != 1.0:
            raise reject("offset_scale", offset_scale, owner, "1.0 where the offset is not penalised")
        rows = feature_matrix(X)
        data = labelled_set(rows, label_column(y, rows), sample_weight)
        share = as_share(l1_ratio, paid, owner)
        self._fill(data.X, data.codes, data.classes, cost * data.weight, lost, paid, kind, scale, share)

    @classmethod
    def on(
        cls,
        X: Any,
        codes: NDArray[np.intp],
        classes: NDArray[Any],
        cost: Vector,
        loss: ClassLoss,
        penalty: Penalty = Penalty.L2,
        offset: Offset = Offset.FREE,
        offset_scale: float = 1.0,
        l1: float = 1.0,
    ) -> Self:
        """The problem from parts that are valid already: rows, class numbers, classes, ``C_i > 0``; ρ of an elastic net."""
        problem = cls.__new__(cls)
        problem._fill(X, codes, classes, cost, loss, penalty, offset, offset_scale, l1)
        return problem

    def at(self, cost: Vector) -> Self:
        """The same problem with other ``C_i > 0``."""
        other = type(self).__new__(type(self))
        for name in self.__slots__:
            object.__setattr__(other, name, getattr(self, name))
        object.__setattr__(other, "cost", cost)
        return other

    def _fill(
        self,
        X: Any,
        codes: NDArray[np.intp],
        classes: NDArray[Any],
        cost: Vector,
        loss: ClassLoss,
        penalty: Penalty,
        offset: Offset,
        offset_scale: float,
        l1: float,
    ) -> None:
        if not len(codes) == len(cost) == X.shape[0]:
            raise InvalidInput(f"Got {X.shape[0]} rows, {len(codes)} labels and {len(cost)} costs; they must be equally many.")
        if penalty in (Penalty.L1, Penalty.ELASTIC) and loss is not ClassLoss.MULTINOMIAL:
            raise InvalidInput(
                f"penalty={penalty.value!r} goes with the multinomial loss only, and loss={loss.value!r} was given."
                " Set penalty='l2'."
            )
        if penalty is Penalty.NONE and loss is not ClassLoss.MULTINOMIAL:
            raise InvalidInput("Without a penalty only the multinomial loss has a dual that is bounded. Set penalty='l2'.")
        fields = {
            "X": X,
            "codes": codes,
            "classes": classes,
            "cost": cost,
            "loss": loss,
            "penalty": penalty,
            "offset": offset,
            "offset_scale": offset_scale,
            "l1": l1,
            "features": as_features(X),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"MulticlassLinear is frozen: {name} cannot be set. Make another problem.")

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self.X.shape[1])

    def scores(self, w: Matrix, b: Vector) -> Matrix:
        """``f_k(x_i) = <w_k, x_i> + b_k`` of the training rows, shape (n, K), in float64."""
        if not w.any():  # before the first step
            return np.tile(np.asarray(b, dtype=np.float64), (self.n, 1))
        return _core.class_products(self.features, np.ascontiguousarray(w.T, dtype=np.float64)) + b

    def combinations(self, coefficients: Matrix) -> Matrix:
        """``Σ_i c_ik x_i`` for each class, shape (K, d), in float64."""
        if not coefficients.any():
            return np.zeros((coefficients.shape[1], self.d))
        return _core.class_sums(self.features, np.ascontiguousarray(coefficients, dtype=np.float64)).T

    def objective(self, w: Matrix, b: Vector) -> float:
        """The objective at weights of shape (K, d) and offsets of shape (K,)."""
        return self.penalty_of(w, b) + float((self.cost * self.losses(self.scores(w, b))).sum())

    def losses(self, scores: Matrix) -> Vector:
        """The loss of each row, from scores of shape (n, K)."""
        own = scores[np.arange(self.n), self.codes][:, np.newaxis]
        f = scores - own
        if self.loss is ClassLoss.MULTINOMIAL:
            return log_of_sum(f, self.codes)
        # On the margin all digits of 1 + f cancel, and a large cost shows what the difference was rounded by (Knuth's two-sum).
        with np.errstate(invalid="ignore"):
            whole = f + own
            rounded = (scores - whole) + ((whole - f) - own)
        f = (f + 1.0) + np.where(np.isfinite(rounded), rounded, 0.0)
        f[np.arange(self.n), self.codes] = 0.0
        return np.asarray(f.max(axis=1))

    @staticmethod
    def probabilities(scores: Matrix) -> Matrix:
        """``e^f_k / Σ_l e^f_l`` of each row: the slopes of the multinomial loss, which are 1 less for a row's own class."""
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(e / e.sum(axis=1, keepdims=True))


def log_of_sum(f: Matrix, own: NDArray[np.intp]) -> Vector:
    """``log Σ_k exp f_k`` where the own score is 0, with all digits also where it is nearly 0."""
    top = f.max(axis=1)
    e = np.exp(f - top[:, np.newaxis])
    e[np.arange(len(e)), own] = 0.0
    rest = e.sum(axis=1)
    return np.asarray(np.where(top > 0.0, top + np.log(rest + np.exp(-top)), np.log1p(rest)))


def _as_class_penalty(penalty: Any, owner: str) -> Penalty:
    if penalty is None:
        return Penalty.NONE
    for member in (Penalty.L2, Penalty.L1, Penalty.ELASTIC, Penalty.NONE):
        if penalty is member or (isinstance(penalty, str) and member is not Penalty.NONE and penalty == member.value):
            return member
    raise reject("penalty", penalty, owner, "a str among {'l2', 'l1', 'elasticnet'} or None")


def _as_class_loss(loss: Any, owner: str) -> ClassLoss:
    if isinstance(loss, ClassLoss):
        return loss
    if isinstance(loss, str) and loss in [member.value for member in ClassLoss]:
        return ClassLoss(loss)
    raise reject("loss", loss, owner, "a str among {'multinomial', 'joint'}")
