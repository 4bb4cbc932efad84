"""A short stretch of the fuzzing of all readers: the same inputs every time. ``python -m tests.io.fuzz`` goes on from there."""

from __future__ import annotations

import random

import pytest

from . import _readers, fuzz
from ._readers import READERS, read, seeds, tokens
from .fuzz import mutated, random_run


@pytest.mark.parametrize("name", READERS)
def test_sound_files_are_read(name: str) -> None:
    read_ones = [read(name, data) for data in seeds()[name]]
    assert name in ("state", "array") or all(read_ones)


@pytest.mark.parametrize("name", READERS)
def test_changed_files_are_read_or_refused(name: str) -> None:
    rng = random.Random(11)
    outcomes = [read(name, mutated(rng, rng.choice(seeds()[name]), tokens())) for _ in range(400)]
    assert not all(outcomes)


def test_a_reader_that_takes_too_long_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "SLOWEST", -1.0)
    with pytest.raises(AssertionError, match=r"csv took .* s of processor time for 4 bytes"):
        fuzz.outcome(_readers, "csv", b"1,2\n")


def test_the_random_run_counts() -> None:
    assert sum(random_run(1.0, seed=1).values()) > 10
