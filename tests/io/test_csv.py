"""Tables of comma-separated values: labels by name and number, headers, delimiters, and the places of faults."""

from __future__ import annotations

import gzip
import io as streams
from typing import Any

import numpy as np
import pytest

from maxmargin import io
from maxmargin.errors import InvalidInput


def _read(text: str | bytes, **given: Any) -> io.Rows:
    return io.read_csv(streams.BytesIO(text.encode() if isinstance(text, str) else text), **given)


TABLE = "width,height,kind\n1,2.5,cat\n3,4e1,dog\n"


@pytest.mark.parametrize("label", ["kind", 2, -1])
@pytest.mark.parametrize(
    "change", [str, lambda text: text.replace(",", ";"), lambda text: text.replace(",", "\t"), lambda text: "\ufeff" + text]
)
def test_the_label_by_name_and_number(change: Any, label: Any) -> None:
    found = _read(change(TABLE), label=label)
    np.testing.assert_array_equal(found.X, [[1.0, 2.5], [3.0, 40.0]])
    assert found.y.tolist() == ["cat", "dog"]
    assert found.names == ["width", "height"]


def test_the_label_may_be_first() -> None:
    found = _read("kind,width\ncat,1\ndog,2\n", label=0)
    assert found.y.tolist() == ["cat", "dog"]
    assert found.names == ["width"]


def test_no_header_and_numbers_as_labels() -> None:
    found = _read("1,2,0\n3,4,1\n")
    np.testing.assert_array_equal(found.X, [[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(found.y, [0.0, 1.0])
    assert found.names is None


def test_no_header_and_words_as_labels() -> None:
    found = _read("1,2,cat\n3,4,dog\n")
    assert found.X.shape == (2, 2)
    assert found.names is None


def test_headers_that_look_like_rows() -> None:
    assert _read("1,2,3\n4,5,6\n", header=True).names == ["1", "2"]
    with pytest.raises(InvalidInput, match=r"Line 1 of .* has 'width' in column 0"):
        _read(TABLE, header=False)
    with pytest.raises(InvalidInput, match="is named 'kind', but header=False"):
        _read(TABLE, header=False, label="kind")


def test_no_label() -> None:
    found = _read("a,b\n1,2\n", label=None)
    assert found.y is None
    assert found.X.shape == (1, 2)


def test_quotes_blanks_and_empty_lines() -> None:
    found = _read('a, "b,c",kind\n\n 1, 2 ,"dog, big"\n,,\n')
    assert found.names == ["a", "b,c"]
    assert found.y.tolist() == ["dog, big"]


def test_a_compressed_table() -> None:
    assert _read(gzip.compress(TABLE.encode())).y.tolist() == ["cat", "dog"]


@pytest.mark.parametrize(
    ("text", "given", "words"),
    [
        ("a,b,kind\n1,2,x\n1,,y\n", {}, "Line 3 of .* has '' in column 'b', which is no finite number. Fill what is missing"),
        ("kind,a\nx,1\ny,two\n", {"label": 0}, "Line 3 of .* has 'two' in column 'a'"),
        ("1,2\n3,inf\n4,nan\n", {"label": 0}, "Line 2 of .* has 'inf' in column 1"),
        ("1,2,3\n1,2\n", {}, "Line 2 of .* has 2 fields, the first line has 3"),
        (TABLE, {"label": "sort"}, "The label 'sort' is not among the columns of .*: 'width', 'height', 'kind'"),
        ("a,a,b\n1,2,3\n", {"label": "a"}, "The label 'a' is twice or more among the columns of"),
        (TABLE, {"label": 3}, "must be a name, None or a number from -3 to 2. Got 3"),
        (TABLE, {"label": True}, "Got True"),
        ("", {}, "is empty"),
        ("a,b\n", {}, "has no rows after its header"),
        ("a\n1\n", {}, "has one column, the label"),
        ('a,b\n1,"2\n', {}, "is no CSV"),
        (TABLE, {"delimiter": ",,"}, "'delimiter' parameter of read_csv must be one character. Got ',,'"),
        (b"a,b\n\xff,2\n", {}, "is no UTF-8 text"),
    ],
)
def test_faults_are_told_with_their_place(text: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        _read(text, **given)
