"""Weights of samples and of classes."""

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

from maxmargin.errors import InvalidInput
from maxmargin.validation import balanced_weights, class_weights, positive_weights


def test_no_weights_are_ones():
    weight, kept = positive_weights(None, 3, (3, 1))
    np.testing.assert_array_equal(weight, np.ones(3))
    assert kept is None


def test_a_number_is_the_weight_of_every_row():
    weight, kept = positive_weights(2, 3, (3, 1))
    np.testing.assert_array_equal(weight, [2.0, 2.0, 2.0])
    assert kept is None


def test_rows_of_no_weight_go():
    weight, kept = positive_weights([1, 0, -3, 0.5], 4, (4, 1))
    np.testing.assert_array_equal(weight, [1.0, 0.5])
    np.testing.assert_array_equal(kept, [0, 3])


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1], r"sample_weight and X have incompatible shapes: \(2,\) vs \(3, 1\)"),
        (np.ones((3, 1)), r"incompatible shapes: \(3, 1\) vs \(3, 1\)\. Pass one weight for each row"),
        ([1, np.nan, 1], "Input sample_weight contains NaN"),
        ([1, np.inf, 1], "Input sample_weight contains infinity"),
        ([0, 0, -1], r"Invalid input - all samples have zero or negative weights\."),
        (["a", "b", "c"], "sample_weight must hold one number for each row"),
    ],
)
def test_bad_weights(weight, message):
    with pytest.raises(InvalidInput, match=message):
        positive_weights(weight, 3, (3, 1))


CLASSES, CODES = np.array(["a", "b", "c"]), np.array([0, 0, 0, 1, 2, 2])


def factors(class_weight, weight=None):
    return class_weights(class_weight, CLASSES, CODES, np.ones(6) if weight is None else np.array(weight), "SVC")


@pytest.mark.parametrize("given", [None, "balanced", {"a": 2.0}, {"a": 1, "b": 2, "c": 3, "other": 4}])
def test_class_weights_are_scikit_learns(given):
    expected = compute_class_weight(given, classes=CLASSES, y=CLASSES[CODES])
    np.testing.assert_allclose(factors(given), expected)


def test_balanced_counts_weights_as_copies():
    once = balanced_weights(np.array([0, 0, 1]), np.array([2.0, 1.0, 3.0]))
    copies = balanced_weights(np.array([0, 0, 0, 1, 1, 1]), np.ones(6))
    np.testing.assert_allclose(once, copies)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a": 1, "z": 2}, r"The classes, \['b', 'c'\], are not in class_weight"),
        ({"a": 0}, "must be a dict of positive, finite numbers"),
        ({"a": np.nan}, "must be a dict of positive, finite numbers"),
        ("auto", r"a str among \{'balanced'\}, an instance of 'dict' or None\. Got 'auto' instead"),
        ([1, 2, 3], "an instance of 'dict' or None"),
    ],
)
def test_bad_class_weights(given, message):
    with pytest.raises(InvalidInput, match=message):
        factors(given)
