"""What ``verbose`` shows: a bar on a terminal and in a notebook, and lines through the logger "maxmargin"."""

from __future__ import annotations

import logging
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from html import escape
from importlib import import_module
from types import TracebackType
from typing import Any, Final, Self, final

from maxmargin.estimators._shared._course import Course
from maxmargin.solution import BlockSolution, LinearSolution, MulticlassSolution, Progress

__all__ = ["LineReport", "LiveReport", "NotebookReport", "Report", "SilentReport", "report_for", "say"]

_LOGGER: Final = logging.getLogger("maxmargin")
_WIDTH: Final = 80  # columns of a terminal
_REDRAWN: Final = 0.1  # seconds between two pictures of a notebook's bar


def say(line: str) -> None:
    """A line to the logger "maxmargin" where its INFO is handled, else to stdout."""
    if _LOGGER.isEnabledFor(logging.INFO) and _LOGGER.hasHandlers():
        _LOGGER.info(line)
    else:
        print(f"[maxmargin] {line}", flush=True)


class Report(ABC):
    """Is told about each subproblem when it starts, while it runs and when it is done.

    Parameters
    ----------
    title : str
        Whose fit it is.
    n_subproblems : int
        Number of subproblems of the fit.
    tol : float
        Where they stop.
    """

    silent: bool = False
    """Whether nobody listens, so that there is nothing to report."""

    def __init__(self, title: str, n_subproblems: int, tol: float) -> None:
        self.title = title
        self.course = Course(n_subproblems, tol)
        self.n_subproblems = n_subproblems
        self._names: list[str] = []
        self._first = 0  # number of the first of these names

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    def start(self, names: list[str]) -> Callable[[Any], bool] | None:
        """Begin some subproblems that run at the same time; returns what the solver calls at its checkpoints, if anything.

        Those after them begin when these are done.
        """
        self._first += len(self._names)
        self._names = names
        return self._told

    def done(self, solutions: Any) -> None:
        """End them, with their solutions."""
        for k, (name, solution) in enumerate(zip(self._names, solutions, strict=True)):
            self.course.tell(Progress(0.0, 0, 0.0, 0.0, 0, subproblem=self._first + k, done=True))
            self.line(self._first + k, name, _summary(solution), f"{solution.steps} steps")

    def line(self, number: int, name: str, parts: list[str], least: str) -> None:
        """A line about a subproblem; where the terminal ends, the least of its parts is left out, and then its name is cut."""
        count = f"{number + 1}/{self.n_subproblems} " if self.n_subproblems > 1 else ""
        text = ", ".join([parts[0], least, *parts[1:]])
        if len(f"[maxmargin] {count}{name}: {text}") > _WIDTH:
            text = ", ".join(parts)
        room = max(12, _WIDTH - len(f"[maxmargin] {count}: {text}"))
        say(f"{count}{name if len(name) <= room else name[: room - 1] + '…'}: {text}")

    def _told(self, progress: Any) -> bool:
        at = progress._replace(subproblem=self._first + progress.subproblem)
        self.course.tell(at)
        if not at.done:
            self.show(at)
        return False

    @abstractmethod
    def show(self, progress: Progress) -> None:
        """Show how far it is."""

    def _status(self) -> str:
        """How far it is, in a few words."""
        count = f"{self.course.finished}/{self.n_subproblems}" if self.n_subproblems > 1 else ""
        last = self.course.last
        gap = "" if last is None or last.done else f"gap {last.relative_gap:.1e}"
        if last is not None and not last.done and not last.gap >= 0.0:
            gap = f"violation {last.violation:.1e}"
        return ", ".join(each for each in (count, gap) if each)


@final
class SilentReport(Report):
    """Shows nothing and asks the solver for nothing."""

    silent = True

    def __init__(self) -> None:
        super().__init__("", 1, 1.0)

    def start(self, names: list[str]) -> Callable[[Any], bool] | None:
        return None

    def done(self, solutions: Any) -> None:
        return None

    def show(self, progress: Progress) -> None:
        return None


@final
class LineReport(Report):
    """A line at some checkpoints and one at the end of each subproblem.

    Parameters
    ----------
    title, n_subproblems, tol
        As in `Report`.
    every : float
        Seconds between two lines.
    """

    def __init__(self, title: str, n_subproblems: int, tol: float, every: float = 1.0) -> None:
        super().__init__(title, n_subproblems, tol)
        self.every = every
        self._said = time.perf_counter()

    def show(self, progress: Progress) -> None:
        now = time.perf_counter()
        if now - self._said >= self.every:
            self._said = now
            name = self._names[progress.subproblem - self._first]
            self.line(progress.subproblem, name, _state(progress), f"{progress.steps} steps")


@final
class LiveReport(Report):
    """A bar on a terminal, drawn with rich, and a line at the end of each subproblem.

    Parameters
    ----------
    title, n_subproblems, tol
        As in `Report`.
    display : rich.progress.Progress
        What draws it.
    """

    def __init__(self, title: str, n_subproblems: int, tol: float, display: Any) -> None:
        super().__init__(title, n_subproblems, tol)
        self._display = display
        self._task = display.add_task(title, total=1.0, status="")

    def __enter__(self) -> Self:
        self._display.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._display.stop()

    def show(self, progress: Progress) -> None:
        self._display.update(self._task, completed=self.course.fraction, status=self._status())

    def done(self, solutions: Any) -> None:
        super().done(solutions)
        self._display.update(self._task, completed=self.course.fraction, status=self._status())


@final
class NotebookReport(Report):
    """A bar in the output of a notebook's cell, and a line at the end of each subproblem.

    Parameters
    ----------
    title, n_subproblems, tol
        As in `Report`.
    """

    def __init__(self, title: str, n_subproblems: int, tol: float) -> None:
        super().__init__(title, n_subproblems, tol)
        self._begun = self._drawn = time.perf_counter()
        self._html = import_module("IPython.display").HTML
        self._handle = import_module("IPython.display").display(self._html(self._bar()), display_id=True)

    def show(self, progress: Progress) -> None:
        if time.perf_counter() - self._drawn >= _REDRAWN:
            self._draw()

    def done(self, solutions: Any) -> None:
        super().done(solutions)
        self._draw()

    def _draw(self) -> None:
        self._drawn = time.perf_counter()
        self._handle.update(self._html(self._bar()))

    def _bar(self) -> str:
        seconds = time.perf_counter() - self._begun
        return (
            f'<div>{escape(self.title)} <progress max="1" value="{self.course.fraction:.3f}"></progress>'
            f" {self.course.fraction:.0%} {seconds:.1f} s {escape(self._status())}</div>"
        )


_SILENT: Final = SilentReport()  # it holds nothing of a fit


def report_for(verbose: bool | int, title: str, n_subproblems: int, tol: float) -> Report:
    """Silent; in a notebook and, if rich is there, on a terminal a bar; else lines."""
    if not verbose:
        return _SILENT
    if _is_notebook():
        return NotebookReport(title, n_subproblems, tol)
    try:
        console = import_module("rich.console").Console(file=sys.stdout)
        rich = import_module("rich.progress")
    except ImportError:
        return LineReport(title, n_subproblems, tol)
    if not console.is_terminal:
        return LineReport(title, n_subproblems, tol)
    columns = (
        rich.TextColumn("{task.description}", markup=False),
        rich.BarColumn(bar_width=20),
        rich.TaskProgressColumn(),
        rich.TimeElapsedColumn(),
        rich.TextColumn("{task.fields[status]}", markup=False),
    )
    return LiveReport(title, n_subproblems, tol, rich.Progress(*columns, console=console))


def _is_notebook() -> bool:
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    return type(running).__name__ == "ZMQInteractiveShell"


def _state(progress: Progress) -> list[str]:
    gap = f"gap {progress.relative_gap:.1e}" if progress.gap >= 0.0 else f"violation {progress.violation:.1e}"
    return [f"{progress.seconds:.1f} s", f"objective {progress.objective:.6g}", gap]


def _summary(solution: Any) -> list[str]:
    """How a subproblem ended; a linear model says how many of its weights are not 0."""
    if isinstance(solution, LinearSolution | MulticlassSolution | BlockSolution):
        nonzero = int((solution.weights != 0.0).sum())
        size = "1 weight" if nonzero == 1 else f"{nonzero} weights"
    else:
        size = f"{len(solution.support)} SVs"
    return [solution.status.name.lower().replace("_", " "), size, f"gap {solution.certificate.relative_gap:.1e}"]
