"""The fixed tree over block numbers."""

from __future__ import annotations

import pytest

from maxmargin.blocks import TreeSum


class Written(str):
    def __add__(self, other: str) -> Written:
        return Written(f"({self!s}+{other})")


def by_levels(terms: list[Written]) -> Written:
    """The same tree as its definition says: neighbours, then their sums; who has no neighbour goes up."""
    while len(terms) > 1:
        pairs = [terms[k] + terms[k + 1] for k in range(0, len(terms) - 1, 2)]
        terms = pairs + terms[len(pairs) * 2 :]
    return terms[0]


@pytest.mark.parametrize("n", range(1, 40))
def test_it_is_the_tree_of_neighbours(n: int) -> None:
    tree: TreeSum[Written] = TreeSum()
    terms = [Written(k) for k in range(n)]
    for term in terms:
        tree.add(term)
    assert tree.total() == by_levels(terms)
