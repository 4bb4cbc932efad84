"""Linear algebra whose bits do not depend on how many threads it may use."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any, cast

import threadpoolctl

__all__ = ["one_blas_thread"]


@cache
def _blas() -> threadpoolctl.ThreadpoolController:
    return threadpoolctl.ThreadpoolController().select(user_api="blas")


def one_blas_thread() -> AbstractContextManager[Any]:
    """While it is entered, linear algebra runs on one thread: another number would change the order of its sums.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin._blas import one_blas_thread
    >>> with one_blas_thread():
    ...     float(np.linalg.solve(np.eye(1), np.ones(1))[0])
    1.0
    """
    return cast("AbstractContextManager[Any]", _blas().limit(limits=1))
