"""Passes over blocks as plain tasks of Dask, and what may happen to them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin._solve import TimeOver
from maxmargin.distributed._dask import dask_module, refs, task
from maxmargin.distributed._parts import Rows
from maxmargin.distributed._tasks import (
    FAN_IN,
    LookOrder,
    RoundOrder,
    ScoreOrder,
    Seen,
    added,
    answered,
    looked,
    probed,
    read,
    scored,
)
from maxmargin.errors import DistributedError, FitInterrupted, InvalidInput
from maxmargin.solvers import Question, Sums

__all__ = ["DaskPasses"]

Vector = NDArray[np.float64]

_LOOK: Final = 0.25  # seconds between looks at the clock
_ASK: Final = 2.0  # seconds between questions to the scheduler
_ALONE: Final = 30.0  # seconds without any worker, once there were some
_FIRST: Final = 600.0  # seconds until the first one has come


@final
class DaskPasses:
    """Passes over the blocks of a collection, wherever its blocks are.

    Parameters
    ----------
    client : Client
        Who runs them.
    rows : Rows
        The blocks.
    """

    def __init__(self, client: Any, rows: Rows) -> None:
        self._client, self._rows = client, rows
        self._seen: Seen | None = None
        self._worked = False
        graphs = dask_module("dask.highlevelgraph").HighLevelGraph
        base = graphs.merge(*rows.graphs)
        self._layers, self._below = dict(base.layers), {name: set(each) for name, each in base.dependencies.items()}
        self.passes = 0

    def __enter__(self) -> DaskPasses:
        return self

    def __exit__(self, kind: type[BaseException] | None, *how: object) -> None:
        """Hold nothing on the workers any more; but after Ctrl-C the solution may still want its certificate."""
        if kind is not None and issubclass(kind, FitInterrupted):
            return
        self._layers.clear()
        self._rows.let_go()

    def look(self, deadline: Deadline) -> Seen:
        """The first pass."""
        order = LookOrder(self._rows.name, self._rows.columns)
        seen = self._sum("look", looked, order, range(len(self._rows.blocks)), deadline)
        assert isinstance(seen, Seen)
        if seen.spread is None:
            raise InvalidInput(f"{self._rows.name} has no rows. Give at least one.")
        if not any(kept for _, _, kept in seen.rows):
            raise InvalidInput("Invalid input - all samples have zero or negative weights. Give rows a positive sample_weight.")
        self._seen = seen
        return seen

    def answer(self, classes: NDArray[Any], by_class: Vector, questions: Sequence[Question], deadline: Deadline) -> list[Sums]:
        """The sums over all blocks, of each question: one pass."""
        assert self._seen is not None
        rows_of = tuple(count for _, count, _ in self._seen.rows)
        numbers = [number for number, _, kept in self._seen.rows if kept > 0]
        order = RoundOrder(self._rows.name, self._seen.columns, rows_of, classes, by_class, list(questions))
        kind = type(questions[0]).__name__.lower()
        found: list[Sums] = self._sum(kind, answered, order, numbers, deadline)
        return found

    def score(self, model: Any, deadline: Deadline) -> Vector:
        """The weight of the rows whose labels a model predicts, and that of all: one pass."""
        order = ScoreOrder(self._rows.name, model)
        found: Vector = self._sum("score", scored, order, range(len(self._rows.blocks)), deadline)
        return found

    def _sum(self, kind: str, function: Callable[..., Any], order: Any, numbers: Sequence[int], deadline: Deadline) -> Any:
        """What the function finds in each of these blocks, added up along the binary tree."""
        name = f"maxmargin-{kind}-{uuid.uuid4().hex}"
        first: Hashable = (name, "order")
        layer = {first: task(first, read, order)}
        level: list[Hashable] = []
        for number in numbers:
            key: Hashable = (name, number)
            layer[key] = task(key, function, number, *refs(first, *self._rows.blocks[number]))
            level.append(key)
        height = 0
        while len(level) > 1:
            height += 1
            above: list[Hashable] = []
            for begin in range(0, len(level), FAN_IN):
                key = (name, "sum", height, begin)
                layer[key] = task(key, added, *refs(*level[begin : begin + FAN_IN]))
                above.append(key)
            level = above
        found = self._wait(name, layer, level[0], deadline)
        self.passes += 1
        return found

    def _wait(self, name: str, layer: dict[Hashable, Any], key: Hashable, deadline: Deadline) -> Any:
        """Compute a key of a layer; whatever ends the wait, no task is left behind."""
        try:
            future = self._submitted(name, layer, key)
        except Exception as error:
            raise self._lost_scheduler(error) from error
        try:
            self._watch(future, deadline)
            try:
                return future.result()
            except Exception as error:
                raise self._named(error) from error
        finally:
            self._release(future)

    def _submitted(self, name: str, layer: dict[Hashable, Any], key: Hashable) -> Any:
        graphs, delayed = dask_module("dask.highlevelgraph"), dask_module("dask.delayed")
        graph = graphs.HighLevelGraph({**self._layers, name: layer}, {**self._below, name: set(self._layers)})
        return self._client.compute(delayed.Delayed(key, graph, layer=name), optimize_graph=False)

    def _watch(self, future: Any, deadline: Deadline) -> None:
        """Until it is done, or there is nobody to do it."""
        distributed = dask_module("distributed")
        begun = seen = asked = time.monotonic()
        while not future.done():
            try:
                distributed.wait(future, timeout=_LOOK)
            except TimeoutError:
                pass
            except distributed.CancelledError:
                return
            if deadline.is_over():
                raise TimeOver
            now = time.monotonic()
            if future.done() or now - asked < _ASK:
                continue
            asked = now
            if self._workers() > 0:
                seen, self._worked = now, True
            elif now - (seen if self._worked else begun) > (_ALONE if self._worked else _FIRST):
                raise DistributedError(
                    f"No worker is left: for {_ALONE if self._worked else _FIRST:.0f} seconds the scheduler has had none. Start"
                    " workers, and fit again; client.wait_for_workers(n) waits for them."
                )

    def _workers(self) -> int:
        try:
            return len(self._client.nthreads())
        except Exception as error:
            raise self._lost_scheduler(error) from error

    def _release(self, future: Any) -> None:
        try:
            if not future.done():
                future.cancel()
            future.release()
        except Exception:  # the scheduler is gone, and all tasks with it
            return

    def _lost_scheduler(self, error: Exception) -> DistributedError:
        return DistributedError(
            f"The scheduler cannot be reached ({type(error).__name__}: {error}). Connect a new client, and fit again."
        )

    def _named(self, error: Exception) -> Exception:
        """An error of a task, with the number of its block."""
        distributed = dask_module("distributed")
        if isinstance(error, InvalidInput) and str(error).startswith("Block "):
            return InvalidInput(str(error))
        if isinstance(error, distributed.KilledWorker):
            return DistributedError(
                f"A task was given up: every worker that ran it died ({error}). Workers may need more memory, or smaller"
                " blocks."
            )
        if isinstance(error, distributed.CancelledError):
            return DistributedError(
                f"The work was cancelled, or data that it needs are lost ({error}). Data that were put on workers by scatter"
                " are lost with them; what is persisted is computed anew."
            )
        if (found := self._first_unreadable()) is not None:
            number, cause = found
            return InvalidInput(f"Block {number} of {self._rows.name} could not be read: {type(cause).__name__}: {cause}")
        return error

    def _first_unreadable(self) -> tuple[int, Exception] | None:
        """The first block that cannot be made, and why: all are tried anew."""
        delayed, graphs = dask_module("dask.delayed"), dask_module("dask.highlevelgraph")
        name = f"maxmargin-probe-{uuid.uuid4().hex}"
        layer = {
            (name, number): (probed, *(key for key in keys if key is not None)) for number, keys in enumerate(self._rows.blocks)
        }
        graph = graphs.HighLevelGraph({**self._layers, name: layer}, {**self._below, name: set(self._layers)})
        futures = self._client.compute([delayed.Delayed(key, graph, layer=name) for key in layer], optimize_graph=False)
        try:
            for number, future in enumerate(futures):
                if isinstance(error := future.exception(), Exception):
                    return number, error
        finally:
            self._client.cancel(futures)
        return None
