"""The way to the answer."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Trace"]


@final
@dataclass(frozen=True, eq=False)
class Trace:
    """Checkpoints of a fit, one entry each: time, pair steps, dual objective, KKT violation, support vectors."""

    seconds: NDArray[np.float64]
    steps: NDArray[Any]
    objective: NDArray[np.float64]
    violation: NDArray[np.float64]
    n_support: NDArray[Any]

    @classmethod
    def from_table(cls, table: NDArray[np.float64]) -> Trace:
        """From the core's table; the dual objective is minus what the core minimises."""
        seconds, steps, objective, violation, n_support = table.T
        return cls(seconds, steps.astype(np.int64), -objective, violation, n_support.astype(np.int64))

    def then(self, later: Trace) -> Trace:
        """This trace with a resumed run after it; the later run counts its own time and steps."""
        if not len(self.seconds):
            return later
        shifts = {"seconds": self.seconds[-1], "steps": self.steps[-1]}
        return Trace(
            *(np.concatenate((getattr(self, f.name), getattr(later, f.name) + shifts.get(f.name, 0))) for f in fields(self))
        )

    def __len__(self) -> int:
        return len(self.seconds)
