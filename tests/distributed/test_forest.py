"""Sums of any blocks along one tree: the bits of `TreeSum`, however the blocks are dealt out."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin.blocks import TreeSum
from maxmargin.distributed._forest import Forest


@pytest.mark.parametrize("leaves", [*range(1, 20), 63, 64, 65])
def test_any_groups_have_the_bits_of_the_tree(leaves: int) -> None:
    rng = np.random.default_rng(leaves)
    terms = rng.normal(size=(leaves, 3)) * 10.0 ** rng.integers(-9, 9, size=(leaves, 1))
    tree: TreeSum[np.ndarray] = TreeSum()
    for term in terms:
        tree.add(term)
    for count in range(1, min(leaves, 6) + 1):
        groups = np.array_split(rng.permutation(leaves), count)
        forests = [Forest.of(leaves, {int(k): [terms[k], 1] for k in group}) for group in groups]
        while len(forests) > 1:  # joined in any order, some at a time
            forests = [*forests[2:], Forest.joined(forests[:2])]
        total, number = forests[0].total()
        assert total.tobytes() == tree.total().tobytes()
        assert number == leaves


def test_neighbours_are_added_at_once() -> None:
    half = Forest.of(8, {k: [1] for k in range(4)})
    assert half.parts == {(2, 0): [4]}
    with pytest.raises(ValueError, match="too many values"):
        Forest.of(8, {0: [1], 2: [1]}).total()
