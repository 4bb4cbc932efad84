"""The README is true: its Python runs, and prints what it says it prints."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib").use("Agg")

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"[-+]?\d[\d.]*(e[-+]?\d+)?")


def blocks() -> list[tuple[str, str]]:
    return re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def shape_of(text: str) -> list[str]:
    """Words without the numbers, whose last digits and widths depend on the machine."""
    return [" ".join(NUMBER.sub("#", line).split()) for line in text.strip().splitlines()]


@pytest.mark.filterwarnings("error")
def test_examples_run_and_print_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "readme"}
    printed, compared = "", 0
    for language, text in blocks():
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, "README.md", "exec"), names)
            printed = out.getvalue()
        elif language == "text":
            assert shape_of(text) == shape_of(printed)
            compared += 1
    assert compared >= 1
    assert (tmp_path / "boundary.png").exists()


def test_it_is_one_screen_and_shows_a_picture_that_is_there() -> None:
    assert len(README.splitlines()) < 100
    (picture,) = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert (ROOT / picture).exists()


def test_links_lead_to_files() -> None:
    for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / name).read_text(encoding="utf-8")):
            assert (ROOT / target).exists(), f"{name} links to {target}"


def test_make_verbs_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name in ("README.md", "CONTRIBUTING.md"):
        for verb in re.findall(r"`make ([\w-]+)`", (ROOT / name).read_text(encoding="utf-8")):
            assert re.search(rf"^{verb}\b.*:", makefile, flags=re.MULTILINE), f"{name} mentions make {verb}"
