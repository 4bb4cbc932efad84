"""A fit is done as a whole, or leaves no trace."""

from __future__ import annotations

from types import TracebackType
from typing import Any, final

__all__ = ["WholeOrNothing"]


@final
class WholeOrNothing:
    """What is raised inside leaves all attributes of an object as they were before.

    Attributes are kept as they are, not copied: what is inside must make new ones instead of changing the old.

    Parameters
    ----------
    owner : object
        Whose attributes.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from maxmargin._whole_or_nothing import WholeOrNothing
    >>> model = SimpleNamespace(coef_=1.0)
    >>> try:
    ...     with WholeOrNothing(model):
    ...         model.coef_, model.intercept_ = 2.0, 3.0
    ...         raise ValueError
    ... except ValueError:
    ...     print(model)
    namespace(coef_=1.0)
    """

    __slots__ = ("_before", "_owner")

    def __init__(self, owner: Any) -> None:
        self._owner = owner
        self._before = dict(vars(owner))

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if kind is not None:
            vars(self._owner).clear()
            vars(self._owner).update(self._before)
