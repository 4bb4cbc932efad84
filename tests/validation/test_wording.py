"""scikit-learn's errors become ours, and only those."""

import pytest
from sklearn.exceptions import NotFittedError

from maxmargin.errors import InvalidInput
from maxmargin.validation import as_invalid_input


def test_a_value_error_keeps_its_words():
    with pytest.raises(InvalidInput, match=r"^Input X contains NaN\.$"), as_invalid_input():
        raise ValueError("Input X contains NaN.")


@pytest.mark.parametrize("error", [TypeError("no"), NotFittedError("no"), KeyError("no")])
def test_other_errors_pass(error):
    with pytest.raises(type(error)) as caught, as_invalid_input():
        raise error
    assert caught.value is error
