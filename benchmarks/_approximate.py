"""Models on landmarks: against scikit-learn's Nystroem and LinearSVC, and beside the exact SVC while landmarks become more."""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import Any, Final

import matplotlib.pyplot as plt
import numpy as np
from sklearn.kernel_approximation import Nystroem as PeerNystroem
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC as PeerSVC

import maxmargin
from benchmarks._sets import read
from maxmargin import SVC, ApproximateSVC

ROWS: Final = 500_000
CLUSTERS: Final = 400
LANDMARKS: Final = 300
ROUNDS: Final = 2
GAMMA: Final = 0.05
NUMBERS: Final = (64, 128, 256, 512, 1024)
MOST_ROWS: Final = 20_000  # of mnist
SETS: Final = {"covtype.20k": (10.0, 1.0), "ijcnn1": (10.0, 2.0), "mnist": (10.0, 0.02)}  # C and γ

Rows = tuple[Any, Any, Any, Any]


def generated(rows: int = ROWS) -> Rows:
    """400 clusters in 20 features, each of one of two classes; a twentieth of the labels are wrong. A fifth more to test."""
    rng = np.random.default_rng(0)
    centres, classes = 1.2 * rng.normal(size=(CLUSTERS, 20)), rng.random(CLUSTERS) < 0.5
    cluster = rng.integers(0, CLUSTERS, rows + rows // 5)
    X = (centres[cluster] + rng.normal(size=(len(cluster), 20))).astype(np.float32)
    y = classes[cluster] ^ (rng.random(len(cluster)) < 0.05)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def _split(name: str, folder: Path | None) -> Rows:
    if name == "covtype.20k":
        X, y = read(name, folder)
        X = X / np.maximum(np.abs(X).max(axis=0), 1e-300)
        order = np.random.default_rng(0).permutation(len(y))
        return X[order[:15000]], y[order[:15000]], X[order[15000:]], y[order[15000:]]
    if name == "mnist":
        X, y = read("mnist.npz", folder)
        new, labels = read("mnist.t.npz", folder)
        return X[:MOST_ROWS].astype(np.float32), y[:MOST_ROWS], new.astype(np.float32), labels
    X, y = read(name, folder)
    new, labels = read(f"{name}.t", folder)
    return X, y, new, labels


def _peer(random_state: int) -> Any:
    map = PeerNystroem(n_components=LANDMARKS, gamma=GAMMA, random_state=random_state)
    return make_pipeline(map, PeerSVC(C=1.0))


def _fitted(model: Any, rows: Rows) -> tuple[float, float, Any]:
    X, y, new, labels = rows
    begun = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - begun, float(model.score(new, labels)), model


def _against_peer() -> dict[str, Any]:
    """Interleaved; each round has its own landmarks."""
    rows = generated()
    found: dict[str, list[tuple[float, float]]] = {"maxmargin": [], "scikit-learn": []}
    gaps = []
    for k in range(ROUNDS):
        seconds, score, model = _fitted(ApproximateSVC(LANDMARKS, gamma=GAMMA, C=1.0, landmarks="kmeans", random_state=k), rows)
        found["maxmargin"].append((seconds, score))
        gaps.append(model.certificate_.relative_gap)
        stages = ", ".join(f"{name} {spent:.3g}" for name, spent in model._seconds.items())
        print(
            f"generated {ROWS} x 20, {LANDMARKS} landmarks: maxmargin {seconds:.4g} s ({stages}), test {score:.5f}", flush=True
        )
        seconds, score, _ = _fitted(_peer(k), rows)
        found["scikit-learn"].append((seconds, score))
        print(f"    scikit-learn {seconds:.4g} s, test {score:.5f}", flush=True)
    ratio = float(np.median([theirs[0] / ours[0] for ours, theirs in zip(*found.values(), strict=True)]))
    print(f"    -> {ratio:.2f}x scikit-learn, gap {max(gaps):.1e}")
    return {"rows": ROWS, "landmarks": LANDMARKS, "fits": found, "ratio": ratio, "gaps": gaps}


def _with_landmarks(name: str, folder: Path | None) -> dict[str, Any]:
    """Seconds and test accuracy for each number of landmarks, and of the exact model."""
    rows = _split(name, folder)
    C, gamma = SETS[name]
    lines = []
    for number in NUMBERS:
        seconds, score, model = _fitted(ApproximateSVC(number, C=C, gamma=gamma, random_state=0), rows)
        lines.append((number, seconds, score))
        print(f"{name:<12} {number:>5} landmarks {seconds:8.3g} s, test {score:.4f}, {model.status_.name}", flush=True)
    seconds, score, _ = _fitted(SVC(C=C, gamma=gamma), rows)
    print(f"{name:<12}       exact     {seconds:8.3g} s, test {score:.4f}", flush=True)
    return {"rows": len(rows[1]), "C": C, "gamma": gamma, "approximate": lines, "exact": (seconds, score)}


def run(folder: Path | None, output: Path, only: str | None) -> None:
    """Time, print, and draw; the sets need a folder, what is generated does not."""
    warnings.simplefilter("ignore")
    names = ["generated", *(SETS if folder is not None else ())] if only is None else only.split(",")
    results = {name: _against_peer() if name == "generated" else _with_landmarks(name, folder) for name in names}
    output.mkdir(parents=True, exist_ok=True)
    held = {"suite": "approximate", "threads": maxmargin.get_threads(), "results": results}
    (output / "approximate.json").write_text(json.dumps(held, indent=1), encoding="utf-8")
    sets = [name for name in names if name != "generated"]
    if sets:
        _draw({name: results[name] for name in sets}, output / "approximate.png")
    print(f"written: {output}/approximate.json{', .png' if sets else ''}")


def _draw(results: dict[str, Any], file: Path) -> None:
    figure, axes = plt.subplots(2, len(results), figsize=(4.6 * len(results), 7.0), squeeze=False, layout="constrained")
    for (name, result), (above, below) in zip(results.items(), axes.T, strict=True):
        numbers, seconds, scores = np.array(result["approximate"]).T
        for ax, values, exact, label in (
            (above, scores, result["exact"][1], "test accuracy"),
            (below, seconds, result["exact"][0], "seconds"),
        ):
            ax.plot(numbers, values, marker="o", label="ApproximateSVC")
            ax.axhline(exact, color="black", linestyle="--", linewidth=1.0, label="SVC")
            ax.set(xscale="log", xlabel="landmarks", ylabel=label)
            ax.set_xticks(numbers, [str(int(number)) for number in numbers])
            ax.minorticks_off()
        below.set_yscale("log")
        above.set_title(f"{name}, {result['rows']} rows")
        above.legend(frameon=False)
    figure.savefig(file, dpi=120)
