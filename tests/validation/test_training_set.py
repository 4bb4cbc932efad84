"""The frozen record of training data."""

import dataclasses

import numpy as np
import pytest
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.validation import labelled_set, training_set

X = np.arange(12.0).reshape(6, 2)
Y = np.array(["no", "yes", "no", "yes", "no", "yes"])


def test_the_class_that_sorts_last_is_positive():
    data = training_set(X, Y)
    assert data.classes.tolist() == ["no", "yes"]
    assert data.y.tolist() == [-1.0, 1.0] * 3
    assert data.y.dtype == data.weight.dtype == np.float64
    assert data.kept is None
    assert data.sample_weight is None
    assert data.n == 6


def test_it_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        training_set(X, Y).weight = None


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, list])
def test_rows_of_no_weight_are_absent(container):
    data = training_set(container(X), Y, [1, 2, 0, -1, 3, 1])
    np.testing.assert_array_equal(data.kept, [0, 1, 4, 5])
    np.testing.assert_array_equal(data.weight, [1.0, 2.0, 3.0, 1.0])
    rows = data.X.toarray() if sparse.issparse(data.X) else data.X
    np.testing.assert_array_equal(rows, X[[0, 1, 4, 5]])
    np.testing.assert_array_equal(data.y, [-1.0, 1.0, -1.0, 1.0])
    assert data.sample_weight is data.weight


def test_a_kernel_matrix_loses_rows_and_columns():
    K = X @ X.T
    data = training_set(K, Y, [1, 1, 0, 1, 1, 1], pairwise=True)
    kept = [0, 1, 3, 4, 5]
    np.testing.assert_array_equal(data.X, K[np.ix_(kept, kept)])
    assert data.X.flags.c_contiguous


def test_objects():
    data = training_set(list("abcdef"), Y, [1, 1, 1, 1, 0, 1], objects=True)
    assert list("abcdf") == data.X


@pytest.mark.parametrize(
    ("y", "weight", "message"),
    [
        (np.zeros(6), None, r"The number of classes has to be greater than one; got 1 class"),
        (Y, [1, 0, 1, 0, 1, 0], "all samples with positive weights belong to the same class"),
        (Y, np.zeros(6), "all samples have zero or negative weights"),
        ([0, 1, 2, 0, 1, 2], None, r"Expected labels of two classes, got 3: \[0, 1, 2\]\. .*maxmargin\.SVC"),
        (Y[:-1], None, r"inconsistent numbers of samples: \[6, 5\]"),
    ],
)
def test_bad_data(y, weight, message):
    with pytest.raises(InvalidInput, match=message):
        training_set(X, y, weight)


def test_more_classes_have_no_signs():
    data = labelled_set(X, np.array([0, 1, 2, 0, 1, 2]))
    with pytest.raises(InvalidInput, match="need two classes"):
        _ = data.y


def test_a_class_without_weight_is_absent():
    data = labelled_set(X, np.array([0, 1, 2, 0, 1, 2]), [1, 1, 0, 1, 1, 0])
    assert data.classes.tolist() == [0, 1]
