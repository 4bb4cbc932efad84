"""Stochastic subgradient steps through rows that come in blocks."""

from __future__ import annotations

import math
import time
import warnings
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin._deadline import Deadline
from maxmargin._solve import BlockPasses, interrupted, worst_warning
from maxmargin.blocks import RowBlocks, TreeSum
from maxmargin.errors import InvalidInput
from maxmargin.estimators._linear._blocks import block_labels, coded, folded_back, learn
from maxmargin.estimators._shared._reporting import report_for
from maxmargin.estimators._shared._stages import Stages
from maxmargin.estimators._shared._watching import both, watching
from maxmargin.losses import as_loss
from maxmargin.problems import BlockProblem, BlockRows, Offset, Penalty
from maxmargin.solution import ROW_LOSSES, BlockSolution, Certificate, Progress, Status, Stop, Trace
from maxmargin.solvers import BlockSurvey, BlockWalk, StochasticSubgradient, Sums, Survey, evened, order_of
from maxmargin.validation import class_weights

if TYPE_CHECKING:
    from maxmargin.estimators._linear._stochastic import StochasticClassifier

__all__ = ["fit_by_blocks"]

Vector = NDArray[np.float64]
_A_PASS_MORE: Final = 1.3  # a pass may take so much longer than the longest before


def fit_by_blocks(model: StochasticClassifier, blocks: RowBlocks, y: Any, sample_weight: Any) -> None:
    """Epochs over the blocks until each binary classifier's gap is small, or a limit is reached."""
    owner = type(model).__name__
    model._check()
    loss: Any = as_loss(model.loss, owner)
    if model.draws == "independent":
        raise InvalidInput(
            f"draws='independent' of {owner} needs all rows at once. Got RowBlocks. Leave draws at 'auto', which shuffles the"
            " rows of each block."
        )
    if type(loss) not in ROW_LOSSES:
        raise InvalidInput(f"RowBlocks have no {loss!r}. Choose one of the losses of maxmargin.losses that has a name.")
    deadline, stages = Deadline(model.max_time), Stages()
    learn(model, blocks.look())
    run = _Run(model, blocks, y, sample_weight, deadline)
    stages.end("validation")
    with (
        watching(model, blocks, y, sample_weight) as watch,
        report_for(model.verbose, owner, len(run.walks), model.tol) as report,
    ):
        follow = both(report.start(run.names), watch, len(run.walks), model.tol)
        run.epochs(follow)
        solutions = [run.solution(k) for k in range(len(run.walks))]
        report.done(solutions)
    stages.end("solve", deadline.certifying)
    model.classes_ = run.labels.classes
    model._keep([each.walk for each in run.walks], solutions)
    if blocks.standard is not None:  # where the walks are is not where the model is
        model._walks = []
    model._seconds = stages.seconds
    asked = watch is not None and watch.stopped
    silent = asked and all(each.status.is_optimal or each.status is Status.INTERRUPTED for each in solutions)
    if not silent and (said := worst_warning(solutions, lambda: run.names)) is not None:
        warnings.warn(said[0], said[1], stacklevel=3)


@final
class _Run:
    """The walks of all binary classifiers, which share each pass."""

    def __init__(self, model: StochasticClassifier, blocks: RowBlocks, y: Any, sample_weight: Any, deadline: Deadline) -> None:
        self._model, self._blocks, self._deadline = model, blocks, deadline
        self._begun, self._longest, self.passes = time.perf_counter(), 0.0, 0
        self.labels = coded(*block_labels(blocks, y, sample_weight))
        codes, weights, classes = self.labels.codes, self.labels.weight, self.labels.classes
        own = np.ones(len(codes)) if weights is None else np.maximum(weights, 0.0)
        totals = np.bincount(codes, weights=own, minlength=len(classes)).astype(np.float64)
        model.class_weight_ = class_weights(model.class_weight, classes, np.arange(len(classes)), totals, type(model).__name__)
        factors, look = model.class_weight_, blocks.look()

        def weight_of(rows: slice) -> Vector:
            found = factors[codes[rows]]
            return np.asarray(found if weights is None else found * np.maximum(weights[rows], 0.0))

        self._costs, self._rows = weight_of, BlockPasses(blocks, codes, weight_of)
        n = len(codes) if weights is None else int(np.count_nonzero(weights > 0.0))
        every = Survey.every(n)
        found = [None if rows is None else BlockSurvey.of(rows, every) for _, rows in self._pass()]
        self._survey = Survey(found)
        some = [block for block in found if block is not None]
        stack = sparse.vstack if look.sparse else np.concatenate
        X = stack([block.X for block in some])
        model._choose_rate(X, np.concatenate([block.weights for block in some]), self._survey.steps)
        self._most = int(model.max_iter) if model.max_iter >= 0 else StochasticSubgradient().automatic_steps(n)
        total = 1.0 / model.lam_half_
        self._factor = total / self._survey.weight  # of a row's weight in C_i
        loss: Any = as_loss(model.loss, type(model).__name__)
        offset = model._offset
        positives = [1] if len(classes) == 2 else range(len(classes))
        seeds = model._seeds(len(positives))
        self.names = [f"{classes[0]} / {classes[1]}"] if len(classes) == 2 else [f"{label} / rest" for label in classes]
        first = BlockRows(some[0].X, np.ones(len(some[0].weights)), some[0].weights)  # to stand on before the first block
        here = model._problem(first.X, first.label, first.cost, features=first.features)
        self.walks = [
            BlockWalk(
                BlockProblem(
                    loss=loss,
                    penalty=Penalty.L2,
                    offset=offset,
                    offset_scale=model.intercept_scaling_ if offset is Offset.PENALISED else 1.0,
                    B=math.inf,
                    l1=1.0,
                    n=n,
                    d=look.columns,
                    total=total,
                    at_zero=total * float(loss.value(0.0)),
                    positive=k,
                ),
                StochasticSubgradient(seed=seed, delay=model.delay_, shuffled=True).walk(here, order_of(first)),
            )
            for k, seed in zip(positives, seeds, strict=True)
        ]

    def _pass(self) -> Any:
        """Number and valid rows of each block, which may be None."""
        begun = time.perf_counter()
        with self._blocks.reading() as blocks:
            for block in blocks:
                yield block.number, self._rows.rows(block.X, block.rows)
        self._longest = max(self._longest, time.perf_counter() - begun)
        self.passes += 1

    def epochs(self, follow: Any) -> None:
        """Epochs, and looks at some of their ends, until all have ended."""
        epoch, look = 0, 1
        try:
            while running := [each for each in self.walks if each.status is None]:
                if not self._deadline.has(2.0 * _A_PASS_MORE * self._longest) or not self._through(running):
                    self._end(Status.TIME_LIMIT)
                    return
                epoch += 1
                spent = running[0].taken >= self._most
                if epoch < look and not spent:
                    continue
                look = epoch + max(1, epoch // 8)
                if not self._look(running):
                    self._end(Status.TIME_LIMIT)
                    return
                if self._told(running, follow):
                    return
                if spent:
                    self._end(Status.ITERATION_LIMIT)
        except KeyboardInterrupt as stop:
            self._end(Status.INTERRUPTED)
            k = next(k for k, each in enumerate(self.walks) if each.status is Status.INTERRUPTED)
            raise interrupted(self.walks[k].taken, lambda: self.solution(k)) from stop

    def _through(self, running: list[BlockWalk]) -> bool:
        """One epoch of each; False if the time is over before its end."""
        model = self._model
        for number, rows in self._pass():
            if rows is None:
                continue
            order = order_of(rows, self._survey.steps_of[number])
            for each in running:
                signs = np.where(rows.label == each.problem.positive, 1.0, -1.0)
                problem = model._problem(rows.X, signs, rows.cost, features=rows.features)
                with np.errstate(over="ignore", invalid="ignore"):
                    each.through(number, problem, order, self._most)
            if self._deadline.is_over():
                return False
        return True

    def _look(self, running: list[BlockWalk]) -> bool:
        """The certificates of the means; False if the time is over before that."""
        even = [evened(each.problem, self._sides(each)) for each in running]
        trees: list[TreeSum[Sums]] = [TreeSum() for _ in running]
        for number, rows in self._pass():
            if rows is None:
                continue
            costly = BlockRows(rows.X, rows.label, rows.cost * self._factor)
            for each, factors, tree in zip(running, even, trees, strict=True):
                with np.errstate(over="ignore", invalid="ignore"):
                    tree.add(each.sums(number, costly, factors))
            if self._deadline.is_over():
                return False
        for each, tree in zip(running, trees, strict=True):
            each.see(tree.total(), float(self._model.tol))
        return True

    def _sides(self, each: BlockWalk) -> Vector:
        """Sums of the multipliers on either side, where the offset is free: no row is read for them."""
        sums, begin = np.zeros(2), 0
        if each.problem.offset is not Offset.FREE:
            return sums
        for number, count in enumerate(self._blocks.look().rows_of):
            part = slice(begin, begin + count)
            begin += count
            cost = self._costs(part) * self._factor
            kept = cost > 0.0
            if kept.any():
                sums += each.sides(number, self.labels.codes[part][kept], cost[kept])
        return sums

    def _told(self, running: list[BlockWalk], follow: Any) -> bool:
        """Tell the callback; whether it stops all."""
        seconds = time.perf_counter() - self._begun
        for each in running:
            each.checkpoints[-1] = at = each.checkpoints[-1]._replace(seconds=seconds)
            if follow is None:
                continue
            k, done = self.walks.index(each), each.status is not None
            answer = follow(Progress(seconds, each.steps, at.dual, each.gap, each.active, at.gap, k, done))
            if done or not answer:
                continue
            each.end(Status.INTERRUPTED)
            if answer is not Stop.SUBPROBLEM:
                self._end(Status.INTERRUPTED)
                return True
        return False

    def _end(self, status: Status) -> None:
        for each in self.walks:
            each.end(status)

    def solution(self, k: int) -> BlockSolution:
        """What the last look at one has found."""
        each = self.walks[k]
        found, status = each.evaluation, each.status
        assert found is not None
        assert status is not None
        certificate = Certificate.of(found.primal, found.dual, found.stationarity, status, scale=found.at_zero)
        classes = self.labels.classes
        solution = BlockSolution(
            weights=each.w,
            bias=each.b,
            status=status,
            certificate=certificate,
            trace=Trace.of(each.checkpoints),
            steps=each.steps,
            active=each.active,
            passes=self.passes,
            classes=classes if len(classes) == 2 else None,
        )
        return folded_back(self._blocks.standard, solution)
