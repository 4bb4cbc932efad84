"""Pickled state: with the version that made it, and without enums."""

from __future__ import annotations

import warnings
from abc import ABC
from enum import Enum
from typing import Any, ClassVar, cast

from maxmargin._version import installed_version
from maxmargin.errors import InconsistentVersionWarning, InvalidInput

__all__ = ["Versioned"]

_VERSION = "_maxmargin_version"


class Versioned(ABC):  # noqa: B024  # it is only mixed in
    """``__getstate__`` and ``__setstate__`` of estimators: pickle, joblib, copy and skops go through them.

    A state that another version of maxmargin wrote is loaded with a warning, as scikit-learn does with its own. Enums are
    kept by the names of their members: skops, which calls ``__new__`` of a class without arguments, can make those again.
    """

    _enums: ClassVar[dict[str, type[Enum]]] = {}
    """Attributes that hold a member of an enum."""

    def __getstate__(self) -> dict[str, Any]:
        """The state, with the version."""
        state = dict(cast("dict[str, Any]", super().__getstate__()))
        for name, kind in self._enums.items():
            if isinstance(held := state.get(name), kind):
                state[name] = held.name
        return {**state, _VERSION: installed_version()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take a state, and warn if another version wrote it."""
        own = dict(state)
        written = own.pop(_VERSION, "an unknown version")
        if written != installed_version():
            warnings.warn(
                f"Loading {type(self).__name__}, which maxmargin {written} pickled, with maxmargin {installed_version()}. Its"
                " attributes may be others: predictions can fail or be wrong. Fit it again, or exchange models by"
                " maxmargin.io.save and load, which keep to one format.",
                InconsistentVersionWarning,
                stacklevel=2,
            )
        for name, kind in self._enums.items():
            if isinstance(held := own.get(name), str):
                own[name] = _member(kind, held, f"{type(self).__name__}.{name}")
        above = super()
        if hasattr(above, "__setstate__"):
            above.__setstate__(own)
        else:
            vars(self).update(own)


def _member(kind: type[Enum], name: str, where: str) -> Enum:
    try:
        return kind[name]
    except KeyError:
        raise InvalidInput(
            f"The stored {where} is {name!r}, which is none of {[each.name for each in kind]}. Fit the model again."
        ) from None
