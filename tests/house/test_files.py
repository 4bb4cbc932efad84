"""Files are short, the C++ core is pure, and nothing in the tree knows the machine it was written on."""

from __future__ import annotations

import re

import pytest

from .._data import PROJECT
from ._tree import CODE, TEXT, written_files

LONGEST = 400
"""A file stays below this many lines."""


def test_every_source_file_is_below_400_lines() -> None:
    files = written_files(CODE)
    assert len(files) > 50
    lengths = {str(path.relative_to(PROJECT)): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {name: length for name, length in lengths.items() if length >= LONGEST} == {}


def test_no_path_of_a_machine() -> None:
    """Folders of one person's machine; built from parts, so that this file does not hold them itself."""
    folders = "|".join(["work/(main|shared)", "root/", "home/[a-z]", "Users/[A-Za-z]", "tmp/[a-z]", "mnt/[a-z]"])
    machine = re.compile(rf"(?<![\w.$~}}])/({folders})")
    found = []
    for path in written_files(TEXT):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if machine.search(line):
                found.append(f"{path.relative_to(PROJECT)}:{number}: {line.strip()}")
    assert found == []


CPP = [path for path in written_files((".cpp", ".hpp", ".inl")) if "cpp" in path.relative_to(PROJECT).parts[:1]]
FORBIDDEN = {
    "a Python header": r"#include\s*[<\"](Python\.h|nanobind|pybind11)",
    "printing": r"\b(printf|fprintf|puts|std::cout|std::cerr|std::clog)\b|#include\s*<(iostream|cstdio)>",
    "rand()": r"\b(s?rand|drand48|random)\s*\(\s*\)",
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_the_core_is_pure(what: str) -> None:
    pattern = re.compile(FORBIDDEN[what])
    assert CPP
    found = []
    for path in CPP:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if pattern.search(line.partition("//")[0]):
                found.append(f"{path.relative_to(PROJECT)}:{number}: {line.strip()}")
    assert found == []


MEMBER = re.compile(r"^(?!template\b(?! *<))\w[^=()]*?\b([A-Z]\w*)(?:<[^()]*?>)?::~?\w+\(", re.MULTILINE)
"""The definition of a member function outside its class: not indented, and not the instantiation of a template."""


def test_a_class_lives_in_one_file() -> None:
    """The limit of lines is met by smaller classes, not by the members of one in several files."""
    homes: dict[str, set[str]] = {}
    for path in written_files((".cpp", ".inl")):
        for definition in MEMBER.finditer(path.read_text(encoding="utf-8")):
            homes.setdefault(definition[1], set()).add(str(path.relative_to(PROJECT)))
    assert len(homes) > 20
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
