"""The core in WebAssembly: built by ziglang, run by node."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from .._data import PROJECT

PLAYGROUND = PROJECT / "src" / "maxmargin" / "playground"
HERE = Path(__file__).parent


@cache
def _built() -> str:
    """Why the core cannot be had; empty if it is there, as new as its sources."""
    if importlib.util.find_spec("ziglang") is None:
        return "the playground's core is compiled by the package ziglang, which is not installed"
    built = subprocess.run(
        [sys.executable, PROJECT / "wasm" / "build.py", PLAYGROUND / "core.wasm"], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    return ""


def require_core() -> Path:
    """The compiled core; the test skips where there is no compiler."""
    reason = _built()
    if reason:
        pytest.skip(reason)
    return PLAYGROUND / "core.wasm"


def answers(jobs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the core in WebAssembly says to some requests; the test skips without node."""
    core, node = require_core(), shutil.which("node")
    if node is None:
        pytest.skip("node runs the core in WebAssembly, and is not installed")
    ran = subprocess.run(
        [node, HERE / "solve.mjs", PLAYGROUND / "engine.js", core],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def request(x: list[float], y: list[float], kernel: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A request with the settings that a page begins with."""
    settings = {
        "formulation": "soft",
        "scheme": "pairs",
        "offset": True,
        "squared": False,
        "C": 1.0,
        "nu": 0.3,
        "epsilon": 0.2,
        "tol": 1e-8,
        "columns": 2,
    }
    return {**settings, "x": x, "y": y, "kernel": kernel, **changes}
