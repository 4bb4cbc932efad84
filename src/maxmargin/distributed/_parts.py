"""Collections of Dask as the blocks that they have."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy import sparse

from maxmargin._cluster import dask_module
from maxmargin.errors import InvalidInput

__all__ = ["Parts", "Rows", "rows_of"]

_CARRIED = 1 << 20  # bytes of arrays in a graph that are not sent with each pass


@final
@dataclass(frozen=True, eq=False)
class Parts:
    """The keys of the blocks of a collection, and the graph that makes them.

    Attributes
    ----------
    graph : Any
        Of Dask.
    keys : list
        One for each block.
    lengths : tuple of float
        Rows of each; NaN where Dask does not know.
    """

    graph: Any
    keys: list[Hashable]
    lengths: tuple[float, ...]

    @classmethod
    def of(cls, collection: Any) -> Parts:
        """Of an array with one column of blocks, or of a frame.

        Dask's optimisation of an array forgets the futures of what is persisted, which the workers would then let go.
        """
        persists = any(hasattr(value, "client") for value in collection.__dask_graph__().values())
        fuses = not persists or not hasattr(collection, "chunks")
        delayed = np.ravel(collection.to_delayed(optimize_graph=fuses)).tolist()
        chunks = getattr(collection, "chunks", None)
        lengths = (math.nan,) * len(delayed) if chunks is None else tuple(chunks[0])
        return cls(delayed[0].__dask_graph__(), [each.key for each in delayed], lengths)

    @property
    def is_known(self) -> bool:
        """Whether Dask knows the number of rows of each."""
        return not any(math.isnan(each) for each in self.lengths)


@final
@dataclass(frozen=True, eq=False)
class Rows:
    """X, and labels and weights where there are some, as blocks of the same rows.

    Attributes
    ----------
    name : str
        What messages call X.
    graphs : list
        Of Dask: what makes the blocks.
    blocks : list of tuples of three keys
        Of X, labels and weights; None where there are none.
    columns : int or None
        Features, if Dask knows.
    names : list of str or None
        Of the features.
    lengths : tuple of float
        Rows of each block; NaN where Dask does not know.
    dtype : dtype
        Of the values, as Dask has it.
    """

    name: str
    graphs: list[Any]
    blocks: list[tuple[Hashable, Hashable | None, Hashable | None]]
    columns: int | None
    names: list[str] | None
    lengths: tuple[float, ...]
    dtype: np.dtype[Any]

    def let_go(self) -> None:
        """Hold nothing on the workers any more."""
        self.graphs.clear()


def rows_of(owner: str, X: Any, y: Any = None, sample_weight: Any = None, client: Any = None) -> Rows:
    """The blocks of X, and of what goes with it.

    Parameters
    ----------
    owner : str
        The estimator, for messages.
    X : dask array or frame
        Rows.
    y, sample_weight : dask array or series, or array-like, optional
        One value for each row. What is in memory is cut like X.
    client : Client, optional
        Where arrays that the graph itself holds are sent to once, so that they are not sent in each pass.
    """
    arrays = dask_module("dask.array")
    X, name = _whole_rows(owner, X)
    dtype = _common_type(owner, X.dtypes) if hasattr(X, "columns") else np.dtype(X.dtype)
    if client is not None and _carried(X) > _CARRIED:
        X = client.persist(X)
    parts = Parts.of(X)
    columns = [parts]
    for values, what in ((y, "y"), (sample_weight, "sample_weight")):
        if values is None:
            columns.append(Parts({}, [None] * len(parts.keys), parts.lengths))
            continue
        column = _like(arrays, values, what, parts, owner)
        if client is not None and _carried(column) > _CARRIED:
            column = client.persist(column)
        found = Parts.of(column)
        if len(found.keys) != len(parts.keys):
            raise InvalidInput(
                f"X of {owner} has {len(parts.keys)} blocks, and {what} has {len(found.keys)}. Give both the same blocks of"
                " rows, for example by repartition or rechunk."
            )
        columns.append(found)
    names = list(X.columns) if hasattr(X, "columns") else None
    width = len(names) if names is not None else X.shape[1]
    return Rows(
        name=name,
        graphs=[each.graph for each in columns if each.graph],
        blocks=list(zip(*(each.keys for each in columns), strict=True)),
        columns=None if math.isnan(width) else int(width),
        names=names if names is not None and all(isinstance(each, str) for each in names) else None,
        lengths=parts.lengths,
        dtype=dtype,
    )


def _common_type(owner: str, kinds: Any) -> np.dtype[Any]:
    """The type that holds the numbers of all columns of a frame."""
    for name, kind in kinds.items():
        plain = getattr(kind, "numpy_dtype", kind)  # of nullable numbers
        if not isinstance(plain, np.dtype) or plain.kind not in "biuf":
            raise InvalidInput(
                f"Column {name!r} of the dask frame X of {owner} must hold numbers. Got {kind}. Leave it out, or code it."
            )
    return np.result_type(*(getattr(kind, "numpy_dtype", kind) for kind in kinds))


def _whole_rows(owner: str, X: Any) -> tuple[Any, str]:
    """X with all columns of a row in one block, and its name."""
    arrays = dask_module("dask.array")
    if isinstance(X, arrays.Array):
        if X.ndim != 2:
            raise InvalidInput(f"X of {owner} must be a matrix, one row a sample. Got a dask array of shape {X.shape}.")
        return (X if len(X.chunks[1]) == 1 else X.rechunk({1: -1})), "the dask array"
    if is_frame(X):
        return X, "the dask frame"
    raise InvalidInput(
        f"{owner} takes dask arrays and frames. Got {type(X).__name__}. Make one with dask.array.from_array, or take"
        f" maxmargin.{owner.removeprefix('Dask')}."
    )


def is_frame(X: Any) -> bool:
    """Whether it is a frame of Dask, which is loaded only if somebody has it."""
    return type(X).__module__.startswith("dask.dataframe") and hasattr(X, "columns") and hasattr(X, "to_delayed")


def _like(arrays: Any, values: Any, what: str, X: Parts, owner: str) -> Any:
    """Values in the blocks of X."""
    if not hasattr(values, "to_delayed"):
        if not X.is_known:
            raise InvalidInput(
                f"Dask does not know how many rows the blocks of X have, so that {what} must be a collection of Dask with the"
                f" same blocks. Got {type(values).__name__}."
            )
        values = np.asarray(values)
        _require_length(values, what, X, owner)
        return arrays.from_array(values, chunks=(tuple(int(each) for each in X.lengths), *values.shape[1:]))
    chunks = getattr(values, "chunks", None)
    if chunks is None or not X.is_known or any(math.isnan(each) for each in chunks[0]):
        return values
    _require_length(values, what, X, owner)
    return values if tuple(chunks[0]) == X.lengths else values.rechunk({0: X.lengths})


def _require_length(values: Any, what: str, X: Parts, owner: str) -> None:
    n = int(sum(X.lengths))
    if len(values.shape) == 0 or values.shape[0] != n:
        raise InvalidInput(
            f"X and {what} of {owner} have inconsistent numbers of samples: {n} and shape {tuple(values.shape)}. Give one"
            " value for each row."
        )


def _carried(collection: Any) -> int:
    """Bytes of arrays that the graph itself holds."""
    graph = collection.__dask_graph__()
    total = 0
    for value in graph.values():
        data = getattr(value, "value", value)
        if isinstance(data, np.ndarray):
            total += data.nbytes
        elif sparse.issparse(data):
            total += data.data.nbytes
    return total
