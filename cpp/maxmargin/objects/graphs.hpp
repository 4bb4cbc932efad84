// Features of graphs whose nodes have labels.
#pragma once

#include <memory>
#include <vector>

#include "maxmargin/objects/counted_features.hpp"

namespace maxmargin {

// Graph g has the nodes node_starts[g] ... node_starts[g + 1] - 1. An edge goes from `from` to `to`, nodes of one graph; an
// edge without direction stands twice.
struct LabelledGraphs {
  std::vector<std::int64_t> node_starts;
  std::vector<std::int32_t> node_labels;
  std::vector<std::int64_t> from, to;
  std::vector<std::int32_t> edge_labels;
};

// Weisfeiler and Lehman's labels: those given, and those of `rounds` refinements, in each of which a node's label becomes that
// of itself and of its neighbours with the edges to them. k counts pairs of nodes of equal label in each round (Shervashidze et
// al. 2011).
std::unique_ptr<Objects> make_refined_labels(const LabelledGraphs& graphs, int rounds, Index first_column);

// Pairs of nodes (u, v) with a path from u to v: the labels of both and the number of edges of the shortest one (Borgwardt and
// Kriegel 2005).
std::unique_ptr<Objects> make_shortest_paths(const LabelledGraphs& graphs, Index first_column);

}  // namespace maxmargin
