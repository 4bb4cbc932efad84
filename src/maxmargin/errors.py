"""Exceptions and warnings of maxmargin.

::

    Exception
    └─ MaxmarginError
       ├─ InvalidInput          (also a ValueError)    bad X, y, weight or parameter
       │  └─ KernelError                               a kernel function returned something unusable
       ├─ DistributedError      (also a RuntimeError)  workers or the scheduler of a distributed fit are lost
       ├─ InfeasibleError                              no point satisfies the constraints; carries the proof
       └─ MissingExtra          (also an ImportError)  an optional dependency is not installed

    KeyboardInterrupt
    └─ FitInterrupted                                  Ctrl-C during a fit; carries the best solution so far

    UserWarning
    ├─ FeatureScaleWarning                             features on very different scales
    ├─ IgnoredParameterWarning                         a parameter that the chosen kernel does not have
    ├─ InconsistentVersionWarning                      a pickle that another version of maxmargin wrote
    ├─ IndefiniteKernelWarning                         the kernel matrix is not positive semidefinite
    ├─ NoMarginWarning                                 an optimum that separates nothing
    └─ WarmStartWarning                                warm_start=True, but the last solution cannot be used

A fit that stalls, or reaches its limit of iterations or time, warns with scikit-learn's own
:class:`sklearn.exceptions.ConvergenceWarning`, so that filters written for scikit-learn keep working.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.exceptions import ConvergenceWarning

from maxmargin._lazy import lazy

__all__ = [
    "ConvergenceWarning",
    "DistributedError",
    "FeatureScaleWarning",
    "FitInterrupted",
    "IgnoredParameterWarning",
    "InconsistentVersionWarning",
    "IndefiniteKernelWarning",
    "InfeasibleError",
    "InvalidInput",
    "KernelError",
    "MaxmarginError",
    "MissingExtra",
    "NoMarginWarning",
    "WarmStartWarning",
]


class MaxmarginError(Exception):
    """Base of every error that maxmargin raises on purpose."""


class InvalidInput(MaxmarginError, ValueError):
    """Data or a parameter is not acceptable; the message says which one, what was passed, and what to do."""


class KernelError(InvalidInput):
    """A kernel function returned an array of the wrong shape, a value that is not finite, or something that is not a number."""


class DistributedError(MaxmarginError, RuntimeError):
    """Workers or the scheduler of a distributed fit are lost, and what they did cannot be done anew."""


class InfeasibleError(MaxmarginError):
    """The problem has no feasible point.

    Parameters
    ----------
    message : str
        What makes the problem infeasible, and what to change.
    solution : Solution or None
        The solution; its ``proof`` shows that the problem is infeasible.
    """

    def __init__(self, message: str, solution: Any = None) -> None:
        """Carry the message and the solution."""
        super().__init__(message, solution)
        self.message = message
        self.solution = solution

    def __str__(self) -> str:
        """Return the message alone."""
        return self.message


class MissingExtra(MaxmarginError, ImportError):
    """An optional dependency is not installed; the message has the line that installs it."""


class FitInterrupted(KeyboardInterrupt):
    """The user pressed Ctrl-C during a fit.

    Parameters
    ----------
    message : str
        How far the fit had come.
    solution : callable or None
        Makes the solution at the moment of the interrupt. It is certified only when asked for, so that Ctrl-C is answered
        at once.
    """

    def __init__(self, message: str = "", solution: Callable[[], Any] | None = None) -> None:
        """Carry the message, and how to make the solution."""
        super().__init__(message)
        self.message = message
        self._make = solution

    @lazy
    def solution(self) -> Any:
        """The best solution at the moment of the interrupt, with its certificate; None if there was none."""
        return None if self._make is None else self._make()

    def __reduce__(self) -> tuple[type[FitInterrupted], tuple[str]]:
        """Pickle the message alone: between processes the solution is lost, the interrupt is not."""
        return FitInterrupted, (self.message,)

    def __str__(self) -> str:
        """Return the message alone."""
        return self.message


class FeatureScaleWarning(UserWarning):
    """Features differ so much in scale that the largest ones alone determine the kernel."""


class IgnoredParameterWarning(UserWarning):
    """A parameter is set that the chosen kernel does not have, and that scikit-learn ignores silently."""


class InconsistentVersionWarning(UserWarning):
    """A pickled estimator was written by another version of maxmargin."""


class IndefiniteKernelWarning(UserWarning):
    """The kernel matrix is not positive semidefinite: the dual may have several local minima."""


class NoMarginWarning(UserWarning):
    """The solution is optimal but separates nothing: its margin is 0."""


class WarmStartWarning(UserWarning):
    """``warm_start=True``, but the rows, labels or classes have changed since the last fit: this fit starts from scratch."""
