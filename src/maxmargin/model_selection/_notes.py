"""What the fits of a search shared, or why they did not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

from maxmargin.model_selection._candidates import Candidate, Group, last_step, steps_before

__all__ = ["Notes", "OutOfTime", "Settings"]


@final
class OutOfTime(Exception):
    """The deadline has come before all cells were there."""


@final
@dataclass(frozen=True)
class Settings:
    """How cells are scored: as scikit-learn names it."""

    scorer: Any
    names: Sequence[str] | None
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]
    return_train_score: bool
    error_score: Any


@final
@dataclass
class Notes:
    """What is told of a search.

    Attributes
    ----------
    by_themselves : int
        Fits of paths that had to be done by themselves.
    whys : dict
        Why, in order.
    without_room : bool
        Whether kernel values of a fold did not fit into memory.
    most_at_once : int
        Kernels whose values come from Python, where more did not fit.
    n_joined : int
        Groups whose folds share one matrix.
    tasks : int
        On a cluster.
    """

    by_themselves: int = 0
    whys: dict[str, None] = field(default_factory=dict)
    without_room: bool = False
    most_at_once: int = 0
    n_joined: int = 0
    tasks: int = 0

    def take(self, other: Notes) -> None:
        """Those of a task besides."""
        self.by_themselves += other.by_themselves
        self.whys.update(other.whys)
        self.without_room |= other.without_room
        self.tasks += 1

    def told(self, groups: Sequence[Group], alone: Sequence[Candidate], n_splits: int) -> str:
        """In words."""
        said = [] if self.tasks == 0 else [f"{self.tasks} tasks ran on a cluster."]
        fits = sum(len(group.members) for group in groups) * n_splits
        whys = "; ".join(self.whys)
        if groups and whys and self.by_themselves == fits:
            said.append(f"{fits} fits share nothing: {whys}.")
        elif groups:
            last = last_step(groups[0].members[0].model)
            values = " and kernel values" if hasattr(last, "kernel") and not self.without_room else ""
            said.append(
                f"{fits} fits of {type(last).__name__} are {len(groups) * n_splits} paths. The fits of a path share"
                f" their rows{values}, and each begins at the solution of the one before."
            )
            if self.n_joined:
                of_which = f"{self.n_joined} of {len(groups)} kernels" if len(groups) > 1 else "the kernel"
                said.append(f"The folds of {of_which} share one matrix of kernel values.")
            if self.most_at_once:
                said.append(
                    f"At most {self.most_at_once} of {len(groups)} kernels at a time: the values of more do not fit into"
                    " cache_size."
                )
            if self.without_room:
                said.append("The kernel values of a fold do not fit into cache_size, so that they are not kept.")
            if steps_before(groups[0].members[0].model) is not None:
                times = (len({group.before for group in groups}) if self.tasks == 0 else len(groups)) * n_splits
                said.append(f"The steps before the last are fitted {times} times.")
            if self.by_themselves:
                said.append(f"{self.by_themselves} of the fits had to be done by themselves{whys and ': ' + whys}.")
        if alone:
            refusals = dict.fromkeys(str(each.refusal) for each in alone)
            said.append(f"{len(alone) * n_splits} fits share nothing: {'; '.join(refusals)}.")
        return " ".join(said)
