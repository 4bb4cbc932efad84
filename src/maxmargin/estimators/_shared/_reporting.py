"""What ``verbose`` prints: through Python, so that notebooks, loggers and tests can capture it."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import Any, Self, final

__all__ = ["LineReport", "LiveReport", "Report", "SilentReport", "report_for"]


class Report(ABC):
    """Is told about each subproblem when it starts, while it runs and when it is done."""

    silent: bool = False
    """Whether nobody listens, so that there is nothing to report."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    @abstractmethod
    def start(self, name: str) -> Callable[[Any], bool] | None:
        """Begin a subproblem; returns the function that the solver calls at its checkpoints, if any."""

    @abstractmethod
    def together(self, names: list[str]) -> Callable[[Any], bool] | None:
        """The same for subproblems that run at the same time: each report has the number of its own."""

    @abstractmethod
    def done(self, solution: Any) -> None:
        """End a subproblem."""


@final
class SilentReport(Report):
    """Prints nothing and asks the solver for nothing."""

    silent = True

    def start(self, name: str) -> Callable[[Any], bool] | None:
        return None

    def together(self, names: list[str]) -> Callable[[Any], bool] | None:
        return None

    def done(self, solution: Any) -> None:
        return None


@final
class LineReport(Report):
    """Prints a line at some checkpoints and one at the end of each subproblem.

    Parameters
    ----------
    n_subproblems : int
        Number of subproblems of the fit.
    every : float
        Seconds between two lines about the same subproblem.
    """

    def __init__(self, n_subproblems: int, every: float = 1.0) -> None:
        self.n_subproblems = n_subproblems
        self.every = every
        self._count = 0
        self._name = ""
        self._names: list[str] = []
        self._said = 0.0

    def start(self, name: str) -> Callable[[Any], bool] | None:
        self._count += 1
        self._name = name
        self._names = [name]
        self._said = time.perf_counter()
        return self._checkpoint

    def together(self, names: list[str]) -> Callable[[Any], bool] | None:
        self._names = names
        self._said = time.perf_counter()
        return self._checkpoint

    def done(self, solution: Any) -> None:
        print(f"{self._prefix(self._count, self._name)} {_summary(solution)}", flush=True)

    def _checkpoint(self, progress: Any) -> bool:
        now = time.perf_counter()
        if now - self._said >= self.every:
            self._said = now
            number = progress.subproblem + 1 if len(self._names) > 1 else self._count
            print(f"{self._prefix(number, self._names[min(number, len(self._names)) - 1])} {_state(progress)}", flush=True)
        return False

    def _prefix(self, number: int, name: str) -> str:
        return f"[maxmargin] {number}/{self.n_subproblems} {name}:"


@final
class LiveReport(Report):
    """A moving line on a terminal, drawn with rich.

    Parameters
    ----------
    n_subproblems : int
        Number of subproblems of the fit.
    progress : rich.progress.Progress
        The display.
    """

    def __init__(self, n_subproblems: int, progress: Any) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=n_subproblems)
        self._name = ""
        self._names: list[str] = []

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._progress.stop()

    def start(self, name: str) -> Callable[[Any], bool] | None:
        self._name = name
        self._names = [name]
        self._progress.update(self._task, description=name)
        return self._checkpoint

    def together(self, names: list[str]) -> Callable[[Any], bool] | None:
        self._names = names
        return self._checkpoint

    def done(self, solution: Any) -> None:
        self._progress.console.print(f"{self._name}: {_summary(solution)}", markup=False, highlight=False)
        self._progress.advance(self._task)

    def _checkpoint(self, progress: Any) -> bool:
        name = self._names[progress.subproblem if len(self._names) > 1 else 0]
        self._progress.update(self._task, description=f"{name}: {_state(progress)}")
        return False


def report_for(verbose: bool | int, n_subproblems: int) -> Report:
    """Silent, a live line if rich is there and stdout is a terminal, else plain lines."""
    if not verbose:
        return SilentReport()
    try:
        console = import_module("rich.console").Console(file=sys.stdout)
        rich = import_module("rich.progress")
    except ImportError:
        return LineReport(n_subproblems)
    if not console.is_terminal:
        return LineReport(n_subproblems)
    columns = (
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeElapsedColumn(),
        rich.TextColumn("{task.description}", markup=False),
    )
    return LiveReport(n_subproblems, rich.Progress(*columns, console=console))


def _state(progress: Any) -> str:
    return (
        f"{progress.steps} steps, {progress.seconds:.1f} s, objective {progress.objective:.6g},"
        f" violation {progress.violation:.1e}, {progress.n_support} support vectors"
    )


def _summary(solution: Any) -> str:
    certificate = solution.certificate
    return (
        f"{solution.status.name.lower().replace('_', ' ')}, {solution.steps} steps,"
        f" {len(solution.support)} support vectors, objective {certificate.primal_objective:.6g},"
        f" relative gap {certificate.relative_gap:.1e}"
    )
