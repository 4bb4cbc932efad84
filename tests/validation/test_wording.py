"""scikit-learn's errors become ours, and only those."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from maxmargin import SVC
from maxmargin.errors import InvalidInput
from maxmargin.validation import as_invalid_input, feature_matrix


def test_a_value_error_keeps_its_words():
    with pytest.raises(InvalidInput, match=r"^Input X contains NaN\.$"), as_invalid_input():
        raise ValueError("Input X contains NaN.")


@pytest.mark.parametrize("error", [TypeError("no"), NotFittedError("no"), KeyError("no")])
def test_other_errors_pass(error):
    with pytest.raises(type(error)) as caught, as_invalid_input():
        raise error
    assert caught.value is error


ROWS = np.arange(12.0).reshape(4, 3)
GAP, ENDLESS = ROWS.copy(), ROWS.astype(np.float32)
GAP[2, 1] = np.nan
ENDLESS[3, 2] = np.inf


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (GAP, "Input X contains NaN: the first in row 2, column 1. Fill gaps by a SimpleImputer"),
        (sparse.csr_array(GAP), "Input X contains NaN: the first in row 2, column 1. Fill gaps"),
        (pd.DataFrame(GAP, columns=list("abc")), "Input X contains NaN: the first in row 2, column 'b'. Fill gaps"),
        (pd.DataFrame(GAP, columns=list("abc")).astype("Float64"), "NaN: the first in row 2, column 'b'. Fill gaps"),
        ([[1.0, None], [2.0, 3.0]], "Input X contains NaN: the first in row 0, column 1. Fill gaps"),
        (ENDLESS, "Input X contains infinity or a value too large for dtype('float32'), the first in row 3, column 2. Clip"),
        (
            pd.DataFrame({"a": [1, 2], "b": ["1", "Oslo"]}),
            "could not convert string to float: 'Oslo', the first in row 1, column 'b'.",
        ),
        (
            np.array([["1", "x"], ["2", "y"]]),
            "could not convert string to float: 'x', the first in row 0, column 1. Make numbers",
        ),
        (["good film " * 10, "bad film"], "'good film good film good film good film…'. X has one text for each row"),
        (pd.Series(["good", "bad"]), "float: 'good'. X has one text for each row: make numbers of it by TfidfVectorizer"),
    ],
)
def test_the_first_bad_value_of_rows_has_a_place(X, words):
    with pytest.raises(InvalidInput, match=re.escape(words)):
        feature_matrix(X)
    with pytest.raises(InvalidInput, match=re.escape(words)):
        SVC().fit(X, np.arange(len(X) if not hasattr(X, "shape") else X.shape[0]) % 2)


def test_a_value_far_down_is_found():
    X = np.zeros((10_000, 2))
    X[9_999, 1] = np.nan
    with pytest.raises(InvalidInput, match="row 9999, column 1"):
        feature_matrix(X)
