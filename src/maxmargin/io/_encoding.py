"""From objects to JSON and arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.estimators import unpack
from maxmargin.io._types import name_of

__all__ = ["GENERATORS", "KINDS", "TAG", "Encoder"]

TAG: Final = "$"
KINDS: Final = "biufUS"
"""Kinds of arrays that files have: numbers, booleans and strings of one length; never objects."""
GENERATORS: Final = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
_LEFT_OUT: Final = frozenset(
    {"_held", "_held_vectors", "_kept_values", "_seconds", "_skl_callbacks", "_parent_callback_ctx", "_maxmargin_version"}
)
"""Attributes that files do not have: what only the next fit of the same object can use."""


@final
class Encoder:
    """Makes JSON of a value, and keeps its arrays aside.

    Attributes
    ----------
    arrays : list of ndarray
        The arrays, which the JSON knows by their places.
    """

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._places: dict[int, int] = {}
        self._alive: list[Any] = []  # so that no id is used twice
        self._inside: set[int] = set()

    def of(self, value: Any, where: str) -> Any:
        """The JSON of a value; `where` names it for messages."""
        if value is None or isinstance(value, bool | str):
            return value if not isinstance(value, str) else str(value)
        if isinstance(value, np.generic):
            return {TAG: "scalar", "array": self._array(np.asarray(value), where)}
        if isinstance(value, int) and not isinstance(value, Enum):
            return int(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else {TAG: "float", "value": repr(float(value))}
        if id(value) in self._inside:
            raise InvalidInput(f"Cannot save {where}: it contains itself.")
        self._inside.add(id(value))
        try:
            return self._composed(value, where)
        finally:
            self._inside.discard(id(value))

    def _composed(self, value: Any, where: str) -> Any:
        for kind, encode in _ENCODERS.items():
            if type(value) is kind or (kind is np.ndarray and isinstance(value, kind)):
                return encode(self, value, where)
        if sparse.issparse(value):
            return self._sparse(value, where)
        if (unpacked := unpack(value)) is not value:
            return self.of(unpacked, where)
        return self._object(value, where)

    def _array(self, value: NDArray[Any], where: str) -> int:
        if value.dtype.kind not in KINDS:
            raise InvalidInput(f"Cannot save {where}: an array of dtype {value.dtype} has no place in files.")
        if id(value) not in self._places:
            self._places[id(value)] = len(self.arrays)
            self._alive.append(value)
            self.arrays.append(value)
        return self._places[id(value)]

    def _ndarray(self, value: NDArray[Any], where: str) -> Any:
        if isinstance(value, np.ma.MaskedArray):
            mask = np.ma.getmaskarray(value)
            return {TAG: "masked", "data": self.of(np.asarray(value.data), where), "mask": self._array(mask, where)}
        if value.dtype.kind == "O":
            shape = [int(size) for size in value.shape]
            return {TAG: "objects", "shape": shape, "items": [self.of(each, f"{where}[…]") for each in value.ravel().tolist()]}
        return {TAG: "array", "array": self._array(value, where)}

    def _sparse(self, value: Any, where: str) -> Any:
        if value.format != "csr":
            raise InvalidInput(f"Cannot save {where}: sparse matrices must be CSR. Got {value.format}.")
        parts = {name: self._array(getattr(value, name), where) for name in ("data", "indices", "indptr")}
        is_array = isinstance(value, sparse.csr_array)
        return {TAG: "csr", "is_array": is_array, "shape": [int(size) for size in value.shape], **parts}

    def _mapping(self, value: Mapping[Any, Any], where: str) -> Any:
        if all(type(key) is str and key != TAG for key in value):
            return {key: self.of(each, f"{where}[{key!r}]") for key, each in value.items()}
        items = [[self.of(key, f"a key of {where}"), self.of(each, f"{where}[{key!r}]")] for key, each in value.items()]
        return {TAG: "dict", "items": items}

    def _list(self, value: list[Any], where: str) -> Any:
        return [self.of(each, f"{where}[{place}]") for place, each in enumerate(value)]

    def _generator(self, value: Any, where: str) -> Any:
        made = value.bit_generator if isinstance(value, np.random.Generator) else value._bit_generator
        if type(made).__name__ not in GENERATORS:
            raise InvalidInput(f"Cannot save {where}: the generator {type(made).__name__} is none of {GENERATORS}.")
        is_new = isinstance(value, np.random.Generator)
        return {TAG: "generator" if is_new else "random_state", "state": self.of(dict(made.state), where)}

    def _object(self, value: Any, where: str) -> Any:
        name = name_of(type(value))
        if name is None:
            raise InvalidInput(_refusal(value, where))
        state = value.__getstate__()
        own = {} if state is None else {key: each for key, each in state.items() if key not in _LEFT_OUT}
        return {TAG: name, "state": {key: self.of(each, f"{where}.{key}") for key, each in own.items()}}


_ENCODERS: Final[dict[type, Callable[[Encoder, Any, str], Any]]] = {
    np.ndarray: Encoder._ndarray,
    list: Encoder._list,
    tuple: lambda encoder, value, where: {TAG: "tuple", "items": encoder._list(list(value), where)},
    dict: Encoder._mapping,
    set: lambda encoder, value, where: {TAG: "set", "items": encoder._list(sorted(value, key=repr), where)},
    frozenset: lambda encoder, value, where: {TAG: "frozenset", "items": encoder._list(sorted(value, key=repr), where)},
    bytes: lambda encoder, value, where: {TAG: "bytes", "array": encoder._array(np.frombuffer(value, np.uint8), where)},
    range: lambda encoder, value, where: {TAG: "range", "items": [value.start, value.stop, value.step]},
    np.random.Generator: Encoder._generator,
    np.random.RandomState: Encoder._generator,
}


def _refusal(value: Any, where: str) -> str:
    """Why a value has no place in a file, and what to do."""
    kind = type(value)
    if callable(value) and not isinstance(value, type) and not hasattr(value, "get_params"):
        what = f"it is the function {getattr(value, '__name__', kind.__name__)}, and files hold no code"
        return f"Cannot save {where}: {what}. Choose a kernel or an option by name, or precompute the values; or use pickle."
    if kind.__module__ == "maxmargin.kernels._user_function":
        return f"Cannot save {where}: a kernel that is a function is code, and files hold none. Precompute its values."
    if hasattr(value, "best_estimator_"):
        return f"Cannot save {where}: a {kind.__name__} holds what it searched. Save its best_estimator_."
    got = f"{kind.__module__}.{kind.__name__}"
    return f"Cannot save {where}: files hold maxmargin's own estimators, kernels and arrays. Got {got}."
