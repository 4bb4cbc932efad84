"""What comes in: sparse, frames, labels of any type, and every bad input."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.errors import FeatureScaleWarning, InvalidInput

from ._sets import breast_cancer, digits, iris


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix, sparse.lil_array, sparse.coo_matrix])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_sparse_is_dense(container, kernel):
    X, y = digits()
    X, y = X[:300], y[:300]
    dense, thin = SVC(kernel=kernel, tol=1e-8).fit(X, y), SVC(kernel=kernel, tol=1e-8).fit(container(X), y)
    assert_array_equal(dense.support_, thin.support_)
    assert sparse.issparse(thin.support_vectors_)
    assert sparse.issparse(thin.dual_coef_)
    assert_allclose(thin.support_vectors_.toarray(), dense.support_vectors_)
    assert_allclose(thin.dual_coef_.toarray(), dense.dual_coef_, atol=1e-6)
    assert_allclose(thin.decision_function(container(X)), dense.decision_function(X), atol=1e-6)
    assert_allclose(thin.decision_function(X), dense.decision_function(X), atol=1e-6)
    if kernel == "linear":
        assert sparse.issparse(thin.coef_)
        assert_allclose(thin.coef_.toarray(), dense.coef_, atol=1e-6)
        with pytest.raises(ValueError, match="read-only"):
            thin.coef_.data[0] = 1.0
    with pytest.raises(InvalidInput, match="cannot use sparse input in 'SVC' trained on dense data"):
        dense.predict(container(X))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_both_index_types(index, dtype):
    X, y = digits()
    matrix = sparse.csr_array(X[:200].astype(dtype))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    model = SVC().fit(matrix, y[:200])
    assert model.support_vectors_.dtype == dtype
    assert_allclose(model.decision_function(matrix), SVC().fit(X[:200], y[:200]).decision_function(X[:200]), atol=1e-3)


def test_unsorted_indices_and_duplicates_are_understood():
    X, y = iris()
    matrix = sparse.csr_array(X)
    columns = matrix.indices.reshape(150, 4)[:, ::-1].ravel().copy()
    scrambled = sparse.csr_array((matrix.data.reshape(150, 4)[:, ::-1].ravel().copy(), columns, matrix.indptr))
    halves = sparse.csr_array((np.repeat(matrix.data / 2, 2), np.repeat(matrix.indices, 2), 2 * matrix.indptr), shape=X.shape)
    expected = SVC().fit(matrix, y).decision_function(X)
    for other in (scrambled, halves):
        model = SVC().fit(other, y)
        assert_allclose(model.decision_function(other), expected, atol=1e-7)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["setosa", "versicolor", "virginica"]),
        np.array(["b", "a", "c"], dtype=object),
        np.array([2.0, 1.0, 7.0]),
        np.array([-5, 300, 4], dtype=np.int16),
    ],
)
def test_labels_of_any_type(labels):
    X, y = iris()
    model = SVC().fit(X, labels[y])
    assert_array_equal(model.classes_, np.sort(labels))
    predicted = model.predict(X)
    assert predicted.dtype == labels.dtype
    assert np.mean(predicted == labels[y]) > 0.9


def test_boolean_labels():
    X, y = breast_cancer()
    model = SVC().fit(X, y == 1)
    assert model.predict(X).dtype == bool
    assert_array_equal(model.decision_function(X), SVC().fit(X, y).decision_function(X))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_in(frame):
    X, y = iris()
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    table = frame(dict(zip(names, X.T, strict=True)))
    series = (pd.Series if frame is pd.DataFrame else pl.Series)(np.array(["a", "b", "c"])[y].tolist())
    model = SVC().fit(table, series)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert_array_equal(model.decision_function(table), SVC().fit(X, y).decision_function(X))
    if not hasattr(StandardScaler().fit(table), "feature_names_in_"):
        pytest.skip("this scikit-learn does not see the names of these columns")
    assert model.feature_names_in_.tolist() == names
    with pytest.warns(UserWarning, match="X does not have valid feature names, but SVC was fitted with"):
        model.predict(X)
    with pytest.raises(InvalidInput, match="The feature names should match those that were passed"):
        model.predict(table[names[::-1]])


def test_categorical_labels_and_weights_of_frames():
    X, y = iris()
    model = SVC().fit(X, pd.Categorical.from_codes(y, ["a", "b", "c"]), pd.Series(np.ones(150)))
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_a_column_of_labels_warns():
    X, y = iris()
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        SVC().fit(X, y[:, np.newaxis])


def test_features_on_different_scales_warn_once():
    X, y = breast_cancer()
    with pytest.warns(FeatureScaleWarning, match="Features differ in scale") as caught:
        SVC(max_iter=100).fit(X * np.logspace(0, 5, X.shape[1]), y)
    assert sum(w.category is FeatureScaleWarning for w in caught) == 1
    assert caught[[w.category for w in caught].index(FeatureScaleWarning)].filename == __file__


@pytest.mark.filterwarnings("error::maxmargin.errors.FeatureScaleWarning")
def test_kernel_matrices_have_no_scales():
    K = np.diag([1.0, 1e6, 1.0, 1e6])
    SVC(kernel="precomputed").fit(K, [0, 1, 0, 1])


def broken(value):
    X = np.array(iris()[0])
    X[3, 1] = value
    return X


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (broken(np.nan), iris()[1], "Input X contains NaN"),
        (broken(np.inf), iris()[1], "Input X contains infinity or a value too large"),
        (sparse.csr_array(broken(np.nan)), iris()[1], "Input X contains NaN"),
        (iris()[0], np.zeros(150), "The number of classes has to be greater than one; got 1 class"),
        (
            iris()[0],
            iris()[1][:-1],
            r"Found input variables with inconsistent numbers of samples: \[150, 149\]",
        ),
        (iris()[0][0], iris()[1], "Expected 2D array, got 1D array instead"),
        (iris()[0][:0], iris()[1][:0], r"Found array with 0 sample\(s\)"),
        (iris()[0][:, :0], iris()[1], r"Found array with 0 feature\(s\)"),
        (iris()[0] * 1j, iris()[1], "Complex data not supported"),
        (iris()[0], np.linspace(0, 1, 150), "Unknown label type: continuous"),
        (iris()[0], None, "requires y to be passed, but the target y is None"),
        (iris()[0], np.where(iris()[1] == 0, np.nan, 1.0), "Input y contains NaN"),
        (iris()[0], np.ones((150, 2)), "y should be a 1d array"),
        ([["a", "b"], ["c", "d"]], [0, 1], "could not convert string to float"),
    ],
)
def test_bad_data(X, y, message):
    with pytest.raises(InvalidInput, match=message):
        SVC().fit(X, y)


def test_bad_kernel_matrices():
    X, y = iris()
    with pytest.raises(InvalidInput, match=r"must be a square matrix\. Input is a 150x4 matrix"):
        SVC(kernel="precomputed").fit(X, y)
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        SVC(kernel="precomputed").fit(sparse.eye_array(150, format="csr"), y)


def test_values_too_large_for_a_kernel():
    X = np.finfo(np.float64).max * np.random.default_rng(0).uniform(size=(10, 2))
    with pytest.raises(InvalidInput, match="The dual coefficients or intercepts are not finite"):
        SVC().fit(X, np.arange(10) % 2)


@pytest.mark.parametrize("params", [{"kernel": "linear"}, {"kernel": "poly", "degree": 50, "gamma": 1.0}], ids=str)
def test_a_kernel_that_overflows(params):
    X = np.column_stack((np.full(10, 1e200), np.arange(10.0)))
    with pytest.raises(InvalidInput, match=r"not finite: the kernel overflows at row 0\. The input data may contain large"):
        SVC(**params).fit(X, np.arange(10) % 2)


def test_bad_rows_to_predict():
    X, y = iris()
    with pytest.raises(NotFittedError, match="This SVC instance is not fitted yet"):
        SVC().predict("anything")
    model = SVC().fit(X, y)
    with pytest.raises(InvalidInput, match="X has 3 features, but SVC is expecting 4 features as input"):
        model.predict(X[:, :3])
    with pytest.raises(InvalidInput, match="Input X contains NaN"):
        model.decision_function(broken(np.nan))
    with pytest.raises(InvalidInput, match="Expected 2D array, got 1D array instead"):
        model.predict(X[0])
