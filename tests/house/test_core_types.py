"""The stubs of the compiled core name what it has: mypy believes them, and nothing else compares."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest

from maxmargin import _core

from .._data import PROJECT

STUBS = sorted((PROJECT / "src" / "maxmargin").glob("_core*.pyi"))


def _is_enum(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "Enum"


def _enums() -> dict[str, list[str]]:
    """Members of each enum, which a stub writes as ``Kind = Enum("Kind", "one two")``."""
    found = {}
    for path in STUBS:
        for node in filter(_is_enum, ast.parse(path.read_text(encoding="utf-8")).body):
            assert isinstance(node, ast.Assign)
            assert isinstance(node.value, ast.Call)
            name, members = (ast.literal_eval(each) for each in node.value.args)
            assert ast.unparse(node.targets[0]) == name
            found[name] = members.split()
    return found


def _named(body: list[ast.stmt]) -> set[str]:
    """Functions, methods and attributes."""
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    return functions | {ast.unparse(node.target) for node in body if isinstance(node, ast.AnnAssign)}


def _public(names: Any) -> set[str]:
    return {name for name in names if not name.startswith("_")}


ENUMS = _enums()
BODIES = [node for path in STUBS for node in ast.parse(path.read_text(encoding="utf-8")).body]
EVERY = {node.name: node for node in BODIES if isinstance(node, ast.ClassDef)}
CLASSES = [name for name in EVERY if hasattr(_core, name)]
"""Those of the core; what several results have in common is a class of the stubs alone."""


def _all_of(name: str) -> set[str]:
    """What a class has, and what it inherits."""
    bases = [base for base in map(ast.unparse, EVERY[name].bases) if base in EVERY]
    return _named(EVERY[name].body).union(*map(_all_of, bases))


@pytest.mark.parametrize("name", ENUMS)
def test_enums_have_these_members_in_this_order(name: str) -> None:
    assert [each.name for each in getattr(_core, name)] == ENUMS[name]


def test_the_core_has_what_the_stubs_name_and_nothing_else() -> None:
    known = _public(_named(BODIES) | set(ENUMS) | set(CLASSES))
    assert known == _public(vars(_core))


@pytest.mark.parametrize("name", CLASSES)
def test_classes_have_what_the_stubs_name(name: str) -> None:
    assert inspect.isclass(getattr(_core, name))
    assert _public(_all_of(name)) == _public(vars(getattr(_core, name)))
