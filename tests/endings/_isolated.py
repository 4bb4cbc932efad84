"""Run a piece of Python in a process of its own: a hang becomes a timeout, a crash an exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from typing import Any

_ONE_CORE = """
import os
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
"""

# A shell that starts pytest in the background makes its children ignore Ctrl-C: the second line undoes that.
_PRELUDE = """
import json, signal, sys, time, warnings
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
def report(**values):
    print("REPORT " + json.dumps(values), flush=True)
"""


def script(source: str, one_core: bool = False) -> str:
    """``source`` with ``report(**values)`` to hand back JSON, ``np``, ``time``, ``warnings`` at hand."""
    return (_ONE_CORE if one_core else "") + _PRELUDE + textwrap.dedent(source)


def environment(**variables: str) -> dict[str, str]:
    """The environment of a child: ours, without the settings of threads that it may have."""
    kept = {k: v for k, v in os.environ.items() if not k.endswith("NUM_THREADS") and k != "MAXMARGIN_CPU"}
    return kept | variables


def run(source: str, *, timeout: float = 60.0, one_core: bool = False, **variables: str) -> dict[str, Any]:
    """What ``source`` reported; fails the test if the child crashed, raised, or did not end in time."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", script(source, one_core)],
        env=environment(**({"MAXMARGIN_NUM_THREADS": "1"} if one_core else {}) | variables),
        check=False,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr}"
    reports = [line.removeprefix("REPORT ") for line in done.stdout.splitlines() if line.startswith("REPORT ")]
    result: dict[str, Any] = json.loads(reports[-1])
    return result


def start(source: str, **variables: str) -> subprocess.Popen[str]:
    """The child, running; it says ``READY`` when it is about to do what is to be interrupted."""
    child = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", script(source)],
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    line = child.stdout.readline()
    assert line.strip() == "READY", line + (child.stderr.read() if child.stderr else "")
    return child
