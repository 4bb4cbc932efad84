"""Warnings that each fit of a search would give, given once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

from sklearn.base import clone

from maxmargin.errors import IgnoredParameterWarning
from maxmargin.kernels import ignored_parameters
from maxmargin.model_selection._candidates import last_step

__all__ = ["said_once", "warn_of_ignored"]

_OF_KERNELS: Final = ("gamma", "coef0", "degree")


def warn_of_ignored(estimator: Any, every: Sequence[Mapping[str, Any]], whose: str, *, stacklevel: int) -> None:
    """One `IgnoredParameterWarning` for all candidates whose kernel does not have a parameter that they set."""
    said = []
    for settings in every:
        with suppress(Exception):  # the fit says what is wrong with a setting
            said.append(_ignored(clone(estimator).set_params(**clone(dict(settings), safe=False))))
    those = [each for each in said if each]
    if not those:
        return
    among = "" if len(every) == 1 else f"In {len(those)} of {len(every)} candidates of {whose}. The first: "
    warnings.warn(among + " ".join(those[0]), IgnoredParameterWarning, stacklevel + 1)


@contextmanager
def said_once() -> Iterator[None]:
    """Around fits of which `warn_of_ignored` has spoken."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IgnoredParameterWarning)
        yield


def _ignored(model: Any) -> list[str]:
    last = last_step(model)
    if not hasattr(last, "kernel"):
        return []
    given = {name: getattr(last, name) for name in _OF_KERNELS if hasattr(last, name)}
    return ignored_parameters(last.kernel, given, type(last).__name__)
