// Objects that are no vectors: encoded by Python as flat arrays, copied and checked here.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "common.hpp"
#include "maxmargin/objects/alignments.hpp"
#include "maxmargin/objects/bags.hpp"
#include "maxmargin/objects/combined_objects.hpp"
#include "maxmargin/objects/graphs.hpp"
#include "maxmargin/objects/kmers.hpp"
#include "maxmargin/objects/object_gram.hpp"
#include "maxmargin/objects/position_matches.hpp"
#include "maxmargin/objects/subsequences.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

struct ObjectsHandle {
  std::shared_ptr<const Objects> objects;
  std::vector<nb::object> owners;
};
struct KeptRowsHandle {
  std::shared_ptr<const KeptRows> rows;
  Index size;
  std::vector<nb::object> owners;
};

template <class V>
std::vector<V> copied(const Values<V>& values) {
  return {values.data(), values.data() + values.shape(0)};
}

// From 0 to the end, never back.
void require_starts(const std::vector<std::int64_t>& starts, std::size_t end, const char* what) {
  const bool whole = !starts.empty() && starts.front() == 0 && starts.back() == std::int64_t(end);
  if (!whole || !std::is_sorted(starts.begin(), starts.end())) throw nb::value_error(what);
}

template <class V>
void require_below(const std::vector<V>& values, std::int64_t end, const char* what) {
  for (const V value : values)
    if (value < 0 || std::int64_t(value) >= end) throw nb::value_error(what);
}

SymbolRuns runs_of(const Values<std::int32_t>& symbols, const Values<std::int64_t>& starts, const Indices& owners,
                   std::int64_t alphabet, Index size) {
  SymbolRuns runs{copied(symbols), copied(starts), {owners.data(), owners.data() + owners.shape(0)}, alphabet, size};
  require_starts(runs.starts, runs.symbols.size(), "The runs do not fit the symbols.");
  if (runs.owners.size() + 1 != runs.starts.size() || !std::is_sorted(runs.owners.begin(), runs.owners.end()))
    throw nb::value_error("Each run needs the object it belongs to, in ascending order.");
  require_below(runs.owners, size, "A run belongs to no object.");
  require_below(runs.symbols, alphabet, "A symbol is outside the alphabet.");
  return runs;
}

void require_column(Index first_column, Index size) {
  if (first_column < 0 || first_column > size) throw nb::value_error("The first column is outside the objects.");
}

ObjectsHandle kmers(const SymbolRuns& runs, int length, const std::vector<int>& kept, const std::vector<std::int64_t>& weights,
                    Index first_column) {
  require_column(first_column, runs.size);
  if (length < 1 || kept.size() != weights.size()) throw nb::value_error("Each rule needs its weight, and a length above 0.");
  std::vector<GapRule> rules;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (kept[k] < 0 || kept[k] > length) throw nb::value_error("A rule keeps more positions than there are.");
    rules.push_back({kept[k], weights[k]});
  }
  return {
      without_gil([&](const Poll&) { return std::shared_ptr<const Objects>(make_kmers(runs, length, rules, first_column)); }),
      {}};
}

void require_one_run_each(const SymbolRuns& runs) {
  if (runs.owners.size() != std::size_t(runs.size)) throw nb::value_error("Each object must be one run.");
}

ObjectsHandle position_matches(const SymbolRuns& runs, const Vector& weights) {
  require_one_run_each(runs);
  return {std::make_shared<PositionMatches>(runs, std::vector<double>(weights.data(), weights.data() + weights.shape(0))), {}};
}

ObjectsHandle subsequences(const SymbolRuns& runs, int length, double decay) {
  require_one_run_each(runs);
  if (length < 1) throw nb::value_error("The length must be positive.");
  return {without_gil([&](const Poll&) { return std::make_shared<Subsequences>(runs, length, decay); }), {}};
}

ObjectsHandle alignments(const Matrix<double>& moments, const Values<std::int64_t>& starts, double rate, bool normalised) {
  SeriesRuns series{{moments.data(), moments.data() + moments.size()}, copied(starts), Index(moments.shape(1))};
  require_starts(series.starts, moments.shape(0), "The series do not fit the moments.");
  return {without_gil([&](const Poll&) { return std::make_shared<Alignments>(std::move(series), rate, normalised); }), {}};
}

LabelledGraphs graphs_of(const Values<std::int64_t>& node_starts, const Values<std::int32_t>& node_labels,
                         const Values<std::int64_t>& from, const Values<std::int64_t>& to,
                         const Values<std::int32_t>& edge_labels) {
  LabelledGraphs graphs{copied(node_starts), copied(node_labels), copied(from), copied(to), copied(edge_labels)};
  require_starts(graphs.node_starts, graphs.node_labels.size(), "The graphs do not fit the nodes.");
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (std::int64_t(graphs.node_labels.size()) > most) throw nb::value_error("The graphs have more than 2147483647 nodes.");
  if (graphs.from.size() != graphs.to.size() || graphs.from.size() != graphs.edge_labels.size())
    throw nb::value_error("Each edge needs two ends and a label.");
  require_below(graphs.node_labels, most, "A node label is negative.");
  require_below(graphs.edge_labels, most, "An edge label is negative.");
  const auto count = std::int64_t(graphs.node_labels.size());
  require_below(graphs.from, count, "An edge ends at no node.");
  require_below(graphs.to, count, "An edge ends at no node.");
  const auto graph_of = [&](std::int64_t node) {
    return std::upper_bound(graphs.node_starts.begin(), graphs.node_starts.end(), node) - graphs.node_starts.begin();
  };
  for (std::size_t e = 0; e < graphs.from.size(); ++e)
    if (graph_of(graphs.from[e]) != graph_of(graphs.to[e])) throw nb::value_error("An edge goes from one graph to another.");
  return graphs;
}

ObjectsHandle refined_labels(const LabelledGraphs& graphs, int rounds, Index first_column) {
  require_column(first_column, Index(graphs.node_starts.size()) - 1);
  if (rounds < 0) throw nb::value_error("The number of rounds must not be negative.");
  return {without_gil(
              [&](const Poll&) { return std::shared_ptr<const Objects>(make_refined_labels(graphs, rounds, first_column)); }),
          {}};
}

ObjectsHandle shortest_paths(const LabelledGraphs& graphs, Index first_column) {
  require_column(first_column, Index(graphs.node_starts.size()) - 1);
  return {without_gil([&](const Poll&) { return std::shared_ptr<const Objects>(make_shortest_paths(graphs, first_column)); }),
          {}};
}

ObjectsHandle bags(const GramHandle& members, const Indices& starts) {
  std::vector<Index> begins(starts.data(), starts.data() + starts.shape(0));
  if (begins.empty() || begins.front() != 0 || begins.back() > members.gram->size() ||
      !std::is_sorted(begins.begin(), begins.end()))
    throw nb::value_error("The bags do not fit their members.");
  return {std::make_shared<Bags>(members.gram, std::move(begins)), members.owners};
}

std::vector<nb::object> owners_of(const ObjectsHandle& left, const ObjectsHandle& right) {
  std::vector<nb::object> both = left.owners;
  both.insert(both.end(), right.owners.begin(), right.owners.end());
  return both;
}

void require_equal_sizes(const ObjectsHandle& left, const ObjectsHandle& right) {
  if (left.objects->size() != right.objects->size()) throw nb::value_error("Both kernels must have the same objects.");
}

std::vector<Index> within(const Indices& indices, Index size) {
  std::vector<Index> result(indices.data(), indices.data() + indices.shape(0));
  require_below(result, size, "An object's number is outside the collection.");
  return result;
}

Result block_of(const ObjectsHandle& self, const Indices& rows, const Indices& columns) {
  const auto left = within(rows, self.objects->size()), right = within(columns, self.objects->size());
  std::vector<double> out = room_for(left.size(), right.size(), "kernel values");
  without_gil([&](const Poll&) { object_block(*self.objects, left, right, out.data()); });
  return to_numpy(std::move(out), {left.size(), right.size()});
}

Result own_values(const ObjectsHandle& self) {
  std::vector<double> out(std::size_t(self.objects->size()));
  without_gil([&](const Poll&) {
    for (Index i = 0; i < self.objects->size(); ++i) {
      poll_now();
      out[i] = self.objects->own(i);
    }
  });
  return to_numpy(std::move(out));
}

GramHandle object_gram(const KeptRowsHandle& self, const std::optional<Indices>& subset) {
  return {make_object_gram(self.rows, subset ? within(*subset, self.size) : std::vector<Index>()), self.owners};
}

}  // namespace

void bind_objects(nb::module_& m) {
  const nb::class_<SymbolRuns> runs(m, "SymbolRuns");
  m.def("symbol_runs", &runs_of, "symbols"_a.noconvert(), "starts"_a.noconvert(), "owners"_a.noconvert(), "alphabet"_a,
        "size"_a);
  const nb::class_<LabelledGraphs> graphs(m, "LabelledGraphs");
  m.def("labelled_graphs", &graphs_of, "node_starts"_a.noconvert(), "node_labels"_a.noconvert(), "sources"_a.noconvert(),
        "targets"_a.noconvert(), "edge_labels"_a.noconvert());
  nb::class_<ObjectsHandle>(m, "Objects")
      .def_prop_ro("size", [](const ObjectsHandle& self) { return self.objects->size(); })
      .def("block", &block_of, "rows"_a, "columns"_a)
      .def("own", &own_values)
      .def("plus",
           [](const ObjectsHandle& a, const ObjectsHandle& b) {
             require_equal_sizes(a, b);
             return ObjectsHandle{sum_of(a.objects, b.objects), owners_of(a, b)};
           })
      .def("times",
           [](const ObjectsHandle& a, const ObjectsHandle& b) {
             require_equal_sizes(a, b);
             return ObjectsHandle{product_of(a.objects, b.objects), owners_of(a, b)};
           })
      .def(
          "scaled",
          [](const ObjectsHandle& a, double factor, double constant) {
            return ObjectsHandle{scaled(a.objects, factor, constant), a.owners};
          },
          "factor"_a, "constant"_a = 0.0)
      .def(
          "power",
          [](const ObjectsHandle& a, int exponent) {
            if (exponent < 1) throw nb::value_error("The exponent must be positive.");
            return ObjectsHandle{power_of(a.objects, exponent), a.owners};
          },
          "exponent"_a)
      .def("normalised",
           [](const ObjectsHandle& a) {
             return ObjectsHandle{without_gil([&](const Poll&) { return normalised(a.objects); }), a.owners};
           })
      .def(
          "kept",
          [](const ObjectsHandle& a, std::size_t bytes) {
            return KeptRowsHandle{keep_rows(a.objects, bytes), a.objects->size(), a.owners};
          },
          "bytes"_a);
  nb::class_<KeptRowsHandle>(m, "KeptRows").def("gram", &object_gram, "subset"_a.none());
  m.def("kmers", &kmers, "runs"_a, "length"_a, "kept"_a, "weights"_a, "first_column"_a);
  m.def("position_matches", &position_matches, "runs"_a, "weights"_a);
  m.def("subsequences", &subsequences, "runs"_a, "length"_a, "decay"_a);
  m.def("alignments", &alignments, "moments"_a.noconvert(), "starts"_a.noconvert(), "rate"_a, "normalised"_a);
  m.def("refined_labels", &refined_labels, "graphs"_a, "rounds"_a, "first_column"_a);
  m.def("shortest_paths", &shortest_paths, "graphs"_a, "first_column"_a);
  m.def("bags", &bags, "members"_a, "starts"_a);
}

}  // namespace maxmargin::python
