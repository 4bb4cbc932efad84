"""Graphs as the core reads them: edges by node numbers, labels by numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from maxmargin import _core
from maxmargin.errors import InvalidInput

__all__ = ["encode_graphs"]

_FORM = "Pass (edges, node_labels) or (edges, node_labels, edge_labels), or a networkx graph"


def encode_graphs(graphs: Sequence[Any], owner: str) -> _core.LabelledGraphs:
    """Edges and labels of all graphs, with the same numbers for the same labels."""
    node_table: dict[Any, int] = {}
    edge_table: dict[Any, int] = {}
    starts, node_labels = [0], []
    sources: list[int] = []
    targets: list[int] = []
    edge_labels: list[int] = []
    for row, graph in enumerate(graphs):
        first = starts[-1]
        found = set()
        try:
            labels, edges, directed = _parts(graph, row, owner)
            places = {node: first + place for place, node in enumerate(labels)}
            node_labels += [node_table.setdefault(label, len(node_table)) for label in labels.values()]
            for u, v, label in edges:
                number = edge_table.setdefault(label, len(edge_table))
                found.add((places[u], places[v], number))
                if not directed:
                    found.add((places[v], places[u], number))
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
        for begin, end, number in sorted(found):
            sources.append(begin)
            targets.append(end)
            edge_labels.append(number)
    return _core.labelled_graphs(
        np.array(starts, dtype=np.int64),
        np.array(node_labels, dtype=np.int32),
        np.array(sources, dtype=np.int64),
        np.array(targets, dtype=np.int64),
        np.array(edge_labels, dtype=np.int32),
    )


def _parts(graph: Any, row: int, owner: str) -> tuple[Mapping[Any, Any], list[tuple[Any, Any, Any]], bool]:
    """Label of each node, edges with their labels, and whether edges have a direction."""
    if callable(getattr(graph, "is_directed", None)) and hasattr(graph, "nodes"):
        return _of_networkx(graph, row, owner)
    if not isinstance(graph, list | tuple) or len(graph) not in (2, 3):
        what = f"a {type(graph).__name__}" + (f" of {len(graph)} items" if isinstance(graph, list | tuple) else "")
        raise InvalidInput(f"{owner} needs rows that are graphs. Got {what} as row {row} of X. {_FORM}.")
    edges, given, names = graph[0], graph[1], graph[2] if len(graph) == 3 else None
    if given is None:
        raise _unlabelled(row, owner, "it has node_labels=None")
    pairs = _pairs(edges, row, owner)
    if isinstance(given, Mapping):
        labels = given
    elif isinstance(given, Iterable) and not isinstance(given, str | bytes):
        labels = dict(enumerate(given))
    else:
        raise InvalidInput(f"The node_labels of graph {row} of X must be a dict or a sequence. Got {given!r}. {_FORM}.")
    return labels, _labelled(pairs, names, row), False


def _of_networkx(graph: Any, row: int, owner: str) -> tuple[Mapping[Any, Any], list[tuple[Any, Any, Any]], bool]:
    labels = dict(graph.nodes(data="label"))
    bare = [node for node, label in labels.items() if label is None]
    if bare:
        raise _unlabelled(row, owner, f"node {bare[0]!r} has no attribute 'label'")
    return labels, list(graph.edges(data="label")), bool(graph.is_directed())


def _unlabelled(row: int, owner: str, what: str) -> InvalidInput:
    return InvalidInput(
        f"{owner} compares labels of nodes, and graph {row} of X is unlabelled: {what}. Label the nodes, with networkx by"
        " nx.set_node_attributes(graph, labels, 'label'). Where there is nothing to tell them by, use their degrees,"
        " dict(graph.degree), or one label for all."
    )


def _pairs(edges: Any, row: int, owner: str) -> list[tuple[Any, Any]]:
    try:
        return [(u, v) for u, v in edges]
    except (TypeError, ValueError):
        raise InvalidInput(
            f"The edges of graph {row} of X must be pairs of nodes. Got {edges!r:.60} for {owner}. {_FORM}, with edges such as"
            " [(0, 1), (1, 2)]."
        ) from None


def _labelled(pairs: list[tuple[Any, Any]], names: Any, row: int) -> list[tuple[Any, Any, Any]]:
    if names is None:
        return [(u, v, None) for u, v in pairs]
    by_pair = isinstance(names, Mapping)
    found = [names.get((u, v), names.get((v, u))) for u, v in pairs] if by_pair else list(names)
    if len(found) != len(pairs) or any(label is None for label in found):
        raise InvalidInput(
            f"Graph {row} of X has {len(pairs)} edges, and edge_labels that do not fit them. Give a label for each edge, in"
            " their order or as a dict by (u, v), or none."
        )
    return [(u, v, label) for (u, v), label in zip(pairs, found, strict=True)]
