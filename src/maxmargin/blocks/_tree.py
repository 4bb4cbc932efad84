"""Sums over blocks that do not depend on who computed what: a fixed binary tree over their numbers."""

from __future__ import annotations

from typing import Any, Generic, TypeVar, final

__all__ = ["TreeSum"]

Term = TypeVar("Term", bound=Any)


@final
class TreeSum(Generic[Term]):
    """Adds terms 0, 1, 2, … as they come: first neighbours, then the sums of neighbours, and so on.

    A sum over 7 blocks is ``((0 + 1) + (2 + 3)) + ((4 + 5) + 6)``, whoever makes its parts: a term that has no neighbour goes
    up as it is. At most as many terms are held at a time as the tree has levels.

    Examples
    --------
    >>> from maxmargin.blocks import TreeSum
    >>> tree = TreeSum()
    >>> for letter in "abcdefg":
    ...     tree.add(letter)
    >>> tree.total()
    'abcdefg'
    """

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[tuple[int, Term]] = []  # with their levels, which fall

    def add(self, term: Term) -> None:
        """The next one."""
        level = 0
        while self._parts and self._parts[-1][0] == level:
            term = self._parts.pop()[1] + term
            level += 1
        self._parts.append((level, term))

    def total(self) -> Term:
        """The sum of all so far, of at least one."""
        parts = [term for _, term in self._parts]
        total = parts.pop()
        while parts:
            total = parts.pop() + total
        return total
