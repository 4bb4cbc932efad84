"""Properties that are computed when they are first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

__all__ = ["lazy"]

if TYPE_CHECKING:  # which type checkers know to be a property
    from functools import cached_property as lazy
else:

    @final
    class lazy:  # it is written as a decorator
        """A property whose value is computed once and then kept in the instance.

        ``functools.cached_property`` without its lock: in Python 3.11 all instances of a class share one, so that a kernel
        which waits for a fit in another thread would wait for ever. Threads that come at once may compute a value twice; all
        of them get the first one's.

        Parameters
        ----------
        compute : callable
            The method that makes the value.

        Examples
        --------
        >>> from maxmargin._lazy import lazy
        >>> class Square:
        ...     def __init__(self, side):
        ...         self.side = side
        ...
        ...     @lazy
        ...     def area(self):
        ...         print("computed")
        ...         return self.side**2
        >>> square = Square(3)
        >>> square.area, square.area
        computed
        (9, 9)
        """

        def __init__(self, compute):
            self._compute = compute
            self.__doc__ = compute.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return vars(instance).setdefault(self._name, self._compute(instance))
