"""The answer to a linear model whose rows come in blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.solution._certificate import Certificate
from maxmargin.solution._named_status import NamedStatus
from maxmargin.solution._status import Status
from maxmargin.solution._trace import Trace

__all__ = ["BlockSolution"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class BlockSolution(NamedStatus):
    """``f(x) = <w, x> + b`` with the proof of its optimality, without a multiplier for each row.

    Attributes
    ----------
    weights, bias : ndarray of shape (d,), float
        w and b; of all classes at once ``w_k`` and ``b_k``, of shapes (K, d) and (K,).
    status : Status
        How the fit ended.
    certificate : Certificate
        Objectives and gap.
    trace : Trace
        A checkpoint for each round.
    steps : int
        Newton rounds.
    active : int
        Rows with a multiplier that is not 0.
    passes : int
        Passes over the rows until then.
    classes : ndarray or None
        The labels of the negative and of the positive side, or of all classes at once; None for a regression.
    is_float32 : bool
        Weights are float64 whatever the rows are.
    """

    weights: Vector
    bias: Any
    status: Status
    certificate: Certificate
    trace: Trace
    steps: int
    active: int
    passes: int
    classes: NDArray[Any] | None = None
    is_float32: bool = False

    def moved(self, weights: Vector, bias: Any) -> BlockSolution:
        """The same solution for other coordinates of the rows."""
        return replace(self, weights=weights, bias=bias)

    def __repr__(self) -> str:
        return f"<BlockSolution: {self.certificate.brief}; {self.weights.size} weights in {self.passes} passes>"
