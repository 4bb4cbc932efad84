"""Sums of any blocks along one binary tree, so that it does not matter which blocks a task has."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, final

__all__ = ["Forest"]


@final
class Forest:
    """The sums of some nodes of the tree of `maxmargin.blocks.TreeSum`: neighbours that are both there are added at once.

    Parameters
    ----------
    leaves : int
        How many terms the tree has.
    parts : dict of (level, index) to terms
        Node ``index`` of a level is the sum of the leaves from ``index · 2^level`` on, as many or as there are. A node has a
        list of terms, which are added place by place.

    Examples
    --------
    >>> from maxmargin.distributed._forest import Forest
    >>> one, other = Forest.of(5, {0: ["a"], 4: ["e"], 2: ["c"]}), Forest.of(5, {3: ["d"], 1: ["b"]})
    >>> sorted(one.parts)
    [(0, 0), (0, 2), (2, 1)]
    >>> Forest.joined([one, other]).total()
    ['abcde']
    """

    __slots__ = ("leaves", "parts")

    def __init__(self, leaves: int, parts: dict[tuple[int, int], list[Any]]) -> None:
        self.leaves, self.parts = leaves, parts

    @classmethod
    def of(cls, leaves: int, terms: dict[int, list[Any]]) -> Forest:
        """Of some leaves, by their places."""
        return cls(leaves, {(0, place): term for place, term in terms.items()})._added()

    @classmethod
    def joined(cls, some: Sequence[Forest]) -> Forest:
        """Of several, which have no leaf in common."""
        return cls(some[0].leaves, {node: term for each in some for node, term in each.parts.items()})._added()

    def total(self) -> list[Any]:
        """The sum of all leaves, which must be there."""
        (total,) = self.parts.values()
        return total

    def __sizeof__(self) -> int:
        """What Dask counts where it decides what to keep and where to compute."""
        return object.__sizeof__(self) + sum(_bytes(each) for term in self.parts.values() for each in term)

    def _added(self) -> Forest:
        level, width = 0, self.leaves  # of a level
        while width > 1:
            for node in sorted(index for at, index in self.parts if at == level):
                if node % 2 == 1:
                    continue
                left, right = self.parts[level, node], self.parts.get((level, node + 1))
                if right is not None:
                    term = [one + other for one, other in zip(left, right, strict=True)]
                elif node + 1 == width:  # it has no neighbour
                    term = left
                else:
                    continue
                self.parts.pop((level, node))
                self.parts.pop((level, node + 1), None)
                self.parts[level + 1, node // 2] = term
            level, width = level + 1, (width + 1) // 2
        return self


def _bytes(term: Any) -> int:
    arrays = getattr(term, "added", None)
    return sum(int(each.nbytes) for each in arrays) if arrays is not None else sys.getsizeof(term)
