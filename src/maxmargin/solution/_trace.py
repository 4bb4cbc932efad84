"""The way to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.solution._columns import columns_of, table_of

__all__ = ["CHECKPOINT", "KEPT", "Checkpoint", "Trace", "thinned"]

CHECKPOINT: Final = np.dtype(
    {
        "names": [field.name for field in _core.CHECKPOINT_FIELDS],
        "formats": [field.type for field in _core.CHECKPOINT_FIELDS],
        "offsets": [field.offset for field in _core.CHECKPOINT_FIELDS],
        "itemsize": _core.CHECKPOINT_SIZE,
    }
)
"""A checkpoint as the core writes it; the objective is that of its minimisation, minus the dual one."""

KEPT: Final = np.dtype(
    [("seconds", "<f4"), ("steps", "<f4"), ("objective", "<f4"), ("violation", "<f4"), ("gap", "<f4"), ("n_support", "<f4")]
)
"""The same as an estimator keeps it."""


@final
class Checkpoint(NamedTuple):
    """One checkpoint of a solver in Python.

    Attributes
    ----------
    seconds : float
        Time since the start.
    steps : int
        Steps of the solver.
    dual : float
        Dual objective.
    violation : float
        KKT violation; for linear models the relative gap.
    n_support : int
        Rows with a coefficient that is not 0.
    gap : float
        Primal minus dual objective; nan where it is not known.
    """

    seconds: float
    steps: int
    dual: float
    violation: float
    n_support: int
    gap: float = float("nan")


@final
@dataclass(frozen=True, eq=False)
class Trace:
    """Checkpoints of a fit.

    A long fit has at least 30; a method with few rounds, such as Newton's, has one for each round. Solvers of other libraries
    cannot be observed as closely. A long run of PIQP (`DualQP`, `PrimalQP`) has one for each of its rounds, about twenty; HiGHS
    (`LinearProgram`) reports its objective every five seconds; for others, and for short runs, only start and end are known.

    Attributes
    ----------
    checkpoints : structured ndarray
        Fields ``seconds``, ``steps``, ``objective`` (minus the dual one), ``violation``, ``gap`` and ``n_support``.

    Examples
    --------
    >>> from maxmargin import problems, solve
    >>> trace = solve(problems.SoftMargin([[-1.0], [1.0]], [-1, 1])).trace
    >>> bool((trace.steps >= 0).all()), len(trace) >= 1
    (True, True)
    """

    checkpoints: NDArray[Any]

    def __getstate__(self) -> dict[str, Any]:
        """The columns of the table."""
        return {"checkpoints": columns_of(self.checkpoints)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the columns of a table of all checkpoints, or of those that are kept."""
        columns = state.get("checkpoints", {})
        kind = KEPT if getattr(columns.get("steps"), "dtype", None) == KEPT["steps"] else CHECKPOINT
        vars(self)["checkpoints"] = table_of(columns, kind, "Trace")

    @classmethod
    def of(cls, checkpoints: Sequence[Checkpoint] = ()) -> Trace:
        """From the checkpoints of a solver in Python."""
        table = np.zeros(len(checkpoints), dtype=CHECKPOINT)
        for name in ("seconds", "steps", "violation", "gap", "n_support"):
            table[name] = [getattr(each, name) for each in checkpoints]
        table["objective"] = [-each.dual for each in checkpoints]
        return cls(table)

    @classmethod
    def written(cls, by_core: NDArray[np.uint8]) -> Trace:
        """From what the core wrote."""
        return cls(np.frombuffer(by_core, CHECKPOINT))

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Time since the start."""
        return self.checkpoints["seconds"].astype(np.float64)

    @property
    def steps(self) -> NDArray[np.int64]:
        """Steps of the solver."""
        return self.checkpoints["steps"].astype(np.int64)

    @property
    def objective(self) -> NDArray[np.float64]:
        """Dual objective; up to rounding it never falls."""
        return -self.checkpoints["objective"].astype(np.float64)

    @property
    def violation(self) -> NDArray[np.float64]:
        """KKT violation, as the solver sees it; for linear models the relative gap."""
        return self.checkpoints["violation"].astype(np.float64)

    @property
    def gap(self) -> NDArray[np.float64]:
        """Primal minus dual objective, as the solver sees it; nan where it is not known.

        Where the primal objective costs a pass over the rows, it is that of a point evaluated before.
        """
        return self.checkpoints["gap"].astype(np.float64)

    @property
    def primal(self) -> NDArray[np.float64]:
        """Primal objective; nan where it is not known."""
        return self.objective + self.gap

    @property
    def n_support(self) -> NDArray[np.int64]:
        """Number of support vectors."""
        return self.checkpoints["n_support"].astype(np.int64)

    def then(self, later: Trace) -> Trace:
        """This trace with a resumed run after it; the later run counts its own time and steps."""
        if not len(self):
            return later
        moved = later.checkpoints.copy()
        moved["seconds"] += self.checkpoints["seconds"][-1]
        moved["steps"] += self.checkpoints["steps"][-1]
        return Trace(np.concatenate((self.checkpoints, moved)))

    def closed_by(self, last: Checkpoint) -> Trace:
        """This trace with one more checkpoint, unless it already has one at this step."""
        if len(self) and self.steps[-1] >= last.steps:
            return self
        return Trace(np.concatenate((self.checkpoints, Trace.of([last]).checkpoints)))

    def __len__(self) -> int:
        return len(self.checkpoints)


_CHECKPOINTS: Final = 8  # at most so many of a trace are kept, the first, the last, and some between;
_OF_LARGE: Final = 64  # of models that are large themselves so many
_SUPPORT: Final = 48  # support vectors for each checkpoint more


def thinned(checkpoints: NDArray[Any], counts: NDArray[np.int64], n_support: int = 0) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Traces one after the other in single precision, thinned to some checkpoints of each: to more where rows outweigh them."""
    most = min(max(_CHECKPOINTS, n_support // (_SUPPORT * len(counts))), _OF_LARGE)
    if max(counts.tolist()) > most:
        checkpoints, counts = checkpoints[_core.evenly_spaced(counts, most)], np.minimum(counts, most)
    with np.errstate(over="ignore"):
        return checkpoints.astype(KEPT), counts  # field by field: both have them in one order
