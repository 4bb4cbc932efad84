#include "maxmargin/objects/graphs.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>

#include "maxmargin/objects/ranks.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

// The edges of each node, one after the other.
struct Neighbours {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> nodes;
  std::vector<std::int32_t> labels;
};

Neighbours neighbours_of(const LabelledGraphs& graphs) {
  Neighbours found;
  found.starts.assign(graphs.node_labels.size() + 1, 0);
  for (const std::int64_t node : graphs.from) ++found.starts[node + 1];
  std::partial_sum(found.starts.begin(), found.starts.end(), found.starts.begin());
  std::vector<std::int64_t> next(found.starts.begin(), found.starts.end() - 1);
  found.nodes.resize(graphs.from.size());
  found.labels.resize(graphs.from.size());
  for (std::size_t e = 0; e < graphs.from.size(); ++e) {
    const std::int64_t place = next[graphs.from[e]]++;
    found.nodes[place] = graphs.to[e];
    found.labels[place] = graphs.edge_labels[e];
  }
  return found;
}

std::vector<Index> graph_of_nodes(const LabelledGraphs& graphs) {
  std::vector<Index> owners(graphs.node_labels.size());
  for (std::size_t g = 0; g + 1 < graphs.node_starts.size(); ++g)
    std::fill(owners.begin() + graphs.node_starts[g], owners.begin() + graphs.node_starts[g + 1], Index(g));
  return owners;
}

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 31;
  x *= 0x9e3779b97f4a7c15U;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9U;
  return x ^ x >> 32;
}

// New labels: equal for nodes of equal label whose neighbours have equal labels. How many there are.
std::uint64_t refine(const Neighbours& neighbours, std::vector<std::uint64_t>& labels) {
  const std::size_t n = labels.size();
  std::vector<std::uint64_t> around(neighbours.nodes.size());  // of each node, sorted
  std::vector<std::uint64_t> hashes(n);
  constexpr std::size_t batch = 4096;
  parallel_chunks(std::ptrdiff_t((n + batch - 1) / batch), [&](std::ptrdiff_t chunk) {
    for (std::size_t v = std::size_t(chunk) * batch; v < std::min(n, (std::size_t(chunk) + 1) * batch); ++v) {
      const auto begin = neighbours.starts[v], end = neighbours.starts[v + 1];
      for (auto e = begin; e < end; ++e) around[e] = labels[neighbours.nodes[e]] << 32 | std::uint32_t(neighbours.labels[e]);
      std::sort(around.begin() + begin, around.begin() + end);
      std::uint64_t hash = mixed(labels[v] + 1);
      for (auto e = begin; e < end; ++e) hash = mixed(hash ^ (around[e] + 0x632be59bd9b4e019U));
      hashes[v] = hash;
    }
  });
  const auto list = [&](std::uint32_t v) {
    return std::span(around).subspan(std::size_t(neighbours.starts[v]),
                                     std::size_t(neighbours.starts[v + 1] - neighbours.starts[v]));
  };
  const auto before = [&](std::uint32_t u, std::uint32_t v) {
    if (hashes[u] != hashes[v]) return hashes[u] < hashes[v];
    if (labels[u] != labels[v]) return labels[u] < labels[v];
    const auto a = list(u), b = list(v);
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  };
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  poll_now();
  std::sort(order.begin(), order.end(), before);
  std::vector<std::uint64_t> refined(n);
  std::uint64_t count = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (k == 0 || before(order[k - 1], order[k])) ++count;
    refined[order[k]] = count - 1;
  }
  labels.swap(refined);
  return count;
}

// The pairs of nodes of one graph, with their counts.
struct PathCounts {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> counts;
};

PathCounts paths_of(const LabelledGraphs& graphs, const Neighbours& neighbours, std::size_t g, std::uint64_t labels,
                    std::uint64_t lengths) {
  const std::int64_t begin = graphs.node_starts[g], end = graphs.node_starts[g + 1];
  std::vector<std::int64_t> distance(std::size_t(end - begin)), queue;
  std::vector<std::uint64_t> keys;
  for (std::int64_t source = begin; source < end; ++source) {
    poll_now();
    std::fill(distance.begin(), distance.end(), -1);
    distance[source - begin] = 0;
    queue.assign(1, source);
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const std::int64_t node = queue[head];
      for (auto e = neighbours.starts[node]; e < neighbours.starts[node + 1]; ++e) {
        const std::int64_t other = neighbours.nodes[e];
        if (distance[other - begin] >= 0) continue;
        distance[other - begin] = distance[node - begin] + 1;
        queue.push_back(other);
        const auto ends = std::uint64_t(graphs.node_labels[source]) * labels + std::uint64_t(graphs.node_labels[other]);
        keys.push_back(ends * lengths + std::uint64_t(distance[other - begin]));
      }
    }
  }
  std::sort(keys.begin(), keys.end());
  PathCounts found;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (k == 0 || keys[k] != keys[k - 1]) {
      found.keys.push_back(keys[k]);
      found.counts.push_back(0);
    }
    ++found.counts.back();
  }
  return found;
}

}  // namespace

std::unique_ptr<Objects> make_refined_labels(const LabelledGraphs& graphs, int rounds, Index first_column) {
  const auto size = Index(graphs.node_starts.size() - 1);
  const Neighbours neighbours = neighbours_of(graphs);
  std::vector<std::uint64_t> labels(graphs.node_labels.begin(), graphs.node_labels.end());
  std::uint64_t range = labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
  auto counted = std::make_unique<CountedFeatures>(size, first_column);
  for (int round = 0;; ++round) {
    Occurrences found;
    found.keys = labels;
    found.rows = graph_of_nodes(graphs);
    found.range = range;
    counted->add(FeatureLists(std::move(found), size, first_column));
    if (round == rounds) break;
    range = refine(neighbours, labels);
  }
  counted->finish();
  return counted;
}

std::unique_ptr<Objects> make_shortest_paths(const LabelledGraphs& graphs, Index first_column) {
  const std::size_t size = graphs.node_starts.size() - 1;
  const Neighbours neighbours = neighbours_of(graphs);
  std::uint64_t labels = 1, lengths = 1;
  for (const std::int32_t label : graphs.node_labels) labels = std::max(labels, std::uint64_t(label) + 1);
  for (std::size_t g = 0; g < size; ++g)
    lengths = std::max(lengths, std::uint64_t(graphs.node_starts[g + 1] - graphs.node_starts[g]) + 1);
  if (labels > (std::uint64_t(1) << 62) / labels / lengths)
    throw std::length_error("The graphs have more kinds of node pairs than 64 bits can number. Use fewer labels.");
  std::vector<PathCounts> paths(size);
  parallel_chunks(std::ptrdiff_t(size),
                  [&](std::ptrdiff_t g) { paths[g] = paths_of(graphs, neighbours, std::size_t(g), labels, lengths); });
  Occurrences found;
  found.range = labels * labels * lengths;
  for (std::size_t g = 0; g < size; ++g) {
    found.keys.insert(found.keys.end(), paths[g].keys.begin(), paths[g].keys.end());
    found.counts.insert(found.counts.end(), paths[g].counts.begin(), paths[g].counts.end());
    found.rows.insert(found.rows.end(), paths[g].keys.size(), Index(g));
  }
  auto counted = std::make_unique<CountedFeatures>(Index(size), first_column);
  counted->add(FeatureLists(std::move(found), Index(size), first_column));
  counted->finish();
  return counted;
}

}  // namespace maxmargin
