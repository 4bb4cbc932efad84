"""Labels of any type."""

import numpy as np
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
