"""A fitted model whose state was edited, in a pickle or in memory: it raises, and the process lives."""

from __future__ import annotations

import pickle
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from maxmargin import (
    SVC,
    ApproximateOneClass,
    ApproximateSVC,
    ApproximateSVR,
    KernelLogisticRegression,
    LinearClassifier,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    Perceptron,
    StochasticClassifier,
)
from maxmargin.errors import InvalidInput

from ._isolated import run

READ_BY_PREDICT = ("support_", "support_vectors_", "_n_support", "dual_coef_", "intercept_")
"""The arrays that a prediction is made of."""

ALTERED = "internal representation of SVC was altered"
"""scikit-learn's words since CVE-2020-28975."""

WRONG_SHAPES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "one entry less": lambda a: a[:-1],
    "one entry more": lambda a: np.concatenate([a, a[:1]]),
    "empty": lambda a: a[:0],
    "another dimension": lambda a: a[None],
    "flat": lambda a: a.ravel() if a.ndim > 1 else a.reshape(-1, 1),
}

MODELS: dict[str, dict[str, Any]] = {
    "binary": {},
    "three classes": {"C": 10.0},
    "linear": {"kernel": "linear"},
    "ovr": {"multi_class": "ovr"},
}


def _data(name: str) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_iris(return_X_y=True)
    return (X[y < 2], y[y < 2]) if name == "binary" else (X, y)


def _edited(name: str, attribute: str, edit: Callable[[np.ndarray], np.ndarray]) -> tuple[SVC, np.ndarray]:
    """A model that was pickled, edited, and pickled again."""
    X, y = _data(name)
    model = pickle.loads(pickle.dumps(SVC(**MODELS[name]).fit(X, y)))
    assert attribute in vars(model)
    vars(model)[attribute] = edit(np.array(vars(model)[attribute]))
    return pickle.loads(pickle.dumps(model)), X


@pytest.mark.parametrize("wrong", WRONG_SHAPES)
@pytest.mark.parametrize("attribute", READ_BY_PREDICT)
@pytest.mark.parametrize("name", MODELS)
def test_wrong_shapes_raise(name: str, attribute: str, wrong: str) -> None:
    model, X = _edited(name, attribute, WRONG_SHAPES[wrong])
    with pytest.raises(InvalidInput, match=ALTERED):
        model.decision_function(X)
    with pytest.raises(InvalidInput, match=ALTERED):
        model.predict(X)


LINEAR: dict[str, Any] = {
    "LinearSVC": LinearSVC(),
    "Crammer and Singer": LinearSVC(multi_class="crammer_singer"),
    "LogisticRegression": LogisticRegression(),
    "LinearClassifier": LinearClassifier(),
    "StochasticClassifier": StochasticClassifier(max_iter=1000),
    "Perceptron": Perceptron(),
    "LinearSVR": LinearSVR(),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("wrong", WRONG_SHAPES)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("name", "attribute"),
    [(n, a) for n in LINEAR for a in ("coef_", "intercept_", "classes_") if (n, a) != ("LinearSVR", "classes_")],
)
def test_wrong_shapes_of_a_linear_model_raise(name: str, n_classes: int, attribute: str, wrong: str) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    model = clone(LINEAR[name]).fit(X, y)
    model.predict(X)
    edited = WRONG_SHAPES[wrong](np.array(vars(model)[attribute]))
    vars(model)[attribute] = edited
    with pytest.raises(InvalidInput, match=rf"(internal representation|coef_) of {type(model).__name__}.* Fit it again"):
        model.predict(X)


@pytest.mark.parametrize("model", [LinearSVC(), LogisticRegression(), LinearSVR()], ids=repr)
def test_broken_sparse_weights_raise(model: Any) -> None:
    X, y = load_iris(return_X_y=True)
    model = clone(model).fit(X, y).sparsify()
    model.coef_.indptr = np.full_like(model.coef_.indptr, 10**8)
    with pytest.raises(InvalidInput, match="coef_ is no sound sparse matrix"):
        model.predict(X)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in LINEAR if name != "LinearSVR"])
def test_a_million_classes_of_a_linear_model_are_refused(name: str) -> None:
    X, y = load_iris(return_X_y=True)
    model = clone(LINEAR[name]).fit(X, y)
    model.classes_ = np.zeros(10**6)
    with pytest.raises(InvalidInput, match=r"internal representation of .* was altered"):
        model.predict(X)


SUMS: dict[str, tuple[Any, str]] = {
    "KernelLogisticRegression": (KernelLogisticRegression(), "dual_coef_"),
    "KernelLogisticRegression, linear": (KernelLogisticRegression(kernel="linear"), "dual_coef_"),
    "ApproximateSVC": (ApproximateSVC(20, random_state=0), "landmark_coef_"),
    "ApproximateSVR": (ApproximateSVR(20, random_state=0), "landmark_coef_"),
    "ApproximateOneClass": (ApproximateOneClass(20, random_state=0), "landmark_coef_"),
}
"""Models that are one sum of kernel values for each output, and where their coefficients are."""

WRONG_TYPES: dict[str, Callable[[np.ndarray], Any]] = {
    "None": lambda a: None,
    "text": lambda a: "coefficients",
    "a number": lambda a: 3.0,
    "complex": lambda a: a.astype(complex),
    "objects": lambda a: a.astype(object),
}


@pytest.mark.parametrize("wrong", WRONG_SHAPES | WRONG_TYPES)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", SUMS)
def test_wrong_sums_of_kernel_values_raise(name: str, n_classes: int, wrong: str) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    model, coefficients = clone(SUMS[name][0]).fit(X, y), SUMS[name][1]
    model.predict(X)
    for attribute in (coefficients, "intercept_", "classes_"):
        labels = attribute == "classes_"
        if labels and (not hasattr(model, "classes_") or wrong in ("complex", "objects")):
            continue
        before = vars(model)[attribute]
        vars(model)[attribute] = (WRONG_SHAPES | WRONG_TYPES)[wrong](np.array(before))
        with pytest.raises(InvalidInput, match=r"internal representation of .* was altered: .* Fit it again"):
            model.predict(X)
        vars(model)[attribute] = before


@pytest.mark.parametrize("name", ["KernelLogisticRegression", "ApproximateSVC"])
def test_a_million_classes_of_sums_are_refused(name: str) -> None:
    X, y = load_iris(return_X_y=True)
    model = clone(SUMS[name][0]).fit(X, y)
    model.classes_ = np.zeros(10**6)
    with pytest.raises(InvalidInput, match=r"internal representation of .* was altered"):
        model.predict(X)


@pytest.mark.parametrize("counts", [False, True], ids=["classes alone", "their counts too"])
@pytest.mark.parametrize("name", MODELS)
def test_a_million_classes_are_refused_before_their_pairs_are_listed(name: str, counts: bool) -> None:
    model, X = _edited(name, "classes_", lambda _: np.zeros(10**6))
    if counts:
        model._n_support = np.zeros(10**6, dtype=np.int32)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidInput, match=ALTERED):
            model.predict(X)
        assert tracemalloc.get_traced_memory()[1] < 1e8
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("value", [-1, 150, 10**9, -(2**31)])
def test_wrong_indices_raise_for_a_precomputed_kernel(value: int) -> None:
    X, y = load_iris(return_X_y=True)
    K = X @ X.T
    model = pickle.loads(pickle.dumps(SVC(kernel="precomputed").fit(K, y)))
    model.support_[0] = value
    with pytest.raises(InvalidInput, match=ALTERED):
        model.predict(K)


@pytest.mark.parametrize("counts", [[1_000_000, 1, 1], [-1, 2, 3], [0, 0, 0]])
def test_wrong_counts_raise(counts: list[int]) -> None:
    model, X = _edited("three classes", "_n_support", lambda a: np.array(counts, dtype=a.dtype))
    with pytest.raises(InvalidInput, match=ALTERED):
        model.predict(X)


FUZZ = """
import pickle
from maxmargin import (
    SVC,
    LinearClassifier,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    Perceptron,
    StochasticClassifier,
)
from sklearn.base import clone
from sklearn.datasets import load_iris
from scipy.sparse import csr_array
X, y = load_iris(return_X_y=True)
edits = dict(
    shorter=lambda a: a[:-1], empty=lambda a: a[:0], longer=lambda a: np.concatenate([a, a]),
    huge=lambda a: a + a.dtype.type(10**9), negative=lambda a: -a - a.dtype.type(1),
    text=lambda a: a.astype(str),
    objects=lambda a: a.astype(object), none=lambda a: None, scalar=lambda a: a.dtype.type(3),
    half=lambda a: a.astype(np.float16), strided=lambda a: np.repeat(a, 2, axis=0)[::2],
    nan=lambda a: a.astype(float) * np.nan,
    turned=lambda a: a[::-1],
)
tried = raised = 0
fits = [(dict(), X), (dict(kernel="precomputed"), X @ X.T), (dict(kernel="linear"), csr_array(X)),
        (dict(multi_class="ovr"), X)]
for params, data in fits:
    blob = pickle.dumps(SVC(**params).fit(data, y))
    arrays = vars(pickle.loads(blob))
    names = [k for k, v in arrays.items() if isinstance(v, np.ndarray) and v.ndim > 0]
    assert names
    for name in names:
        for how, edit in edits.items():
            model = pickle.loads(blob)
            try:
                vars(model)[name] = edit(vars(model)[name])
                model = pickle.loads(pickle.dumps(model))
            except (TypeError, ValueError, OverflowError):
                continue
            for use in (lambda: model.predict(data), lambda: model.decision_function(data),
                        lambda: model.dual_coef_, lambda: model.coef_,
                        lambda: model.solutions_, lambda: model.certificate_,
                        lambda: repr(model)):
                tried += 1
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        use()
                except Exception:
                    raised += 1
report(tried=tried, raised=raised)
"""


def test_no_edit_of_any_array_crashes_the_process() -> None:
    result = run(FUZZ, timeout=120)
    assert result["tried"] > 500
    assert result["raised"] > 100


SPARSE_EDITS = {
    "index beyond the features": "matrix.indices[0] = 10**9",
    "negative index": "matrix.indices[-1] = -5",
    "row pointer beyond the values": "matrix.indptr[-1] = 10**6",
    "row pointer going back": "matrix.indptr[1] = 10**6",
    "values cut": "matrix.data = matrix.data[:3]",
}


@pytest.mark.parametrize("edit", SPARSE_EDITS)
def test_edited_sparse_support_vectors_raise(edit: str) -> None:
    result = run(
        f"""
import pickle
from maxmargin import (
    SVC,
    LinearClassifier,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    Perceptron,
    StochasticClassifier,
)
from sklearn.base import clone
from sklearn.datasets import load_iris
from scipy.sparse import csr_array
X, y = load_iris(return_X_y=True)
model = pickle.loads(pickle.dumps(SVC().fit(csr_array(X), y)))
matrix = model.support_vectors_
{SPARSE_EDITS[edit]}
try:
    model.decision_function(csr_array(X))
    report(error="")
except ValueError as error:
    report(error=type(error).__name__)
"""
    )
    assert result["error"] != ""


def test_an_edited_solution_does_not_crash() -> None:
    run(
        """
import pickle
from maxmargin import (
    SVC,
    LinearClassifier,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    Perceptron,
    StochasticClassifier,
)
from sklearn.base import clone
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
for solution in SVC().fit(X, y).solutions_:
    copy = pickle.loads(pickle.dumps(solution))
    assert np.array_equal(copy.alpha, solution.alpha)
    assert np.array_equal(copy.decision_function(X), solution.decision_function(X))
    for wrong in (X[:, :2], X[:0], X.astype(object), np.full_like(X, np.nan), X[0]):
        try:
            copy.decision_function(wrong)
        except Exception:
            pass
report(done=True)
"""
    )
