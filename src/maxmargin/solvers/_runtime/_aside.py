"""Calls into libraries that do not look up: in a thread that nobody has to wait for."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from typing import Final, Generic, TypeVar, final

__all__ = ["aside"]

T = TypeVar("T")

_FIRST_LOOK: Final = 1e-3  # seconds until somebody looks whether to stop; each time twice as many,
_BETWEEN_LOOKS: Final = 0.05  # up to these

_running: Final[set[threading.Thread]] = set()


@final
class _Call(Generic[T]):
    def __init__(self, function: Callable[[], T]) -> None:
        self._function = function
        self.done = threading.Event()
        self.result: list[T] = []
        self.error: BaseException | None = None

    def __call__(self) -> None:
        _running.add(threading.current_thread())
        try:
            self.result.append(self._function())
        except BaseException as error:  # whoever waits raises it
            self.error = error
        finally:
            _running.discard(threading.current_thread())
            self.done.set()


@atexit.register
def _wait_for_all() -> None:
    """A library that is still at work when the process ends loses its memory, and crashes: the end waits for it."""
    for thread in tuple(_running):
        thread.join()


def aside(function: Callable[[], T], stop: Callable[[], bool] = lambda: False) -> T | None:
    """What the function returns, or None if it was not waited for; it must give up Python's lock while it works.

    Ctrl-C is raised at once, and ``stop`` asked about every 50 ms. The thread then goes on alone, and its result is dropped;
    only the end of the process waits for it.

    Examples
    --------
    >>> from maxmargin.solvers._runtime._aside import aside
    >>> aside(lambda: 2 + 2)
    4
    """
    call = _Call(function)
    threading.Thread(target=call, name="maxmargin-aside", daemon=True).start()
    seconds = _FIRST_LOOK
    while not call.done.wait(seconds):
        seconds = min(2.0 * seconds, _BETWEEN_LOOKS)
        if stop():
            return None
    if call.error is not None:
        raise call.error
    return call.result[0]
