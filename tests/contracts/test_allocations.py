"""The hot loops do not allocate: a longer fit makes no more allocations than a shorter one, but for its record.

Every allocation of a process is counted by a small library that stands before the C library's own functions.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .._data import PROJECT
from ._count_allocations import FITS

COMPILER = shutil.which(os.environ.get("CXX", "c++"))

pytestmark = [
    pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="counts by standing before the functions of glibc"),
    pytest.mark.skipif(COMPILER is None, reason="no C++ compiler to build the counter with: set CXX"),
]


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    library = tmp_path_factory.mktemp("counter") / "count.so"
    source = Path(__file__).with_name("_count_allocations.cpp")
    subprocess.run([str(COMPILER), "-O2", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    run = subprocess.run(
        [sys.executable, "-m", "tests.contracts._count_allocations"],
        env={**os.environ, "LD_PRELOAD": str(library)},
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def test_the_counter_counts(counted: dict[str, Any]) -> None:
    assert 1000 <= counted["a thousand of Python's own"] <= 1100


@pytest.mark.parametrize("name", FITS)
def test_more_steps_make_no_more_allocations(counted: dict[str, Any], name: str) -> None:
    fit = FITS[name]
    _, (few, short), (many, long) = counted[name]
    assert (few, many) == fit.steps, "the fit has to be as long as it is asked to be"
    more = (fit.steps[1] - fit.steps[0]) + (fit.rows[1] - fit.rows[0])
    assert long - short <= fit.allowed * more
