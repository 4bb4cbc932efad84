"""Imports point down only (ARCHITECTURE.md, "Stairs"), and only the named rooms touch certain libraries."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from . import _tree
from ._tree import Import, imports, module_name, package_files, package_imports, room

STAIRS = (
    ("__main__",),
    ("cli",),
    ("io", "onnx", "tuning"),
    ("model_selection", "bounds", "plots", "distributed", "calibration", "callbacks", "playground"),
    ("inspection",),
    ("estimators",),
    ("calibrators",),
    ("_solve",),
    ("solvers",),
    ("solution",),
    ("problems",),
    ("losses", "feature_maps"),
    ("blocks",),
    ("kernels", "scales"),
    ("validation",),
    ("_cluster", "_versioned"),
    ("errors", "_core"),
    ("_blas", "_deadline", "_documented", "_lazy", "_stored_types", "_version", "_whole_or_nothing"),
)
"""From the top to the ground; rooms on one step do not import each other."""

STEP = {name: depth for depth, step in enumerate(STAIRS) for name in step}
ABOVE_ESTIMATORS = {name for step in STAIRS[:6] for name in step}

ALLOWED = {
    "maxmargin._core": {"validation", "kernels", "blocks", "feature_maps", "problems", "solution", "solvers", "io"},
    "sklearn": {"errors", "validation", "feature_maps", "calibrators"} | ABOVE_ESTIMATORS,
    "matplotlib": {"plots"},
}


def _goes_down(found: Import) -> bool:
    here, there = room(module_name(found.path)), room(found.target)
    return here in (there, "") or STEP[here] < STEP[there]


def test_every_room_is_on_the_stairs() -> None:
    rooms = {room(module_name(path)) for path in package_files()} - {""}
    assert rooms
    assert rooms - set(STEP) == set()


def test_imports_point_down() -> None:
    inside = [found for found in package_imports() if found.target.split(".")[0] == "maxmargin"]
    inside = [found for found in inside if room(found.target) in STEP]
    assert len(inside) > 20
    assert [str(found) for found in inside if not _goes_down(found)] == []


def test_nothing_below_imports_the_front_door() -> None:
    names = [found for found in package_imports() if found.target.split(".")[0] == "maxmargin"]
    lost = [str(found) for found in names if room(found.target) not in STEP]
    front = [line for line in lost if "__init__.py" not in line.split(":")[0].removeprefix("src/maxmargin/")]
    assert front == []


def _reaches_in(found: Import) -> bool:
    """Whether a room takes something from inside another, past its ``__init__``."""
    here, there = room(module_name(found.path)), room(found.target)
    inside = found.target.removeprefix(f"maxmargin.{there}").strip(".")
    return here not in (there, "") and inside != ""


def test_a_room_takes_from_another_what_that_offers() -> None:
    inside = [found for found in package_imports() if found.target.split(".")[0] == "maxmargin" and room(found.target) in STEP]
    assert len(inside) > 20
    assert [str(found) for found in inside if _reaches_in(found)] == []


@pytest.mark.parametrize(
    ("here", "line", "reaches"),
    [
        ("solvers/_x.py", "from maxmargin.problems._dual import DualBatch", True),
        ("solvers/_x.py", "import maxmargin.problems._dual", True),
        ("solvers/_x.py", "from maxmargin.problems import DualBatch", False),
        ("solvers/_dual/_x.py", "from maxmargin.solvers._runtime._base import Limits", False),
        ("solvers/_x.py", "from maxmargin._deadline import Deadline", False),
    ],
)
def test_the_test_sees_who_reaches_in(
    here: str, line: str, reaches: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tree, "PACKAGE", tmp_path / "maxmargin")
    path = tmp_path / "maxmargin" / here
    path.parent.mkdir(parents=True)
    path.write_text(line)
    (found,) = imports(path)
    assert _reaches_in(found) is reaches


@pytest.mark.parametrize("library", ALLOWED)
def test_library_is_touched_by_its_rooms_only(library: str) -> None:
    touching = [f for f in package_imports() if f.target == library or f.target.startswith(library + ".")]
    assert [str(found) for found in touching if room(module_name(found.path)) not in ALLOWED[library]] == []


@pytest.mark.parametrize(
    ("here", "line", "down"),
    [
        ("kernels/_x.py", "from maxmargin.solvers import SMO", False),
        ("kernels/_x.py", "from ..solvers import SMO", False),
        ("kernels/_x.py", "from .. import solvers", False),
        ("kernels/_x.py", "def f():\n    import maxmargin.estimators", False),
        ("plots/_x.py", "from maxmargin.io import load", False),
        ("kernels/_x.py", "from ._linear import Linear", True),
        ("estimators/_x.py", "from maxmargin._solve import solve", True),
        ("estimators/__init__.py", "from ._svc import SVC", True),
        ("__init__.py", "from .estimators import SVC", True),
    ],
)
def test_the_test_sees_upward_imports(
    here: str, line: str, down: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guard guards: each of these lines, put into that file, is evaluated rightly."""
    monkeypatch.setattr(_tree, "PACKAGE", tmp_path / "maxmargin")
    path = tmp_path / "maxmargin" / here
    path.parent.mkdir(parents=True)
    path.write_text(line)
    found = list(imports(path))
    assert found
    assert all(_goes_down(each) for each in found) is down


def test_rooms_export_what_they_say() -> None:
    """A room's __init__ has __all__, sorted; the files inside are private."""
    for path in package_files():
        inside = path.relative_to(_tree.PACKAGE)
        if path.name == "__init__.py" and len(inside.parts) == 2:
            assert "__all__" in path.read_text(encoding="utf-8"), f"{inside} says not what it exports"
        elif len(inside.parts) > 1:
            assert path.name.startswith("_"), f"{inside} is in a room and must be private"


ENUMS = ("Enum", "IntEnum", "StrEnum")
"""An enum with members cannot be subclassed: Python itself makes it final."""


def _is_final_or_abstract(node: ast.ClassDef) -> bool:
    marks = {ast.unparse(mark) for mark in node.decorator_list}
    bases = {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}
    metas = {ast.unparse(keyword.value).rpartition(".")[2] for keyword in node.keywords if keyword.arg == "metaclass"}
    return bool({"final", "typing.final"} & marks or {"ABC", "Protocol", *ENUMS} & bases or "ABCMeta" in metas)


def test_every_class_is_abstract_or_final() -> None:
    """Law 4. The tree of exceptions is abstract where it branches; no leaf of it is subclassed."""
    loose = []
    for path in package_files():
        if room(module_name(path)) == "errors":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not _is_final_or_abstract(node):
                loose.append(f"{path.relative_to(_tree.PROJECT)}:{node.lineno} {node.name}")
    assert loose == []
