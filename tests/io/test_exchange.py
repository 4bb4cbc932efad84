"""Every estimator in every format that the table claims; every other pair is refused in words."""

from __future__ import annotations

import ctypes
import io as streams
import shutil
import subprocess
import warnings
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin import SVC, SVR, LinearSVC, LogisticRegression, NuSVC, OneClassSVM, io
from maxmargin.errors import InvalidInput
from maxmargin.inspection import verify
from maxmargin.kernels import RBF, Laplacian, Linear, Polynomial

from .._data import PROJECT, load
from ..contracts._registry import KERNELS
from ._table import FORMATS, MAPS, TABLE, fitted, pairs, rows, said, values

EXACT = 1e-12
"""Of the largest value: models that compute in float64."""
TIE = 1e-7
"""Rows whose two best scores differ by less may go either way in another program."""


def _apart(model: Any, X: Any) -> Any:
    """Rows that are not on a boundary."""
    found = values(model, X)
    if found.shape[1] == 1:
        return np.abs(found[:, 0]) > TIE * max(1.0, np.abs(found).max())
    best = np.sort(found, axis=1)
    return best[:, -1] - best[:, -2] > TIE


def _assert_near(found: Any, known: Any, part: float = EXACT) -> None:
    np.testing.assert_allclose(found, known, rtol=0.0, atol=part * max(1.0, float(np.abs(known).max())))


# ---- skops


@pytest.mark.parametrize("name", pairs("skops", claims=True))
def test_skops_keeps_what_a_model_says(name: str) -> None:
    skops = pytest.importorskip("skops.io")
    model, (X, _) = fitted(name), rows()
    data = skops.dumps(model)
    assert set(skops.get_untrusted_types(data=data)) <= set(io.TRUSTED_TYPES)
    found, known = said(skops.loads(data, trusted=io.TRUSTED_TYPES), X), said(model, X)
    assert found.keys() == known.keys()
    for each, array in known.items():
        np.testing.assert_array_equal(found[each], array)


@pytest.mark.parametrize("kind", MAPS, ids=lambda kind: kind.__name__)
def test_skops_and_feature_maps(kind: Any) -> None:
    skops = pytest.importorskip("skops.io")
    X = np.abs(rows()[0])[:, :2]
    model = kind().fit(X)
    np.testing.assert_array_equal(skops.loads(skops.dumps(model), trusted=io.TRUSTED_TYPES).transform(X), model.transform(X))


@pytest.mark.parametrize(
    "model", [SVC(warm_start=True), LinearSVC(warm_start=True), LogisticRegression(warm_start=True)], ids=str
)
def test_skops_and_models_that_go_on(model: Any) -> None:
    skops = pytest.importorskip("skops.io")
    X, y = rows()
    model = clone(model).fit(X, y)
    found = skops.loads(skops.dumps(model), trusted=io.TRUSTED_TYPES)
    assert found.status_ is model.status_
    assert str(found.certificate_) == str(model.certificate_)
    np.testing.assert_array_equal(found.fit(X, y).predict(X), model.predict(X))


def test_skops_and_a_pipeline() -> None:
    skops = pytest.importorskip("skops.io")
    X, y = rows()
    model = make_pipeline(StandardScaler(), SVC(kernel=RBF() + Linear())).fit(X, y)
    np.testing.assert_array_equal(skops.loads(skops.dumps(model), trusted=io.TRUSTED_TYPES).predict(X), model.predict(X))


# ---- scikit-learn


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("name", pairs("to_sklearn", claims=True))
def test_scikit_learn_says_the_same_and_back(name: str, storage: Any) -> None:
    X, y = rows()
    given = storage(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = clone(TABLE[name][0]).fit(given, y)
    theirs = model.to_sklearn()
    assert type(theirs).__module__.startswith("sklearn.")
    ours = maxmargin.from_sklearn(theirs)
    dense = X if storage is np.asarray else given
    known = np.asarray((getattr(model, "decision_function", None) or model.predict)(dense))
    for other in (theirs, ours):
        found = np.asarray((getattr(other, "decision_function", None) or other.predict)(dense))
        _assert_near(found, known)
    apart = _apart(model, X) if storage is np.asarray else np.ones(len(X), dtype=bool)
    if hasattr(model, "classes_"):
        np.testing.assert_array_equal(theirs.predict(dense)[apart], model.predict(dense)[apart])
    if isinstance(model, LogisticRegression):
        _assert_near(theirs.predict_proba(dense), model.predict_proba(dense))


@pytest.mark.parametrize("kernel", ["linear", "poly", "sigmoid", RBF(gamma=0.3), Polynomial(degree=2, coef0=1.0)], ids=str)
@pytest.mark.parametrize("labels", [2, 3, "names"])
def test_kernels_and_labels_of_scikit_learn(kernel: Any, labels: Any) -> None:
    X, y = rows()
    y = np.array(["b", "a", "c"])[y] if labels == "names" else np.minimum(y, labels - 1)
    model = SVC(kernel=kernel, gamma=0.05 if kernel in ("poly", "sigmoid") else "scale")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = model.fit(X, y).to_sklearn()
    _assert_near(theirs.decision_function(X), model.decision_function(X))
    _assert_near(maxmargin.from_sklearn(theirs).decision_function(X), model.decision_function(X))


def test_a_precomputed_kernel_of_scikit_learn() -> None:
    X, y = rows()
    K = X @ X.T
    model = SVC(kernel="precomputed").fit(K, y)
    theirs = model.to_sklearn()
    _assert_near(theirs.decision_function(K), model.decision_function(K))
    _assert_near(maxmargin.from_sklearn(theirs).decision_function(K), model.decision_function(K))


def test_a_model_of_scikit_learn_is_judged() -> None:
    svm = pytest.importorskip("sklearn.svm")
    X, y = rows()
    theirs = svm.SVC(C=2.0, tol=1e-6).fit(X, y)
    ours = maxmargin.from_sklearn(theirs)
    with pytest.raises(AttributeError, match="has no certificate"):
        _ = ours.certificate_
    certificate = verify(ours, X, y)
    assert certificate.relative_gap < 1e-3
    assert certificate.primal_objective == pytest.approx(SVC(C=2.0).fit(X, y).certificate_.primal_objective, rel=1e-4)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SVC(multi_class="ovr"), "separates classes in pairs. Got multi_class='ovr'"),
        (SVC(multi_class="joint"), "separates classes in pairs"),
        (SVC(kernel=Laplacian()), "has the kernels linear, poly, rbf, sigmoid and precomputed.* Got 'laplacian'"),
        (SVC(kernel=RBF() + Linear()), "Got 'add'"),
        (SVC(kernel=lambda u, v: u @ v.T), "The kernel is a Python function"),
        (LogisticRegression(multi_class="ovr"), "fits all classes at once. Got multi_class='ovr'"),
        (maxmargin.LinearClassifier(loss="exponential"), "has the losses hinge, squared_hinge, logistic, perceptron"),
    ],
)
def test_what_scikit_learn_has_not(model: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        model.fit(*rows()).to_sklearn()


def test_outputs_and_costs_that_scikit_learn_has_not() -> None:
    X, y = rows()
    with pytest.raises(InvalidInput, match=r"has one output\. Got 2: fit one model for each"):
        SVR().fit(X, np.stack([y, -y], axis=1)).to_sklearn()
    with pytest.raises(InvalidInput, match="need a finite C"):
        SVC(C=np.inf).fit(X[:4], [0, 0, 1, 1]).to_sklearn()


@pytest.mark.parametrize("name", [each for each in pairs("to_sklearn", claims=False) if hasattr(TABLE[each][0], "to_sklearn")])
def test_estimators_that_scikit_learn_has_not(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"scikit-learn has no {type(fitted(name)).__name__}"):
        fitted(name).to_sklearn()


def test_estimators_that_we_have_not() -> None:
    trees = pytest.importorskip("sklearn.tree")
    svm = pytest.importorskip("sklearn.svm")
    with pytest.raises(InvalidInput, match=r"from_sklearn knows scikit-learn's SVC, .*Got a sklearn\.tree"):
        maxmargin.from_sklearn(trees.DecisionTreeClassifier().fit(*rows()))
    with pytest.raises(InvalidInput, match="is a function, whose values are not kept"):
        maxmargin.from_sklearn(svm.SVC(kernel=lambda u, v: u @ v.T).fit(*rows()))


# ---- C


def _compiled(source: str, folder: Path, name: str) -> Any:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (folder / f"{name}.c").write_text(source, encoding="ascii")
    options = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([compiler, *options, f"{name}.c", "-o", f"{name}.so", "-lm"], check=True, cwd=folder)
    return ctypes.CDLL(str(folder / f"{name}.so"))


def _of_c(model: Any, X: Any, folder: Path, name: str) -> tuple[Any, Any]:
    """Values and predictions of the function in C."""
    library = _compiled(io.to_c(model, name), folder, name)
    inner = getattr(model, "best_estimator_", model)
    out, found, codes = (ctypes.c_double * len(inner.intercept_))(), [], []
    function = getattr(library, name)
    if not hasattr(inner, "classes_") and not hasattr(inner, "offset_"):
        function.restype = ctypes.c_double
    for row in np.ascontiguousarray(X, dtype=np.float64):
        getattr(library, f"{name}_values")(row.ctypes.data_as(ctypes.c_void_p), out)
        found.append(list(out))
        codes.append(function(row.ctypes.data_as(ctypes.c_void_p)))
    return np.array(found), np.array(codes)


def _subproblems(model: Any, X: Any) -> Any:
    """The values of all binary classifiers, or of all outputs."""
    inner = copy(getattr(model, "best_estimator_", model))
    if hasattr(inner, "decision_function_shape"):
        inner.decision_function_shape = "ovo"
    return values(inner, X)


@pytest.mark.parametrize("name", pairs("C", claims=True))
def test_c_says_the_same(name: str, tmp_path: Path) -> None:
    model, (X, _) = fitted(name), rows()
    found, codes = _of_c(model, X, tmp_path, "predict")
    apart = _apart(model, X)
    _assert_near(found, _subproblems(model, X), 1e-10)  # coefficients of landmarks cancel each other
    if hasattr(model, "classes_"):
        np.testing.assert_array_equal(model.classes_[codes][apart], model.predict(X)[apart])
    elif hasattr(model, "offset_"):
        np.testing.assert_array_equal(codes[apart], model.predict(X)[apart])
    else:
        _assert_near(codes, model.predict(X))


@pytest.mark.parametrize("case", KERNELS, ids=str)
def test_every_kernel_in_c(case: Any, tmp_path: Path) -> None:
    X, y = case.rows(rows()[0]), np.minimum(rows()[1], 1)
    kernel = (case.kernel + 0.5 * Linear()).normalised() * case.kernel**2 + case.kernel.on([3, 1])
    for number, each in enumerate((case.kernel, kernel)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = SVC(kernel=each).fit(X, y)
        found, _ = _of_c(model, X[:20], tmp_path, f"kernel{number}")
        _assert_near(found[:, 0], model.decision_function(X[:20]), 1e-11)


@pytest.mark.parametrize(
    "model", [SVC(break_ties=True), SVC(multi_class="ovr"), SVC(multi_class="joint"), NuSVC(nu=0.1)], ids=str
)
def test_votes_in_c(model: Any, tmp_path: Path) -> None:
    X, y = rows()
    names = np.array(['a "b"', "ö?", "c"])[y]
    model = clone(model).fit(X, names)
    _, codes = _of_c(model, X, tmp_path, "vote")
    apart = _apart(model, X)
    np.testing.assert_array_equal(model.classes_[codes][apart], model.predict(X)[apart])


def test_a_threshold_in_c(tmp_path: Path) -> None:
    X, y = rows()
    model = LogisticRegression(threshold=0.2).fit(X, y > 0)
    _, codes = _of_c(model, X, tmp_path, "sure")
    np.testing.assert_array_equal(codes == 1, model.predict(X))


def test_c_of_letter_predicts_the_same(tmp_path: Path) -> None:
    data = load("letter", 2000)
    model = SVC(kernel="linear", C=1.0).fit(data.X, data.y)
    _, codes = _of_c(model, data.X_unseen, tmp_path, "letter")
    np.testing.assert_array_equal(model.classes_[codes], model.predict(data.X_unseen))
    model = SVC().fit(data.X, data.y)
    _, codes = _of_c(model, data.X_unseen, tmp_path, "letter_rbf")
    np.testing.assert_array_equal(model.classes_[codes], model.predict(data.X_unseen))


@pytest.mark.parametrize("name", pairs("C", claims=False))
def test_what_c_has_not(name: str) -> None:
    with pytest.raises(InvalidInput, match="is no function of vectors and coefficients"):
        io.to_c(fitted(name))


@pytest.mark.parametrize(
    ("model", "name", "words"),
    [
        (SVC(), "2b", "must be a name in C. Got '2b'"),
        (SVC(kernel=lambda u, v: u @ v.T), "f", "The kernel is a Python function"),
    ],
)
def test_messages_of_c(model: Any, name: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        io.to_c(model.fit(*rows()), name)


def test_c_is_for_small_models() -> None:
    X = np.random.default_rng(0).normal(size=(300, 8000))
    with pytest.raises(InvalidInput, match="to_c is for small models"):
        io.to_c(SVC(kernel="rbf").fit(X, np.arange(300) % 2))


# ---- the certificate


@pytest.mark.parametrize("name", pairs("verify", claims=True))
def test_the_certificate_is_found_again(name: str) -> None:
    model, (X, y) = fitted(name), rows()
    inner = getattr(model, "best_estimator_", model)
    file = streams.BytesIO()
    io.save(inner, file)
    found = verify(io.load(file), X, y)
    known = inner.certificate_
    assert found.status is known.status
    assert found.primal_objective == pytest.approx(known.primal_objective, rel=1e-9, abs=1e-9)
    assert found.gap <= known.gap + 1e-9 * abs(known.primal_objective)


@pytest.mark.parametrize("name", pairs("verify", claims=False))
def test_what_has_no_certificate(name: str) -> None:
    with pytest.raises(InvalidInput, match="has no certificate that could be computed from its coefficients"):
        verify(fitted(name), *rows())


# ---- the page


def test_the_page_shows_this_table() -> None:
    page = (PROJECT / "docs" / "files.md").read_text(encoding="utf-8")
    shown = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    wanted = [[f"`{name}`", *("yes" if mark == "+" else "–" for mark in marks.split())] for name, (_, marks) in TABLE.items()]
    found = {cells[0]: cells for cells in shown}
    for row in wanted:
        assert found[row[0]] == row
    assert all(f"`{form}`" in page or form in page for form in FORMATS)
    assert OneClassSVM.__name__ in page
