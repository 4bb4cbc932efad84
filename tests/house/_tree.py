"""The files of the project, and what they import, read without importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .._data import PROJECT

PACKAGE = PROJECT / "src" / "maxmargin"
SOURCE_FOLDERS = ("src", "cpp", "bindings", "wasm", "tests", "benchmarks", "examples", "docs")
MADE = {
    ".git",
    ".venv",
    "build",
    "dist",
    "__pycache__",
    ".mypy_cache",
    ".ruff_cache",
    ".pytest_cache",
    ".hypothesis",
}
"""Folders that tools make; nobody wrote what is in them."""

CODE = (".py", ".pyi", ".cpp", ".hpp", ".inl", ".js", ".mjs", ".css", ".html")
TEXT = (*CODE, ".md", ".toml", ".txt", ".yml", ".yaml", ".cfg", ".sh", "")


def written_files(suffixes: tuple[str, ...]) -> list[Path]:
    """Files of the project that people wrote, of the given suffixes, in order."""
    found = []
    ignored = (PROJECT / ".gitignore").read_text(encoding="utf-8").split()
    site = [Path(line) for line in ignored if line.startswith("docs/")]
    for path in sorted(PROJECT.rglob("*")):
        inside = path.relative_to(PROJECT)
        made = any(part in MADE or part.startswith(".venv") or part.endswith(".egg-info") for part in inside.parts)
        made = made or any(inside.is_relative_to(folder) for folder in site)  # what `make docs` leaves
        if path.is_file() and not made and path.suffix in suffixes:
            found.append(path)
    return found


def room(module: str) -> str:
    """The room of a module: ``maxmargin.kernels._rbf`` is in ``kernels``; "" is the front door."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@dataclass(frozen=True)
class Import:
    """One imported name of one line of one file."""

    path: Path
    line: int
    target: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(PROJECT)}:{self.line} imports {self.target}"


def imports(path: Path) -> Iterator[Import]:
    """Every import in a file, at any depth, as absolute dotted names."""
    name = module_name(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(path, node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([base] if base else [])])
            for alias in node.names:
                # `from maxmargin import kernels` names a room, `from maxmargin.kernels import RBF` its thing.
                yield Import(path, node.lineno, f"{base}.{alias.name}" if base == "maxmargin" else base)


def package_files() -> list[Path]:
    return [path for path in written_files((".py",)) if PACKAGE in path.parents]


def package_imports() -> list[Import]:
    return [found for path in package_files() for found in imports(path)]
