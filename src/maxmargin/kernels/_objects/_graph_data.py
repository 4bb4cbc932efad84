"""Graphs as the core reads them: edges by node numbers, labels by numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput

__all__ = ["encode_graphs"]

_Parts = tuple[Mapping[Any, Any], list[Any], list[Any] | None, bool]
_FORM = "Pass (edges, node_labels) or (edges, node_labels, edge_labels), or a networkx graph"


def encode_graphs(graphs: Sequence[Any], owner: str) -> _core.LabelledGraphs:
    """Edges and labels of all graphs, with the same numbers for the same labels."""
    node_table, edge_table = _numbering(), _numbering()
    starts = [0]
    node_labels: list[int] = []
    ends: list[int] = []
    edge_labels: list[int] = []
    undirected: list[bool] = []
    for row, graph in enumerate(graphs):
        first = starts[-1]
        try:
            labels, edges, names, directed = _parts(graph, row, owner)
            places = dict(zip(labels, range(first, first + len(labels)), strict=True))
            node_labels += map(node_table.__getitem__, labels.values())
            ends += map(places.__getitem__, chain.from_iterable(edges))
            edge_labels += [edge_table[None]] * len(edges) if names is None else map(edge_table.__getitem__, names)
            undirected += [not directed] * len(edges)
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
    pairs = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    number, both = np.array(edge_labels, dtype=np.int64), np.array(undirected, dtype=bool)
    sources = np.concatenate([pairs[0], pairs[1, both]])
    targets = np.concatenate([pairs[1], pairs[0, both]])
    once = _distinct(sources, targets, np.concatenate([number, number[both]]))
    return _core.labelled_graphs(
        np.array(starts, dtype=np.int64), np.array(node_labels, dtype=np.int32), once[0], once[1], once[2].astype(np.int32)
    )


def _numbering() -> defaultdict[Any, int]:
    """A number for everything that is looked up, from 0 on."""
    table: defaultdict[Any, int] = defaultdict()
    table.default_factory = table.__len__
    return table


def _distinct(
    sources: NDArray[np.int64], targets: NDArray[np.int64], labels: NDArray[np.int64]
) -> tuple[NDArray[np.int64], ...]:
    """Edges in order of (source, target, label), each once: an edge that is given twice counts once."""
    nodes, kinds = int(max(sources.max(initial=0), targets.max(initial=0))) + 1, int(labels.max(initial=0)) + 1
    if nodes * nodes * kinds < 2**63:  # one number for each, which sorts faster than three
        keys = np.sort((sources * nodes + targets) * kinds + labels)
        rest, label = np.divmod(keys[np.diff(keys, prepend=-1) > 0], kinds)
        return (*np.divmod(rest, nodes), label)
    found = np.unique(np.stack([sources, targets, labels], axis=1), axis=0)
    return tuple(np.ascontiguousarray(column) for column in found.T)


def _parts(graph: Any, row: int, owner: str) -> _Parts:
    """Label of each node, edges, labels of edges (None: no edge has one), and whether edges have a direction."""
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
    return labels, pairs, _names(pairs, names, row), False


def _of_networkx(graph: Any, row: int, owner: str) -> _Parts:
    labels = dict(graph.nodes(data="label"))
    bare = [node for node, label in labels.items() if label is None]
    if bare:
        raise _unlabelled(row, owner, f"node {bare[0]!r} has no attribute 'label'")
    edges = list(graph.edges(data="label"))
    pairs = [(u, v) for u, v, _ in edges]
    return labels, pairs, [name for _, _, name in edges], bool(graph.is_directed())


def _unlabelled(row: int, owner: str, what: str) -> InvalidInput:
    return InvalidInput(
        f"{owner} compares labels of nodes, and graph {row} of X is unlabelled: {what}. Label the nodes, with networkx by"
        " nx.set_node_attributes(graph, labels, 'label'). Where there is nothing to tell them by, use their degrees,"
        " dict(graph.degree), or one label for all."
    )


def _pairs(edges: Any, row: int, owner: str) -> list[Any]:
    try:
        pairs = list(edges)
        if set(map(len, pairs)) <= {2}:
            return pairs
    except TypeError:
        pass
    raise InvalidInput(
        f"The edges of graph {row} of X must be pairs of nodes. Got {edges!r:.60} for {owner}. {_FORM}, with edges such as"
        " [(0, 1), (1, 2)]."
    )


def _names(edges: list[Any], names: Any, row: int) -> list[Any] | None:
    if names is None:
        return None
    by_pair = isinstance(names, Mapping)
    found = [names.get((u, v), names.get((v, u))) for u, v in edges] if by_pair else list(names)
    if len(found) != len(edges) or any(label is None for label in found):
        raise InvalidInput(
            f"Graph {row} of X has {len(edges)} edges, and edge_labels that do not fit them. Give a label for each edge, in"
            " their order or as a dict by (u, v), or none."
        )
    return found
