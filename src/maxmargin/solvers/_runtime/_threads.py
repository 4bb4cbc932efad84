"""How many threads the core may use, by us and by threadpoolctl."""

from __future__ import annotations

from typing import Any, final

import threadpoolctl

from maxmargin import _core
from maxmargin._blas import one_blas_thread
from maxmargin.validation import check_integer

__all__ = ["cpu_level", "get_threads", "one_blas_thread", "set_threads"]


_MOST = 4096  # threads beyond any machine's processors


def set_threads(count: int) -> None:
    """Set how many threads the core may use.

    Initially it is ``MAXMARGIN_NUM_THREADS``, else ``OMP_NUM_THREADS``, else the number of processors this process may run on.
    Results have the same bits for any number.

    Examples
    --------
    >>> import maxmargin
    >>> before = maxmargin.get_threads()
    >>> maxmargin.set_threads(1)
    >>> maxmargin.get_threads()
    1
    >>> maxmargin.set_threads(before)
    """
    _core.set_threads(min(check_integer("count", count, "set_threads", 1), _MOST))


def get_threads() -> int:
    """How many threads the core may use.

    Examples
    --------
    >>> import maxmargin
    >>> maxmargin.get_threads() >= 1
    True
    """
    return _core.get_threads()


def cpu_level() -> str:
    """Instruction-set level in use; the environment variable ``MAXMARGIN_CPU`` forces one.

    Examples
    --------
    >>> from maxmargin.solvers import cpu_level
    >>> cpu_level() in {"baseline", "x86-64-v3", "x86-64-v4"}
    True
    """
    return _core.cpu_level()


@final
class _PoolController(threadpoolctl.LibController):  # type: ignore[misc]  # threadpoolctl has no types
    """Lets ``threadpoolctl.threadpool_limits``, and so joblib, set our number of threads."""

    user_api = "maxmargin"
    internal_api = "maxmargin"
    filename_prefixes = ("_core.",)
    check_symbols = ("maxmargin_get_num_threads", "maxmargin_set_num_threads")

    def get_num_threads(self) -> int:
        return int(self.dynlib.maxmargin_get_num_threads())

    def set_num_threads(self, num_threads: int) -> None:
        self.dynlib.maxmargin_set_num_threads(int(num_threads))

    def get_version(self) -> Any:
        return None

    def set_additional_attributes(self) -> None:
        self.architecture = _core.cpu_level()


threadpoolctl.register(_PoolController)
