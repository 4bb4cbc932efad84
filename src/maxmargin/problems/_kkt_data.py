"""What the optimality conditions of an answer need beside its scores."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["KKTData"]


@final
class KKTData(NamedTuple):
    """Costs and equalities of a formulation, in the scale of its answer.

    Attributes
    ----------
    cost : ndarray
        ``C_i`` of each row: with linear slack the largest α; inf where no slack is allowed.
    total : float
        What ``Σ β`` must be where the offset is free.
    free_offset : bool
        Whether there is an offset that is not penalised.
    penalised_offset : bool
        Whether the offset is the weight of a constant feature.
    squared : bool
        Whether the square of the slack is penalised: ``ξ_i = α_i / (2 C_i)``.
    by_side : bool
        Whether ``Σ|β|`` is fixed too, as in ν-problems: then each side has a level of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solution import certify
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1], C=3.0, kernel=Linear())
    >>> problem.kkt_data(certify(problem, np.zeros(2))).cost
    array([3., 3.])
    """

    cost: NDArray[np.float64]
    total: float = 0.0
    free_offset: bool = True
    penalised_offset: bool = False
    squared: bool = False
    by_side: bool = False

    def at(self, rows: NDArray[Any]) -> KKTData:
        """The same for some of the rows."""
        cost = self.cost.take(rows)
        return KKTData(cost, self.total, self.free_offset, self.penalised_offset, self.squared, self.by_side)
