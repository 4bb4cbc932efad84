"""Kernels of objects beside plain Python, GraKeL and tslearn, in turn; and what they get right on real and generated data."""

from __future__ import annotations

import json
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

import maxmargin
from benchmarks import _object_scores as scores
from maxmargin import SVC
from maxmargin.kernels import GappedKmer, GlobalAlignment, Spectrum, WeisfeilerLehman

_STRINGS, _LENGTH, _GRAPHS, _SERIES = 2000, 200, 1000, 100


def _spectrum_in_python(X: list[str], k: int = 4) -> np.ndarray:
    """Counts in dictionaries, inner products over the shorter one, half of the matrix: as one would write it."""
    counts = [Counter(s[i : i + k] for i in range(len(s) - k + 1)) for s in X]
    K = np.empty((len(X), len(X)))
    for i, a in enumerate(counts):
        for j in range(i + 1):
            b = counts[j]
            if len(a) > len(b):
                K[i, j] = sum(n * a[u] for u, n in b.items() if u in a)
            else:
                K[i, j] = sum(n * b[u] for u, n in a.items() if u in b)
            K[j, i] = K[i, j]
    lengths = np.sqrt(np.diag(K))
    return np.asarray(K / np.outer(lengths, lengths))


def _spectrum(rng: np.random.Generator) -> tuple[Callable[[], Any], Callable[[], Any]]:
    X = ["".join(row) for row in rng.choice(list("ACGT"), (_STRINGS, _LENGTH))]
    return lambda: Spectrum(k=4)(X), lambda: _spectrum_in_python(X)


def _graphs(rng: np.random.Generator) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Random trees with some more edges, of 15 to 40 nodes with five labels."""
    from grakel import Graph, VertexHistogram  # noqa: PLC0415  # what only this suite needs
    from grakel import WeisfeilerLehman as Theirs  # noqa: PLC0415

    X = []
    for n in rng.integers(15, 41, _GRAPHS):
        edges = {(int(rng.integers(0, v)), v) for v in range(1, int(n))}
        more = np.sort(rng.integers(0, n, (int(n) // 3, 2)), axis=1)
        edges |= {(int(u), int(v)) for u, v in more if u != v}
        X.append((sorted(edges), rng.integers(0, 5, n).tolist()))

    def theirs() -> Any:
        both = [({(u, v): 1 for edge in edges for u, v in (edge, edge[::-1])}, labels) for edges, labels in X]
        graphs = [Graph(edges, node_labels=dict(enumerate(labels))) for edges, labels in both]
        return Theirs(n_iter=3, normalize=True, base_graph_kernel=VertexHistogram).fit_transform(graphs)

    return lambda: WeisfeilerLehman(h=3)(X), theirs


def _series(rng: np.random.Generator) -> tuple[Callable[[], Any], Callable[[], Any]]:
    from tslearn.metrics import cdist_gak  # noqa: PLC0415

    X = rng.normal(size=(_SERIES, 150, 1)).cumsum(axis=1)
    return lambda: GlobalAlignment(sigma=20.0)(X), lambda: cdist_gak(X, sigma=20.0)


RACES = {
    "Spectrum(k=4), 2 000 strings of 200, beside plain Python": (_spectrum, 1, 20.0),
    "WeisfeilerLehman(h=3), 1 000 graphs, beside GraKeL": (_graphs, 5, 10.0),
    "GlobalAlignment, 100 series of 150, beside tslearn": (_series, 5, 5.0),
}
"""How to make both, how many rounds, and the ratio that is asked for."""


def _seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    found = call()
    return time.perf_counter() - begin, found


def _race(name: str) -> dict[str, Any]:
    make, rounds, wanted = RACES[name]
    ours, theirs = make(np.random.default_rng(0))
    if rounds > 1:
        ours(), theirs()  # numba compiles at the first call
    found = [[_seconds(call) for call in (ours, theirs)] for _ in range(rounds)]
    times = np.array([[seconds for seconds, _ in pair] for pair in found])
    apart = float(np.abs(found[-1][0][1] - found[-1][1][1]).max())
    mine, other = np.median(times, axis=0)
    ratio = float(np.median(times[:, 1] / times[:, 0]))
    print(f"{name}: {mine:.4g} s, {other:.4g} s: {ratio:.1f}x (wanted {wanted:g}x), values differ by {apart:.0e}", flush=True)
    return {"task": name, "seconds": [float(mine), float(other)], "ratio": ratio, "wanted": wanted, "apart": apart}


def _ctcf(folder: Path) -> dict[str, Any]:
    (X, y), (new, labels) = scores.strings(folder, "CTCF")
    seconds = []
    for _ in range(3):
        fit, model = _seconds(lambda: SVC(kernel=GappedKmer(l=10, k=6), C=1.0).fit(X, y))
        predict, f = _seconds(lambda m=model: m.decision_function(new))
        seconds.append((fit, predict))
    fit, predict = np.median(np.array(seconds), axis=0)
    auc = float(roc_auc_score(labels, f))
    print(
        f"GappedKmer(l=10, k=6) on CTCF: fit {fit:.2f} s, scores {predict:.2f} s (wanted 10 s together), AUC {auc:.4f}",
        flush=True,
    )
    return {"task": "CTCF", "seconds": [float(fit), float(predict)], "auc": auc}


def run(folder: Path | None, output: Path, only: str | None) -> None:
    """Print a line a task, and keep all of it. ``only`` picks "speed" or "scores"."""
    warnings.simplefilter("ignore")
    results: list[dict[str, Any]] = []
    if only in (None, "speed"):
        results += [_race(name) for name in RACES]
        if folder is not None:
            results.append(_ctcf(folder))
    if only in (None, "scores"):
        for name, task in scores.TASKS.items():
            if task.needs_folder and folder is None:
                print(f"{name}: its data are not bundled, give make bench DATA=folder")
                continue
            seconds, found = _seconds(lambda chosen=task: chosen.score(folder))
            results.append({"task": name, "score": found, "wanted": task.wanted, "seconds": seconds})
            print(f"{name}: {found} (wanted {task.wanted}), {seconds:.1f} s", flush=True)
    output.mkdir(parents=True, exist_ok=True)
    held = {"suite": "objects", "threads": maxmargin.get_threads(), "results": results}
    (output / "objects.json").write_text(json.dumps(held, indent=1), encoding="utf-8")
    print(f"written: {output / 'objects.json'}")
