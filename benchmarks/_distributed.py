"""Rows on two workers of this machine: growth beside the cost model and the local fit, and peers to the same objective."""

from __future__ import annotations

import json
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import LinearSVC, LogisticRegression, RowBlocks
from maxmargin.distributed import DaskLinearSVC, DaskLogisticRegression

FEATURES, BLOCKS, WORKERS = 30, 16, 2
SIZES = (100_000, 1_000_000, 10_000_000)
ROWS_OF_PEERS = 5_000_000
NEAR = 1e-3  # a peer is there once its objective is so near to the optimum
LADDER = (5, 10, 20, 50, 100, 200)  # rounds that a peer is given
MODELS: dict[str, tuple[Any, Any]] = {
    "squared hinge": (DaskLinearSVC, LinearSVC),
    "logistic": (DaskLogisticRegression, LogisticRegression),
}


def generated(n: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Rows of one family, whose classes overlap."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, FEATURES), dtype=np.float32)
    X *= np.geomspace(0.3, 3.0, FEATURES, dtype=np.float32)
    noise = 3.0 * rng.standard_normal(n, dtype=np.float32)
    return X, (X @ rng.standard_normal(FEATURES, dtype=np.float32) + noise > 0.5).astype(np.float64)


@contextmanager
def cluster() -> Iterator[Any]:
    """Two workers of one thread."""
    distributed = import_module("distributed")
    with (
        warnings.catch_warnings(),
        distributed.LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", memory_limit=0) as made,
        distributed.Client(made) as client,
    ):
        warnings.simplefilter("ignore")  # of graphs with arrays in them: they are sent once
        client.wait_for_workers(WORKERS)
        yield client


def persisted(client: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Blocks on the workers."""
    arrays, distributed = import_module("dask.array"), import_module("distributed")
    size = -(-len(y) // BLOCKS)
    rows, labels = arrays.from_array(X, chunks=(size, -1)).persist(), arrays.from_array(y, chunks=size).persist()
    distributed.wait([rows, labels])
    client.rebalance(distributed.futures_of(rows))
    return rows, labels


def _sent(dask_worker: Any) -> int:
    return int(dask_worker.transfer_outgoing_bytes_total)


def _peak() -> int:
    """Of a worker since it began; ``ru_maxrss`` would count its parent too."""
    line = next(each for each in Path("/proc/self/status").read_text().splitlines() if each.startswith("VmHWM"))
    return int(line.split()[1]) << 10


def model_bytes(passes: int, classifiers: int = 1) -> int:
    """What the cost model says that workers send each other in all passes, at most: the sums of each block that lies elsewhere.

    Besides, once in a fit, 9 bytes for each row whose label lies elsewhere than the row.
    """
    return passes * 8 * (FEATURES + 1) ** 2 * classifiers * BLOCKS * (WORKERS - 1) // WORKERS


def grown(n: int, name: str) -> dict[str, Any]:
    """One size: the fit on the cluster, and that of the same blocks here on as many threads."""
    X, y = generated(n)
    ours, theirs = MODELS[name]
    with cluster() as client:
        rows, labels = persisted(client, X, y)
        ours().fit(rows, labels)  # workers have imported what they need
        seconds, sent = [], 0
        for _ in range(3):
            before = sum(client.run(_sent).values())
            begun = time.perf_counter()
            model = ours().fit(rows, labels)
            seconds.append(time.perf_counter() - begun)
            sent = sum(client.run(_sent).values()) - before
        memory = max(client.run(_peak).values())
    size = -(-n // BLOCKS)
    local = []
    for _ in range(3):
        blocks = RowBlocks.from_arrays(X, y, batch_size=size)
        begun = time.perf_counter()
        alone = theirs().fit(blocks)
        local.append(time.perf_counter() - begun)
    return {
        "rows": n,
        "model": name,
        "passes": model.n_passes_,
        "seconds": float(np.median(seconds)),
        "a_pass": float(np.median(seconds)) / model.n_passes_,
        "local": float(np.median(local)),
        "overhead": float(np.median(seconds) / np.median(local)),
        "memory_mb": memory / 2**20,
        "sent_kb": sent / 1000,
        "model_kb": model_bytes(model.n_passes_) / 1000,
        "same_bits": model.coef_.tobytes() == alone.coef_.tobytes(),
        "gap": model.certificate_.relative_gap,
    }


def objective(X: Any, y: Any, w: Any, b: float, loss: str) -> float:
    """``½ |w|² + Σ ℓ`` in float64, for peers and ours alike."""
    total, w = 0.5 * float(w @ w), np.asarray(w, dtype=np.float64)
    for begin in range(0, len(y), 1 << 20):
        margins = (2.0 * y[begin : begin + (1 << 20)] - 1.0) * (X[begin : begin + (1 << 20)].astype(np.float64) @ w + b)
        losses = np.logaddexp(0.0, -margins) if loss == "logistic" else np.maximum(0.0, 1.0 - margins)
        total += float(losses.sum())
    return total


def dask_ml(rows: Any, labels: Any, rounds: int, solver: str) -> tuple[Any, float, float]:
    """Weights, offset and seconds of dask-ml's logistic regression; it penalises the offset, which costs little here."""
    kind = import_module("dask_ml.linear_model").LogisticRegression
    model = kind(C=1.0, penalty="l2", solver=solver, max_iter=rounds, tol=1e-9)
    begun = time.perf_counter()
    model.fit(rows, labels)
    return np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]), time.perf_counter() - begun


def spark_session() -> Any:
    """Spark on two threads of this machine."""
    session = import_module("pyspark.sql").SparkSession
    made = session.builder.master(f"local[{WORKERS}]").config("spark.driver.memory", "8g")
    return made.config("spark.ui.enabled", "false").getOrCreate()


def spark_rows(spark: Any, X: Any, y: Any, folder: str) -> Any:
    """The rows as a table of vectors, in Spark's memory."""
    arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    place, size = Path(folder) / "rows", -(-len(y) // BLOCKS)
    place.mkdir()
    for k in range(BLOCKS):
        part = slice(k * size, (k + 1) * size)
        flat = arrow.array(X[part].astype(np.float64).ravel())
        lists = arrow.FixedSizeListArray.from_arrays(flat, FEATURES).cast(arrow.list_(arrow.float64()))
        parquet.write_table(arrow.table({"label": y[part], "array": lists}), place / f"{k}.parquet")
    convert = import_module("pyspark.ml.functions").array_to_vector
    read = spark.read.parquet(str(place))
    table = read.select("label", convert(read["array"]).alias("features")).repartition(BLOCKS).cache()
    table.count()
    return table


def spark_fit(table: Any, n: int, rounds: int, loss: str) -> tuple[Any, float, float]:
    """Weights, offset and seconds of Spark's linear model, with ``regParam = 1/(nC)``."""
    made = import_module("pyspark.ml.classification")
    how = {"maxIter": rounds, "regParam": 1.0 / n, "tol": 1e-12, "standardization": False}
    model = made.LogisticRegression(elasticNetParam=0.0, **how) if loss == "logistic" else made.LinearSVC(**how)
    begun = time.perf_counter()
    fitted = model.fit(table)
    return np.asarray(fitted.coefficients.toArray()), float(fitted.intercept), time.perf_counter() - begun


def climbed(fit: Callable[[int], tuple[Any, float, float]], X: Any, y: Any, loss: str, best: float) -> dict[str, Any]:
    """The first number of rounds with which a peer comes near to the optimum, and its seconds; else what the last one got."""
    found: dict[str, Any] = {}
    for rounds in LADDER:
        w, b, seconds = fit(rounds)
        beyond = objective(X, y, w, b, loss) / best - 1.0
        found = {"rounds": rounds, "seconds": seconds, "beyond": beyond, "is_there": bool(beyond <= NEAR)}
        if found["is_there"]:
            break
    return found


def raced(n: int) -> list[dict[str, Any]]:
    """Ours and the peers that are installed, to the same objective."""
    X, y = generated(n)
    results: list[dict[str, Any]] = []
    best = {}
    with cluster() as client:
        rows, labels = persisted(client, X, y)
        for loss, ours in (("logistic", DaskLogisticRegression(tol=NEAR)), ("hinge", DaskLinearSVC(loss="hinge", tol=NEAR))):
            ours.fit(rows, labels)  # workers have imported what they need
            each = []
            for _ in range(3):
                begun = time.perf_counter()
                ours.fit(rows, labels)
                each.append(time.perf_counter() - begun)
            seconds = float(np.median(each))
            best[loss] = ours.certificate_.dual_objective  # a proven lower bound
            beyond = objective(X, y, ours.coef_[0], float(ours.intercept_[0]), loss) / best[loss] - 1.0
            results.append({"who": "maxmargin", "loss": loss, "seconds": seconds, "beyond": beyond, "is_there": True})
            print(results[-1], flush=True)
        if _is_there("dask_ml"):
            for solver in ("lbfgs", "newton", "admm"):

                def fit(rounds: int, solver: str = solver, data: tuple[Any, Any] = (rows, labels)) -> tuple[Any, float, float]:
                    return dask_ml(*data, rounds, solver)

                results.append(
                    {"who": f"dask-ml {solver}", "loss": "logistic", **climbed(fit, X, y, "logistic", best["logistic"])}
                )
                print(results[-1], flush=True)
    if _is_there("pyspark"):
        with tempfile.TemporaryDirectory() as folder:
            spark = spark_session()
            table = spark_rows(spark, X, y, folder)
            for loss in ("logistic", "hinge"):

                def fit_there(rounds: int, loss: str = loss) -> tuple[Any, float, float]:
                    return spark_fit(table, n, rounds, loss)

                results.append({"who": "pyspark", "loss": loss, **climbed(fit_there, X, y, loss, best[loss])})
                print(results[-1], flush=True)
            spark.stop()
    for each in results:
        ours = next(one["seconds"] for one in results if one["who"] == "maxmargin" and one["loss"] == each["loss"])
        each["times"] = each["seconds"] / ours
    return results


def _is_there(name: str) -> bool:
    try:
        import_module(name)
    except ImportError as error:
        print(f"{name} is not installed, and is left out ({error})", flush=True)
        return False
    return True


def run(_: Path | None, output: Path, only: str | None) -> None:
    """Growth, then the peers; ``--only growth`` or ``peers``."""
    results: dict[str, Any] = {}
    if only in (None, "growth"):
        results["growth"] = []
        for n in SIZES:
            for name in MODELS:
                found = grown(n, name)
                results["growth"].append(found)
                print(
                    f"{n:>9} x {FEATURES} {name:<14} {found['passes']} passes, {found['seconds']:.2f} s, a pass"
                    f" {found['a_pass']:.3f} s; local {found['local']:.2f} s, overhead {found['overhead']:.2f}; a worker"
                    f" {found['memory_mb']:.0f} MB, sent {found['sent_kb']:.0f} kB, model {found['model_kb']:.0f} kB; same bits"
                    f" {found['same_bits']}",
                    flush=True,
                )
    if only in (None, "peers"):
        results["peers"] = raced(ROWS_OF_PEERS)
        for each in results["peers"]:
            reached = "" if each["is_there"] else " NOT there"
            print(
                f"{each['who']:<16} {each['loss']:<9} {each['seconds']:7.1f} s = {each['times']:.1f} of ours; objective"
                f" {each['beyond']:.1e} above the bound{reached}",
                flush=True,
            )
    output.mkdir(parents=True, exist_ok=True)
    (output / "distributed.json").write_text(json.dumps(results, indent=1, default=float), encoding="utf-8")
    print(f"written: {output / 'distributed.json'}")
