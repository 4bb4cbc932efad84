"""Build the core for WebAssembly: ``python wasm/build.py FILE`` writes ``FILE``, with the compiler of the package ziglang."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

HERE = Path(__file__).resolve().parent
CORE = HERE.parent / "cpp" / "maxmargin"
# What solves, evaluates and draws; linear models and objects stay at home.
ROOMS = ("crammer_singer", "dual", "kernels", "newton", "platform", "rows", "simd")
LEFT_OUT = ("platform/thread_pool.cpp", "platform/mapping.cpp", "simd/x86_64_v3.cpp", "simd/x86_64_v4.cpp")
FLAGS = [
    "-target",
    "wasm32-wasi",
    "-mcpu=generic+simd128+exception_handling",
    "-O2",
    "-DNDEBUG",
    "-ffp-contract=fast",
    "-fvisibility=hidden",
    "-ffunction-sections",
    "-fdata-sections",
    "-fwasm-exceptions",
    "-mllvm",
    "-wasm-enable-eh",
    "-mllvm",
    "-wasm-use-legacy-eh=true",
    "-Wno-psabi",
]
OWN = ["-std=c++20", "-DMAXMARGIN_SERIAL", f"-I{CORE.parent}", "-Wall", "-Wextra"]


def sources() -> list[Path]:
    """The files of the core that are needed, and those of this room."""
    core = [file for room in ROOMS for file in sorted((CORE / room).rglob("*.cpp"))]
    kept = [file for file in core if file.relative_to(CORE).as_posix() not in LEFT_OUT]
    return [*kept, *sorted(HERE.glob("*.cpp"))]


def runtime(library: Path) -> list[tuple[Path, list[str]]]:
    """What throws and catches: zig's library for this target is built without exceptions, but has the sources."""
    abi, unwind = library / "libcxxabi", library / "libunwind"
    flags = [
        f"-I{abi / 'include'}",
        f"-I{abi / 'src'}",
        f"-I{unwind / 'include'}",
        f"-I{library / 'libcxx' / 'src'}",
        "-D_LIBCXXABI_BUILDING_LIBRARY",
        "-DLIBCXX_BUILDING_LIBCXXABI",
        "-D_LIBCPP_BUILDING_LIBRARY",
        "-D_LIBCXXABI_HAS_NO_THREADS",
        "-D_LIBUNWIND_HIDE_SYMBOLS",
        "-D__thread=",
        "-w",
    ]
    return [
        (abi / "src" / "cxa_exception.cpp", ["-std=c++23", *flags]),
        (abi / "src" / "cxa_personality.cpp", ["-std=c++23", *flags]),
        (unwind / "src" / "Unwind-wasm.c", flags),
    ]


def is_new(target: Path) -> bool:
    """Whether the target was linked after the last change of a source."""
    files = [file for room in (CORE, HERE) for file in room.rglob("*.*") if file.is_file() and "__pycache__" not in file.parts]
    return target.exists() and target.stat().st_mtime > max(file.stat().st_mtime for file in files)


def build(target: Path, objects: Path) -> None:
    """Compile what has changed, and link; of several processes that ask for it one does."""
    objects.mkdir(parents=True, exist_ok=True)
    with (objects / "lock").open("w") as lock:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_new(target):
            compile_and_link(target, objects)


def compile_and_link(target: Path, objects: Path) -> None:
    """Compile what has changed, and link."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise SystemExit("The playground's core is not built: the package ziglang is not installed (pip install ziglang).")
    compiler, library = [sys.executable, "-m", "ziglang"], Path(spec.origin).parent / "lib"

    def compiled(job: tuple[Path, list[str]]) -> Path:
        source, flags = job
        place = objects / f"{source.parent.name}_{source.stem}.o"
        driver = "cc" if source.suffix == ".c" else "c++"
        subprocess.run([*compiler, driver, *FLAGS, *flags, "-c", str(source), "-o", str(place)], check=True)
        return place

    # The runtime first: zig's own, which only ends the program, is then not asked for.
    jobs = [*runtime(library), *((source, OWN) for source in sources())]
    with ThreadPoolExecutor(2) as pool:  # zig keeps what it has compiled
        parts = list(pool.map(compiled, jobs))
    target.parent.mkdir(parents=True, exist_ok=True)
    link = ["-mexec-model=reactor", "-s", "-Wl,--gc-sections", "-Wl,-z,stack-size=1048576"]
    subprocess.run([*compiler, "c++", *FLAGS, *link, *map(str, parts), "-o", str(target)], check=True)
    print(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    build(Path(sys.argv[1]), HERE.parent / "build" / "wasm")
