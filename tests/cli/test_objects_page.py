"""The page about objects is true: its Python runs, in the order of the page, and prints what it says it prints."""

from __future__ import annotations

import contextlib
import inspect
import io
import re
from typing import Any

import pytest

from maxmargin import kernels

from .._data import PROJECT
from .test_readme import shape_of

PAGE = (PROJECT / "docs" / "objects.md").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("error")
def test_code_runs_and_prints_what_it_says() -> None:
    names: dict[str, Any] = {"__name__": "objects"}
    printed, ran, compared = "", 0, 0
    for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, "objects.md", "exec"), names)
            printed, ran = out.getvalue(), ran + 1
        else:
            assert shape_of(text) == shape_of(printed)
            compared += 1
    assert ran == compared == 5  # each block prints something, and the page says what


def test_every_kernel_of_objects_is_on_the_page() -> None:
    found = [
        name
        for name in kernels.__all__
        if getattr(inspect.unwrap(getattr(kernels, name)), "__module__", "").find("_objects") >= 0
    ]
    assert len(found) == 10
    for name in found:
        assert f"`{name}" in PAGE, name


def test_what_the_page_names_is_there() -> None:
    for path in re.findall(r"`(examples/\w+\.py)`", PAGE):
        assert (PROJECT / path).exists(), path
    for name, inside in re.findall(r"`([A-Z]\w+)\(([^()`]*)\)`", PAGE):
        parameters = inspect.signature(getattr(kernels, name)).parameters
        for word in re.findall(r"(\w+)=", inside):
            assert word in parameters, f"{name} has no parameter {word}"
