"""Kernel values as nodes of a graph."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels import KernelFormula
from maxmargin.onnx._graph import Graph

__all__ = ["cross", "own"]

Floats = NDArray[np.float64]
_BY_INNER: Final = frozenset({"linear", "polynomial", "sigmoid", "quadratic"})


def cross(graph: Graph, formula: KernelFormula, rows: str, vectors: Floats) -> str:
    """Kernel values of rows (down) against vectors (across)."""
    if formula.name == "columns":
        chosen = list(formula.columns)
        return cross(graph, formula.parts[0], _taken(graph, rows, chosen), vectors[:, chosen])
    if formula.name == "normalise":
        return _normalised(graph, formula.parts[0], rows, vectors)
    if formula.parts:
        return _operation(graph, formula, [cross(graph, part, rows, vectors) for part in formula.parts], len(vectors))
    return _values(graph, formula, rows, vectors)


def _normalised(graph: Graph, part: KernelFormula, rows: str, vectors: Floats) -> str:
    down, across = own(graph, part, rows), _own_of(graph, part, vectors)
    below = graph.node("Mul", graph.node("Sqrt", down), graph.node("Sqrt", across))
    return _ratio(graph, cross(graph, part, rows, vectors), below, _without_length(graph, graph.node("Add", down, across)))


def _values(graph: Graph, formula: KernelFormula, rows: str, vectors: Floats) -> str:
    if formula.name in _BY_INNER:
        return _by_inner(graph, formula, _inner(graph, rows, formula.gamma * vectors))
    if formula.name in ("cosine", "tanimoto"):
        return _by_lengths(graph, formula, rows, vectors)
    if formula.name in ("rbf", "rational_quadratic") or (formula.name == "matern" and formula.degree > 0):
        return _by_distance(graph, formula, _squares(graph, rows, vectors))
    return _by_columns(graph, formula, rows, vectors)


def own(graph: Graph, formula: KernelFormula, rows: str) -> str:
    """``k(x, x)`` of rows, in a column."""
    if formula.name == "columns":
        return own(graph, formula.parts[0], _taken(graph, rows, list(formula.columns)))
    if formula.parts and formula.name != "normalise":
        return _operation(graph, formula, [own(graph, part, rows) for part in formula.parts])
    if formula.name in _BY_INNER:
        return _by_inner(graph, formula, graph.times(graph.row_sums(graph.node("Mul", rows, rows)), formula.gamma))
    if formula.name == "intersection":
        return graph.row_sums(rows)
    return graph.node("Add", graph.times(graph.row_sums(rows), 0.0), graph.constant(1.0))


def _own_of(graph: Graph, formula: KernelFormula, vectors: Floats) -> str:
    return graph.node("Transpose", own(graph, formula, graph.constant(vectors)), perm=[1, 0])


def _taken(graph: Graph, rows: str, columns: list[int]) -> str:
    return graph.node("Gather", rows, graph.constant(np.array(columns)), axis=1)


def _operation(graph: Graph, formula: KernelFormula, parts: list[str], width: int = 1) -> str:
    if formula.name == "scale":
        return graph.times(parts[0], formula.gamma, width)
    if formula.name == "power":
        return _power(graph, parts[0], formula.degree)
    return graph.node({"add": "Add", "multiply": "Mul"}[formula.name], *parts)


def _inner(graph: Graph, rows: str, vectors: Floats) -> str:
    return graph.node("MatMul", rows, graph.constant(vectors.T))


def _by_inner(graph: Graph, formula: KernelFormula, s: str) -> str:
    """From γ times inner products."""
    if formula.name == "linear":
        return s
    if formula.name == "quadratic":
        return graph.node("Add", graph.node("Mul", graph.node("Add", s, graph.constant(1.0)), s), graph.constant(1.0))
    affine = graph.node("Add", s, graph.constant(formula.coef0))
    if formula.name == "sigmoid":
        rise = graph.node("Exp", graph.times(affine, 2.0))  # runtimes have a Tanh of float32's digits
        below = graph.node("Add", rise, graph.constant(1.0))
        return graph.node("Sub", graph.constant(1.0), graph.node("Div", graph.constant(2.0), below))
    return _power(graph, affine, formula.degree)


def _power(graph: Graph, base: str, exponent: int) -> str:
    """By squares and products: the Pow of runtimes may have float32's digits."""
    found = None
    while exponent > 0:
        if exponent % 2:
            found = base if found is None else graph.node("Mul", found, base)
        exponent //= 2
        base = graph.node("Mul", base, base) if exponent else base
    return graph.constant(1.0) if found is None else found


def _squares(graph: Graph, rows: str, vectors: Floats) -> str:
    """Squared distances, from inner products about the mean of the vectors: a large constant in all rows costs no digits."""
    centre = vectors.mean(axis=0) if len(vectors) else np.zeros(vectors.shape[1])
    moved, held = graph.node("Sub", rows, graph.constant(centre)), vectors - centre
    lengths = graph.node(
        "Add", graph.row_sums(graph.node("Mul", moved, moved)), graph.constant((held**2).sum(axis=1)[np.newaxis])
    )
    apart = graph.node("Sub", lengths, graph.node("MatMul", moved, graph.constant(2.0 * held.T)))
    return graph.node("Max", apart, graph.constant(0.0))


def _by_distance(graph: Graph, formula: KernelFormula, s: str) -> str:
    scaled = graph.times(s, formula.gamma)
    if formula.name == "rational_quadratic":
        return graph.node("Pow", graph.node("Add", scaled, graph.constant(1.0)), graph.constant(-formula.coef0))
    if formula.name != "matern":
        return graph.node("Exp", graph.node("Neg", scaled))
    r = graph.times(graph.node("Sqrt", s), formula.gamma)
    fall = graph.node("Exp", graph.node("Neg", r))
    if formula.degree == 0:
        return fall
    rise = graph.node("Add", r, graph.constant(1.0))
    if formula.degree == 2:
        rise = graph.node("Add", rise, graph.times(graph.node("Mul", r, r), 1.0 / 3.0))
    return graph.node("Mul", rise, fall)


def _by_lengths(graph: Graph, formula: KernelFormula, rows: str, vectors: Floats) -> str:
    s, squares = _inner(graph, rows, vectors), graph.row_sums(graph.node("Mul", rows, rows))
    held = (vectors**2).sum(axis=1)[np.newaxis]
    both = graph.node("Add", squares, graph.constant(held))
    if formula.name == "tanimoto":
        return _ratio(graph, s, graph.node("Sub", both, s), graph.constant(1.0))
    below = graph.node("Mul", graph.node("Sqrt", squares), graph.constant(np.sqrt(held)))
    return _ratio(graph, s, below, _without_length(graph, both))


def _by_columns(graph: Graph, formula: KernelFormula, rows: str, vectors: Floats) -> str:
    """Sums over the columns of every pair, of shape (rows, vectors, columns) before they are summed."""
    u = graph.node("Unsqueeze", rows, graph.constant(np.array([1])))
    v = graph.constant(vectors[np.newaxis])

    def summed(name: str) -> str:
        return graph.node("ReduceSum", name, graph.constant(np.array([2])), keepdims=0)

    if formula.name == "laplacian":
        return _by_distance(graph, formula, summed(graph.node("Abs", graph.node("Sub", u, v))))
    if formula.name == "matern":  # with a root at 0, where differences of inner products have no digits
        apart = graph.node("Sub", u, v)
        return _by_distance(graph, formula, summed(graph.node("Mul", apart, apart)))
    if formula.name == "chi_squared":
        apart, both = graph.node("Sub", u, v), graph.node("Add", u, v)
        terms = _ratio(graph, graph.node("Mul", apart, apart), both, graph.constant(0.0))
        return _by_distance(graph, formula, summed(terms))
    if formula.name not in ("intersection", "min_max"):
        raise InvalidInput(f"maxmargin.onnx does not know the kernel {formula.name!r}.")
    least = summed(graph.node("Min", u, v))
    return (
        least if formula.name == "intersection" else _ratio(graph, least, summed(graph.node("Max", u, v)), graph.constant(1.0))
    )


def _ratio(graph: Graph, above: str, below: str, otherwise: Any) -> str:
    """``above / below``, and something else where below is 0."""
    positive = graph.node("Greater", below, graph.constant(0.0))
    safe = graph.node("Where", positive, below, graph.constant(1.0))
    return graph.node("Where", positive, graph.node("Div", above, safe), otherwise)


def _without_length(graph: Graph, both: str) -> str:
    """1 where both lengths are 0, else 0."""
    return graph.node("Where", graph.node("Greater", both, graph.constant(0.0)), graph.constant(0.0), graph.constant(1.0))
