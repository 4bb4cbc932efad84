"""Models in files: what is loaded is what was saved, for every estimator; what is no model is refused where it is broken."""

from __future__ import annotations

import io as streams
import json
import pickle
import tracemalloc
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin import SVC, LinearSVC, StochasticClassifier, _versioned, io
from maxmargin.errors import InconsistentVersionWarning, InvalidInput
from maxmargin.kernels import RBF, Laplacian, Linear, UserFunction

from ..contracts._registry import KERNELS, OBJECTS
from ._readers import archive, models, parts
from ._table import MAPS, TABLE, fitted, pairs, rows, said

CORPUS = Path(__file__).parent / "corpus"


def _saved(model: Any) -> bytes:
    file = streams.BytesIO()
    io.save(model, file)
    return file.getvalue()


def _loaded(data: bytes) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return io.load(streams.BytesIO(data))


def _assert_same(found: Any, known: Any, X: Any) -> None:
    a, b = said(found, X), said(known, X)
    assert a.keys() == b.keys() != set()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name])
    assert str(getattr(found, "certificate_", None)) == str(getattr(known, "certificate_", None))


@pytest.mark.parametrize("name", pairs("save", claims=True))
def test_what_is_loaded_says_the_same(name: str) -> None:
    model, (X, _) = fitted(name), rows()
    data = _saved(model)
    found = _loaded(data)
    _assert_same(found, model, X)
    assert _saved(found) == data  # and is the same file
    for ours, theirs in zip(getattr(found, "solutions_", []), getattr(model, "solutions_", []), strict=True):
        assert ours.certificate == theirs.certificate
    assert repr(found) == repr(model)


@pytest.mark.parametrize("name", pairs("save", claims=False))
def test_what_cannot_be_saved_says_why(name: str) -> None:
    with pytest.raises(InvalidInput, match="Save its best_estimator_"):
        _saved(fitted(name))


@pytest.mark.parametrize("kind", MAPS, ids=lambda kind: kind.__name__)
def test_every_feature_map(kind: Any) -> None:
    X = np.abs(rows()[0])[:, :2]
    model = kind().fit(X)
    _assert_same(_loaded(_saved(model)), model, X)


@pytest.mark.parametrize("name", [name for name in TABLE if name not in pairs("save", claims=False)])
def test_a_model_that_is_not_fitted(name: str) -> None:
    assert repr(_loaded(_saved(TABLE[name][0]))) == repr(TABLE[name][0])


@pytest.mark.parametrize("case", KERNELS, ids=str)
def test_every_kernel_of_vectors(case: Any) -> None:
    X, y = case.rows(rows()[0]), rows()[1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the sigmoid
        model = SVC(kernel=(case.kernel + 0.5 * Linear()).normalised().on([0, 1, 2]) ** 2)
        model.fit(X, y)
    _assert_same(_loaded(_saved(model)), model, X)
    assert _loaded(_saved(case.kernel)) == case.kernel


@pytest.mark.parametrize("case", OBJECTS, ids=str)
def test_every_kernel_of_objects(case: Any) -> None:
    model = SVC(kernel=case.kernel).fit(case.X, np.arange(len(case.X)) % 3)
    found = _loaded(_saved(model))
    np.testing.assert_array_equal(found.decision_function(case.new), model.decision_function(case.new))


@pytest.mark.parametrize("labels", ["names", "bool", "objects", "float"])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix, sparse.csr_array, np.float32])
def test_rows_and_labels_of_all_kinds(storage: Any, labels: str) -> None:
    X, y = rows()
    named = {
        "names": np.array(["ä", "b", "c"])[y],
        "bool": y > 0,
        "objects": np.array(["a", "b", "c"], dtype=object)[y],
        "float": y * 2.0,
    }[labels]
    given = X.astype(np.float32) if storage is np.float32 else storage(X)
    for model in (SVC().fit(given, named), LinearSVC().fit(given, named)):
        found = _loaded(_saved(model))
        np.testing.assert_array_equal(found.predict(given), model.predict(given))
        assert found.classes_.dtype == model.classes_.dtype


def test_a_precomputed_kernel() -> None:
    X, y = rows()
    K = X @ X.T
    model = SVC(kernel="precomputed").fit(K, y)
    np.testing.assert_array_equal(_loaded(_saved(model)).decision_function(K), model.decision_function(K))


def test_a_stochastic_model_continues_where_it_was() -> None:
    X, y = rows()
    model = StochasticClassifier(random_state=3).partial_fit(X, y, classes=[0, 1, 2])
    found = _loaded(_saved(model))
    for each in (model, found):
        each.partial_fit(X, y)
    np.testing.assert_array_equal(found.coef_, model.coef_)


def test_a_path_and_a_file_are_the_same(tmp_path: Path) -> None:
    model = fitted("SVC")
    io.save(model, tmp_path / "model.mm")
    assert (tmp_path / "model.mm").read_bytes() == _saved(model)
    _assert_same(io.load(str(tmp_path / "model.mm")), model, rows()[0])


def test_the_file_can_be_read_without_us() -> None:
    model = fitted("LinearSVC")
    with zipfile.ZipFile(streams.BytesIO(_saved(model))) as read:
        manifest = json.loads(read.read("manifest.json"))
        arrays = [np.load(streams.BytesIO(read.read(name))) for name in read.namelist()[1:]]
    assert manifest["format"] == "maxmargin model"
    assert manifest["version"] == 1
    place = manifest["model"]["state"]["coef_"]["array"]
    np.testing.assert_array_equal(arrays[place], model.coef_)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SVC(kernel=lambda u, v: u @ v.T), r"Cannot save SVC\.kernel: it is the function <lambda>, and files hold no code"),
        (SVC(kernel=UserFunction(min)), r"Cannot save SVC\.kernel: a kernel that is a function is code"),
        (SVC(kernel=RBF() + UserFunction(min)), r"Cannot save SVC\.kernel\.right"),
        (make_pipeline(StandardScaler(), SVC()), r"Got a Pipeline\. A pipeline can be written by skops"),
        (SVC(class_weight={1: object()}), r"SVC\.class_weight\[1\].* Got builtins\.object"),
    ],
)
def test_what_has_no_place_in_a_file(model: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        _saved(model)


def test_a_path_of_another_kind() -> None:
    with pytest.raises(InvalidInput, match="must be a str, a path or a binary file that can seek"):
        io.save(SVC(), 3)


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.mm")), ids=lambda path: path.stem)
def test_files_of_every_version_are_read(path: Path) -> None:
    """Never made again: a file that is not read any more is a broken promise."""
    model = _loaded(path.read_bytes())
    known = np.load(path.with_suffix(".npz"))
    for name in known.files:
        if name != "X":
            found = np.asarray(getattr(model, name)(known["X"]))
            np.testing.assert_allclose(found.astype(np.float64), known[name].astype(np.float64), rtol=1e-9, atol=1e-9)
    assert maxmargin.__version__


def test_there_is_a_corpus() -> None:
    assert len(list(CORPUS.glob("*.mm"))) >= 20


# ---- files that are none


def test_every_cut_is_refused() -> None:
    data = models()[0]
    for end in range(0, len(data), 61):
        with pytest.raises(InvalidInput, match="is damaged"):
            io.load(streams.BytesIO(data[:end]))


def test_a_changed_byte_of_the_content_is_refused() -> None:
    data = models()[0]
    begin = data.index(b'"version"')
    for at in range(begin, begin + 400, 7):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        with pytest.raises(InvalidInput, match="is damaged"):
            io.load(streams.BytesIO(changed))


def _with(change: Any) -> bytes:
    manifest, arrays = parts(models()[0])
    content = json.loads(manifest)
    change(content)
    return archive(json.dumps(content).encode(), arrays)


def _set(*keys: Any, to: Any) -> Any:
    def change(content: Any) -> None:
        for key in keys[:-1]:
            content = content[key]
        content[keys[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_set("version", to=2), r"is of format version 2, written by maxmargin .*: update it"),
        (_set("format", to="another"), "its manifest says something else"),
        (_set("model", "$", to="os.system"), "is of type 'os.system', which this version of maxmargin does not know"),
        (_set("model", "$", to="estimators.Fitted"), "which files may not hold"),
        (
            _set("model", "state", "dual_coef_", to={"$": "array", "array": 99}),
            r"damaged at SVC\.dual_coef_: there is no array 99",
        ),
        (_set("model", "state", "_rows", to="HEAP"), r"The stored SVC\._rows is 'HEAP', which is none of"),
        (_set("model", "state", to=[1]), "damaged at SVC: its state is no mapping"),
        (_set("model", "state", to={}), "damaged at SVC: SVC lacks C, break_ties"),
        (_set("model", "state", "C", to={"$": "float", "value": "9" * 99}), r"damaged at SVC\.C: it is no number"),
        (_set("model", "state", "x", to={"$": "objects", "shape": [10**9], "items": []}), "0 items do not fill the shape"),
        (
            _set("model", "state", "x", to={"$": "generator", "state": {"bit_generator": "system"}}),
            "its generator is not known",
        ),
        (_set("model", "state", "_records", "state", "certificates", to={}), "The stored columns of Records were altered"),
    ],
)
def test_a_hostile_manifest_is_refused_where_it_is(change: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        io.load(streams.BytesIO(_with(change)))


def test_edited_numbers_are_refused_when_they_are_used() -> None:
    model = io.load(streams.BytesIO(_with(_set("model", "state", "n_features_in_", to=3))))
    with pytest.raises(InvalidInput, match="was altered"):
        model.predict(np.zeros((1, 3)))


def test_nesting_without_end() -> None:
    deep = b'{"format": "maxmargin model", "version": 1, "model": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(InvalidInput, match="is damaged"):
        io.load(streams.BytesIO(archive(deep, [])))


def _npy(shape: str, body: bytes = b"\0" * 80) -> bytes:
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + body


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (_npy("(999999999999,)"), r"its shape \(999999999999,\) does not fit its 80 bytes"),
        (_npy("(99999999999, 99999999999)"), "does not fit"),
        (_npy("(11,)"), "does not fit"),
        (_npy("(-1,)"), "does not begin as numpy writes arrays"),
        (_npy("(10,)").replace(b"'<f8'", b"'|O'" + b" "), "does not begin as numpy writes arrays"),
        (b"\x93NUMPY\x02\x00", "does not begin as numpy writes arrays"),
    ],
)
def test_a_bomb_allocates_nothing(data: bytes, words: str) -> None:
    manifest, arrays = parts(models()[0])
    file = archive(manifest, [data, *arrays[1:]])
    tracemalloc.start()
    with pytest.raises(InvalidInput, match=words):
        io.load(streams.BytesIO(file))
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_a_compressed_archive_is_refused() -> None:
    file = streams.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("manifest.json", b" " * 100_000_000)
    assert len(file.getvalue()) < 200_000
    with pytest.raises(InvalidInput, match="models are stored without compression"):
        io.load(file)


# ---- pickles


def test_a_pickle_of_this_version_loads_silently() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(pickle.dumps(fitted("SVC")))


@pytest.mark.parametrize("name", TABLE)
def test_a_pickle_of_another_version_warns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as before:
        before.setattr(_versioned, "installed_version", lambda: "0.0.1")
        data = pickle.dumps(TABLE[name][0])
    with pytest.warns(InconsistentVersionWarning, match=r"which maxmargin 0\.0\.1 pickled, with maxmargin"):
        pickle.loads(data)


def test_kernels_in_files_compare_equal() -> None:
    kernel = 2.0 * RBF(gamma=0.5) + Laplacian().on([0, 2])
    assert _loaded(_saved(kernel)) == kernel
