"""The folds after a fit: what an interrupt of them leaves, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, final

from maxmargin.errors import FitInterrupted
from maxmargin.solution import SolutionBatch

__all__ = ["FoldStage", "was_plain"]


@final
class FoldStage:
    """Ctrl-C inside is a `FitInterrupted` with the solutions of the fit on all rows, which was done.

    Parameters
    ----------
    found : SolutionBatch or sequence
        These solutions.
    purpose : str
        What the folds are for.
    """

    def __init__(self, found: Sequence[Any], purpose: str) -> None:
        self._found = found
        self._purpose = purpose

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if kind is None or not issubclass(kind, KeyboardInterrupt):
            return
        found = self._found
        raise FitInterrupted(
            f"Interrupted in the folds for {self._purpose}, after the fit on all rows. The exception's `solution` is that of"
            " this fit, or a list of one for each binary classifier or output; the estimator is as it was before.",
            lambda: found[0] if len(found) == 1 else list(found),
        ) from error


def was_plain(found: Sequence[Any]) -> bool:
    """Whether nothing was said of the fit on all rows: a limit that it has come to is not told again of its folds."""
    return found.all_optimal if isinstance(found, SolutionBatch) else all(each.status.is_optimal for each in found)
