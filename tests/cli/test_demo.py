"""``maxmargin demo``: what it prints is true, and the picture is where it says."""

from __future__ import annotations

import contextlib
import io
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_breast_cancer

from maxmargin.cli import _demo, main

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Everything the demo prints, and its picture; one run for all tests."""
    path = tmp_path_factory.mktemp("demo") / "picture.png"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["demo", "--output", str(path)]) == 0
    return out.getvalue(), path


def row(text: str, words: str, block: int = 0) -> tuple[str, str]:
    """The two columns of a line of the comparison."""
    found = re.findall(rf"^  {words} +(\S+(?: ms)?) +(\S+(?: ms)?)$", text, flags=re.MULTILINE)
    first, second = found[block]
    return first, second


def test_the_picture_is_where_it_says(shown: tuple[str, Path]) -> None:
    text, path = shown
    assert text.rstrip().endswith(str(path))
    assert path.read_bytes().startswith(PNG)
    assert path.stat().st_size > 20_000


@pytest.mark.parametrize("block", [0, 1], ids=["breast cancer", "digits"])
def test_objectives_of_both_libraries(shown: tuple[str, Path], block: int) -> None:
    text, _ = shown
    assert f"scikit-learn {sklearn.__version__}" in text
    ours, theirs = map(float, row(text, "dual objective", block))
    assert ours >= theirs * (1 - 1e-7)
    primal, their_primal = map(float, row(text, "primal objective", block))
    assert primal <= their_primal * (1 + 1e-7)
    gap, their_gap = map(float, row(text, "relative gap", block))
    assert 0 <= abs(gap) <= 1e-3
    assert gap == pytest.approx((primal - ours) / primal, rel=0.1, abs=1e-8)
    assert their_gap == pytest.approx((their_primal - theirs) / their_primal, rel=0.1, abs=1e-8)


def test_times_support_vectors_and_accuracy(shown: tuple[str, Path]) -> None:
    text, _ = shown
    assert all(cell.endswith(" ms") for cell in row(text, r"fit, median of \d"))
    ours, theirs = map(int, row(text, "support vectors"))
    assert abs(ours - theirs) <= 5
    assert all(90 < float(cell.rstrip("%")) <= 100 for cell in row(text, "test accuracy"))
    same, rows = map(int, re.findall(r"(\d+) of (\d+) test rows are predicted the same", text)[0])
    assert rows - 1 <= same <= rows == 143


def test_certificate_and_kinds(shown: tuple[str, Path]) -> None:
    text, _ = shown
    certificate = text[text.index("Certificate") : text.index("The training rows")]
    assert "converged" in certificate.lower()
    assert "gap" in certificate
    kinds = text[text.index("The training rows") : text.index("Digits")]
    counts = [int(count) for count in re.findall(r"^ +(\d+)  \w", kinds, flags=re.MULTILINE)]
    assert len(counts) == 4
    assert sum(counts) == 426
    ours, _ = map(int, row(text, "support vectors"))
    assert counts[2] + counts[3] <= ours <= sum(counts[1:])


def test_short_enough_to_read(shown: tuple[str, Path]) -> None:
    text, path = shown
    lines = text.replace(str(path), "PATH").splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 110


def test_the_picture_shows_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []

    def spy(model: Any, X: Any, y: Any, **options: Any) -> Any:
        drawn.append((model, X, y))
        return _original(model, X, y, **options)

    _original = _demo.decision_boundary
    monkeypatch.setattr(_demo, "decision_boundary", spy)
    figure = _demo._draw(load_breast_cancer())
    ((model, X, y),) = drawn
    (ax,) = figure.axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == _demo._PICTURE_FEATURES
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts[:2] == ["benign", "malignant"]
    assert f"misclassified ({int(np.sum(model.predict(X) != y))})" in texts


class Figure:
    """Stands in for a picture, and cannot be written in some places."""

    def __init__(self, *forbidden: Path) -> None:
        self.forbidden = forbidden

    def savefig(self, path: Path, **options: Any) -> None:
        if path in self.forbidden:
            raise PermissionError(13, "Permission denied", str(path))
        path.write_bytes(PNG)


def test_default_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert _demo._saver(None)(Figure()) == tmp_path / "maxmargin-demo.png"


def test_unwritable_directory_falls_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, spare = tmp_path / "here", tmp_path / "spare"
    here.mkdir()
    spare.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setattr(tempfile, "tempdir", str(spare))
    assert _demo._saver(None)(Figure(here / "maxmargin-demo.png")) == spare / "maxmargin-demo.png"


def test_output_may_be_a_directory(tmp_path: Path) -> None:
    assert _demo._saver(tmp_path)(Figure()) == tmp_path / "maxmargin-demo.png"


def test_output_in_a_missing_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--output", str(tmp_path / "no" / "a.png")]) == 1
    out, err = capsys.readouterr()
    assert out == ""  # said before anything is computed
    assert "there is no directory" in err
    assert "choose another --output" in err


def test_unwritable_output(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    with pytest.raises(Exception, match=r"Cannot write .*a\.png: .*Permission denied.* Choose another --output\."):
        _demo._saver(path)(Figure(path))


def test_without_matplotlib(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["demo"]) == 1
    out, err = capsys.readouterr()
    assert "dual objective" in out  # the numbers do not need it
    assert 'pip install "maxmargin[plots]"' in err
