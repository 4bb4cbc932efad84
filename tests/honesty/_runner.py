"""Cases in processes of their own: a hang is ended and becomes a finding, and so does a crash."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from ._comparison import Finding
from ._evaluator import Verdict, evaluate
from ._generator import make

__all__ = ["LONGEST", "Outcome", "run"]

LONGEST: Final = 10.0
"""Seconds that a fit may take."""
PATIENCE: Final = 60.0
"""Seconds after which a case, fit and verdict, is given up."""
TURN: Final = 1.0
"""Seconds between two looks at the workers. A turn that lasts longer counts as twice this: the machine slept, and all in it."""
JUDGE: Final = "the judge failed"
"""A finding that is not the library's."""
_THREADS: Final = ("MAXMARGIN_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True)
class Outcome:
    """What came of a case; seconds are those of the processor."""

    seed: int
    estimator: str
    ordinary: bool
    verdict: Verdict
    seconds: float


def outcome(seed: int, judged: bool, told: Callable[[float], object]) -> Outcome:
    """Fit one case here, tell how many seconds that took, and judge it, if it shall be."""
    case, begin = make(seed), time.process_time()
    times: list[float] = []

    def fitted() -> None:
        times.append(time.process_time() - begin)
        told(times[0])

    verdict = evaluate(case, fitted, judged=judged)
    seconds = times[0] if times else time.process_time() - begin
    if seconds > LONGEST:
        verdict = Verdict(verdict.status, [*verdict.findings, Finding("slow", f"{seconds:.1f} s")], verdict.undecided)
    return Outcome(seed, case.estimator, case.ordinary, verdict, seconds)


def _serve(pipe: Connection) -> None:
    """Answer seeds until there are no more."""
    while (asked := pipe.recv()) is not None:
        try:
            pipe.send(outcome(*asked, pipe.send))
        except Exception as error:  # of ours: the judge is to be mended, not the library
            case = make(asked[0])
            failed = Finding(JUDGE, f"{type(error).__name__}: {error}")
            pipe.send(Outcome(case.seed, case.estimator, case.ordinary, Verdict("unknown", [failed]), 0.0))


class _Worker:
    """A process that judges one case after the other, and is replaced if it hangs or dies."""

    def __init__(self, patience: float) -> None:
        self.patience = patience
        self.pipe, self.process = self._started()
        self.seed: int | None = None
        self.waited = 0.0
        self.fitted = False

    @staticmethod
    def _started() -> tuple[Connection, Any]:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        before = {name: os.environ.get(name) for name in _THREADS}
        os.environ.update(dict.fromkeys(_THREADS, "1"))  # of as many workers as cores
        try:
            process = context.Process(target=_serve, args=(theirs,), daemon=True)
            process.start()
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value
        theirs.close()
        return ours, process

    def take(self, seed: int, judged: bool = True) -> None:
        self.seed, self.waited, self.fitted = seed, 0.0, False
        self.pipe.send((seed, judged))

    def answer(self, turn: float) -> Outcome | None:
        """The outcome, or None if there is none yet, so many seconds after the last look."""
        assert self.seed is not None
        self.waited += min(turn, 2.0 * TURN)
        if self.pipe.poll():
            try:
                found: Outcome | float = self.pipe.recv()
            except (EOFError, OSError):
                return self._lost(Finding("crash", f"the process died with exit code {self._end()}"))
            self.fitted = True
            if isinstance(found, Outcome):
                self.seed = None
                return found
        if self.waited > self.patience:
            return self._lost(Finding(JUDGE if self.fitted else "slow", f"no end after {self.patience:g} s"))
        return None

    def _lost(self, finding: Finding) -> Outcome:
        assert self.seed is not None
        self._end()
        case = make(self.seed)
        found = Outcome(self.seed, case.estimator, case.ordinary, Verdict("lost", [finding]), self.waited)
        self.pipe, self.process = self._started()
        self.seed = None
        return found

    def _end(self) -> int | None:
        self.process.join(1.0)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()
        code: int | None = self.process.exitcode
        return code

    def close(self) -> None:
        if self.process.is_alive() and self.seed is None:
            self.pipe.send(None)
        self._end()


class Pool:
    """Workers that live as long as it is open."""

    def __init__(self, workers: int, patience: float = PATIENCE) -> None:
        self.workers = [_Worker(patience) for _ in range(workers)]

    def run(self, seeds: Iterable[int], judged: bool = True) -> Iterator[Outcome]:
        """Outcomes, in the order in which they come; of fits alone if they are not to be judged."""
        left = iter(seeds)
        for worker in self.workers:
            if worker.seed is None and (seed := next(left, None)) is not None:
                worker.take(seed, judged)
        while busy := [worker for worker in self.workers if worker.seed is not None]:
            begin = time.monotonic()
            wait([worker.pipe for worker in busy], timeout=TURN)
            turn = time.monotonic() - begin
            for worker in busy:
                if (found := worker.answer(turn)) is not None:
                    if (seed := next(left, None)) is not None:
                        worker.take(seed, judged)
                    yield found

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers:
            worker.close()


def run(seeds: Iterable[int], workers: int = 2) -> Iterator[Outcome]:
    """Outcomes of many cases."""
    with Pool(workers) as pool:
        yield from pool.run(seeds)
