"""A test ends at its last line: what does not hold for a case is not among its cases."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .._data import PROJECT
from ._tree import written_files

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _returns(function: ast.AST) -> Iterator[ast.Return]:
    """Of the function itself, not of those that are made inside of it."""
    for node in ast.iter_child_nodes(function):
        if isinstance(node, ast.Return):
            yield node
        if not isinstance(node, (*FUNCTIONS, ast.Lambda)):
            yield from _returns(node)


def test_the_reader_of_returns_sees_them() -> None:
    seen = ast.parse("def test_one():\n  if x:\n    return\n  def inner():\n    return 1\n  assert inner()")
    assert [node.lineno for node in _returns(seen.body[0])] == [3]


def test_no_test_returns_early_to_pass() -> None:
    tests, found = 0, []
    for path in (each for each in written_files((".py",)) if each.is_relative_to(PROJECT / "tests")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, FUNCTIONS) and node.name.startswith("test_"):
                tests += 1
                found += [f"{path.relative_to(PROJECT)}:{line.lineno} in {node.name}" for line in _returns(node)]
    assert tests > 500
    assert found == []
