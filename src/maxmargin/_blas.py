"""Linear algebra whose bits do not depend on how many threads it may use."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, final

import threadpoolctl

__all__ = ["one_blas_thread"]


@cache
def _blas() -> threadpoolctl.ThreadpoolController:
    return threadpoolctl.ThreadpoolController().select(user_api="blas")


def _set_threads(library: Any, count: int) -> None:
    """Set the number also where another Python thread has done so: threadpoolctl then does nothing, and does not say so."""
    getattr(library, "_real_set_num_threads", library.set_num_threads)(count)


@final
class _Limit:
    """The limit belongs to the process: the first of several threads sets it, and the last one takes it away."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.entered = 0
        self.before: list[tuple[Any, int]] = []

    def enter(self) -> None:
        with self.lock:
            if self.entered == 0:
                self.before = [(library, library.num_threads) for library in _blas().lib_controllers]
                for library, _ in self.before:
                    _set_threads(library, 1)
            self.entered += 1

    def leave(self) -> None:
        with self.lock:
            self.entered -= 1
            if self.entered == 0:
                self.restore()

    def restore(self) -> None:
        for library, count in self.before:
            _set_threads(library, count)
        self.before = []

    def forget_other_threads(self) -> None:
        """In a forked child, which has only the thread that forked: nobody else will leave, or let go of the lock."""
        self.lock = threading.Lock()
        self.restore()
        self.entered = 0


_limit = _Limit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_limit.forget_other_threads)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """While a thread is in it, linear algebra runs on one thread: another number would change the order of its sums.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin._blas import one_blas_thread
    >>> with one_blas_thread():
    ...     float(np.linalg.solve(np.eye(1), np.ones(1))[0])
    1.0
    """
    _limit.enter()
    try:
        yield
    finally:
        _limit.leave()
