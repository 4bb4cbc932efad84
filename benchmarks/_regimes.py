"""Twenty regimes of their own: small and wide sets, rare classes, large C, text, other kernels, float32, given matrices.

Fits and predictions of ours and of the peers, interleaved. Every model is evaluated by its own decision values on the
training rows, in float64: the primal objective, the lower the better.
"""

from __future__ import annotations

import json
import lzma
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.svm
from scipy import sparse
from sklearn.datasets import load_digits, load_svmlight_file, make_classification, make_regression
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import StandardScaler

import maxmargin
from benchmarks._sets import read

try:
    import sklearnex.svm as intelex
except ImportError:  # not on every platform
    intelex = None

CACHE_MB = 2000
Rows = tuple[Any, Any]


@dataclass(frozen=True)
class Regime:
    """An estimator with its parameters, and rows from the data folder or made."""

    estimator: str
    parameters: dict[str, Any]
    rows: Callable[[Path | None], Rows]
    repeats: int = 3
    intelex: bool = True


def made(n: int, d: int, **given: Any) -> Callable[[Path | None], Rows]:
    """Generated rows of classes."""
    asked = {"n_informative": max(2, d // 2), "n_redundant": 0, "flip_y": 0.05, "random_state": 0} | given

    def rows(_: Path | None) -> Rows:
        X, y = make_classification(n, d, **asked)
        return StandardScaler().fit_transform(X), y

    return rows


def taken(name: str, n: int | None = None, *, scaled: bool = True, dtype: Any = np.float64) -> Callable[[Path | None], Rows]:
    """Rows of a file, some of them at random."""

    def rows(folder: Path | None) -> Rows:
        X, y = read(name, folder)
        if n is not None:
            chosen = np.random.default_rng(0).permutation(len(y))[:n]
            X, y = X[chosen], y[chosen]
        return np.ascontiguousarray(StandardScaler().fit_transform(X) if scaled else X, dtype=dtype), y

    return rows


def rare_classes(_: Path | None) -> Rows:
    """Seven classes, most of them tiny."""
    X, y = make_classification(
        20_000, 9, n_informative=7, n_redundant=0, n_classes=7, n_clusters_per_class=1, random_state=0,
        weights=[0.6, 0.36, 0.02, 0.01, 0.005, 0.003, 0.002],
    )  # fmt: skip
    return StandardScaler().fit_transform(X), y


def text(folder: Path | None) -> Rows:
    """6 000 documents as tf-idf, two halves of 20 classes."""
    if folder is None:
        raise SystemExit("news20 is not bundled with scikit-learn: give the folder that has it, make bench DATA=folder")
    with lzma.open(folder / "news20.xz") as file:
        X, y = load_svmlight_file(file)
    chosen = np.random.default_rng(0).permutation(len(y))[:6000]
    X = sparse.csr_matrix(TfidfTransformer().fit_transform(X[chosen]))
    X = X[:, np.flatnonzero(np.diff(X.tocsc().indptr) > 1)].tocsr()
    X.sort_indices()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, (y[chosen] > 10).astype(int)


def targets(_: Path | None) -> Rows:
    """Regression on wide rows."""
    X, y = make_regression(2_000, 200, n_informative=50, noise=20.0, random_state=0)
    return StandardScaler().fit_transform(X), (y - y.mean()) / y.std()


def digits(_: Path | None) -> Rows:
    """Bundled images."""
    X, y = load_digits(return_X_y=True)
    return X / 16.0, y


def given_matrix(_: Path | None) -> Rows:
    """A kernel matrix of 1 000 rows."""
    X, y = made(1_000, 20)(None)
    return np.exp(-0.05 * ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)), y


SCALE = {"gamma": "scale"}
REGIMES = {
    "200 rows": Regime("SVC", {"C": 1.0, **SCALE}, made(200, 10), repeats=51),
    "1 000 rows, C = 1e4": Regime("SVC", {"C": 1e4, **SCALE}, made(1_000, 20), repeats=5),
    "seven classes, most of them tiny": Regime("SVC", {"C": 10.0, **SCALE}, rare_classes),
    "wide dense, 2 000 x 500": Regime("SVC", {"C": 1.0, **SCALE}, made(2_000, 500), repeats=7),
    "wide sparse, 6 000 texts": Regime("SVC", {"C": 1.0, "gamma": 1.0}, text),
    "splice": Regime("SVC", {"C": 1.0, "gamma": 0.01}, taken("splice", scaled=False), repeats=15),
    "svmguide1": Regime("SVC", {"C": 10.0, "gamma": 0.25}, taken("svmguide1"), repeats=15),
    "satimage, six classes": Regime("SVC", {"C": 10.0, "gamma": 1.0}, taken("satimage.scale", scaled=False), repeats=5),
    "nu, images": Regime("NuSVC", {"nu": 0.1, "gamma": 0.03}, digits, repeats=7),
    "polynomial, letter": Regime("SVC", {"kernel": "poly", "degree": 3, "gamma": 0.25, "coef0": 1.0, "C": 1.0},
                                 taken("letter.scale", scaled=False)),
    "float32 images": Regime("SVC", {"C": 5.0, "gamma": 0.02}, taken("mnist.npz", 5_000, scaled=False, dtype=np.float32)),
    "spambase, C = 300": Regime("SVC", {"C": 300.0, "gamma": 1 / 57}, taken("spambase"), repeats=3),
    "german, C = 100": Regime("SVC", {"C": 100.0, "gamma": 0.05}, taken("german.numer_scale", scaled=False), repeats=9),
    "madelon, 500 noisy columns": Regime("SVC", {"C": 1.0, **SCALE}, taken("madelon"), repeats=5),
    "skin, 20 000 x 3": Regime("SVC", {"C": 10.0, "gamma": 1.0}, taken("skin_nonskin", 20_000)),
    "linear kernel, a9a 5 000": Regime("SVC", {"kernel": "linear", "C": 1.0}, taken("a9a", 5_000, scaled=False)),
    "sigmoid, svmguide1": Regime("SVC", {"kernel": "sigmoid", "gamma": 0.01, "coef0": 0.0, "C": 1.0}, taken("svmguide1"),
                                 repeats=5, intelex=False),
    "given matrix, 1 000 rows": Regime("SVC", {"kernel": "precomputed", "C": 10.0}, given_matrix, repeats=15, intelex=False),
    "tube, wide": Regime("SVR", {"C": 1.0, "epsilon": 0.1, **SCALE}, targets, repeats=7),
    "tube, abalone, C = 1 000": Regime("SVR", {"C": 1e3, "epsilon": 0.1, "gamma": 0.125}, taken("abalone"), repeats=1),
    "one class, ijcnn1 10 000": Regime("OneClassSVM", {"nu": 0.05, "gamma": 1.0}, taken("ijcnn1", 10_000), repeats=3),
}  # fmt: skip


def contestants(regime: Regime) -> dict[str, Callable[[], Any]]:
    """Ours and the peers, with the parameters of the regime."""
    given = {**regime.parameters, "tol": 1e-3}
    found: dict[str, Callable[[], Any]] = {
        "maxmargin": lambda: getattr(maxmargin, regime.estimator)(**given),
        "scikit-learn": lambda: getattr(sklearn.svm, regime.estimator)(cache_size=CACHE_MB, **given),
    }
    if regime.intelex and hasattr(intelex, regime.estimator):
        found["intelex"] = lambda: getattr(intelex, regime.estimator)(cache_size=CACHE_MB, **given)
    return found


def primal(model: Any, regime: Regime, X: Any, y: Any) -> float | None:
    """½|w|² + C Σ loss, from coefficients and the model's own decision values, summed over pairs of classes; not of ν."""
    support = np.asarray(model.support_)
    dual = np.asarray(model.dual_coef_.toarray() if sparse.issparse(model.dual_coef_) else model.dual_coef_, dtype=np.float64)
    gram = _gram(regime, X, support)
    if regime.estimator == "OneClassSVM":  # w and its offset; the slack follows from the scores
        slack = np.maximum(0.0, -model.decision_function(X)).sum()
        nu_n = regime.parameters["nu"] * X.shape[0]
        return 0.5 * _square_norm(dual[0], gram) + float(slack) + nu_n * float(np.ravel(model.intercept_)[0])
    if regime.estimator == "SVR":
        loss = np.maximum(0.0, np.abs(y - model.predict(X)) - regime.parameters["epsilon"]).sum()
        return 0.5 * _square_norm(dual[0], gram) + regime.parameters["C"] * float(loss)
    if regime.estimator == "NuSVC":
        return None
    classes, codes = np.unique(y, return_inverse=True)
    model.decision_function_shape = "ovo"
    scores = np.asarray(model.decision_function(X)).reshape(len(y), -1)
    ends = np.concatenate(([0], np.cumsum(model.n_support_)))
    total = 0.0
    for k, (i, j) in enumerate(combinations(range(len(classes)), 2)):
        beta = np.zeros(len(support))
        for own, other in ((i, j), (j, i)):
            block = slice(ends[own], ends[own + 1])
            beta[block] = dual[other - (other > own), block]
        rows = np.flatnonzero((codes == i) | (codes == j))
        sign = np.where(codes[rows] == (j if len(classes) == 2 else i), 1.0, -1.0)  # scikit-learn flips two classes
        hinge = np.maximum(0.0, 1.0 - sign * scores[rows, k]).sum()
        total += 0.5 * _square_norm(beta, gram) + regime.parameters["C"] * float(hinge)
    return total


def _square_norm(coefficients: Any, gram: Any) -> float:
    return float(coefficients @ (gram @ coefficients))


def _gram(regime: Regime, X: Any, support: Any) -> Any:
    """Kernel values between support vectors, by scikit-learn."""
    kind = regime.parameters.get("kernel", "rbf")
    if kind == "precomputed":
        return np.asarray(X)[np.ix_(support, support)]
    names = {"rbf": ("gamma",), "poly": ("gamma", "degree", "coef0"), "sigmoid": ("gamma", "coef0"), "linear": ()}[kind]
    metric = "polynomial" if kind == "poly" else kind
    return pairwise_kernels(X[support].astype(np.float64), metric=metric, **{name: regime.parameters[name] for name in names})


def timed(name: str, folder: Path | None) -> dict[str, Any]:
    """Medians of the ratios of rounds, and primal objectives."""
    regime = REGIMES[name]
    X, y = regime.rows(folder)
    if regime.parameters.get("gamma") == "scale":
        regime = replace(regime, parameters=regime.parameters | {"gamma": 1.0 / (X.shape[1] * X.var())})
    fits: dict[str, list[float]] = {}
    predictions: dict[str, list[float]] = {}
    models: dict[str, Any] = {}
    for _ in range(regime.repeats):
        for who, make in contestants(regime).items():
            fresh = X.copy()
            start = time.perf_counter()
            models[who] = make().fit(fresh, y)
            middle = time.perf_counter()
            models[who].predict(X[:2000])
            fits.setdefault(who, []).append(middle - start)
            predictions.setdefault(who, []).append(time.perf_counter() - middle)
    objectives = {who: primal(model, regime, X, y) for who, model in models.items()}
    ours = np.array(fits["maxmargin"])
    return {
        "regime": name,
        "rows": X.shape[0],
        "fit": {who: float(np.median(values)) for who, values in fits.items()},
        "fit_ratio": {who: float(np.median(np.array(values) / ours)) for who, values in fits.items() if who != "maxmargin"},
        "predict_ratio": {
            who: float(np.median(np.array(values) / np.array(predictions["maxmargin"])))
            for who, values in predictions.items()
            if who != "maxmargin"
        },
        "primal": objectives,
        "status": models["maxmargin"].status_.name,
        "relative_gap": float(models["maxmargin"].certificate_.relative_gap),
        "violation": float(models["maxmargin"].certificate_.kkt_violation),
    }


def run(folder: Path | None, output: Path, only: str | None) -> None:
    """Time all regimes, or those named, and write a table as JSON."""
    warnings.simplefilter("ignore")
    results = []
    for name in REGIMES:
        if only is not None and name.split(",")[0] not in only.split(","):
            continue
        found = timed(name, folder)
        results.append(found)
        ratios = ", ".join(f"{ratio:.2f}x {who}" for who, ratio in found["fit_ratio"].items())
        predict = ", ".join(f"{ratio:.2f}x {who}" for who, ratio in found["predict_ratio"].items())
        primals = " ".join(f"{who} {value:.7g}" for who, value in found["primal"].items() if value is not None)
        print(f"{name:34} fit {found['fit']['maxmargin']:.4g} s: {ratios}; predict {predict}", flush=True)
        print(f"{'':34} {found['status']}, gap {found['relative_gap']:.1e}; primal: {primals}", flush=True)
    for what in ("fit_ratio", "predict_ratio"):
        for who in ("scikit-learn", "intelex"):
            ratios = [each[what][who] for each in results if who in each[what]]
            if ratios:
                mean = float(np.exp(np.mean(np.log(ratios))))
                print(f"{what} of {len(ratios)} regimes: geometric mean {mean:.2f}x {who}, least {min(ratios):.2f}x")
    output.mkdir(parents=True, exist_ok=True)
    held = {"suite": "regimes", "threads": maxmargin.get_threads(), "results": results}
    (output / "regimes.json").write_text(json.dumps(held, indent=1), encoding="utf-8")
    print(f"written: {output / 'regimes.json'}")
