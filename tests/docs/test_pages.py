"""The pages of the site are true: their Python runs, and prints what they say it prints."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from maxmargin.solution import Status

from ..cli.test_readme import shape_of

pytest.importorskip("matplotlib").use("Agg")

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.md"))
SHOWN_ONLY = {"sh", "diff", "py", "text"}
"""Languages of blocks that are not run: commands, changes, what newer versions of others need, and what was printed."""


_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")


def _blocks(page: Path) -> list[tuple[str, str]]:
    return re.findall(r"^```([^\n`]*)\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def _far_apart(text: str, printed: str) -> list[tuple[str, str]]:
    """Numbers that say something else: decimals within 2 per cent, counts within a quarter. Gaps and times may be anything."""
    text, printed = (re.sub(r"^seconds\n(  .*\n)+", "", each, flags=re.MULTILINE) for each in (text, printed))
    pairs = zip(_NUMBER.findall(text), _NUMBER.findall(printed), strict=True)
    return [(a, b) for a, b in pairs if "e" not in a + b and abs(float(a) - float(b)) > _room(a, float(b))]


def _room(written: str, value: float) -> float:
    return max(0.02, 0.02 * abs(value)) if "." in written else max(3.0, 0.25 * abs(value))


def test_numbers_far_apart_are_seen() -> None:
    assert _far_apart("C = 1.0, 12 rows, gap 2e-9", "C = 1.01, 13 rows, gap 4e-3") == []
    assert _far_apart("C = 1.0, 12 rows", "C = 1.5, 19 rows") == [("1.0", "1.5"), ("12", "19")]
    assert _far_apart("seconds\n  solve  0.002\n", "seconds\n  solve  3.5\n") == []


def test_the_guide_is_there() -> None:
    begin = {"start", "choose", "moving", "certificate", "endings", "troubleshooting"}
    use = {"scaling", "kernels", "objects", "tuning", "probabilities", "linear", "formulations", "large", "deployment"}
    inside = {"problem", "extending", "engine", "benchmarks", "promises", "changelog"}
    assert begin | use | inside <= {page.stem for page in PAGES}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")], ids=lambda p: p.stem
)
def test_code_runs_and_prints_what_the_page_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    if page.stem == "distributed":
        pytest.importorskip("distributed", reason='dask is not installed: pip install "maxmargin[dask]"')
    monkeypatch.chdir(tmp_path)
    module = ModuleType(f"page_{page.stem}")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # dataclasses and pickles look for it there
    names: dict[str, Any] = vars(module)
    printed = ""
    for language, text in _blocks(page):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, page.name, "exec"), names)
            printed = out.getvalue()
        elif language == "text":
            assert shape_of(text) == shape_of(printed)
            assert not _far_apart(text, printed)
    pyplot.close("all")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_is_run_or_of_a_kind_that_cannot_be(page: Path) -> None:
    kinds = {language for language, _ in _blocks(page)}
    assert {kind for kind in kinds - SHOWN_ONLY - {"python"} if not kind.startswith("{")} == set()


def test_every_status_is_explained() -> None:
    text = (DOCS / "endings.md").read_text(encoding="utf-8")
    assert [status.name for status in Status if f"`{status.name}`" not in text] == []


MADE = {"lectures_built": DOCS / "lectures", "gallery": DOCS.parent / "examples"}
"""Folders that the build makes, and the scripts that their pages are made of."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_to_pages(page: Path) -> None:
    """What the build makes of them is checked there: ``make docs`` ends with `_site.links`."""
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        folder, name = target.partition("/")[0], target.rpartition("/")[2]
        if folder == "_made":  # tables and pictures of what was measured
            measured = target.partition("benchmarks_")[2].partition(".")[0]
            assert (DOCS / "measured" / f"{measured}.json").exists(), f"{page.name} links to {target}"
            continue
        script = MADE.get(folder, page.parent) / f"{name}.py"  # the index of a folder is made of all of them
        found = script.parent if folder in MADE and name == "index" else script if folder in MADE else page.parent / target
        assert found.exists() or folder == "reference", f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_is_in_a_table_of_contents(page: Path) -> None:
    listed = [line.strip() for holder in ("index", "guide", "inside") for line in _lines_of_trees(DOCS / f"{holder}.md")]
    assert page.stem in [*listed, "index"]


def _lines_of_trees(page: Path) -> list[str]:
    return [line for language, text in _blocks(page) if language == "{toctree}" for line in text.splitlines()]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("lecture", sorted((DOCS / "lectures").glob("*.py")), ids=lambda path: path.stem)
def test_lectures_run(lecture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They draw; what they print is looked at where the site is built."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    monkeypatch.setattr(pyplot, "show", lambda: None)
    runpy.run_path(str(lecture))
    assert pyplot.get_fignums()
    pyplot.close("all")
