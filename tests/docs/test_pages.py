"""The pages of the site are true: their Python runs, and prints what they say it prints."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from ..cli.test_readme import shape_of

pytest.importorskip("matplotlib").use("Agg")

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.md"))


def _blocks(page: Path) -> list[tuple[str, str]]:
    return re.findall(r"^```(\w+)\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def test_the_guide_is_there() -> None:
    assert {"start", "choose", "moving", "certificate", "endings", "troubleshooting"} <= {page.stem for page in PAGES}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")], ids=lambda p: p.stem
)
def test_code_runs_and_prints_what_the_page_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": page.stem}
    printed = ""
    for language, text in _blocks(page):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, page.name, "exec"), names)
            printed = out.getvalue()
        elif language == "text":
            assert shape_of(text) == shape_of(printed)


MADE = {"lectures_built": DOCS / "lectures", "gallery": DOCS.parent / "examples"}
"""Folders that the build makes, and the scripts that their pages are made of."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_pages(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        folder, _, name = target.partition("/")
        found = MADE[folder] / f"{name}.py" if folder in MADE else page.parent / target
        assert found.exists() or target == "reference/index.rst", f"{page.name} links to {target}"


def test_the_table_of_topics_names_files_that_exist() -> None:
    table = (DOCS / "lectures_table.md").read_text(encoding="utf-8")
    tests = re.findall(r"`(tests/[\w/]+\.py)`", table)
    assert len(tests) >= 30
    assert all((DOCS.parent / name).exists() for name in tests)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("lecture", sorted((DOCS / "lectures").glob("*.py")), ids=lambda path: path.stem)
def test_lectures_run(lecture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They draw; what they print is looked at where the site is built."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(pyplot, "show", lambda: None)
    runpy.run_path(str(lecture))
    assert pyplot.get_fignums()
    pyplot.close("all")
