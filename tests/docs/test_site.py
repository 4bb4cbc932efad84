"""What the build of the site makes, and what must not be missing on it."""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import sklearn.linear_model
import sklearn.svm

import maxmargin

pytest.importorskip("matplotlib").use("Agg")

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ROWS = {"G": 3, "F": 11, "S": 7, "L": 4, "K": 6, "T": 4, "E": 21}
"""How many topics of each kind the five lectures have."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a module of ``docs/_site``."""
    monkeypatch.syspath_prepend(str(DOCS))

    def load(name: str) -> ModuleType:
        __import__(f"_site.{name}")
        return sys.modules[f"_site.{name}"]

    return load


def _page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def test_the_table_of_topics_misses_none_and_names_files_that_exist() -> None:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in _page("lectures_table").splitlines()]
    found = {cells[0]: cells for cells in rows if re.fullmatch(r"[A-Z]\d+", cells[0])}
    assert list(found) == [f"{letter}{k}" for letter, count in ROWS.items() for k in range(1, count + 1)]
    for name, cells in found.items():
        tests = re.findall(r"`(tests/[\w/]+\.py)`", cells[-1])
        assert tests, name
        assert all((ROOT / test).exists() for test in tests), name
        assert re.findall(r"\]\(", cells[-2]), f"{name} has no page"  # that it leads somewhere, test_pages says


def test_every_claim_has_its_test() -> None:
    text = (Path(__file__).parent / "test_claims.py").read_text(encoding="utf-8")
    assert len(re.findall(r"^def test_", text, flags=re.MULTILINE)) == ROWS["E"]


SVC_LIKE = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")
SECTIONS = {
    "### `SVC`": [getattr(sklearn.svm, name) for name in SVC_LIKE],
    "### `LinearSVC`": [sklearn.svm.LinearSVC, sklearn.svm.LinearSVR],
    "### `LogisticRegression`": [sklearn.linear_model.LogisticRegression],
}


@pytest.mark.parametrize("heading", SECTIONS)
def test_every_parameter_of_scikit_learn_is_on_the_page_and_accepted(heading: str) -> None:
    section = _page("moving").split(heading)[1].split("\n## ")[0].split("\n### ")[0]
    first_column = " ".join(line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    told = set(re.findall(r"`(\w+)`", first_column))
    for kind in SECTIONS[heading]:
        theirs = set(inspect.signature(kind).parameters)
        ours = set(inspect.signature(getattr(maxmargin, kind.__name__)).parameters)
        assert theirs - told == set(), f"not told of {kind.__name__}"
        assert theirs - ours == set(), f"not accepted by {kind.__name__}"


LIBSVM = ["s", "t", "d", "g", "r", "c", "n", "p", "m", "e", "h", "b", "wi", "v", "q"]
LIBLINEAR = ["s", "c", "p", "n", "e", "B", "R", "wi", "v", "q", "C", "m"]


@pytest.mark.parametrize(("heading", "options"), [("## From LIBSVM", LIBSVM), ("## From LIBLINEAR", LIBLINEAR)])
def test_every_option_of_the_commands_is_on_the_page(heading: str, options: list[str]) -> None:
    section = _page("moving").split(heading)[1].split("\n## ")[0]
    first_column = " ".join(line.split("|")[1] for line in section.splitlines() if line.startswith("|"))
    assert [option for option in options if not re.search(rf"`-{option}( \w+)?`", first_column)] == []


def test_calls_on_the_page_about_moving_work() -> None:
    text = _page("moving")
    calls = re.findall(r"`((?:Linear|Logistic)\w+)\(([^`]*)\)`", text)
    assert len(calls) >= 6
    for name, arguments in calls:
        eval(f"maxmargin.{name}({arguments})").fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])


def test_the_drawn_tree_leads_to_estimators_that_the_table_has_too(site: Any, tmp_path: Path) -> None:
    tree = site("tree")
    assert tree.models() <= set(maxmargin.__all__)
    assert [name for name in tree.models() if f"`{name}" not in _page("choose")] == []
    tree.draw(tmp_path / "choose.svg")
    drawn = (tmp_path / "choose.svg").read_text(encoding="utf-8")
    assert "<svg" in drawn


def test_the_table_of_numbers_in_the_readme_is_what_was_measured(site: Any, tmp_path: Path) -> None:
    benchmarks = site("benchmarks")
    held = benchmarks.measured(DOCS / "measured")
    assert benchmarks.short_table(held) in (ROOT / "README.md").read_text(encoding="utf-8")
    assert max(v for suite in held.values() for r in suite["results"] for v in r["below_best_dual"].values()) <= 4e-6
    benchmarks.write(DOCS / "measured", tmp_path)
    for suite in benchmarks.SUITES:
        assert (tmp_path / f"benchmarks_{suite}.png").stat().st_size > 10_000
        table = (tmp_path / f"benchmarks_{suite}.md").read_text(encoding="utf-8")
        assert [result["task"] for result in held[suite]["results"] if f"| {result['task']} |" not in table] == []
    assert (tmp_path / "benchmarks_approximate.png").stat().st_size > 10_000


def test_the_table_of_landmarks_has_every_fit_on_record(site: Any) -> None:
    results = json.loads((DOCS / "measured" / "approximate.json").read_text(encoding="utf-8"))["results"]
    head, _, *lines = site("benchmarks").landmarks_table(results).splitlines()
    assert head.split("|")[3].strip() == "64"
    for line, (name, result) in zip(lines, results.items(), strict=True):
        assert line.startswith(f"| {name} |")
        assert [cell.split("%")[0].strip() for cell in line.split("|")[3:-1]] == [
            f"{100.0 * score:.1f}" for score in (*(each[2] for each in result["approximate"]), result["exact"][1])
        ]


def test_means_of_the_benchmarks_are_those_of_make_bench(site: Any) -> None:
    benchmarks = site("benchmarks")
    held = benchmarks.measured(DOCS / "measured")["kernel"]
    fit, predict = benchmarks.means(held)
    assert fit == pytest.approx(held["geometric_means"]["kernel"]["fit_ratio"])
    assert predict == pytest.approx(held["geometric_means"]["kernel"]["predict_ratio"])


def test_broken_links_are_found(site: Any, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<a href="other.html#there">x</a><img src="picture.png"><a href="https://x.example">', "utf-8"
    )
    (tmp_path / "other.html").write_text('<p id="there"><a href="index.html#nowhere">x</a><a href="#there">y</a>', "utf-8")
    found = site("links").broken(tmp_path)
    assert found == ["index.html: picture.png is not there", "other.html: index.html#nowhere has no such place"]
    (tmp_path / "picture.png").write_bytes(b"")
    (tmp_path / "other.html").write_text('<p id="there">', "utf-8")
    assert site("links").broken(tmp_path) == []


def test_each_example_is_in_one_section_of_the_gallery(site: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gallery = site("gallery")
    monkeypatch.delenv("MAXMARGIN_DATA", raising=False)
    left_out = gallery.copy_examples(ROOT / "examples", tmp_path / "made")
    copied = {path.stem for path in (tmp_path / "made").rglob("*.py")}
    assert copied | set(left_out) == {path.stem for path in (ROOT / "examples").glob("*.py")}
    other = tmp_path / "others"
    other.mkdir()
    (other / "stray.py").write_text('"""A stray."""\n', encoding="utf-8")
    with pytest.raises(ValueError, match="must list each example in one section"):
        gallery.copy_examples(other, tmp_path / "made")


def test_every_public_name_has_a_line_in_the_reference(site: Any, tmp_path: Path) -> None:
    """Rooms are found by a walk of their own; what the front door offers too has its page there."""
    site("reference").write(tmp_path / "reference")
    listed: set[str] = set()
    for page in (tmp_path / "reference").glob("maxmargin*.rst"):
        listed |= {f"{page.stem}.{name}" for name in re.findall(r"^   (\w+)$", page.read_text("utf-8"), flags=re.MULTILINE)}
    folder = Path(str(maxmargin.__file__)).parent
    rooms = {f"maxmargin.{path.parent.name}" for path in folder.glob("[a-z]*/__init__.py")}
    for room in sorted(rooms - {"maxmargin.cli", "maxmargin.estimators", "maxmargin.validation"}):
        module = importlib.import_module(room)
        for name in getattr(module, "__all__", ()):
            assert f"{room}.{name}" in listed or f"maxmargin.{name}" in listed, f"{room}.{name}"
    names = [name for name in maxmargin.__all__ if not isinstance(getattr(maxmargin, name), ModuleType)]
    assert [name for name in names if f"maxmargin.{name}" not in listed] == []


def test_names_in_text_lead_to_their_pages(site: Any) -> None:
    found = site("names").pages(list(site("reference").ROOMS))
    assert found["SVC"] == "reference/generated/maxmargin.SVC"
    assert found["HardMargin"] == found["problems.HardMargin"] == "reference/generated/maxmargin.problems.HardMargin"
    assert found["Perceptron"] == "reference/generated/maxmargin.Perceptron"  # not the loss of that name
    assert found["losses.Perceptron"] == "reference/generated/maxmargin.losses.Perceptron"
    assert site("names").is_of_another("takes the place of scikit-learn’s SVC: same parameters", "SVC")
    assert not site("names").is_of_another("SVC knows more than scikit-learn’s classes", "SVC")


@pytest.mark.parametrize("lecture", sorted((DOCS / "lectures").glob("*.py")), ids=lambda path: path.stem)
def test_every_topic_of_a_lecture_has_an_exercise_with_a_hidden_answer(lecture: Path) -> None:
    text = lecture.read_text(encoding="utf-8")
    assert "Text → call" in text
    assert "**Where the text errs.**" in text
    topics = re.split(r"^# [^\n]+\n# -{3,}$", text, flags=re.MULTILINE)[1:]
    assert len(topics) >= 4
    without = [
        k for k, topic in enumerate(topics, 1) if ".. admonition:: Exercise" not in topic or ".. dropdown:: Answer" not in topic
    ]
    assert without == []
