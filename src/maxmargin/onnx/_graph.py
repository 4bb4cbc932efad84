"""Nodes of a graph, written one after the other; all numbers inside are float64."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

__all__ = ["Graph"]

_DOUBLE: Final = 11  # TensorProto's number of float64
_INT64: Final = 7
_STRING: Final = 8
_OPSET: Final = 13  # of which the nodes are


@final
class Graph:
    """What a converter of skl2onnx writes into.

    Parameters
    ----------
    scope, container : objects of skl2onnx
        Names, and the nodes.
    """

    def __init__(self, scope: Any, container: Any) -> None:
        self._scope, self._container = scope, container

    def node(self, kind: str, *inputs: str, into: str | None = None, **attributes: Any) -> str:
        """Add a node, and give the name of its output."""
        name = self._scope.get_unique_variable_name(kind.lower()) if into is None else into
        own = self._scope.get_unique_operator_name(kind)
        self._container.add_node(kind, list(inputs), [name], op_version=_OPSET, name=own, **attributes)
        return str(name)

    def constant(self, values: Any) -> str:
        """Add an array of numbers or strings."""
        array = np.asarray(values)
        name = self._scope.get_unique_variable_name("constant")
        if array.dtype.kind in "US":
            self._container.add_initializer(name, _STRING, list(array.shape), [str(text).encode() for text in array.ravel()])
        elif array.dtype.kind in "iub":
            self._container.add_initializer(name, _INT64, list(array.shape), array.astype(np.int64).ravel().tolist())
        else:
            self._container.add_initializer(name, _DOUBLE, list(array.shape), array.astype(np.float64).ravel().tolist())
        return str(name)

    def times(self, name: str, factor: float, width: int = 1) -> str:
        """A matrix times a number, once for each column: runtimes melt one number into a product of matrices, as a float32."""
        return self.node("Mul", name, self.constant(np.full((1, width), factor)))

    def as_double(self, name: str) -> str:
        """The same in float64."""
        return self.node("Cast", name, to=_DOUBLE)

    def row_sums(self, name: str, axis: int = 1) -> str:
        """Sums along an axis, which stays with length 1."""
        return self.node("ReduceSum", name, self.constant(np.array([axis])), keepdims=1)
