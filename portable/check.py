"""Compile the core for other platforms and run what can run here: ``python portable/check.py [TARGET ...]``.

The compiler is that of the package ziglang, which has the headers and libraries of all of them. A target that this machine
cannot run is compiled and linked only, unless an emulator is installed: qemu-aarch64 (Debian's qemu-user) for arm64, wine for
Windows. All runs must end with converged certificates, and with the same objectives.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
CORE = ROOT / "cpp" / "maxmargin"
FLAGS = [
    "-std=c++20",
    "-O2",
    "-DNDEBUG",
    "-ffp-contract=fast",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
    "-Wno-psabi",
]
ONLY_ELSEWHERE = {"platform/serial.cpp"}
OF_THE_PAGE = {"interface.cpp", "runtime.cpp", "annotations.cpp", "picture.cpp"}
DIGITS = 1e-6


@dataclass(frozen=True)
class Target:
    """A platform, and what runs its programs: nothing for this machine's own; ``None`` where nothing can."""

    name: str
    runner: tuple[str, ...] | None

    @property
    def program(self) -> str:
        """Name of the file."""
        return "core.exe" if "windows" in self.name else "core"


def emulator(*names: str) -> tuple[str, ...] | None:
    """The first of these programs that is installed."""
    found = next((name for name in names if shutil.which(name)), None)
    return None if found is None else (found,)


def targets() -> list[Target]:
    """The platforms that wheels are made for."""
    here = platform.system(), platform.machine()
    linux = () if here == ("Linux", "x86_64") else None
    arm = () if here == ("Linux", "aarch64") else emulator("qemu-aarch64", "qemu-aarch64-static")
    return [
        Target("x86_64-linux-gnu.2.28", linux),
        Target("x86_64-linux-musl", linux),
        Target("aarch64-linux-musl", arm),
        Target("aarch64-macos", None),
        Target("x86_64-macos", None),
        Target("x86_64-windows-gnu", emulator("wine64", "wine")),
    ]


def sources() -> list[Path]:
    """Every file of the core, and what the playground's questions are made of."""
    core = [file for file in sorted(CORE.rglob("*.cpp")) if file.relative_to(CORE).as_posix() not in ONLY_ELSEWHERE]
    questions = [file for file in sorted((ROOT / "wasm").glob("*.cpp")) if file.name not in OF_THE_PAGE]
    return [*core, *questions, HERE / "main.cpp"]


def build(target: Target, folder: Path) -> Path:
    """Compile and link the program of a target."""
    folder.mkdir(parents=True, exist_ok=True)
    compiler = [sys.executable, "-m", "ziglang", "c++", "-target", target.name, *FLAGS, f"-I{ROOT / 'cpp'}"]
    if target.name.startswith("x86_64"):
        compiler.append("-mcpu=x86_64")

    def compiled(source: Path) -> str:
        place = folder / f"{source.parent.name}_{source.stem}.o"
        newest = max(file.stat().st_mtime for room in (CORE, ROOT / "wasm", HERE) for file in room.rglob("*.[hic]*"))
        if not place.exists() or place.stat().st_mtime < newest:
            own = source.stem in ("x86_64_v3", "x86_64_v4") and target.name.startswith("x86_64")
            level = [f"-mcpu={source.stem}"] if own else []
            subprocess.run([*compiler, *level, "-c", str(source), "-o", str(place)], check=True)
        return str(place)

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compiled, sources()))
    program = folder / target.program
    subprocess.run([*compiler, *objects, "-o", str(program)], check=True)
    return program


def lines(program: Path, runner: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """Primal and dual objective by the name of the problem. An answer that has not converged ends the program."""
    printed = subprocess.run([*runner, str(program)], check=True, capture_output=True, text=True, timeout=600).stdout
    print(printed, end="")
    found = re.findall(r"^(.+): primal (\S+), dual (\S+), relative gap \S+, status 0\s*$", printed, re.MULTILINE)
    return {name: (float(primal), float(dual)) for name, primal, dual in found}


def differing(one: dict[str, tuple[float, float]], other: dict[str, tuple[float, float]]) -> list[str]:
    """Problems whose objectives are not the same to six digits."""
    return [
        name
        for name in one.keys() | other.keys()
        if name not in one
        or name not in other
        or any(abs(a - b) > DIGITS * max(abs(a), 1e-3) for a, b in zip(one[name], other[name], strict=True))
    ]


def main(names: list[str]) -> int:
    """Check the targets whose names contain one of these, or all."""
    first: dict[str, tuple[float, float]] = {}
    for target in targets():
        if names and not any(name in target.name for name in names):
            continue
        program = build(target, ROOT / "build" / "portable" / target.name)
        size = program.stat().st_size
        if target.runner is None:
            print(f"{target.name}: compiled and linked, {size} bytes; not run here")
            continue
        print(f"{target.name}: {size} bytes")
        found = lines(program, target.runner)
        first = first or found
        if not found or differing(first, found):
            print(f"{target.name}: other objectives: {differing(first, found)}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
