"""Every example runs as its docstring says, and writes a picture."""

from __future__ import annotations

import runpy
import struct
import sys
from pathlib import Path

import pytest

from .._data import PROJECT, data_folder

EXAMPLES = sorted((PROJECT / "examples").glob("*.py"))
LONGEST = 80


def _size(path: Path) -> tuple[int, int]:
    """Width and height of a PNG, from its header."""
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:24])


def test_there_are_examples() -> None:
    found = {path.stem for path in EXAMPLES}
    assert {"hard_margin", "tube", "one_class", "losses", "sigmoid", "squared_error", "descent", "sparse_weights"} <= found
    assert {"lifted_circle", "ellipse", "map_or_kernel", "polynomial_kernels"} <= found
    assert {"second_and_third_order", "gaussian_width", "mercer"} <= found
    assert {"splice_sites", "molecules", "landmarks", "kernel_logistic", "series", "bags", "records"} <= found


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_draws(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as a script, but in this process: importing everything anew takes longer than drawing."""
    if "MAXMARGIN_DATA" in path.read_text(encoding="utf-8"):
        if not (data_folder() / "structured").is_dir():
            pytest.skip("the public sets of strings and graphs are not here: set MAXMARGIN_DATA")
        monkeypatch.setenv("MAXMARGIN_DATA", str(data_folder()))
    monkeypatch.setattr(sys, "argv", [str(path), str(tmp_path)])
    runpy.run_path(str(path), run_name="__main__")
    (picture,) = tmp_path.iterdir()
    assert picture.name == f"{path.stem}.png"
    width, height = _size(picture)
    assert 800 <= width <= 3000
    assert 500 <= height <= 3000
    assert picture.stat().st_size > 20_000


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_short_and_says_what_one_sees(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < LONGEST
    assert text.startswith('"""')
    assert f"python examples/{path.name}" in text.split('"""')[1]
