"""Passes over blocks as plain tasks of Dask, and what may happen to them."""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Callable, Hashable, Sequence
from itertools import pairwise
from typing import Any, Final, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._cluster import dask_module, refs, released, scheduler_lost, task, task_lost, wait_for
from maxmargin._deadline import Deadline
from maxmargin._solve import Execute, TimeOver
from maxmargin.blocks import FirstLook
from maxmargin.distributed._forest import Forest
from maxmargin.distributed._orders import (
    CodeOrder,
    DeviationOrder,
    Features,
    LookOrder,
    RoundOrder,
    Score,
    ScoreOrder,
    Some,
    SomeOrder,
)
from maxmargin.distributed._parts import Rows
from maxmargin.distributed._tasks import (
    FAN_IN,
    Block,
    Seen,
    answered,
    coded,
    deviated,
    joined,
    looked,
    probed,
    read,
    scored,
    some_of,
    summed,
)
from maxmargin.errors import FitInterrupted, InvalidInput
from maxmargin.estimators import Coding, TargetCoding, Totals
from maxmargin.losses import Loss
from maxmargin.solvers import Question, Sums

__all__ = ["DaskPasses"]

Vector = NDArray[np.float64]
Found = TypeVar("Found", bound=Totals)
_LARGE: Final = 1 << 16  # bytes of a question that goes along with each task
_TURNS: Final = 2  # tasks of a pass for each thread, where blocks lie on workers


@final
class DaskPasses:
    """Passes over the blocks of a collection, wherever its blocks are: `RowsElsewhere` for fits.

    Parameters
    ----------
    client : Client
        Who runs them.
    rows : Rows
        The blocks.
    """

    advice = "X / X.std(axis=0)"

    def __init__(self, client: Any, rows: Rows) -> None:
        self._client, self._rows = client, rows
        self._seen: Seen | None = None
        graphs = dask_module("dask.highlevelgraph").HighLevelGraph
        base = graphs.merge(*rows.graphs)
        self._layers, self._below = dict(base.layers), {name: set(each) for name, each in base.dependencies.items()}
        self._anew: dict[str, tuple[dict[Hashable, Any], set[str]]] = {}
        self._features: Hashable | None = None
        self.passes = 0

    def __enter__(self) -> DaskPasses:
        return self

    def __exit__(self, kind: type[BaseException] | None, *how: object) -> None:
        """Hold nothing on the workers any more; but after Ctrl-C the solution may still want its certificate."""
        if kind is not None and issubclass(kind, FitInterrupted):
            for name, (layer, below) in self._anew.items():  # what was kept is made anew then
                self._layers[name], self._below[name] = layer, below
            return
        self._layers.clear()
        self._rows.let_go()

    @property
    def names(self) -> list[str] | None:
        """Of the features."""
        return self._rows.names

    def look(self, kind: type[Found], deadline: Deadline) -> tuple[FirstLook, Found]:
        """The first pass."""
        order = LookOrder(self._rows.name, self._rows.columns, kind)
        seen: Seen = self._sum("look", looked, order, self._in_turn(), deadline)[0]
        if seen.spread is None or seen.dtype is None:
            raise InvalidInput(f"{self._rows.name} has no rows. Give at least one.")
        if not any(kept for _, _, kept in seen.rows):
            raise InvalidInput("Invalid input - all samples have zero or negative weights. Give rows a positive sample_weight.")
        self._seen = seen
        first = FirstLook(
            rows_of=self._rows_of,
            columns=seen.columns,
            dtype=seen.dtype,
            sparse=seen.sparse,
            moments=seen.spread.moments,
            filled=seen.spread.filled,
            stored=seen.spread.stored,
            y=None,
            weight=None,
        )
        return first, seen.totals

    def some(self, step: int, deadline: Deadline) -> tuple[Any, NDArray[Any]]:
        """Every so many-th row of all, with its label."""
        begins = np.cumsum((0, *self._rows_of[:-1])).tolist()
        order = SomeOrder(self._rows.name, self._columns, step, tuple(begins))
        found: Some = self._sum("some", some_of, order, self._in_turn(), deadline)[0]
        return found.X, found.y

    def deviations(self, coding: TargetCoding, about: float, loss: Loss, deadline: Deadline) -> Vector:
        """The sums that `TargetCoding.deviations` makes of a block, over all of them."""
        order = DeviationOrder(self._rows.name, coding, about, loss)
        (found,) = self._sum("deviations", deviated, order, self._in_turn(), deadline, lambda k: self._rows.blocks[k][1:])
        return np.asarray(found)

    def answers(self, coding: Coding) -> Execute:
        """What makes the sums of questions over all blocks: one pass each time."""
        assert self._seen is not None
        blocks = [
            Block(place, k, count) for place, (k, count) in enumerate((k, c) for k, c, kept in self._seen.rows if kept > 0)
        ]
        codes, groups = self._coded(coding, blocks), self._together(blocks)

        def values(number: int) -> tuple[Hashable, ...]:
            return self._rows.blocks[number][0], (codes, number)

        def answer(questions: Sequence[Question], deadline: Deadline) -> list[Sums]:
            kind = type(questions[0]).__name__.lower()
            order = RoundOrder(self._rows.name, self._columns, list(questions))
            return self._sum(kind, answered, order, groups, deadline, values, [self._features] if self._features else [])

        return answer

    def _coded(self, coding: Coding, blocks: Sequence[Block]) -> Hashable:
        """Labels and weights as a solver has them: tasks whose values stay with the blocks until the fit ends."""
        name, order = f"maxmargin-coded-{uuid.uuid4().hex}", CodeOrder(self._rows.name, coding)
        layer: dict[Hashable, Any] = {
            (name, block.number): task((name, block.number), coded, block, order, *refs(*self._rows.blocks[block.number][1:]))
            for block in blocks
        }
        self._keep(name, layer)
        return name

    def _keep(self, name: str, layer: dict[Hashable, Any]) -> None:
        """Have the values of a layer kept on the workers until the fit ends."""
        futures = self._submitted(name, layer, list(layer))
        self._anew[name] = layer, set(self._layers)
        self._layers[name], self._below[name] = dict(zip(layer, futures, strict=True)), set()

    def _together(self, blocks: Sequence[Block]) -> list[list[Block]]:
        """Blocks that lie on the same worker, for a task; by themselves where they are made anew in each pass.

        It only matters to time: the sums are those of the tree, whichever blocks a task has.
        """
        held = {value.key: value for layer in self._layers.values() for value in layer.values() if hasattr(value, "client")}
        keys = [self._rows.blocks[block.number][0] for block in blocks]
        if any(key not in held for key in keys):
            return [[block] for block in blocks]
        futures = [held[key] for key in keys]
        where = self._client.who_has(futures)
        threads = self._client.nthreads()
        by_worker: dict[str, list[Block]] = {}
        for block, future in zip(blocks, futures, strict=True):
            holders = sorted(where.get(future.key, ()))
            by_worker.setdefault(holders[0] if holders else f"block {block.number}", []).append(block)
        groups = []
        for worker, own in by_worker.items():
            count = min(len(own), _TURNS * threads.get(worker, 1))
            cuts = [len(own) * k // count for k in range(count + 1)]
            groups += [own[begin:end] for begin, end in pairwise(cuts)]
        return sorted(groups)

    def mapped(self, map: Any, dtype: Any) -> DaskPasses:
        """The same with the features of a map in place of the rows; the map is a task, which comes to a worker once."""
        name = f"maxmargin-map-{uuid.uuid4().hex}"
        self._keep(name, {name: task(name, read, Features(map, dtype))})
        self._features = name
        return self

    def score(self, model: Any, deadline: Deadline) -> Score:
        """What a score adds up from all blocks: one pass."""
        found: Score = self._sum("score", scored, ScoreOrder(self._rows.name, model), self._in_turn(), deadline)[0]
        return found

    def _in_turn(self) -> list[list[Block]]:
        return [[Block(number, number)] for number in range(len(self._rows.blocks))]

    @property
    def _rows_of(self) -> tuple[int, ...]:
        assert self._seen is not None
        return tuple(count for _, count, _ in self._seen.rows)

    @property
    def _columns(self) -> int:
        assert self._seen is not None
        return self._seen.columns

    def _sum(
        self,
        kind: str,
        function: Callable[..., Any],
        order: Any,
        groups: Sequence[Sequence[Block]],
        deadline: Deadline,
        values: Callable[[int], Sequence[Hashable | None]] | None = None,
        common: Sequence[Hashable] = (),
    ) -> list[Any]:
        """What the function finds in each of these blocks, added up along the binary tree: a task for each group of blocks."""
        of = self._rows.blocks.__getitem__ if values is None else values
        name, leaves = f"maxmargin-{kind}-{uuid.uuid4().hex}", sum(map(len, groups))
        layer: dict[Hashable, Any] = {}
        if len(pickle.dumps(order, pickle.HIGHEST_PROTOCOL)) > _LARGE:  # then it goes to a worker once, by a task of its own
            layer[name, "order"] = task((name, "order"), read, order)
            (order,) = refs((name, "order"))
        level: list[Hashable] = []
        for number, blocks in enumerate(groups):
            key: Hashable = (name, number)
            own = [each for block in blocks for each in of(block.number)]
            layer[key] = task(key, summed, function, leaves, tuple(blocks), order, *refs(*own, *common))
            level.append(key)
        height = 0
        while len(level) > 1:
            height += 1
            above: list[Hashable] = []
            for begin in range(0, len(level), FAN_IN):
                key = (name, "sum", height, begin)
                layer[key] = task(key, joined, *refs(*level[begin : begin + FAN_IN]))
                above.append(key)
            level = above
        found: Forest = self._computed(name, layer, level[0], deadline)
        self.passes += 1
        return found.total()

    def _computed(self, name: str, layer: dict[Hashable, Any], key: Hashable, deadline: Deadline) -> Any:
        """Compute a key of a layer; whatever ends the wait, no task is left behind."""
        try:
            (future,) = self._submitted(name, layer, [key])
        except Exception as error:
            raise scheduler_lost(error) from error
        try:
            if not wait_for(self._client, [future], deadline, worked=self.passes > 0):
                raise TimeOver
            try:
                return future.result()
            except Exception as error:
                raise self._named(error) from error
        finally:
            released(self._client, [future])

    def _submitted(self, name: str, layer: dict[Hashable, Any], keys: Sequence[Hashable]) -> list[Any]:
        graphs, delayed = dask_module("dask.highlevelgraph"), dask_module("dask.delayed")
        graph = graphs.HighLevelGraph({**self._layers, name: layer}, {**self._below, name: set(self._layers)})
        wanted = [delayed.Delayed(key, graph, layer=name) for key in keys]
        return list(self._client.compute(wanted, optimize_graph=False))

    def _named(self, error: Exception) -> Exception:
        """An error of a task, with the number of its block."""
        if isinstance(error, InvalidInput) and str(error).startswith("Block "):
            return InvalidInput(str(error))
        if (lost := task_lost(error)) is not None:
            return lost
        if (found := self._first_unreadable()) is not None:
            number, cause = found
            return InvalidInput(f"Block {number} of {self._rows.name} could not be read: {type(cause).__name__}: {cause}")
        return error

    def _first_unreadable(self) -> tuple[int, Exception] | None:
        """The first block that cannot be made, and why: all are tried anew."""
        name = f"maxmargin-probe-{uuid.uuid4().hex}"
        layer: dict[Hashable, Any] = {
            (name, number): (probed, *(key for key in keys if key is not None)) for number, keys in enumerate(self._rows.blocks)
        }
        futures = self._submitted(name, layer, list(layer))
        try:
            for number, future in enumerate(futures):
                if isinstance(error := future.exception(), Exception):
                    return number, error
        finally:
            self._client.cancel(futures)
        return None
