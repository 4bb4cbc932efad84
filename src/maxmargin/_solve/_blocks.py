"""Several linear models over the same blocks of rows: their searches share each pass."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin._solve._warnings import interrupted
from maxmargin.blocks import RowBlocks, TreeSum
from maxmargin.problems import BlockClasses, BlockProblem, BlockRows
from maxmargin.solution import (
    BlockSolution,
    Certificate,
    LinearEvaluation,
    Progress,
    Status,
    Stop,
    Trace,
)
from maxmargin.solvers import BlockSearch, Callback, Centre, ClassBlockSearch, Question, Sums

__all__ = ["BlockPasses", "Execute", "TimeOver", "solve_blocks"]

Vector = NDArray[np.float64]
Execute: TypeAlias = Callable[[Sequence[Question], Deadline], list[Sums]]
"""What makes the sums over all blocks of some questions, in one pass."""

Search: TypeAlias = BlockSearch | ClassBlockSearch

_A_PASS_MORE = 1.3  # a pass may take so much longer than the longest before


@final
class TimeOver(Exception):
    """The time is over in the middle of a pass."""


@final
class BlockPasses:
    """Passes over the blocks of this machine: the next block is read while the core, on all its threads, computes with the
    last.

    Parameters
    ----------
    blocks : RowBlocks
        The rows.
    label : ndarray
        Number of the class of each row, or its target.
    costs : callable
        Gives ``C_i`` of the rows of a slice; 0 leaves a row out.
    """

    def __init__(self, blocks: RowBlocks, label: NDArray[Any], costs: Callable[[slice], Vector]) -> None:
        self._blocks, self._label, self._costs = blocks, label, costs
        self._kept: dict[tuple[int, int], Centre] = {}
        self.passes = 0

    def __call__(self, questions: Sequence[Question], deadline: Deadline) -> list[Sums]:
        """The sums over all blocks, of each question."""
        trees: list[TreeSum[Sums]] = [TreeSum() for _ in questions]
        with self._blocks.reading() as blocks:
            for block in blocks:
                rows = self.rows(block.X, block.rows)
                if rows is None:
                    continue
                for question, tree in zip(questions, trees, strict=True):
                    place = id(question.problem), block.number
                    found, centre = question.on(rows, self._kept.get(place))
                    if centre is not None:
                        self._kept[place] = centre
                    tree.add(found)
                if deadline.is_over():
                    raise TimeOver
        self.passes += 1
        return [tree.total() for tree in trees]

    def rows(self, X: Any, where: slice) -> BlockRows | None:
        """A block with labels and costs; without the rows that cost nothing, and None if these are all."""
        label, cost = self._label[where], self._costs(where)
        kept = cost > 0.0
        if kept.all():
            return BlockRows(X, label, cost)
        if not kept.any():
            return None
        return BlockRows(X[kept], label[kept], cost[kept])


@final
class _Run:
    """Searches that go through their passes together."""

    def __init__(self, searches: Sequence[Search], execute: Execute, deadline: Deadline, callback: Callback | None) -> None:
        self._searches, self._execute, self._deadline, self._callback = searches, execute, deadline, callback
        self._begun = time.perf_counter()
        self._longest, self._stopped = 0.0, False
        self.passes = 0

    def run(self) -> None:
        """Until all have ended, or the time has."""
        running: dict[int, tuple[Generator[Question, Sums, Any], Question]] = {}
        for k, search in enumerate(self._searches):
            asks = search.run()
            running[k] = asks, next(asks)
        try:
            while running:
                if not self._deadline.has(2.0 * _A_PASS_MORE * self._longest):
                    raise TimeOver
                answers = self.execute([question for _, question in running.values()])
                for (k, (asks, _)), answer in zip(list(running.items()), answers, strict=True):
                    try:
                        running[k] = asks, asks.send(answer)
                    except StopIteration:
                        del running[k]
                    if self._told(k):
                        self._searches[k].status = Status.INTERRUPTED
                        running.pop(k, None)
                if self._stopped:
                    return
        except TimeOver:
            self._end(Status.TIME_LIMIT)

    def execute(self, questions: Sequence[Question]) -> list[Sums]:
        """One pass."""
        begun = time.perf_counter()
        answers = self._execute(questions, self._deadline)
        self._longest = max(self._longest, time.perf_counter() - begun)
        self.passes += 1
        return answers

    def _told(self, k: int) -> bool:
        """Tell the callback of new checkpoints; whether it stops this search."""
        search = self._searches[k]
        seconds = time.perf_counter() - self._begun
        new = [index for index, each in enumerate(search.checkpoints) if each.seconds == 0.0]
        for index in new:
            search.checkpoints[index] = search.checkpoints[index]._replace(seconds=seconds)
        if self._callback is None or not (new or search.status is not None):
            return False
        at = search.checkpoints[-1]
        done = search.status is not None
        progress = Progress(seconds, search.steps, search.dual, search.relative_gap, 0, at.gap, k, done)
        answer = self._callback(progress)
        if done or not answer:
            return False
        if answer is not Stop.SUBPROBLEM:
            self._end(Status.INTERRUPTED)
            self._stopped = True
        return True

    def _end(self, status: Status) -> None:
        for search in self._searches:
            search.status = search.status or status

    def certify_rest(self) -> None:
        """Certificates of searches that were ended from outside, in one pass if there is time for it."""
        rest = [search for search in self._searches if search.status in (Status.TIME_LIMIT, Status.INTERRUPTED)]
        if not rest or not self._deadline.has(self._longest if self._longest > 0.0 else 0.0):
            return
        questions: list[Any] = [search.question() for search in rest]
        try:
            answers = self._execute(questions, self._deadline)
        except TimeOver:
            return
        for search, question, answer in zip(rest, questions, answers, strict=True):
            assert search.status is not None
            search.answered(question, answer, search.status)


def solve_blocks(
    problems: Sequence[BlockProblem | BlockClasses],
    execute: Execute,
    tol: float,
    max_steps: int,
    deadline: Deadline,
    *,
    callback: Callback | None = None,
    starts: Sequence[tuple[Vector, Any]] | None = None,
    classes: Sequence[NDArray[Any] | None] | None = None,
) -> list[BlockSolution]:
    """Solve linear models over the same blocks, and certify them.

    Parameters
    ----------
    problems : sequence of BlockProblem or BlockClasses
        The problems.
    execute : callable
        Makes the sums of all blocks for some questions; see `BlockPasses`.
    tol, max_steps, deadline
        The largest relative gap, the most Newton rounds of each, and when to stop.
    callback : callable, optional
        Told of each round.
    starts : sequence of (w, b), optional
        Where to start, for rows as they are; of `BlockClasses` in shapes (K, d) and (K,).
    classes : sequence, optional
        The labels of each problem.

    Returns
    -------
    list of BlockSolution
        In the order of the problems.
    """
    begin = [None] * len(problems) if starts is None else starts
    searches = [_search(problem, tol, max_steps, start) for problem, start in zip(problems, begin, strict=True)]
    run = _Run(searches, execute, deadline, callback)
    names = [None] * len(problems) if classes is None else list(classes)
    try:
        run.run()
        run.certify_rest()
    except KeyboardInterrupt as stop:
        k = next((k for k, search in enumerate(searches) if search.status is None), 0)
        searches[k].status = Status.INTERRUPTED

        def certified() -> BlockSolution:
            run.certify_rest()
            return _solution(searches[k], run.passes, names[k])

        raise interrupted(searches[k].steps, certified) from stop
    return [_solution(search, run.passes, labels) for search, labels in zip(searches, names, strict=True)]


def _search(problem: BlockProblem | BlockClasses, tol: float, max_steps: int, start: tuple[Vector, Any] | None) -> Search:
    if isinstance(problem, BlockClasses):
        return ClassBlockSearch(problem, tol, max_steps, None if start is None else (start[0], problem.there(*start)))
    return BlockSearch(problem, tol, max_steps, None if start is None else (start[0], problem.there(*start)))


def _solution(search: Search, passes: int, classes: NDArray[Any] | None) -> BlockSolution:
    found, status = search.evaluation, search.status
    assert status is not None
    if found is None:  # no time for a certificate: what the last pass has summed up, or nothing but 0
        known = math.isfinite(search.primal)
        primal, dual = (search.primal, search.dual) if known else (search.problem.at_zero, 0.0)
        found = LinearEvaluation(primal, dual, math.inf, 0.0 if known else math.inf)
        status = status if status is not Status.CONVERGED else Status.STALLED
    certificate = Certificate.of(found.primal, found.dual, found.stationarity, status, scale=found.at_zero)
    weights, bias = search.solved
    return BlockSolution(
        weights=weights,
        bias=bias,
        status=status,
        certificate=certificate,
        trace=Trace.of(search.checkpoints),
        steps=search.steps,
        active=search.active,
        passes=passes,
        classes=classes,
    )
