"""Predictions that are computed when somebody asks for them, block by block."""

from __future__ import annotations

import uuid
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin._cluster import dask_module, refs, task
from maxmargin.distributed._parts import rows_of

__all__ = ["predicted", "values_dtype"]


def predicted(owner: str, local: Any, method: str, X: Any, dtype: np.dtype[Any], width: int | None) -> Any:
    """What a method of a local model gives for the rows of each block, as a dask array.

    The model is a task of its own: it comes to a worker once, however many blocks that has.

    Parameters
    ----------
    owner : str
        The estimator, for messages.
    local : estimator
        The fitted model.
    method : str
        ``"predict"`` and the like.
    X : dask array or frame
        Rows.
    dtype : dtype
        Of the result.
    width : int or None
        Its columns; None for one value a row.
    """
    rows = rows_of(owner, X)
    delayed, graphs = dask_module("dask.delayed"), dask_module("dask.highlevelgraph")
    model = delayed.delayed(local, pure=False, traverse=False, name=f"maxmargin-model-{uuid.uuid4().hex}")
    name = f"maxmargin-{method}-{uuid.uuid4().hex}"
    last = () if width is None else (0,)
    layer = {
        (name, number, *last): task(
            (name, number, *last), _applied, *refs(model.key, x), method, number, rows.name, str(dtype), width
        )
        for number, (x, _, _) in enumerate(rows.blocks)
    }
    base = graphs.HighLevelGraph.merge(*rows.graphs, model.__dask_graph__())
    graph = graphs.HighLevelGraph({**base.layers, name: layer}, {**base.dependencies, name: set(base.layers)})
    chunks: tuple[tuple[float, ...], ...] = (rows.lengths,) if width is None else (rows.lengths, (width,))
    meta = np.empty((0,) * len(chunks), dtype=dtype)
    return dask_module("dask.array").Array(graph, name, chunks, dtype=dtype, meta=meta)


def values_dtype(X: Any, weights: NDArray[Any]) -> np.dtype[Any]:
    """What scores of these rows are, as a local model has them."""
    dtypes = list(X.dtypes) if hasattr(X, "columns") else [X.dtype]
    numbers = [each if each in (np.float32, np.float64) else np.dtype(np.float64) for each in dtypes]
    return np.result_type(weights.dtype, *numbers)


def _applied(model: Any, X: Any, method: str, number: int, name: str, dtype: str, width: int | None) -> NDArray[Any]:
    rows = X.shape[0] if getattr(X, "shape", ()) else len(X)
    if rows == 0:
        return np.empty((0,) if width is None else (0, width), dtype=dtype)
    try:
        found = getattr(model, method)(X)
    except (ValueError, TypeError) as error:
        raise type(error)(f"Block {number} of {name}: {error}") from error
    return np.asarray(found).astype(dtype, copy=False)
