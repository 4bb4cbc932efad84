"""Kernels of graphs whose nodes have labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels._base import BoundKernel
from maxmargin.kernels._objects._base import BoundObjectKernel, ObjectKernel, normalised_objects
from maxmargin.kernels._objects._graph_data import encode_graphs
from maxmargin.kernels._scale import Moments
from maxmargin.validation import check_integer

__all__ = ["ShortestPath", "WeisfeilerLehman"]


@final
@dataclass(frozen=True)
class BoundLabels(BoundObjectKernel):
    h: int
    normalise: bool

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        encoded = _core.refined_labels(encode_graphs(objects, "WeisfeilerLehman"), self.h, first_column)
        return normalised_objects(encoded, "WeisfeilerLehman") if self.normalise else encoded


@final
@dataclass(frozen=True)
class BoundPaths(BoundObjectKernel):
    normalise: bool

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        encoded = _core.shortest_paths(encode_graphs(objects, "ShortestPath"), first_column)
        return normalised_objects(encoded, "ShortestPath") if self.normalise else encoded


@final
@dataclass
class WeisfeilerLehman(ObjectKernel):
    """Neighbourhoods of nodes: ``k(G, H) = Σ_{r=0}^{h} #{(u, v): u in G, v in H, ℓ_r(u) = ℓ_r(v)}``.

    ``ℓ_0`` are the labels given. ``ℓ_{r+1}(u)`` stands for ``ℓ_r(u)`` and the multiset of the labels of its neighbours, each
    with the label of the edge to it: nodes agree in round r if all that lies within r edges of them looks the same, as far as
    the colour refinement of Weisfeiler and Lehman tells.

    A row of X is a graph: ``(edges, node_labels)`` or ``(edges, node_labels, edge_labels)``, or a networkx graph with the
    attribute ``label`` of nodes and, if there are any, of edges. Edges are pairs of nodes, without direction, each counted
    once; a networkx ``DiGraph`` has directions, and a node then sees those it points to. Labels are of any hashable type.

    Parameters
    ----------
    h : int
        Rounds of refinement; 0 compares the labels alone.
    normalise : bool
        Whether ``k(G, G) = 1``. A graph without nodes has 1 with others of that kind, 0 with the rest.

    References
    ----------
    Shervashidze, Schweitzer, van Leeuwen, Mehlhorn and Borgwardt, Weisfeiler-Lehman graph kernels, JMLR 2011.

    Examples
    --------
    >>> from maxmargin.kernels import WeisfeilerLehman
    >>> water = [(0, 1), (0, 2)], ["O", "H", "H"]
    >>> hydroxide = [(0, 1)], ["O", "H"]
    >>> WeisfeilerLehman(h=1, normalise=False)([water, hydroxide])
    array([[10.,  5.],
           [ 5.,  4.]])
    """

    h: int = 3
    normalise: bool = True

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Check h. Graphs are looked at when they are encoded."""
        h = check_integer("h", self.h, "WeisfeilerLehman", 0)
        return BoundLabels(h, self._normalises())


@final
@dataclass
class ShortestPath(ObjectKernel):
    """Shortest paths: ``k(G, H) = Σ_{u≠v in G} Σ_{u'≠v' in H} [ℓ(u) = ℓ(u')] [ℓ(v) = ℓ(v')] [d(u, v) = d(u', v')]``.

    d is the number of edges of a shortest path from u to v; pairs without a path do not count. Rows are graphs as for
    `WeisfeilerLehman`; labels of edges are not looked at.

    Parameters
    ----------
    normalise : bool
        Whether ``k(G, G) = 1``. A graph without edges has 1 with others of that kind, 0 with the rest.

    References
    ----------
    Borgwardt and Kriegel, Shortest-path kernels on graphs, ICDM 2005.

    Examples
    --------
    >>> from maxmargin.kernels import ShortestPath
    >>> path = [("a", "b"), ("b", "c")], {"a": 1, "b": 1, "c": 1}
    >>> triangle = [(0, 1), (1, 2), (2, 0)], [1, 1, 1]
    >>> ShortestPath(normalise=False)([path, triangle])
    array([[20., 24.],
           [24., 36.]])
    """

    normalise: bool = True

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Nothing to fix. Graphs are looked at when they are encoded."""
        return BoundPaths(self._normalises())
