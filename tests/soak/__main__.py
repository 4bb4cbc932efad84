"""``python -m tests.soak [MINUTES]``: workers, interrupted fits and fits with too little memory, all at once."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from typing import Any

from ..endings._isolated import environment, script

WORKERS = 2
INTERRUPTED = """
from maxmargin import {kind}
rng = np.random.default_rng({seed})
X = rng.normal(size=({n}, 20))
y = rng.integers(0, 2, len(X))
{kind}().fit(X[:60], y[:60])
print("READY", flush=True)
try:
    while True:
        {kind}({params}).fit(X, y)
except KeyboardInterrupt as error:
    report(ended=time.monotonic(), kind=type(error).__name__)
"""
SHORT_OF_MEMORY = """
import resource
from maxmargin import {kind}
{kind}().fit(np.eye(6), [0, 1, 0, 1, 0, 1])
with open("/proc/self/statm") as statm:
    now = int(statm.read().split()[0]) * resource.getpagesize()
rng = np.random.default_rng({seed})
X = rng.normal(size=({n}, 20))
y = rng.integers(0, 2, len(X))
resource.setrlimit(resource.RLIMIT_AS, (now + {room} * 2**20, -1))
try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = {kind}({params}).fit(X, y)
    report(outcome=model.status_.name)
except MemoryError as error:
    report(outcome="MemoryError", text=str(error))
"""
KINDS = [
    ("SVC", "C=1e3"),
    ("SVR", "C=1e3"),
    ("LinearSVC", "C=1e3"),
    ("LogisticRegression", ""),
    ("OneClassSVM", ""),
    ("NuSVC", "nu=0.3"),
]
CTRL_C = 10.0
"""Seconds within which Ctrl-C ends a fit while everything else runs beside it; alone it is 0.3."""


def interrupted(choice: random.Random) -> list[str]:
    """A fit in a process of its own that is sent Ctrl-C; what went wrong."""
    kind, params = choice.choice(KINDS)
    source = INTERRUPTED.format(kind=kind, params=params, seed=choice.randrange(1000), n=choice.choice([500, 3000]))
    child = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", "-c", script(source)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(choice.uniform(0.0, 0.5))
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    try:
        _, errors = child.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        child.kill()
        return [f"{kind}: Ctrl-C did not end it within a minute"]
    took = time.monotonic() - sent
    if child.returncode != 0:
        return [f"{kind}: exit code {child.returncode} after Ctrl-C\n{errors[-600:]}"]
    return [f"{kind}: Ctrl-C took {took:.1f} s"] if took > CTRL_C else []


def short_of_memory(choice: random.Random) -> list[str]:
    """A fit in a process that may not grow by much: a certified answer or a MemoryError, nothing else."""
    kind, params = choice.choice(KINDS)
    source = SHORT_OF_MEMORY.format(
        kind=kind, params=params, seed=choice.randrange(1000), n=choice.choice([500, 3000]), room=choice.choice([2, 8, 40, 200])
    )
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", script(source)],
        env=environment(),
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode != 0:
        return [f"{kind} with little memory: exit code {done.returncode}\n{done.stderr[-600:]}"]
    return []


def workers(seconds: float, seed: int) -> list[subprocess.Popen[str]]:
    """Processes that work for so long."""
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.soak._work"]
    return [
        subprocess.Popen([*command, str(seed + k), str(seconds)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for k in range(WORKERS)
    ]


def soak(seconds: float, seed: int = 0) -> dict[str, Any]:
    """Run everything at once; counts, growth in MB of each worker, and what went wrong."""
    choice = random.Random(seed)
    children = workers(seconds, seed)
    until = time.monotonic() + seconds
    counts = {"interrupted": 0, "short of memory": 0}
    wrong: list[str] = []
    while time.monotonic() < until and not wrong:
        if choice.random() < 0.5:
            wrong += interrupted(choice)
            counts["interrupted"] += 1
        elif sys.platform.startswith("linux"):
            wrong += short_of_memory(choice)
            counts["short of memory"] += 1
    growth = []
    for child in children:
        try:
            printed, errors = child.communicate(timeout=seconds + 300)
        except subprocess.TimeoutExpired:
            child.kill()
            wrong.append("a worker did not end")
            continue
        if child.returncode != 0:
            wrong.append(f"a worker ended with exit code {child.returncode}\n{errors[-1000:]}")
            continue
        found = json.loads(printed.splitlines()[-1])
        wrong += found["wrong"]
        growth.append(found["late"] - found["early"])
        for what, count in found["done"].items():
            counts[what] = counts.get(what, 0) + count
    return {"counts": counts, "growth": growth, "wrong": wrong}


def main() -> int:
    """Soak for as many minutes as the first argument says, and print what was seen."""
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    found = soak(60 * minutes, seed=int(time.time()))
    print(json.dumps(found, indent=1))
    return 1 if found["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
