// Paths of fits on the same rows.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "batch.hpp"
#include "maxmargin/dual/paths.hpp"
#include "watch.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

// What was found on a path: arrays of (stages, rows of all problems), of (stages, rows that the problems hold out) and of
// (stages, problems).
struct PathResult {
  nb::object beta, held_out, bias, optimal, converged, primal, dual, steps;
};

struct PathsResult {
  std::vector<PathResult> paths;
  bool interrupted;
};

// Puts the problems of a path among the rows of larger Grams.
void put_into(Path& path, const std::vector<const GramHandle*>& around, const Indices& members) {
  const DualBatch& batch = *path.stages[0];
  if (around.size() != batch.size() || members.shape(0) != std::size_t(batch.rows()))
    throw nb::value_error("Each problem needs a larger Gram, and each of its rows a place there.");
  for (std::size_t k = 0; k < batch.size(); ++k) {
    if (around[k] == nullptr || around[k]->gram->is_opaque())
      throw nb::value_error("A path needs kernel values that do not come from Python.");
    const Gram& gram = *around[k]->gram;
    const Index* const own = members.data() + batch.starts[k];
    const Index rows = batch.gram(k).size();
    for (Index i = 0; i < rows; ++i)
      if (own[i] < 0 || own[i] >= gram.size() || (i > 0 && own[i] <= own[i - 1]))
        throw nb::value_error("The places of rows in a larger Gram must ascend, and be among its rows.");
    path.around.push_back(&gram);
    path.members.push_back(own);
  }
}

Path path_of(const std::vector<const BatchHandle*>& stages, const std::vector<std::optional<Vector>>& starts) {
  if (stages.empty() || stages.size() != starts.size())
    throw nb::value_error("A path needs stages, and for each of them a start or None.");
  Path path;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (stages[s] == nullptr) throw nb::type_error("A stage must be a DualBatch.");
    const DualBatch& batch = stages[s]->batch;
    if (batch.starts != stages[0]->batch.starts) throw nb::value_error("All stages of a path must have the same rows.");
    for (const Gram* gram : batch.grams)
      if (gram->is_opaque()) throw nb::value_error("A path needs kernel values that do not come from Python.");
    const std::optional<Vector>& start = starts[s];
    if (start)
      stages[s]->require_rows(*start);
    else if (batch.abs_sum != nullptr)
      throw nb::value_error("A stage that keeps a sum of sizes needs a start.");
    path.stages.push_back(&batch);
    path.starts.push_back(start ? start->data() : nullptr);
  }
  return path;
}

PathResult result_of(const std::vector<std::vector<PathPoint>>& stages, const Path& path) {
  const DualBatch& batch = *path.stages[0];
  const std::size_t rows = std::size_t(batch.rows()), problems = batch.size();
  std::size_t others = 0;
  for (std::size_t k = 0; k < problems; ++k) others += std::size_t(path.gram(k).size() - batch.gram(k).size());
  std::vector<double> beta, held_out, bias, primal, dual;
  std::vector<std::uint8_t> optimal, converged;
  std::vector<std::int64_t> steps;
  beta.reserve(stages.size() * rows);
  for (const std::vector<PathPoint>& stage : stages)
    for (std::size_t k = 0; k < problems; ++k) {
      const PathPoint& point = stage[k];
      const std::size_t n = std::size_t(batch.gram(k).size());
      const bool reached = point.beta.size() == n;
      beta.insert(beta.end(), point.beta.begin(), point.beta.end());
      beta.resize(beta.size() + (reached ? 0 : n));
      held_out.insert(held_out.end(), point.held_out.begin(), point.held_out.end());
      held_out.resize(held_out.size() + (reached ? 0 : std::size_t(path.gram(k).size()) - n));
      primal.push_back(point.evaluation.primal);
      dual.push_back(point.evaluation.dual);
      bias.push_back(reached ? point.evaluation.bias + point.evaluation.shift : 0.0);
      optimal.push_back(reached && point.optimal && !point.negative_curvature);
      converged.push_back(reached && point.termination == Termination::converged && !point.negative_curvature);
      steps.push_back(point.steps);
    }
  const std::initializer_list<std::size_t> by_problem{stages.size(), problems};
  return {.beta = nb::cast(to_numpy(std::move(beta), {stages.size(), rows})),
          .held_out = nb::cast(to_numpy(std::move(held_out), {stages.size(), others})),
          .bias = nb::cast(to_numpy(std::move(bias), by_problem)),
          .optimal = nb::cast(to_numpy(std::move(optimal), by_problem)),
          .converged = nb::cast(to_numpy(std::move(converged), by_problem)),
          .primal = nb::cast(to_numpy(std::move(primal), by_problem)),
          .dual = nb::cast(to_numpy(std::move(dual), by_problem)),
          .steps = nb::cast(to_numpy(std::move(steps), by_problem))};
}

PathsResult search_paths(const std::vector<std::vector<const BatchHandle*>>& batches,
                         const std::vector<std::vector<std::optional<Vector>>>& starts,
                         const std::vector<std::vector<const GramHandle*>>& around,
                         const std::vector<std::optional<Indices>>& members, const LimitsHandle& limits, const Allowed& allowed,
                         std::size_t cache_bytes, bool shrinking) {
  if (batches.size() != starts.size() || batches.size() != around.size() || batches.size() != members.size())
    throw nb::value_error("Each path needs its starts, and larger Grams or none.");
  std::vector<Path> paths;
  paths.reserve(batches.size());
  for (std::size_t p = 0; p < batches.size(); ++p) {
    paths.push_back(path_of(batches[p], starts[p]));
    const std::optional<Indices>& some = members[p];
    if (some) put_into(paths.back(), around[p], *some);
  }
  std::vector<std::vector<std::vector<PathPoint>>> found;
  const nb::object nobody = nb::none();
  Watch watch(nobody, limits.max_seconds);
  {
    const WithoutGil release;
    const Options options{.tol = limits.tol, .max_steps = limits.max_steps, .cache_bytes = cache_bytes, .shrinking = shrinking};
    found = minimise_paths(paths, allowed, options, watch);
    watch.finish();
  }
  PathsResult result{{}, watch.interrupted()};
  for (std::size_t p = 0; p < found.size(); ++p) result.paths.push_back(result_of(found[p], paths[p]));
  return result;
}

}  // namespace

void bind_paths(nb::module_& m) {
  nb::class_<PathResult>(m, "PathResult")
      .def_ro("beta", &PathResult::beta)
      .def_ro("held_out", &PathResult::held_out)
      .def_ro("bias", &PathResult::bias)
      .def_ro("optimal", &PathResult::optimal)
      .def_ro("converged", &PathResult::converged)
      .def_ro("primal", &PathResult::primal)
      .def_ro("dual", &PathResult::dual)
      .def_ro("steps", &PathResult::steps);
  nb::class_<PathsResult>(m, "PathsResult")
      .def_ro("paths", &PathsResult::paths)
      .def_ro("interrupted", &PathsResult::interrupted);
  m.def("search_paths", &search_paths, "batches"_a, "starts"_a, "around"_a, "members"_a, "limits"_a, nb::kw_only(), "allowed"_a,
        "cache_bytes"_a, "shrinking"_a);
}

}  // namespace maxmargin::python
