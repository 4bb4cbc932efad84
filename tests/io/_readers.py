"""Every reader with files that it reads, and what it may raise for those that it does not: for tests, and for fuzzing."""

from __future__ import annotations

import io as streams
import json
import random
import warnings
import zipfile
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from maxmargin import SVC, KernelLogisticRegression, LinearSVC, StochasticClassifier, io
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear

MOST_BYTES = 1 << 22
"""Of decompressed files in these tests."""


def _svmlight(data: bytes) -> None:
    io.read_svmlight(streams.BytesIO(data), max_bytes=MOST_BYTES)


def _csv(data: bytes) -> None:
    io.read_csv(streams.BytesIO(data), max_bytes=MOST_BYTES)


def _fasta(data: bytes) -> None:
    io.read_fasta(streams.BytesIO(data), max_bytes=MOST_BYTES)


def _use(model: Any) -> None:
    """Predict: a state that was changed may fail, by any error of Python, and must not crash."""
    width = getattr(model, "n_features_in_", None)
    if not hasattr(model, "predict") or not isinstance(width, int) or not 0 < width < 100:
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model.predict(np.zeros((2, width)))
            _ = getattr(model, "solutions_", None)
        except Exception:  # that nothing worse happens is what is asked here
            pass


def _libsvm(data: bytes) -> None:
    _use(io.read_libsvm(streams.BytesIO(data), max_bytes=MOST_BYTES))


def _model(data: bytes) -> None:
    _use(io.load(streams.BytesIO(data)))


def archive(manifest: bytes, arrays: list[bytes]) -> bytes:
    """A model's file of this content, with sound checksums."""
    file = streams.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        written.writestr("manifest.json", manifest)
        for place, data in enumerate(arrays):
            written.writestr(f"arrays/{place}.npy", data)
    return file.getvalue()


def parts(data: bytes) -> tuple[bytes, list[bytes]]:
    """Manifest and arrays of a model's file."""
    with zipfile.ZipFile(streams.BytesIO(data)) as read:
        names = read.namelist()
        return read.read(names[0]), [read.read(name) for name in names[1:]]


@cache
def models() -> list[bytes]:
    """Files of a few small models."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 3
    made: list[Any] = [
        SVC(probability=True),
        SVC(kernel=RBF(gamma=1.0) + 2.0 * Linear(), multi_class="ovr"),
        LinearSVC(),
        KernelLogisticRegression(),
        StochasticClassifier(max_iter=5),
    ]
    files = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in made:
            file = streams.BytesIO()
            io.save(model.fit(X, y), file)
            files.append(file.getvalue())
    return files


def _manifest(data: bytes) -> None:
    """The bytes are a manifest, beside sound arrays."""
    _model(archive(data, parts(models()[0])[1]))


def _array(data: bytes) -> None:
    """The bytes are the first array, beside a sound manifest."""
    manifest, arrays = parts(models()[0])
    _model(archive(manifest, [data, *arrays[1:]]))


def _changed(rng: random.Random, node: Any) -> Any:
    """A manifest with one node replaced, somewhere below."""
    inside = list(node) if isinstance(node, dict) else list(range(len(node))) if isinstance(node, list) else []
    if not inside or rng.random() < 0.15:
        numbers = [None, True, -1, 0, 3, 10**12, -(10**30), 0.5, "", "1", "DENSE", [], {}, [[]]]
        tagged = [{"$": "array", "array": rng.randrange(9)}, {"$": "tuple", "items": [1, 2]}, {"$": "float", "value": "nan"}]
        return rng.choice([*numbers, *tagged, {"$": "estimators.SVC", "state": {}}])
    key = rng.choice(inside)
    found = node.copy()
    if rng.random() < 0.05:
        del found[key]
    else:
        found[key] = _changed(rng, node[key])
    return found


def _state(data: bytes) -> None:
    """The bytes choose what is changed in a sound manifest: what a hostile hand would do."""
    rng = random.Random(data)
    manifest, arrays = parts(rng.choice(models()))
    content = json.loads(manifest)
    for _ in range(rng.randint(1, 3)):
        content["model"] = _changed(rng, content["model"])
    _model(archive(json.dumps(content).encode(), arrays))


READERS: dict[str, Callable[[bytes], None]] = {
    "svmlight": _svmlight,
    "csv": _csv,
    "fasta": _fasta,
    "libsvm": _libsvm,
    "model": _model,
    "manifest": _manifest,
    "array": _array,
    "state": _state,
}


@cache
def seeds() -> dict[str, list[bytes]]:
    """Files that each reader reads."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(9, 3)), np.arange(9) % 3
    text = b"+1 qid:1 1:0.5 3:-2e-3 # one\n-1 qid:2 2:1 7:12345678901234567890\n\n1 qid:2\n"
    libsvm = []
    for labels in (y, y % 2):
        file = streams.BytesIO()
        io.write_libsvm(SVC(kernel="poly", coef0=1.0).fit(X, labels), file)
        libsvm.append(file.getvalue())
    return {
        "svmlight": [text, b"1 1:1\n0 1:0.1 2:3\n"],
        "csv": [b'a,b,"kind"\n1,2.5,cat\n3,-4e2,"dog, big"\n', b"1;2;3\n4;5;6\n", b"1\t2\n"],
        "fasta": [b">one\nACGT\nAC\n>two\nTT\n"],
        "libsvm": libsvm,
        "model": models(),
        "manifest": [parts(file)[0] for file in models()],
        "state": [b"anything"],
        "array": [array for file in models() for array in parts(file)[1]],
    }


def read(name: str, data: bytes) -> bool:
    """Let a reader read; whether it did. The only error that it may raise is ours."""
    try:
        READERS[name](data)
    except InvalidInput:
        return False
    return True


def tokens() -> list[bytes]:
    """Words that formats have, for mutations."""
    words = [
        b"nan",
        b"inf",
        b"-1",
        b"1e999",
        b"99999999999999999999",
        b":",
        b",",
        b"\n",
        b"\0",
        b'"',
        b"#",
        b"qid:",
        b"{}",
        b"[]",
    ]
    words += [
        json.dumps(each).encode()
        for each in ({"$": "tuple", "items": []}, {"$": "array", "array": -1}, {"$": "estimators.SVC"})
    ]
    words += [b"total_sv 999999999999", b"nr_class 9999999", b"'shape': (999999999999,)", b"2147483647:1", b"\x1f\x8b", b"BZh9"]
    return words
