"""500 random fits, each judged in extended precision: nothing that the library says of a model is false."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ._generator import make
from ._runner import Outcome, Pool

CASES = 500
CHUNK = 25
MOST_STALLED = 0.03
"""Of the fits of ordinary data."""


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1) as workers:
        yield workers


def _reproducers(outcomes: list[Outcome]) -> str:
    lines = []
    for outcome in outcomes:
        for finding in outcome.verdict.findings:
            lines.append(f"seed {outcome.seed}, {outcome.verdict.status}: {finding.kind}: {finding.detail}")
        if outcome.verdict.findings:
            lines.append(make(outcome.seed).describe())
    return "\n".join(lines)


@pytest.mark.parametrize("first", range(0, CASES, CHUNK))
def test_nothing_said_of_a_model_is_false(pool: Pool, first: int) -> None:
    seeds = range(first, first + CHUNK)
    outcomes = list(pool.run(seeds))
    assert len(outcomes) == len(seeds)
    found = _reproducers(outcomes)
    assert not found, f"\n{found}"


def test_few_fits_of_ordinary_data_stall(pool: Pool) -> None:
    seeds = [seed for seed in range(CASES) if make(seed).ordinary]
    stalled = [outcome.seed for outcome in pool.run(seeds, judged=False) if outcome.verdict.status == "STALLED"]
    assert len(stalled) <= MOST_STALLED * len(seeds), stalled
