"""Labels of any type."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

from maxmargin.errors import InvalidInput
from maxmargin.validation import encode, label_column

ROWS = np.zeros((4, 1))


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([3, 1, 3, 2], [1, 2, 3]),
        ([True, False, True, True], [False, True]),
        (["b", "a", "b", "b"], ["a", "b"]),
        (np.array(["b", "a", "b", "b"], dtype=object), ["a", "b"]),
        ([1.0, -1.0, 1.0, 1.0], [-1.0, 1.0]),
        (np.array([2, 1, 2, 2], dtype=object), [1, 2]),
        (np.array(["b", "a", "b", "b"], dtype=np.dtypes.StringDType()), ["a", "b"]),
    ],
)
def test_codes_point_at_sorted_classes(y, classes):
    got, codes = encode(label_column(y, ROWS))
    assert got.tolist() == classes
    assert codes.dtype == np.intp
    assert got[codes].tolist() == list(y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ([1, 2, 1], r"inconsistent numbers of samples: \[4, 3\]"),
        ([0.1, 0.2, 0.3, 0.4], "Unknown label type: continuous"),
        ([1.0, np.nan, 1.0, 2.0], "Input y contains NaN"),
        (np.ones((4, 2)), "y should be a 1d array"),
    ],
)
def test_bad_labels(y, message):
    with pytest.raises(InvalidInput, match=message):
        label_column(y, ROWS)


def test_labels_of_two_types_cannot_be_sorted():
    with pytest.raises(InvalidInput, match=r"of one type\. Got int and str\."):
        encode(np.array([1, "a", 1, "b"], dtype=object))


def test_a_column_vector_warns():
    with pytest.warns(DataConversionWarning):
        assert label_column([[0], [1], [0], [1]], ROWS).shape == (4,)


DATES = np.array(["2020-01-02", "2020-01-01", "2020-01-02", "2020-01-02"], dtype="M8[D]")


@pytest.mark.parametrize("y", [DATES, DATES - DATES[1]], ids=["dates", "durations"])
def test_dates_are_labels(y):
    classes, codes = encode(label_column(y, ROWS))
    assert classes.dtype == y.dtype
    assert (classes[codes] == y).all()


@pytest.mark.parametrize(
    ("values", "dtype", "kind"),
    [
        ([2, 1, 2, 2], "Int64", "i"),
        ([2, 1, 2, 2], "UInt8", "u"),
        ([True, False, True, True], "boolean", "b"),
        ([2.0, 1.0, 2.0, 2.0], "Float32", "f"),
    ],
)
def test_nullable_columns_keep_their_type(values, dtype, kind):
    column = pd.Series(values, dtype=dtype)
    assert label_column(column, ROWS).dtype.kind == kind
    assert label_column(column, ROWS).tolist() == values
    with pytest.warns(DataConversionWarning):
        assert label_column(column.to_frame(), ROWS).dtype.kind == kind


@pytest.mark.parametrize(
    "y",
    [
        pd.Series([1, 2, 1, None], dtype="Int64"),
        pd.Series(["a", "b", "a", None], dtype="string"),
        pd.Series(["a", "b", "a", None], dtype="category"),
        np.array(["a", "b", "a", pd.NA], dtype=object),
        np.array(["a", "b", "a", None], dtype=object),
        np.array(["a", "b", "a", np.nan], dtype=object),
        np.array(["a", "b", "a", np.nan], dtype=np.dtypes.StringDType(na_object=np.nan)),
        np.array(["2020-01-01", "2020-01-02", "2020-01-01", "NaT"], dtype="M8[D]"),
        [None, 1, 1, 1],
    ],
)
def test_missing_labels_are_refused(y):
    with pytest.raises(InvalidInput, match=r"Input y contains NaN: label \d is .*Drop such rows"):
        label_column(y, ROWS)


@pytest.mark.parametrize("y", [[1, "a", 1, "a"], (b"a", "a", "a", b"a"), np.array([1, "a", 1, "a"], dtype=object)])
def test_text_beside_something_else_is_refused(y):
    with pytest.raises(InvalidInput, match="The labels in y must be of one type"):
        label_column(y, ROWS)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([10**30, 1, 1, 10**30], "objects of type int. Convert them to numbers of at most 64 bits"),
        (np.array([(1, 2)] * 4, dtype="i4,i4"), "must be numbers, strings, booleans or dates. Got dtype"),
        (np.array([{}, {}, {}, {}], dtype=object), "objects of type dict"),
    ],
)
def test_labels_that_cannot_be_classes(y, message):
    with pytest.raises(InvalidInput, match=message):
        label_column(y, ROWS)
