"""From JSON and arrays to objects of a closed list of types; nothing that a file says is imported or called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin._version import installed_version
from maxmargin._versioned import Versioned
from maxmargin.errors import InvalidInput
from maxmargin.io._encoding import GENERATORS, TAG
from maxmargin.io._types import type_of

__all__ = ["Decoder"]


@final
class Decoder:
    """Makes values of JSON.

    Parameters
    ----------
    arrays : sequence of ndarray
        The arrays that the JSON knows by their places.
    source : str
        The name of the file, for messages.
    """

    def __init__(self, arrays: Sequence[NDArray[Any]], source: str) -> None:
        self._arrays, self._source = arrays, source

    def of(self, node: Any, where: str) -> Any:
        """The value of a node; `where` names it for messages."""
        if isinstance(node, list):
            return [self.of(each, f"{where}[{place}]") for place, each in enumerate(node)]
        if not isinstance(node, dict):
            return node
        if TAG not in node:
            return {key: self.of(each, f"{where}[{key!r}]") for key, each in node.items()}
        tag = node[TAG]
        if not isinstance(tag, str):
            raise self.fault(where, "its type is no name")
        decode = _DECODERS.get(tag)
        try:
            return self._object(tag, node, where) if decode is None else decode(self, node, where)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            if isinstance(error, InvalidInput):
                raise
            raise self.fault(where, f"{type(error).__name__}: {error}") from None

    def fault(self, where: str, what: str) -> InvalidInput:
        """The error that says where a file is broken."""
        return InvalidInput(f"{self._source} is damaged at {where}: {what[:200]}. Save the model again.")

    def _array(self, node: dict[str, Any], name: str, where: str) -> NDArray[Any]:
        place = node[name]
        if type(place) is not int or not 0 <= place < len(self._arrays):
            raise self.fault(where, f"there is no array {str(place)[:20]}")
        return self._arrays[place]

    def _items(self, node: dict[str, Any], where: str) -> list[Any]:
        items = node["items"]
        if not isinstance(items, list):
            raise self.fault(where, "its items are no list")
        return [self.of(each, f"{where}[{place}]") for place, each in enumerate(items)]

    def _shape(self, node: dict[str, Any], where: str, axes: int | None = None) -> tuple[int, ...]:
        shape = node["shape"]
        sound = isinstance(shape, list) and all(type(size) is int and 0 <= size < 2**63 for size in shape)
        if not sound or (axes is not None and len(shape) != axes):
            raise self.fault(where, "its shape is none")
        return tuple(shape)

    def _scalar(self, node: dict[str, Any], where: str) -> Any:
        return self._array(node, "array", where).reshape(())[()]

    def _objects(self, node: dict[str, Any], where: str) -> NDArray[Any]:
        items, shape = self._items(node, where), self._shape(node, where)
        if len(items) != prod(shape):  # before anything of that size is made
            raise self.fault(where, f"{len(items)} items do not fill the shape {shape}")
        flat = np.empty(len(items), dtype=object)
        for place, each in enumerate(items):
            flat[place] = each
        return flat.reshape(shape)

    def _masked(self, node: dict[str, Any], where: str) -> Any:
        return np.ma.MaskedArray(self.of(node["data"], where), mask=self._array(node, "mask", where))

    def _csr(self, node: dict[str, Any], where: str) -> Any:
        data, columns, starts = (self._array(node, name, where) for name in ("data", "indices", "indptr"))
        height, width = self._shape(node, where, axes=2)
        plain = all(each.ndim == 1 for each in (data, columns, starts)) and columns.dtype == starts.dtype
        if not plain or columns.dtype.kind != "i" or data.dtype.kind not in "fiub" or len(starts) != height + 1:
            raise self.fault(where, "its arrays are not those of CSR")
        if starts[0] != 0 or starts[-1] != len(columns) or len(columns) != len(data) or (np.diff(starts) < 0).any():
            raise self.fault(where, "its rows do not fit its entries")
        if len(columns) and not 0 <= columns.min() <= columns.max() < width:
            raise self.fault(where, f"it has a column outside 0 … {width - 1}")
        kind = sparse.csr_array if node["is_array"] else sparse.csr_matrix
        return kind((data, columns, starts), shape=(height, width))

    def _dict(self, node: dict[str, Any], where: str) -> dict[Any, Any]:
        return dict(self._items(node, where))

    def _range(self, node: dict[str, Any], where: str) -> range:
        start, stop, step = self._items(node, where)
        return range(start, stop, step)

    def _float(self, node: dict[str, Any], where: str) -> float:
        if node["value"] not in ("inf", "-inf", "nan"):
            raise self.fault(where, "it is no number")
        return float(node["value"])

    def _generator(self, node: dict[str, Any], where: str) -> Any:
        state = self.of(node["state"], where)
        if state["bit_generator"] not in GENERATORS:
            raise self.fault(where, "its generator is not known")
        made = getattr(np.random, state["bit_generator"])(0)
        made.state = state
        return np.random.Generator(made) if node[TAG] == "generator" else np.random.RandomState(made)

    def _object(self, tag: str, node: dict[str, Any], where: str) -> Any:
        kind = type_of(tag, f"{where} of {self._source}")
        given = node["state"]
        if not isinstance(given, dict):
            raise self.fault(where, "its state is no mapping")
        state = {key: self.of(each, f"{where}.{key}") for key, each in given.items()}
        made: Any = object.__new__(kind)
        if hasattr(made, "__setstate__"):
            made.__setstate__({**state, "_maxmargin_version": installed_version()} if isinstance(made, Versioned) else state)
        else:
            vars(made).update(state)
        self._check(made, where)
        return made

    def _check(self, made: Any, where: str) -> None:
        """An object has every field of its record, or every parameter of its estimator."""
        known = getattr(made, "__dataclass_fields__", None)
        if known is None:
            known = made._get_param_names() if hasattr(made, "_get_param_names") else ()
        missing = [name for name in known if not hasattr(made, name)]
        if missing:
            raise self.fault(where, f"{type(made).__name__} lacks {', '.join(missing)}")


_DECODERS: Final[dict[str, Callable[[Decoder, dict[str, Any], str], Any]]] = {
    "scalar": Decoder._scalar,
    "array": lambda decoder, node, where: decoder._array(node, "array", where),
    "objects": Decoder._objects,
    "masked": Decoder._masked,
    "csr": Decoder._csr,
    "dict": Decoder._dict,
    "tuple": lambda decoder, node, where: tuple(decoder._items(node, where)),
    "set": lambda decoder, node, where: set(decoder._items(node, where)),
    "frozenset": lambda decoder, node, where: frozenset(decoder._items(node, where)),
    "bytes": lambda decoder, node, where: decoder._array(node, "array", where).tobytes(),
    "range": Decoder._range,
    "float": Decoder._float,
    "generator": Decoder._generator,
    "random_state": Decoder._generator,
}
