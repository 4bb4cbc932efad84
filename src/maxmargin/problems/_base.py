"""What a formulation provides: its dual, a start, and the answer to the dual in its own terms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Protocol, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Gram, Kernel, as_kernel
from maxmargin.problems._dual import DualProblem
from maxmargin.problems._kkt_data import KKTData
from maxmargin.problems._proofs import Inseparable, NoTube
from maxmargin.problems._slack_rule import SlackRule
from maxmargin.validation import (
    TrainingSet,
    WeightedRows,
    feature_matrix,
    object_rows,
    takes_objects,
    training_set,
    weighted_rows,
)

__all__ = [
    "Evaluated",
    "Model",
    "Problem",
    "gram_of",
    "labelled",
    "require_equally_many",
    "require_range",
    "unlabelled",
]

Vector = NDArray[np.float64]


class Evaluated(Protocol):
    """What a formulation reads of an evaluation (`maxmargin.solution.Evaluation`)."""

    @property
    def scores(self) -> Vector: ...
    @property
    def bias(self) -> float: ...
    @property
    def bias_interval(self) -> tuple[float, float]: ...
    @property
    def cost(self) -> float: ...
    @property
    def primal(self) -> float: ...
    @property
    def dual(self) -> float: ...
    @property
    def square_norm(self) -> float: ...
    @property
    def shift(self) -> float: ...
    @property
    def noise(self) -> float: ...
    @property
    def norm_noise(self) -> float: ...
    @property
    def is_zero(self) -> bool: ...


@final
class Model(NamedTuple):
    """An answer in the formulation's own terms.

    Attributes
    ----------
    beta : ndarray
        Coefficients of ``f(x) = Σ β_i k(x_i, x) + b``.
    scores : ndarray
        ``f`` of the training rows.
    bias : float
        b.
    bias_interval : tuple of float
        All optimal offsets.
    primal, dual : float
        Objectives.
    slack_rule : SlackRule
        What the scores mean.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solution import certify
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1], kernel=Linear())
    >>> beta = np.array([-0.5, 0.5])
    >>> problem.model(beta, certify(problem, beta)).scores
    array([-1.,  1.])
    """

    beta: Vector
    scores: Vector
    bias: float
    bias_interval: tuple[float, float]
    primal: float
    dual: float
    slack_rule: SlackRule


class Problem(ABC):
    """A question about data. It knows its dual problem but no solver.

    Attributes
    ----------
    gram : Gram
        Kernel values of the training rows.
    y : ndarray
        Labels −1 and +1, targets, or ones: what the scores are compared with.
    classes : ndarray of shape (2,) or None
        The user's labels for −1 and +1; None where there are none.
    """

    gram: Gram
    y: Vector
    classes: NDArray[Any] | None = None
    can_be_zero: bool = True
    """Whether the optimum may be 0, as it is where ν-problems separate nothing."""

    @property
    @abstractmethod
    def dual(self) -> DualProblem:
        """The canonical dual."""

    @abstractmethod
    def slack_rule(self, evaluated: Evaluated) -> SlackRule:
        """What the scores mean."""

    def start(self) -> Vector | None:
        """A point that satisfies the constraints; None for 0."""
        return None

    def point(self, coefficients: Vector) -> Vector:
        """Coefficients of a model in the dual's variables, up to their length where the dual fixes it."""
        return coefficients

    def unit(self, evaluated: Evaluated) -> float:
        """What a violation of 1 in the dual is in the formulation's own terms."""
        return 1.0

    def objectives(self, evaluated: Evaluated) -> tuple[float, float]:
        """Primal and dual objective in the formulation's own terms; mostly they are those of the dual problem."""
        return evaluated.primal, evaluated.dual

    def within(self, beta: Vector) -> Problem:
        """The problem that a solver gets to continue from β, with bounds far beyond β where there are none; else itself.

        What it finds is evaluated with the bounds of this problem: by smaller ones the loss of a model would be too small.
        """
        return self

    def proof(self, beta: Vector, evaluated: Evaluated) -> Inseparable | NoTube | None:
        """Why there is no answer; None if there is one, as in every problem with slack."""
        return None

    def undecided(self, evaluated: Evaluated) -> str:
        """What floating point could not decide where the search stalled; empty for most."""
        return ""

    def note(self, evaluated: Evaluated) -> str:
        """What to say about an optimum that tells nothing, and what to do; empty for all others."""
        return ""

    def kkt_data(self, evaluated: Evaluated) -> KKTData:
        """Costs and equalities in the scale of the answer; mostly they are those of the dual."""
        dual = self.dual
        return KKTData(np.maximum(-dual.lower, dual.upper), dual.total, dual.offset, by_side=dual.abs_sum is not None)

    def model(self, beta: Vector, evaluated: Evaluated) -> Model:
        """The answer in the formulation's own terms; mostly it is that of the dual."""
        primal, dual = self.objectives(evaluated)
        return Model(
            beta=beta,
            scores=evaluated.scores + evaluated.bias,
            bias=evaluated.bias + evaluated.shift,
            bias_interval=(evaluated.bias_interval[0] + evaluated.shift, evaluated.bias_interval[1] + evaluated.shift),
            primal=primal,
            dual=dual,
            slack_rule=self.slack_rule(evaluated),
        )


def labelled(X: Any, y: Any, kernel: Kernel | Any, sample_weight: Any, owner: str) -> tuple[Kernel, TrainingSet]:
    """Kernel and data of two classes, validated."""
    chosen = as_kernel(RBF() if kernel is None else kernel, owner=owner)
    objects = takes_objects(chosen.input_kind, X)
    return chosen, training_set(X, y, sample_weight, pairwise=chosen.input_kind == "precomputed", objects=objects)


def unlabelled(X: Any, kernel: Kernel | Any, sample_weight: Any, owner: str) -> tuple[Kernel, Any, WeightedRows]:
    """Kernel, all rows, and those with weight, validated."""
    chosen = as_kernel(RBF() if kernel is None else kernel, owner=owner)
    pairwise = chosen.input_kind == "precomputed"
    objects = takes_objects(chosen.input_kind, X)
    rows = object_rows(X) if objects else feature_matrix(X, pairwise=pairwise)
    return chosen, rows, weighted_rows(rows, sample_weight, pairwise=pairwise)


def require_equally_many(gram: Gram, **vectors: Vector) -> None:
    """Raise unless there is one label, target, bound or weight for each row."""
    if any(len(vector) != gram.n for vector in vectors.values()):
        counts = [f"{gram.n} rows", *(f"{len(vector)} {name}" for name, vector in vectors.items())]
        raise InvalidInput(f"Got {', '.join(counts[:-1])} and {counts[-1]}; they must be equally many.")


def require_range(costs: Vector, names: str, targets: Vector | None = None, *, endless: bool = False) -> None:
    """Raise where the objective overflows: its squares have as much of β as all costs together, its products targets too.

    Parameters
    ----------
    costs : ndarray
        ``C_i`` or weights of the rows.
    names : str
        The parameters they come from.
    targets : ndarray, optional
        What they are multiplied with, if not with labels.
    endless : bool
        Whether infinite costs stand for none.
    """
    with np.errstate(over="ignore"):
        total = float(costs[np.isfinite(costs)].sum() if endless else costs.sum())
        if total > _LARGEST:
            raise InvalidInput(
                f"{names} is too large: its sum over the rows is {total:.3g}, and above {_LARGEST:g} squares overflow."
                f" Choose a smaller {names.split(maxsplit=1)[0]}."
            )
        size = 0.0 if targets is None else float(np.abs(targets).max())
        if size > _LARGEST and (np.isinf(costs).any() or size * total > 1e5 * _LARGEST**2):
            raise InvalidInput(
                f"The targets in y are too large: the largest is {size:.3g}, and with this C the objective overflows."
                " Scale the targets, for example with TransformedTargetRegressor, or choose a smaller C."
            )


_LARGEST = 1e150  # its square is a number


def gram_of(kernel: Kernel, data: TrainingSet | WeightedRows) -> Gram:
    """Kernel values of validated rows."""
    return kernel.bind(data.X, data.sample_weight).gram(data.X)
