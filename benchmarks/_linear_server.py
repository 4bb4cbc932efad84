"""Sets of the linear suites, the objective that all are evaluated by, and a process that fits and can be stopped."""

from __future__ import annotations

import lzma
import math
import multiprocessing
import tempfile
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import StandardScaler

from benchmarks import _linear_peers as peers

SETS = (
    *("splice", "mushrooms", "w7a", "a9a", "ijcnn1", "madelon standardised", "covtype.20k standardised", "skin_nonskin"),
    *("mnist", "news20", "sector.scale", "imdb_bow"),
)
LOSSES = ("squared_hinge", "hinge", "logistic")
MNIST_ROWS = 20_000


def load(name: str, folder: Path) -> tuple[Any, NDArray[np.float64]]:
    """Rows as the file has them, dense if more than a third is not 0; of many classes the upper half against the lower."""
    if name == "mnist":
        with np.load(folder / "mnist.npz") as held:
            digits, X = held["y"][:MNIST_ROWS], held["X"][:MNIST_ROWS]
        return np.ascontiguousarray(X.reshape(len(digits), -1) / 255.0), np.where(digits < 5, 1.0, -1.0)
    file, _, how = name.partition(" ")
    with lzma.open(folder / f"{file}.xz") as stream:
        X, y = load_svmlight_file(stream)
    labels = np.unique(y)
    upper = y > (labels[0] if len(labels) == 2 else np.median(labels))
    if how or X.nnz > X.shape[0] * X.shape[1] / 3:
        X = np.ascontiguousarray(X.toarray())
    else:  # scikit-learn's LinearSVC takes no others
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return (StandardScaler().fit_transform(X) if how else X), np.where(upper, 1.0, -1.0)


def objective(X: Any, y: NDArray[np.float64], w: NDArray[np.float64], b: float, C: float, loss: str) -> float:
    """What all minimise, in float64; the logistic loss is without b."""
    margins = y * (X @ w + b)
    slack = np.maximum(0.0, 1.0 - margins)
    values = {"hinge": slack, "squared_hinge": slack * slack, "logistic": np.logaddexp(0.0, -margins)}
    value = values[loss].sum()
    return 0.5 * float(w @ w) + 0.5 * b * b + C * float(value)


class Found(NamedTuple):
    """What a fit took and gave; or what went wrong."""

    seconds: float
    objective: float
    iterations: int = 0
    ran_out: bool = False
    status: str = ""
    relative_gap: float = math.nan
    wrong: str = ""


def _serve(pipe: Any, file: str) -> None:
    """Fits of one process that keeps its data: what takes too long is killed with it."""
    warnings.simplefilter("ignore")
    X, y = joblib.load(file)
    pipe.send(X.shape[1])
    while True:
        asked: peers.Asked = pipe.recv()
        try:
            held = peers.fit(asked, X, y, lambda: pipe.send(None))
        except Exception as wrong:  # a peer may refuse what it is given: that is its result
            pipe.send(Found(math.inf, math.inf, wrong=repr(wrong)))
        else:
            value = objective(X, y, held.w, held.b, asked.C, asked.loss)
            pipe.send(Found(held.seconds, value, held.iterations, held.ran_out, held.status, held.relative_gap))


class Server:
    """Runs fits of one set, and starts again after one that had to be stopped; its text is read only once."""

    def __init__(self, name: str, folder: Path) -> None:
        self._place = tempfile.TemporaryDirectory()
        self._file = f"{self._place.name}/rows"
        joblib.dump(load(name, folder), self._file)
        self._begin()

    def _begin(self) -> None:
        self._pipe, there = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(target=_serve, args=(there, self._file), daemon=True)
        self._process.start()
        there.close()  # so that the end of the process is the end of the pipe
        self.width: int = self._pipe.recv()

    def fit(self, asked: peers.Asked) -> Found | None:
        """What was found; None where it took longer than its cap. Neither loading nor copying counts."""
        self._pipe.send(asked)
        try:
            if (word := self._pipe.recv()) is not None:  # refused before it began
                return word if isinstance(word, Found) else None
            if self._pipe.poll(asked.cap):
                found: Found = self._pipe.recv()
                return found
        except EOFError:  # the process died
            pass
        self._kill()
        self._begin()
        return None

    def _kill(self) -> None:
        self._process.kill()
        self._process.join()

    def stop(self) -> None:
        """End the process, and forget the rows."""
        self._kill()
        self._place.cleanup()


def chosen(only: str | None, all_losses: tuple[str, ...], costs: tuple[float, ...]) -> tuple[list[str], list[str], list[float]]:
    """Sets, losses and costs of --only; all of what it does not name."""
    words = [word.strip() for word in only.split(",")] if only else []
    losses = [word for word in words if word in all_losses]
    named = [float(word.removeprefix("C=")) for word in words if word.startswith("C=")]
    names = [word for word in words if word not in all_losses and not word.startswith("C=")]
    if strange := [name for name in names if name not in SETS]:
        known = f"sets: {', '.join(SETS)}; losses: {', '.join(all_losses)}"
        raise SystemExit(f"--only takes sets, losses and costs such as C=1. Unknown here: {strange}; {known}")
    return names or list(SETS), losses or list(all_losses), named or list(costs)
