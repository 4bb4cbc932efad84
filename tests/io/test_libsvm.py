"""LIBSVM's models: Debian's svm-train and svm-predict (package libsvm-tools) agree with us on both sides."""

from __future__ import annotations

import io as streams
import os
import shutil
import subprocess
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM, io
from maxmargin.errors import InvalidInput
from maxmargin.inspection import verify
from maxmargin.kernels import Laplacian

from .._data import load
from ._table import fitted, pairs, rows, values


@cache
def _tool(name: str) -> str:
    """A program of libsvm-tools, installed if this is a Debian whose packages we may install."""
    if shutil.which(name) is None and shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        subprocess.run(
            ["apt-get", "install", "--yes", "--quiet", "libsvm-tools"], capture_output=True, check=False, timeout=300
        )
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not here: install the package libsvm-tools")
    return found


def _run(*words: Any) -> None:
    subprocess.run([_tool(str(words[0])), *map(str, words[1:])], check=True, capture_output=True)


def _set(name: str) -> tuple[Any, Any, Any]:
    data = load(name, 1500)
    unseen = data.X_unseen if len(data.X_unseen) else data.X
    return data.X, data.y.astype(int), unseen


MODELS = [
    SVC(),
    SVC(kernel="linear", C=0.5),
    SVC(kernel="poly", degree=2, coef0=1.0, gamma=0.1),
    NuSVC(nu=0.05),
    SVR(),
    NuSVR(nu=0.2),
    OneClassSVM(nu=0.1),
]


@pytest.mark.parametrize("name", ["letter", "splice"])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_svm_predict_says_the_same(model: Any, name: str, tmp_path: Path) -> None:
    X, y, unseen = _set(name)
    model.fit(X, y)
    io.write_libsvm(model, tmp_path / "model")
    io.write_svmlight(tmp_path / "rows", unseen, np.zeros(len(unseen)))
    _run("svm-predict", tmp_path / "rows", tmp_path / "model", tmp_path / "out")
    found = np.loadtxt(tmp_path / "out")
    if hasattr(model, "classes_"):
        np.testing.assert_array_equal(found, model.predict(unseen))
    elif hasattr(model, "offset_"):
        apart = np.abs(model.decision_function(unseen)) > 1e-9
        np.testing.assert_array_equal(found[apart], model.predict(unseen)[apart])
    else:
        np.testing.assert_allclose(found, model.predict(unseen), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["letter", "splice"])
@pytest.mark.parametrize("options", ["-s 0", "-s 0 -t 0", "-s 1 -n 0.05", "-s 3", "-s 4", "-s 2 -n 0.1"])
def test_models_of_svm_train_are_read(options: str, name: str, tmp_path: Path) -> None:
    X, y, unseen = _set(name)
    io.write_svmlight(tmp_path / "rows", X, y)
    io.write_svmlight(tmp_path / "unseen", unseen, np.zeros(len(unseen)))
    _run("svm-train", "-q", *options.split(), tmp_path / "rows", tmp_path / "model")
    _run("svm-predict", tmp_path / "unseen", tmp_path / "model", tmp_path / "out")
    model, found = io.read_libsvm(tmp_path / "model", n_features=X.shape[1]), np.loadtxt(tmp_path / "out")
    if hasattr(model, "classes_"):
        np.testing.assert_array_equal(model.predict(unseen), found)
    elif hasattr(model, "offset_"):
        apart = np.abs(model.decision_function(unseen)) > 1e-9
        np.testing.assert_array_equal(model.predict(unseen)[apart], found[apart])
    else:
        np.testing.assert_allclose(model.predict(unseen), found, rtol=1e-5, atol=1e-5)  # svm-predict prints six digits


def test_a_model_of_svm_train_is_certified(tmp_path: Path) -> None:
    X, y, _ = _set("letter")
    io.write_svmlight(tmp_path / "rows", X, y)
    _run("svm-train", "-q", "-c", "2", tmp_path / "rows", tmp_path / "model")
    model = io.read_libsvm(tmp_path / "model", n_features=X.shape[1]).set_params(C=2.0)
    certificate = verify(model, X, y)
    assert certificate.status.is_optimal
    ours = SVC(C=2.0, gamma=1.0 / X.shape[1]).fit(X, y).certificate_
    assert ours.dual_objective <= certificate.primal_objective * (1 + 1e-9)
    assert certificate.dual_objective <= ours.primal_objective * (1 + 1e-9)


def test_probabilities_of_two_classes(tmp_path: Path) -> None:
    X, y, unseen = _set("splice")
    model = SVC(probability=True).fit(X, y)
    io.write_libsvm(model, tmp_path / "model")
    io.write_svmlight(tmp_path / "rows", unseen, np.zeros(len(unseen)))
    _run("svm-predict", "-b", "1", tmp_path / "rows", tmp_path / "model", tmp_path / "out")
    head, *lines = (tmp_path / "out").read_text().splitlines()
    found = np.array([line.split()[1:] for line in lines], dtype=float)[:, np.argsort([int(w) for w in head.split()[1:]])]
    np.testing.assert_allclose(found, model.predict_proba(unseen), atol=1e-5)  # six digits
    again = io.read_libsvm(tmp_path / "model", n_features=X.shape[1])
    np.testing.assert_allclose(again.predict_proba(unseen), model.predict_proba(unseen), rtol=1e-12)


@pytest.mark.parametrize("name", pairs("LIBSVM", claims=True))
def test_what_is_written_is_read(name: str) -> None:
    model, (X, _) = fitted(name), rows()
    file = streams.BytesIO()
    io.write_libsvm(model, file)
    file.seek(0)
    found = io.read_libsvm(file, n_features=X.shape[1])
    np.testing.assert_allclose(values(found, X), values(model, X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", pairs("LIBSVM", claims=False))
def test_what_libsvm_has_not(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"LIBSVM's format has SVC, NuSVC, SVR, NuSVR and OneClassSVM\. Got a"):
        io.write_libsvm(fitted(name), streams.BytesIO())


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SVC(multi_class="ovr"), "LIBSVM separates classes in pairs"),
        (SVC(kernel=Laplacian()), "LIBSVM's kernels are linear, polynomial, rbf and sigmoid. Got 'laplacian'"),
        (SVC(kernel=lambda u, v: u @ v.T), "The kernel is a Python function"),
    ],
)
def test_models_that_the_format_has_not(model: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        io.write_libsvm(model.fit(*rows()), streams.BytesIO())


def test_labels_and_outputs_that_the_format_has_not() -> None:
    X, y = rows()
    with pytest.raises(InvalidInput, match=r"LIBSVM's labels are whole numbers. Got \['a', 'b', 'c'\]"):
        io.write_libsvm(SVC().fit(X, np.array(["a", "b", "c"])[y]), streams.BytesIO())
    with pytest.raises(InvalidInput, match=r"LIBSVM's epsilon_svr has one output\. Got 2"):
        io.write_libsvm(SVR().fit(X, np.stack([y, y], axis=1)), streams.BytesIO())


def test_a_precomputed_kernel() -> None:
    X, y = rows()
    K, file = X @ X.T, streams.BytesIO()
    model = SVC(kernel="precomputed").fit(K, y)
    io.write_libsvm(model, file)
    file.seek(0)
    found = io.read_libsvm(file)
    width = int(model.support_.max()) + 1
    np.testing.assert_allclose(found.decision_function(K[:, :width]), model.decision_function(K), rtol=1e-12, atol=1e-12)


_SOUND = b"svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1\n-1 1:-1\n"


def test_the_sound_text_is_read() -> None:
    model = io.read_libsvm(streams.BytesIO(_SOUND))
    np.testing.assert_array_equal(model.decision_function(sparse.csr_matrix([[2.0]])), [4.0])
    np.testing.assert_array_equal(model.classes_, [-1, 1])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"c_svc", b"d_svc", "has svm_type 'd_svc'. Known are c_svc, nu_svc"),
        (b"linear", b"cubic", "has kernel_type 'cubic'. Known are"),
        (b"nr_class 2", b"nr_class 99999999", "has nr_class 99999999"),
        (b"total_sv 2", b"total_sv 3", "it says total_sv 3, and has 2 support vectors"),
        (b"total_sv 2", b"total_sv 99999999999999", "which are no whole numbers"),
        (b"rho 0", b"rho x", "rho has 'x' where 1 numbers are expected"),
        (b"rho 0", b"rho 0 0", "rho has '0 0' where 1 numbers are expected"),
        (b"nr_sv 1 1", b"nr_sv 1 2", "nr_sv and label do not fit total_sv 2"),
        (b"label 1 -1", b"label 1 1", "nr_sv and label do not fit"),
        (b"SV\n", b"", "it has no line SV|begins with '1'"),
        (b"rho 0\n", b"omega 0\n", "Line 5 of .* begins with 'omega', which no model of LIBSVM has"),
        (b"-1 1:-1", b"-1 1:y", "Line 10 of .* has the value 'y', which is no number"),
        (b"-1 1:-1\n", b"", "it says total_sv 2, and has 1 support vectors"),
    ],
)
def test_damaged_text_is_refused_where_it_is(old: bytes, new: bytes, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        io.read_libsvm(streams.BytesIO(_SOUND.replace(old, new)))


def test_lines_of_several_coefficients() -> None:
    file = streams.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        io.write_libsvm(fitted("SVC"), file)
    lines = file.getvalue().split(b"\n")
    lines[-3] = b"0.5"
    with pytest.raises(InvalidInput, match=f"Line {len(lines) - 2} of .* has less than 2 coefficients"):
        io.read_libsvm(streams.BytesIO(b"\n".join(lines)))


def test_a_number_where_a_path_is_expected() -> None:
    with pytest.raises(InvalidInput, match=r"The path of a LIBSVM model must be a str or a path, or a binary file\. Got 3"):
        io.read_libsvm(3)
