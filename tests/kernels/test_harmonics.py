"""Cosines and sines of the core: those of numpy to the last digits, at any size, with the same bits on any threads."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import _core, get_threads, set_threads
from maxmargin.kernels import write_harmonics

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("size", [1e-300, 1e-3, 1.0, 1e3, 2.0**20, 3e7, 1e300])
@pytest.mark.parametrize("columns", [1, 3, 4, 77])
def test_as_numpy(size: float, columns: int) -> None:
    angles = RNG.uniform(-size, size, (500, columns))
    out = np.empty((500, 2 * columns))
    assert write_harmonics(angles, 1.0, out)
    np.testing.assert_allclose(out[:, :columns], np.cos(angles), rtol=1e-15, atol=3e-16)
    np.testing.assert_allclose(out[:, columns:], np.sin(angles), rtol=1e-15, atol=3e-16 * min(size, 1.0))


def test_near_multiples_of_half_pi() -> None:
    """Where leading digits cancel."""
    angles = (np.arange(-40_000, 40_000, dtype=np.float64) * (np.pi / 2.0))[np.newaxis]
    out = np.empty((1, 160_000))
    assert write_harmonics(angles, 1.0, out)
    np.testing.assert_allclose(out[0, :80_000], np.cos(angles[0]), rtol=1e-9, atol=1e-19)
    np.testing.assert_allclose(out[0, 80_000:], np.sin(angles[0]), rtol=1e-9, atol=1e-19)


def test_as_many_sines_as_there_is_room_for_and_the_rounding_of_the_place() -> None:
    angles = RNG.normal(size=(20, 6))
    full, some, single = np.empty((20, 12)), np.empty((20, 9)), np.empty((20, 12), dtype=np.float32)
    for out in (full, some, single):
        assert write_harmonics(angles, 0.3, out)
    assert np.array_equal(some, full[:, :9])
    assert np.array_equal(single, full.astype(np.float32))


def test_bits_do_not_depend_on_threads_nor_on_neighbours() -> None:
    angles, before, found = 5.0 * RNG.normal(size=(3000, 33)), get_threads(), []
    try:
        for threads in (1, 2, 3):
            set_threads(threads)
            found.append(np.empty((3000, 66)))
            write_harmonics(angles, 1.0, found[-1])
    finally:
        set_threads(before)
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    alone = np.empty((1, 2))
    write_harmonics(np.ascontiguousarray(angles[1234:1235, 17:18]), 1.0, alone)
    assert alone[0].tolist() == [found[0][1234, 17], found[0][1234, 50]]


def test_what_is_refused() -> None:
    assert not write_harmonics(np.array([[0.0, np.inf]]), 1.0, np.empty((1, 4)))
    assert not write_harmonics(np.array([[np.nan]]), 1.0, np.empty((1, 1)))
    for shape in ((1, 1), (1, 5), (2, 4)):
        with pytest.raises(ValueError, match="Each angle needs room for its cosine"):
            _core.write_harmonics(np.zeros((1, 2)), 1.0, np.empty(shape))
