"""Pages of the reference, one for each room, from the names that the rooms offer: nothing public can be missing."""

from __future__ import annotations

import importlib
import inspect
from enum import Enum
from pathlib import Path
from types import ModuleType
from typing import Any

ROOMS = {
    "maxmargin": "Estimators, and solve",
    "maxmargin.model_selection": "Searches over parameters",
    "maxmargin.tuning": "Tuning in one call",
    "maxmargin.blocks": "Rows in blocks",
    "maxmargin.distributed": "Rows on a cluster",
    "maxmargin.calibration": "Probabilities",
    "maxmargin.kernels": "Kernels",
    "maxmargin.feature_maps": "Feature maps",
    "maxmargin.inspection": "Looking into a model",
    "maxmargin.plots": "Pictures",
    "maxmargin.problems": "Problems",
    "maxmargin.solvers": "Solvers",
    "maxmargin.solution": "Solutions and certificates",
    "maxmargin.losses": "Losses",
    "maxmargin.bounds": "Bounds",
    "maxmargin.scales": "Scales of regularisation",
    "maxmargin.callbacks": "Callbacks",
    "maxmargin.calibrators": "Calibrators",
    "maxmargin.io": "Files",
    "maxmargin.onnx": "ONNX",
    "maxmargin.playground": "The playground's page",
    "maxmargin.errors": "Errors and warnings",
}
"""Rooms in the order in which people look for them. A room that is not listed fails the build (see `write`)."""


_INSIDE = {"maxmargin.cli", "maxmargin.estimators", "maxmargin.validation"}
"""Rooms whose names are offered elsewhere, or to other rooms only."""


def write(folder: Path) -> None:
    """Write ``index.rst`` and a page for each room."""
    folder.mkdir(exist_ok=True)
    missing = set(rooms()) - set(ROOMS)
    if missing:
        raise ValueError(f"docs/_site/reference.py does not list {', '.join(sorted(missing))}: add a line to ROOMS.")
    names = [name for name in ROOMS if name in rooms()]
    toctree = "\n".join(f"   {name}" for name in names)
    _put(folder / "index.rst", f"{_title('Reference')}\n\n.. toctree::\n   :maxdepth: 1\n\n{toctree}\n")
    kept = set()
    for name in names:
        module = importlib.import_module(name)
        _put(folder / f"{name}.rst", _page(name, module))
        kept |= {f"{name}.{key}" for key in _offered(module)}
    for page in (folder / "generated").glob("*.rst"):  # of names that have gone
        if page.stem not in kept:
            page.unlink()


def rooms() -> list[str]:
    """The package and its public rooms with names of their own."""
    package = importlib.import_module("maxmargin")
    folder = Path(str(package.__file__)).parent
    found = ["maxmargin"]
    for path in sorted(folder.glob("*/__init__.py")):
        name = f"maxmargin.{path.parent.name}"
        if not path.parent.name.startswith("_") and name not in _INSIDE and _offered(importlib.import_module(name)):
            found.append(name)
    return [*found, "maxmargin.errors"]


def _offered(module: ModuleType) -> list[str]:
    """Names for users: no rooms, which have pages of their own, and none that the front door offers too."""
    names = [name for name in getattr(module, "__all__", ()) if not isinstance(getattr(module, name), ModuleType)]
    front = importlib.import_module("maxmargin")
    return [name for name in names if module is front or getattr(front, name, None) is not getattr(module, name)]


def _page(name: str, module: ModuleType) -> str:
    things = {key: getattr(module, key) for key in _offered(module)}
    parts = [_title(f"{ROOMS[name]}: {name}"), f".. currentmodule:: {name}", inspect.getdoc(module) or ""]
    for heading, kind in (("Classes", _is_class), ("Functions", _is_function), ("Constants and choices", _is_rest)):
        keys = sorted((key for key, thing in things.items() if kind(thing)), key=str.lower)
        if keys:
            lines = "\n".join(f"   {key}" for key in keys)
            parts.append(f"{heading}\n{'-' * len(heading)}\n\n.. autosummary::\n   :toctree: generated\n\n{lines}")
    return "\n\n".join(parts) + "\n"


def _is_class(thing: Any) -> bool:
    return inspect.isclass(thing) and not issubclass(thing, Enum)


def _is_function(thing: Any) -> bool:
    return callable(thing) and not inspect.isclass(thing)


def _is_rest(thing: Any) -> bool:
    return not _is_class(thing) and not _is_function(thing)


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}"


def _put(path: Path, text: str) -> None:
    """Write, unless the file says so already: Sphinx reads again what is new."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
