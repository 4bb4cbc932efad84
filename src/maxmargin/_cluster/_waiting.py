"""Waiting for tasks of Dask, and what may happen meanwhile."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

from maxmargin._cluster._dask import dask_module
from maxmargin._deadline import Deadline
from maxmargin.errors import DistributedError

__all__ = ["ALONE", "released", "scheduler_lost", "task_lost", "wait_for"]

_LOOK: Final = 0.25  # seconds between looks at the clock
_ASK: Final = 2.0  # seconds between questions to the scheduler
ALONE = 30.0  # seconds without any worker, once there were some
_FIRST: Final = 600.0  # seconds until the first one has come


def wait_for(client: Any, futures: Sequence[Any], deadline: Deadline, *, worked: bool = False) -> bool:
    """Wait until all are done; whether the time sufficed.

    Parameters
    ----------
    client : Client
        Whose tasks they are.
    futures : sequence of Future
        What is waited for. One that failed is done.
    deadline : Deadline
        When to give up.
    worked : bool
        Whether there has been a worker before: then it is not waited long for the first.

    Raises
    ------
    DistributedError
        There is no worker, or no scheduler.
    """
    distributed = dask_module("distributed")
    begun = seen = asked = time.monotonic()
    left = list(futures)
    while left := [each for each in left if not each.done()]:
        try:
            distributed.wait(left, timeout=_LOOK, return_when="FIRST_COMPLETED")
        except TimeoutError:
            pass
        except distributed.CancelledError:
            return True
        if deadline.is_over():
            return False
        now = time.monotonic()
        if now - asked < _ASK or all(each.done() for each in left):
            continue
        asked = now
        if _workers(client) > 0:
            seen, worked = now, True
        elif now - (seen if worked else begun) > (ALONE if worked else _FIRST):
            raise DistributedError(
                f"No worker is left: for {ALONE if worked else _FIRST:.0f} seconds the scheduler has had none. Start workers,"
                " and fit again; client.wait_for_workers(n) waits for them."
            )
    return True


def _workers(client: Any) -> int:
    try:
        return len(client.nthreads())
    except Exception as error:
        raise scheduler_lost(error) from error


def released(client: Any, futures: Sequence[Any]) -> None:
    """Leave no task behind: what is not done is cancelled."""
    try:
        running = [each for each in futures if not each.done()]
        if running:
            client.cancel(running)
        for each in futures:
            each.release()
    except Exception:  # the scheduler is gone, and all tasks with it
        return


def scheduler_lost(error: Exception) -> DistributedError:
    """What is said where the scheduler does not answer."""
    return DistributedError(
        f"The scheduler cannot be reached ({type(error).__name__}: {error}). Connect a new client, and fit again."
    )


def task_lost(error: BaseException) -> DistributedError | None:
    """What is said where Dask gave up a task; None for an error of the task itself."""
    distributed = dask_module("distributed")
    if isinstance(error, distributed.KilledWorker):
        return DistributedError(
            f"A task was given up: every worker that ran it died ({error}). Workers may need more memory, or smaller blocks."
        )
    if isinstance(error, distributed.CancelledError):
        return DistributedError(
            f"The work was cancelled, or data that it needs are lost ({error}). Data that were put on workers by scatter"
            " are lost with them; what is persisted is computed anew."
        )
    return None
