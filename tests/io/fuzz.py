"""Fuzzing of all readers: ``python -m tests.io.fuzz 600`` runs ten minutes, guided by coverage where atheris is installed.

Without atheris, bytes of sound files are changed at random. Either way memory and time are bounded, and the first input that
makes a reader raise anything but `InvalidInput`, or crash, ends the run and is printed.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

MEMORY_MB = 2048
SLOWEST = 5.0
"""Seconds of processor time that one small file may take: of the process, as a machine may be busy with something else."""


def mutated(rng: random.Random, data: bytes, words: list[bytes]) -> bytes:
    """A few changes: bytes, words, cuts, repetitions."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(found) + 1)
        kind = rng.randrange(6)
        if kind == 0 and found:
            found[at % len(found)] = rng.randrange(256)
        elif kind == 1:
            found[at:at] = rng.choice(words)
        elif kind == 2:
            del found[at : at + rng.randrange(1, 9)]
        elif kind == 3:
            del found[at:]
        elif kind == 4:
            found[at:at] = found[at : at + rng.randrange(1, 40)]
        elif found:
            found[at % len(found)] ^= 1 << rng.randrange(8)
    return bytes(found)


def outcome(files: Any, name: str, data: bytes) -> str:
    """What a reader makes of a file; too long a look at it is a failure."""
    began = time.process_time()
    found = f"{name} {'read' if files.read(name, data) else 'refused'}"
    taken = time.process_time() - began
    if taken > SLOWEST:
        raise AssertionError(f"{name} took {taken:.1f} s of processor time for {len(data)} bytes")
    return found


def random_run(seconds: float, seed: int = 0) -> Counter[str]:
    """Change sound files for so long; counts of what was read, and refused."""
    files = import_module("tests.io._readers")
    rng, counts, end = random.Random(seed), Counter[str](), time.monotonic() + seconds
    while time.monotonic() < end:
        name = rng.choice(tuple(files.READERS))
        data = mutated(rng, rng.choice(files.seeds()[name]), files.tokens())
        try:
            counts[outcome(files, name, data)] += 1
        except BaseException:
            print(f"{name} fails for {data!r}")
            raise
    return counts


def sources_first() -> None:
    """Let Python files be found in ``src``: atheris does not see into those that an editable install loads in its own way."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
    sys.meta_path.sort(key=lambda finder: type(finder).__name__.startswith("ScikitBuild"))  # which still finds the core


def guided_run(seconds: int) -> None:
    """The same, guided by the coverage of our Python; it ends the process."""
    atheris = import_module("atheris")
    sources_first()
    with atheris.instrument_imports(include=["maxmargin"]):
        files = import_module("tests.io._readers")
    names = tuple(files.READERS)
    counts: Counter[str] = Counter()

    def one(data: bytes) -> None:
        if len(data) < 3:
            return
        name = names[data[0] % len(names)]
        known = files.seeds()[name]
        body = data[2:]
        if data[1] % 3 == 0:  # else the bytes are the file
            body = mutated(random.Random(data[2:]), known[data[1] % len(known)], files.tokens())
        counts[outcome(files, name, body)] += 1
        if sum(counts.values()) % 50_000 == 0:
            print(dict(sorted(counts.items())), flush=True)

    findings = Path(__file__).parents[2] / "build" / "fuzz"
    findings.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={seconds}",
        f"-rss_limit_mb={MEMORY_MB}",
        "-max_len=4096",
        "-timeout=1500",  # of the clock on the wall; see SLOWEST
        "-report_slow_units=1500",
        f"-artifact_prefix={findings}/",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], *options], one)
    atheris.Fuzz()


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    try:
        guided_run(asked)
    except ImportError:
        resource = import_module("resource")
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB << 20, MEMORY_MB << 20))
        print(dict(sorted(random_run(asked).items())))
