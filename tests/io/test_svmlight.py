"""LIBSVM's rows: the same matrix as scikit-learn reads, the lines of faults, compressed files, and their limits."""

from __future__ import annotations

import bz2
import gzip
import io as streams
import lzma
import math
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from maxmargin import get_threads, io, set_threads
from maxmargin.errors import InvalidInput

from .._data import data_folder


def _read(text: bytes | str, **given: Any) -> io.Rows:
    return io.read_svmlight(streams.BytesIO(text.encode() if isinstance(text, str) else text), **given)


def _assert_as_scikit_learn(data: bytes) -> None:
    X, y, queries = load_svmlight_file(streams.BytesIO(data), query_id=True)
    found = _read(data)
    assert found.X.shape == X.shape
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found.X, name), getattr(X, name))
    np.testing.assert_array_equal(found.y, y)
    if found.queries is not None:
        np.testing.assert_array_equal(found.queries, queries)
    found.X.check_format(full_check=True)


@pytest.mark.parametrize("name", ["ijcnn1", "a9a", "splice", "letter.scale", "housing_scale", "sector.scale", "covtype.20k"])
def test_public_sets_are_read_as_scikit_learn_does(name: str) -> None:
    path = data_folder() / f"{name}.xz"
    if not path.exists():
        pytest.skip(f"{name}.xz is not in {data_folder()}: set MAXMARGIN_DATA to the folder of the public sets")
    _assert_as_scikit_learn(lzma.decompress(path.read_bytes()))


@pytest.mark.parametrize(
    "text",
    [
        "1 1:0.5 3:2\n-1 2:1\n",
        "1 1:0.5 3:2\r\n-1 2:1",
        "# a comment\n\n1 1:1 # another 7:7\n   \n2 2:3\n",
        "+1.5e-3 0:1 10:2\n2\n3 4:4\n",
        "1 qid:3 1:1\n2 qid:-7 2:1\n",
        "1\t1:1\t 2:2   \n",
    ],
)
def test_texts_are_read_as_scikit_learn_does(text: str) -> None:
    _assert_as_scikit_learn(text.encode())


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_a_text_without_rows(text: str) -> None:
    assert _read(text).X.shape == (0, 0)


@settings(max_examples=300, deadline=None)
@given(
    some.floats(allow_nan=False, allow_infinity=False),
    some.sampled_from([repr, "{:.17g}".format, "{:.3f}".format, "{:+.20e}".format]),
)
def test_numbers_are_rounded_as_python_rounds_them(value: float, write: Any) -> None:
    text = write(value)
    (found,) = _read(f"0 1:{text}").X.data
    assert found == float(text)
    assert math.copysign(1.0, found) == math.copysign(1.0, float(text))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "0",
            "-0",
            "5e-324",
            "1e-400",
            "-1e-99999",
            "2.4703282292062327e-324",
            "1.7976931348623157e308",
            ".5",
            "5.",
            "1E5",
            "1e+5",
        ),
        *("9007199254740993", "123456789012345678901234567890", "0.1234567890123456789012345678901234567890", "1" + "0" * 200),
        *("0." + "0" * 400 + "1e400", "0" * 50 + "7", "1e22", "1e23", "8.41e21", "9.109e-31"),
    ],
)
def test_hard_numbers(text: str) -> None:
    assert _read(f"{text} 1:{text}").y[0] == float(text)


FAULTS = [
    ("1 1:1\n3:1 4:2", 2, r"has no label: it begins with '3:1'\. Begin each line with a label"),
    ("1,2 1:1", 1, r"has several labels: '1,2'\. Files of several labels a row are not read"),
    ("yes 1:1", 1, r"begins with 'yes', which is no number"),
    ("nan 1:1", 1, r"begins with 'nan', which is no number"),
    ("1 1:1\n\n# x\n2 1:1 x:2", 4, r"has 'x:2' where index:value is expected"),
    ("1 -3:1", 1, r"has '-3:1' where index:value is expected"),
    ("1 2147483647:1", 1, r"has '2147483647:1' where index:value is expected"),
    ("1 99999999999999999999:1", 1, r"where index:value is expected"),
    ("1 3", 1, r"has '3', an index without a value"),
    ("1 3 :2", 1, r"has '3', an index without a value"),
    ("1 3:", 1, r"has the value 'the end of the line', which is no number"),
    ("1 3:0x10", 1, r"has the value '0x10', which is no number"),
    ("1 3:inf", 1, r"has the value 'inf', which is no number"),
    ("1 3:1e", 1, r"has the value '1e', which is no number"),
    ("1 3:1e999", 1, r"has '1e999', which is too large for a number\. Scale the features"),
    ("-1e999", 1, r"has '-1e999', which is too large"),
    ("1 3:1 3:2", 1, r"has the index of '3:2' twice"),
    ("1 3:1 2:2", 1, r"has '2:2' after a larger index"),
    ("1 qid:x 1:1", 1, r"has 'qid:x' where qid: and a whole number is expected"),
    ("1 1:1 qid:3", 1, r"has 'qid:3' where index:value is expected"),
    ("1 qid:1\n2 1:1\n", 2, r"Give every line a qid, or none"),
    ("1 1:1\n2 qid:1\n", 2, r"Give every line a qid, or none"),
    ("1 1:\xff", 1, r"which is no number"),
    ("1 1:1\0", 1, r"which is no number"),
]


@pytest.mark.parametrize(("text", "line", "words"), FAULTS)
def test_faults_are_told_with_their_line(text: str, line: int, words: str) -> None:
    with pytest.raises(InvalidInput, match=f"Line {line} of standard input .*{words}|Line {line} of standard input {words}"):
        _read(text.encode("latin-1"))


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_line_of_a_fault_far_below(threads: int) -> None:
    before = get_threads()
    set_threads(threads)
    try:
        lines = [f"{k % 3} 1:{k} 2:0.25 7:-1.5e-3" for k in range(60_000)]
        known = _read("\n".join(lines))
        assert known.X.shape == (60_000, 7)
        np.testing.assert_array_equal(known.X.data[::3], np.arange(60_000.0))
        lines[41_234] += " 9:x"
        lines[55_555] += " 9:y"
        with pytest.raises(InvalidInput, match=r"Line 41235 of .* has the value 'x'"):
            _read("\n".join(lines))
        lines = [f"1 qid:1 1:{k}" for k in range(60_000)]
        lines[30_000:] = [line.replace("qid:1 ", "") for line in lines[30_000:]]
        with pytest.raises(InvalidInput, match=r"Line 3\d{4} of .* Give every line a qid"):
            _read("\n".join(lines))
    finally:
        set_threads(before)


@pytest.mark.parametrize(
    "compress", [gzip.compress, bz2.compress, lzma.compress, lambda data: gzip.compress(data) + gzip.compress(data)]
)
def test_compressed_files(compress: Any, tmp_path: Path) -> None:
    text = b"".join(b"%d 1:%d 3:0.5\n" % (k % 2, k) for k in range(3000))
    path = tmp_path / "rows"
    path.write_bytes(compress(text))
    found = io.read_svmlight(path)
    whole = (
        2 if len(path.read_bytes()) > 1.5 * len(gzip.compress(text)) and compress not in (lzma.compress, bz2.compress) else 1
    )
    assert found.X.shape == (3000 * whole, 3)
    data = path.read_bytes()
    path.write_bytes(data[:-10])
    with pytest.raises(InvalidInput, match=r"The compressed data of .* are damaged"):
        io.read_svmlight(path)
    path.write_bytes(data[: len(data) // 2] + bytes(20) + data[len(data) // 2 + 20 :])
    with pytest.raises(InvalidInput, match=r"are damaged|Line \d+ of"):
        io.read_svmlight(path)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_bomb_ends_at_the_limit(compress: Any) -> None:
    bomb = compress(b"\n" * 50_000_000)
    tracemalloc.start()
    with pytest.raises(InvalidInput, match=r"compressed bytes, which become more than 1000000\. If they are meant to, raise"):
        _read(bomb, max_bytes=1_000_000)
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()


def test_an_archive_that_asks_for_gigabytes() -> None:
    huge = lzma.compress(b"1 1:1\n", filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}])
    with pytest.raises(InvalidInput, match=r"are damaged: Memory usage limit"):
        _read(huge)


def test_an_index_that_is_far_away_costs_nothing() -> None:
    tracemalloc.start()
    assert _read("1 2147483646:1").X.shape == (1, 2147483646)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_the_width_is_given() -> None:
    assert _read("1 2:1", n_features=5).X.shape == (1, 5)
    with pytest.raises(InvalidInput, match=r"has the index 7, which is beyond n_features=5\. Raise n_features to 7"):
        _read("1 7:1", n_features=5)
    with pytest.raises(InvalidInput, match="n_features"):
        _read("1 7:1", n_features=-1)


def test_where_indices_begin() -> None:
    assert _read("1 0:1 2:3").X.shape == (1, 3)
    assert _read("1 1:1 2:3").X.shape == (1, 2)
    assert _read("1 1:1 2:3", zero_based=True).X.shape == (1, 3)
    with pytest.raises(InvalidInput, match=r"has the index 0, but zero_based=False"):
        _read("1 0:1", zero_based=False)
    with pytest.raises(InvalidInput, match="'zero_based' parameter of read_svmlight must be True, False or 'auto'"):
        _read("1 0:1", zero_based="yes")


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_what_is_written_is_read(storage: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 6)) * (rng.random((40, 6)) < 0.6) * 10.0 ** rng.integers(-300, 300, (40, 6))
    X[:, 5] = 1.0
    y, queries = rng.normal(size=40), np.arange(40) // 3
    io.write_svmlight(tmp_path / "rows", storage(X), y, queries=queries)
    found = io.read_svmlight(tmp_path / "rows")
    np.testing.assert_array_equal(found.X.toarray(), X)
    np.testing.assert_array_equal(found.y, y)
    np.testing.assert_array_equal(found.queries, queries)


def test_messages_of_writing() -> None:
    file = streams.BytesIO()
    with pytest.raises(InvalidInput, match=r"Labels in LIBSVM's format are numbers, one for each of 1 rows.*Code classes"):
        io.write_svmlight(file, [[1.0]], ["a"])
    with pytest.raises(InvalidInput, match=r"There must be one query for each of 1 rows\. Got shape \(2,\)"):
        io.write_svmlight(file, [[1.0]], [1], queries=[1, 2])


def test_a_text_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("1 1:1")
    with (
        open(tmp_path / "rows", encoding="utf-8") as file,
        pytest.raises(InvalidInput, match="must be opened as a binary file"),
    ):
        io.read_svmlight(file)
