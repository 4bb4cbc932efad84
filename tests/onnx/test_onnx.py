"""ONNX graphs in onnxruntime: the same labels, and decision values to what float32 leaves."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVDD, LinearSVC, LogisticRegression, NuSVC, onnx
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear

from .._data import load
from ..contracts._registry import KERNELS
from ..io._table import fitted, pairs, rows, values

skl2onnx = pytest.importorskip("skl2onnx")
runtime = pytest.importorskip("onnxruntime")

SINGLE = 1e-5
"""Of the largest value: scores of float32."""


@pytest.fixture(autouse=True)
def registered() -> None:
    onnx.register()


def _run(model: Any, X: Any) -> list[Any]:
    graph = skl2onnx.to_onnx(model, X[:1])
    session = runtime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(None, {session.get_inputs()[0].name: X}))


def _assert_same(model: Any, X: Any) -> None:
    """For rows of float32 and of float64."""
    for kind, part in ((np.float32, SINGLE), (np.float64, 1e-10)):
        found, known = _run(model, X.astype(kind)), values(model, X)
        size = max(1.0, float(np.abs(known).max()))
        np.testing.assert_allclose(found[-1], known, rtol=0.0, atol=part * size)
        if len(found) > 1:
            best = np.sort(known, axis=1)
            margin = np.abs(known[:, 0]) if known.shape[1] == 1 else best[:, -1] - best[:, -2]
            apart = margin > 1e-7 * size
            labels = model.predict(X)
            np.testing.assert_array_equal(found[0][apart], labels.astype(found[0].dtype)[apart])


@pytest.mark.parametrize("name", pairs("ONNX", claims=True))
def test_every_estimator(name: str) -> None:
    _assert_same(fitted(name), rows()[0])


@pytest.mark.parametrize("name", pairs("ONNX", claims=False))
def test_estimators_without_a_converter_say_so(name: str) -> None:
    with pytest.raises(Exception, match=r"Unable to find a shape calculator|Unable to find a converter|alias"):
        _run(fitted(name), rows()[0].astype(np.float32))


@pytest.mark.parametrize("case", KERNELS, ids=str)
def test_every_kernel_of_vectors_and_their_algebra(case: Any) -> None:
    X, y = case.rows(rows()[0]).astype(np.float32).astype(np.float64), rows()[1]
    kernel = (case.kernel + 0.5 * Linear()).normalised() * case.kernel**2 + case.kernel.on([3, 1])
    for each in (case.kernel, kernel):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = SVC(kernel=each).fit(X, y)
        _assert_same(model, X)


@pytest.mark.parametrize("labels", [2, 3, "names", "bool", "float"])
@pytest.mark.parametrize(
    "model",
    [
        SVC(),
        SVC(decision_function_shape="ovo"),
        SVC(break_ties=True),
        SVC(multi_class="ovr"),
        SVC(multi_class="joint"),
        LinearSVC(),
    ],
    ids=str,
)
def test_votes_and_labels(model: Any, labels: Any) -> None:
    X, y = rows()
    named = {"names": np.array(["ä", "b", "c"])[y], "bool": y > 0, "float": y * 2.0}
    _assert_same(clone(model).fit(X, named[labels] if isinstance(labels, str) else np.minimum(y, labels - 1)), X)


def test_a_threshold() -> None:
    X, y = rows()
    model = LogisticRegression(threshold=0.2).fit(X, y > 0)
    np.testing.assert_array_equal(_run(model, X)[0], model.predict(X))


def test_the_diagonal_of_a_description() -> None:
    X, _ = rows()
    _assert_same(SVDD(nu=0.3, kernel="poly", coef0=1.0).fit(X), X)


def test_a_large_constant_costs_no_digits() -> None:
    X, y = rows()
    moved = (X + 1000.0).astype(np.float32).astype(np.float64)
    _assert_same(SVC(kernel=RBF(gamma=0.1)).fit(moved, y), moved)


def test_the_end_of_a_pipeline() -> None:
    X, y = rows()
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    labels, scores = _run(model, X)
    np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(labels, model.predict(X))


@pytest.mark.parametrize("name", ["letter", "splice"])
@pytest.mark.parametrize("model", [SVC(), NuSVC(nu=0.05), LinearSVC(), LogisticRegression()], ids=str)
def test_public_sets(model: Any, name: str) -> None:
    data = load(name, 1500)
    X = data.X.astype(np.float32).astype(np.float64)
    unseen = (data.X_unseen if len(data.X_unseen) else data.X).astype(np.float32).astype(np.float64)
    _assert_same(clone(model).fit(X, data.y), unseen)


@pytest.mark.parametrize(
    ("model", "labels", "words"),
    [
        (SVC(kernel=lambda u, v: u @ v.T), [0, 1], "The kernel is a Python function"),
        (SVC(), [0.5, 1.5], r"ONNX's labels are whole numbers or strings\. Got \[0\.5, 1\.5\]"),
    ],
)
def test_what_onnx_has_not(model: Any, labels: list[float], words: str) -> None:
    X, y = rows()
    codes = np.array(labels)[np.minimum(y, 1)]
    model.fit(X, codes if labels[0] == 0 else np.minimum(y, 1))
    model.classes_ = np.array(labels)
    with pytest.raises(InvalidInput, match=words):
        _run(model, X.astype(np.float32))


def test_without_the_extra_the_install_line_is_shown() -> None:
    code = (
        "import sys; sys.modules['skl2onnx'] = None\n"
        "from maxmargin import onnx, errors\n"
        "try:\n    onnx.register()\nexcept errors.MissingExtra as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == 'ONNX needs skl2onnx. Install it with: pip install "maxmargin[onnx]"\n'
