"""Settings and fixtures shared by all tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings

from ._data import DataSet, load

# A fit on a busy machine may take any time, and a law must fail on every machine or on none:
# no deadlines, and the same examples in every run.
settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("house")


@pytest.fixture(scope="session")
def data_set() -> Callable[[str], DataSet]:
    """Load a data set by name; the test skips where its file is absent (see ``tests/_data.py``)."""
    return load
