"""Records with a status that is pickled by its name."""

from __future__ import annotations

from abc import ABC
from typing import Any

from maxmargin.errors import InvalidInput
from maxmargin.solution._status import Status

__all__ = ["NamedStatus"]


class NamedStatus(ABC):  # it is only mixed in
    """The state of a record has the name of its status instead of the member: skops cannot make members of an enum."""

    status: Status

    def __getstate__(self) -> dict[str, Any]:
        """All fields; the status by name."""
        return {**vars(self), "status": self.status.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take the fields."""
        try:
            status = Status[state["status"]]
        except KeyError as fault:
            raise InvalidInput(f"The stored state of {type(self).__name__} has no status that is known: {fault}.") from None
        vars(self).update({**state, "status": status})
