"""Blocks of text files and tables: the rows that are there, and what is wrong with its block."""

from __future__ import annotations

import lzma
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from maxmargin import LinearSVC, RowBlocks
from maxmargin.errors import InvalidInput
from maxmargin.io import read_svmlight, write_svmlight

RNG = np.random.default_rng(8)
X = np.where(RNG.random((500, 6)) < 0.5, RNG.normal(size=(500, 6)), 0.0)
Y = np.where(X[:, 0] + X[:, 1] > 0.0, 1.0, -1.0)
TABLE = pd.DataFrame(X.astype(np.float32), columns=list("abcdef"))


@pytest.fixture
def text(tmp_path: Path) -> Path:
    write_svmlight(tmp_path / "rows.txt", X, Y)
    return tmp_path / "rows.txt"


# LIBSVM's text.


@pytest.mark.parametrize("size", [None, 1, 64, 500, 1000])
def test_text_has_the_rows_of_the_reader(size: int | None, text: Path) -> None:
    whole = read_svmlight(text)
    blocks = RowBlocks.from_svmlight(text, batch_size=size)
    np.testing.assert_array_equal(blocks[:].toarray(), whole.X.toarray())
    np.testing.assert_array_equal(blocks.y, whole.y)
    assert blocks.n_blocks == (1 if size is None else -(-500 // size))


def test_numbers_are_read_from_the_file_beside(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = LinearSVC().fit(RowBlocks.from_svmlight(text, batch_size=100))
    assert sorted(os.listdir(text.parent)) == ["rows.txt", "rows.txt.blocks"]
    monkeypatch.setattr("maxmargin._core.read_svmlight", None)  # no text is parsed from here on
    again = LinearSVC().fit(RowBlocks.from_svmlight(text, batch_size=100))
    np.testing.assert_array_equal(first.coef_, again.coef_)


def test_another_text_is_read_anew(text: Path) -> None:
    RowBlocks.from_svmlight(text)
    write_svmlight(text, X[:100], Y[:100])
    os.utime(text, ns=(1, 1))
    assert len(RowBlocks.from_svmlight(text)) == 100


def test_compressed_text(text: Path) -> None:
    packed = text.with_suffix(".xz")
    packed.write_bytes(lzma.compress(text.read_bytes()))
    np.testing.assert_array_equal(RowBlocks.from_svmlight(packed)[:].toarray(), read_svmlight(text).X.toarray())


def test_a_file_of_numbers_that_is_not_whole_is_made_anew(text: Path) -> None:
    RowBlocks.from_svmlight(text, batch_size=100)
    beside = Path(f"{text}.blocks")
    beside.write_bytes(beside.read_bytes()[:-5])
    np.testing.assert_array_equal(RowBlocks.from_svmlight(text, batch_size=100)[:].toarray(), X)


def test_a_damaged_file_of_numbers(text: Path) -> None:
    RowBlocks.from_svmlight(text, batch_size=100)
    beside = Path(f"{text}.blocks")
    data = bytearray(beside.read_bytes())
    data[30] ^= 1
    beside.write_bytes(data)
    with pytest.raises(InvalidInput, match=r"Block 0 of .*rows.txt.blocks is damaged. Delete the file"):
        LinearSVC().fit(RowBlocks.from_svmlight(text, batch_size=100))


def test_a_fault_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("1 1:0.5\n-1 2\n")
    with pytest.raises(InvalidInput, match=r"Line 2 of .*bad.txt has '2', an index without a value"):
        RowBlocks.from_svmlight(tmp_path / "bad.txt")
    assert os.listdir(tmp_path) == ["bad.txt"]


def test_widths_and_indices(text: Path) -> None:
    assert RowBlocks.from_svmlight(text, n_features=9).shape == (500, 9)
    with pytest.raises(InvalidInput, match=r"beyond n_features=3. Raise n_features to 6"):
        RowBlocks.from_svmlight(text, n_features=3)
    with pytest.raises(InvalidInput, match="'zero_based' parameter of RowBlocks"):
        RowBlocks.from_svmlight(text, zero_based="no")  # type: ignore[arg-type]


# Parquet.


def test_parquet(tmp_path: Path) -> None:
    frame = TABLE.assign(label=np.where(Y > 0.0, "yes", "no"), w=RNG.integers(0, 3, 500))
    for k in range(2):
        frame[k * 250 : (k + 1) * 250].to_parquet(tmp_path / f"{k}.parquet")
    paths = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    blocks = RowBlocks.from_parquet(paths, label="label", weight="w", batch_size=100)
    rows = blocks[:]
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, X.astype(np.float32))
    assert blocks.look().rows_of == (100, 100, 50, 100, 100, 50)
    model = LinearSVC().fit(blocks)
    np.testing.assert_array_equal(model.classes_, ["no", "yes"])
    by_hand = RowBlocks.from_arrays(X.astype(np.float32), frame.label.to_numpy(), frame.w.to_numpy(), batch_size=250)
    assert model.certificate_.primal_objective == pytest.approx(
        LinearSVC().fit(by_hand).certificate_.primal_objective, rel=2e-4
    )


@pytest.mark.parametrize(
    ("change", "how", "match"),
    [
        (lambda frame: frame, {"label": "y"}, "'label' column 'y' is not in"),
        (lambda frame: frame, {"features": ["a", "z"]}, r"columns \['z'\] are not in"),
        (lambda frame: frame.assign(t="text"), {}, "Column 't' of .* must hold numbers. Got .*string"),
    ],
)
def test_other_columns_of_parquet(change: Any, how: dict[str, Any], match: str, tmp_path: Path) -> None:
    change(TABLE).to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(InvalidInput, match=match):
        RowBlocks.from_parquet(tmp_path / "rows.parquet", **how)


def test_missing_values_in_parquet(tmp_path: Path) -> None:
    frame = TABLE.astype("Float32")
    frame.loc[317, "c"] = None
    frame.assign(y=Y).to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(InvalidInput, match=r"Block 3 .* column 'c' has 1 missing values"):
        LinearSVC().fit(RowBlocks.from_parquet(tmp_path / "rows.parquet", label="y", batch_size=100))


# CSV.


@pytest.mark.parametrize("header", [True, False])
def test_csv(header: bool, tmp_path: Path) -> None:
    frame = TABLE.astype(np.float64).assign(label=np.where(Y > 0.0, "yes", "no"))
    frame.to_csv(tmp_path / "rows.csv", index=False, header=header)
    blocks = RowBlocks.from_csv(tmp_path / "rows.csv", label="label" if header else -1, batch_size=70)
    np.testing.assert_allclose(blocks[:], X, atol=1e-7)
    assert LinearSVC().fit(blocks).score(blocks) > 0.95
    assert list(blocks.y[:3]) == list(frame.label[:3])


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("1,2,x,1", r"Block 3 of .* \(rows 31 to 40\): could not convert string 'x'"),
        ("1,2,,1", r"Block 3 of .*: could not convert string ''"),
        ("1,2,3", r"Block 3 of .*: row 36 has 3 fields, and the first line has 4"),
        ("1,2,3,maybe", r"Block 3 of .*: the label 'maybe' is no number"),
        ("1,2,nan,1", r"Block 3 of .*NaN"),
    ],
)
def test_faults_of_csv(line: str, match: str, tmp_path: Path) -> None:
    lines = [f"{k},{k % 7},{k % 5},{k % 2}" for k in range(60)]
    lines[35] = line
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(InvalidInput, match=match):
        LinearSVC().fit(RowBlocks.from_csv(tmp_path / "rows.csv", label=3, batch_size=10))


def test_columns_of_csv(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InvalidInput, match=r"'label' column 'y' is not in .* header is \['a', 'b'\]"):
        RowBlocks.from_csv(tmp_path / "rows.csv", label="y")
    with pytest.raises(InvalidInput, match="'label' column 5 is not in"):
        RowBlocks.from_csv(tmp_path / "rows.csv", label=5)
    (tmp_path / "none.csv").write_text("")
    with pytest.raises(InvalidInput, match="has no row"):
        RowBlocks.from_csv(tmp_path / "none.csv")
