"""Graphs as the core reads them: edges by node numbers, labels by numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput

__all__ = ["encode_graphs"]

_Ends = tuple[Sequence[Any], Sequence[Any]]
_Parts = tuple[Mapping[Any, Any], _Ends, list[Any] | None, bool]
_FORM = "Pass (edges, node_labels) or (edges, node_labels, edge_labels), or a networkx graph"


def encode_graphs(graphs: Sequence[Any], owner: str) -> _core.LabelledGraphs:
    """Edges and labels of all graphs, with the same numbers for the same labels."""
    node_table: dict[Any, int] = {}
    edge_table: dict[Any, int] = {}
    starts, node_labels = [0], []
    sources: list[int] = []
    targets: list[int] = []
    edge_labels: list[int] = []
    undirected: list[bool] = []
    for row, graph in enumerate(graphs):
        first = starts[-1]
        try:
            labels, ends, names, directed = _parts(graph, row, owner)
            places = dict(zip(labels, range(first, first + len(labels)), strict=True))
            node_labels += [node_table.setdefault(label, len(node_table)) for label in labels.values()]
            sources += [places[node] for node in ends[0]]
            targets += [places[node] for node in ends[1]]
            if names is None:
                edge_labels += [edge_table.setdefault(None, len(edge_table))] * len(ends[0])
            else:
                edge_labels += [edge_table.setdefault(name, len(edge_table)) for name in names]
            undirected += [not directed] * len(ends[0])
        except KeyError as error:
            raise InvalidInput(
                f"An edge of graph {row} of X ends at node {error.args[0]!r}, which has no label in {owner}'s node_labels. Give"
                " every node a label."
            ) from None
        except TypeError as error:
            raise InvalidInput(
                f"The graph {row} of X has a label or a node that cannot be hashed: {error}. Use strings, numbers or tuples for"
                f" {owner}."
            ) from None
        starts.append(len(node_labels))
    edges = np.array([sources, targets, edge_labels], dtype=np.int64)
    back = edges[:, np.array(undirected, dtype=bool)][[1, 0, 2]]
    once = _distinct(np.concatenate([edges, back], axis=1))
    return _core.labelled_graphs(
        np.array(starts, dtype=np.int64), np.array(node_labels, dtype=np.int32), once[0], once[1], once[2].astype(np.int32)
    )


def _distinct(edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Columns (source, target, label) in order, each once: an edge that is given twice counts once."""
    ordered = edges[:, np.lexsort(edges[::-1])]
    new = np.ones(ordered.shape[1], dtype=bool)
    new[1:] = np.any(ordered[:, 1:] != ordered[:, :-1], axis=0)
    return np.ascontiguousarray(ordered[:, new])


def _parts(graph: Any, row: int, owner: str) -> _Parts:
    """Label of each node, ends of edges, labels of edges (None: no edge has one), and whether edges have a direction."""
    if callable(getattr(graph, "is_directed", None)) and hasattr(graph, "nodes"):
        return _of_networkx(graph, row, owner)
    if not isinstance(graph, list | tuple) or len(graph) not in (2, 3):
        what = f"a {type(graph).__name__}" + (f" of {len(graph)} items" if isinstance(graph, list | tuple) else "")
        raise InvalidInput(f"{owner} needs rows that are graphs. Got {what} as row {row} of X. {_FORM}.")
    edges, given, names = graph[0], graph[1], graph[2] if len(graph) == 3 else None
    if given is None:
        raise _unlabelled(row, owner, "it has node_labels=None")
    ends = _ends(edges, row, owner)
    if isinstance(given, Mapping):
        labels = given
    elif isinstance(given, Iterable) and not isinstance(given, str | bytes):
        labels = dict(enumerate(given))
    else:
        raise InvalidInput(f"The node_labels of graph {row} of X must be a dict or a sequence. Got {given!r}. {_FORM}.")
    return labels, ends, _names(ends, names, row), False


def _of_networkx(graph: Any, row: int, owner: str) -> _Parts:
    labels = dict(graph.nodes(data="label"))
    bare = [node for node, label in labels.items() if label is None]
    if bare:
        raise _unlabelled(row, owner, f"node {bare[0]!r} has no attribute 'label'")
    edges = list(graph.edges(data="label"))
    return (
        labels,
        ([u for u, _, _ in edges], [v for _, v, _ in edges]),
        [name for _, _, name in edges],
        bool(graph.is_directed()),
    )


def _unlabelled(row: int, owner: str, what: str) -> InvalidInput:
    return InvalidInput(
        f"{owner} compares labels of nodes, and graph {row} of X is unlabelled: {what}. Label the nodes, with networkx by"
        " nx.set_node_attributes(graph, labels, 'label'). Where there is nothing to tell them by, use their degrees,"
        " dict(graph.degree), or one label for all."
    )


def _ends(edges: Any, row: int, owner: str) -> _Ends:
    try:
        pairs = list(edges)
        sources, targets = zip(*pairs, strict=True) if pairs else ((), ())
    except (TypeError, ValueError):
        raise InvalidInput(
            f"The edges of graph {row} of X must be pairs of nodes. Got {edges!r:.60} for {owner}. {_FORM}, with edges such as"
            " [(0, 1), (1, 2)]."
        ) from None
    return sources, targets


def _names(ends: _Ends, names: Any, row: int) -> list[Any] | None:
    if names is None:
        return None
    by_pair = isinstance(names, Mapping)
    found = [names.get((u, v), names.get((v, u))) for u, v in zip(*ends, strict=True)] if by_pair else list(names)
    if len(found) != len(ends[0]) or any(label is None for label in found):
        raise InvalidInput(
            f"Graph {row} of X has {len(ends[0])} edges, and edge_labels that do not fit them. Give a label for each edge, in"
            " their order or as a dict by (u, v), or none."
        )
    return found
