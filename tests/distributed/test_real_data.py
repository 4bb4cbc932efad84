"""Real sets: every distributed estimator beside its local twin, which has all rows at once, and beside blocks in memory."""

from __future__ import annotations

import lzma
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from maxmargin import ApproximateSVC, LinearSVC, LinearSVR, LogisticRegression, RowBlocks
from maxmargin.distributed import DaskApproximateSVC, DaskLinearSVC, DaskLinearSVR, DaskLogisticRegression
from maxmargin.solution import Status

from .._data import data_folder
from ._rows import weights_of

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
pytest.importorskip("distributed")

pytestmark = pytest.mark.alone

SETS = ("a9a", "w7a", "covtype.20k", "mnist", "news20")
OURS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "squared hinge": (DaskLinearSVC, LinearSVC, {}),
    "hinge": (DaskLinearSVC, LinearSVC, {"loss": "hinge"}),
    "logistic": (DaskLogisticRegression, LogisticRegression, {"multi_class": "ovr"}),
    "squared tube": (DaskLinearSVR, LinearSVR, {"loss": "squared_epsilon_insensitive", "epsilon": 0.1}),
    "tube": (DaskLinearSVR, LinearSVR, {"epsilon": 0.1}),
    "landmarks": (DaskApproximateSVC, ApproximateSVC, {"n_components": 60, "random_state": 0}),
}
BINARY = ("hinge", "tube")  # many passes: of several classes one against the rest
CASES = [(name, how) for name in SETS for how in OURS if name not in ("mnist", "news20") or how not in BINARY]


@lru_cache(maxsize=2)
def rows_of(name: str) -> tuple[Any, Any]:
    """Rows as they come, of several classes two where a class is a problem of its own with a thousand columns."""
    folder = data_folder()
    file = folder / ("mnist.npz" if name == "mnist" else f"{name}.xz")
    if not file.exists():
        pytest.skip(f"{file.name} is not in {folder}: set MAXMARGIN_DATA to the folder of the public sets")
    if name == "mnist":
        held = np.load(file)
        X, y = (held["X"][:20_000] / 255.0).astype(np.float32), held["y"][:20_000]
        return X, (y % 2).astype(np.int64)
    with lzma.open(file) as text:
        X, y = load_svmlight_file(text, dtype=np.float32)
    if name == "news20":
        return X, np.where(y <= 10, -1, 1)
    return np.ascontiguousarray(X.toarray()), y


@pytest.mark.parametrize(("name", "how"), CASES)
def test_the_optimum_of_the_local_twin(name: str, how: str, client: Any) -> None:
    X, y = rows_of(name)
    ours, theirs, settings = OURS[how]
    if how in BINARY:  # a part: the smoothings take many passes
        X, y = X[:6000], y[:6000]
    if ours is DaskLinearSVR:  # rows as they are, targets near a linear function of them
        rng = np.random.default_rng(0)
        y = X @ rng.normal(size=X.shape[1]) + 0.3 * rng.standard_t(3, size=X.shape[0])
    size = -(-X.shape[0] // 7)
    whole = da.from_array(X, chunks=(size, -1)) if isinstance(X, np.ndarray) else _sparse(X, size)
    model = ours(C=0.1, **settings).fit(whole, y)
    assert model.status_ is Status.CONVERGED
    assert model.certificate_.relative_gap <= 1e-4
    blocks = theirs(C=0.1, **settings).fit(RowBlocks.from_arrays(X, y, batch_size=size))
    assert weights_of(model).tobytes() == weights_of(blocks).tobytes()
    assert model.certificate_ == blocks.certificate_
    if how != "landmarks":  # which are others where they are chosen among all rows
        local = theirs(C=0.1, **settings).fit(X, y).certificate_
        assert model.certificate_.dual_objective <= local.primal_objective * (1.0 + 1e-9)
        assert local.dual_objective <= model.certificate_.primal_objective * (1.0 + 1e-9)


def _sparse(X: Any, size: int) -> Any:
    meta = sparse.csr_matrix((0, X.shape[1]), dtype=X.dtype)
    parts = [X[begin : begin + size] for begin in range(0, X.shape[0], size)]
    blocks = [da.from_delayed(dask.delayed(part), shape=part.shape, dtype=X.dtype, meta=meta) for part in parts]
    return da.concatenate(blocks).persist()
