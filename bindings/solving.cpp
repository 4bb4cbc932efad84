// The engine, several problems at once, with signals and progress; and the judge of what it finds.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "common.hpp"
#include "maxmargin/engine.hpp"
#include "maxmargin/joint.hpp"
#include "maxmargin/judge.hpp"
#include "maxmargin/thread_pool.hpp"
#include "watch.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

// One problem with a point of it as Python hands them over, in the order of the canonical dual's fields. `vector` is the
// gradient at the point for the engine, the scores for the judge.
struct Task {
  const GramHandle* gram;
  Vector q, lower, upper;
  std::optional<Vector> ridge;
  double kink;
  bool offset;
  double total;
  std::optional<double> mass;
  bool mass_may_fall;
  Vector beta, vector;

  explicit Task(const nb::tuple& t)
      : gram(nb::cast<const GramHandle*>(t[0])),
        q(nb::cast<Vector>(t[1])),
        lower(nb::cast<Vector>(t[2])),
        upper(nb::cast<Vector>(t[3])),
        ridge(nb::cast<std::optional<Vector>>(t[4])),
        kink(nb::cast<double>(t[5])),
        offset(nb::cast<bool>(t[6])),
        total(nb::cast<double>(t[7])),
        mass(nb::cast<std::optional<double>>(t[8])),
        mass_may_fall(nb::cast<bool>(t[9])),
        beta(nb::cast<Vector>(t[10])),
        vector(nb::cast<Vector>(t[11])) {
    const std::size_t n = gram->gram->size();
    for (const Vector* v : {&q, &lower, &upper, &beta, &vector})
      if (v->shape(0) != n) throw nb::value_error("All vectors of a problem must have one value per row.");
    if (ridge && ridge->shape(0) != n) throw nb::value_error("ridge must have one value per row.");
  }
  SignedDual problem() const {
    return {.n = gram->gram->size(),
            .q = q.data(),
            .lower = lower.data(),
            .upper = upper.data(),
            .ridge = ridge ? ridge->data() : nullptr,
            .kink = kink,
            .keep = mass     ? Keep::sides
                    : offset ? Keep::total
                             : Keep::nothing,
            .total = total,
            .mass = mass.value_or(0.0),
            .mass_may_fall = mass_may_fall};
  }
};

std::vector<Task> as_tasks(const nb::list& problems) {
  std::vector<Task> tasks;
  for (const nb::handle item : problems) tasks.emplace_back(nb::cast<nb::tuple>(item));
  return tasks;
}

nb::tuple as_tuple(Outcome outcome, bool interrupted) {
  return nb::make_tuple(to_numpy(std::move(outcome.beta)), int(outcome.ending),
                        interrupted && outcome.ending == Ending::stopped, outcome.steps, outcome.rows_made,
                        outcome.newton_rounds, outcome.negative_curvature, as_table(outcome.trace));
}

nb::list minimise_all(const nb::list& problems, double tol, std::int64_t max_steps, double max_seconds, std::size_t cache_bytes,
                      bool shrinking, bool resumed, const nb::object& monitor) {
  const std::vector<Task> tasks = as_tasks(problems);
  const bool opaque = std::any_of(tasks.begin(), tasks.end(), [](const Task& task) { return task.gram->gram->is_opaque(); });
  std::vector<Outcome> outcomes(tasks.size());
  Watch watch(monitor, max_seconds);
  {
    const nb::gil_scoped_release release;
    const Monitor at_checkpoint = [&](const Progress& p) { return watch.at_checkpoint(p); };
    const bool together = tasks.size() > 1 && !opaque;
    // At most so many run at once, so that each one's share of the memory does not depend on the number of threads.
    const std::size_t at_once = together ? std::min<std::size_t>(tasks.size(), 16) : 1;
    const std::size_t share = cache_bytes / at_once;
    const auto one = [&](std::ptrdiff_t k) {
      if (watch.stopped()) {  // before it began
        outcomes[k].beta.assign(tasks[k].beta.data(), tasks[k].beta.data() + tasks[k].beta.shape(0));
        outcomes[k].ending = Ending::stopped;
        return;
      }
      const Options options{tol, max_steps, watch.seconds_left(), share, shrinking, tasks.size() == 1, resumed};
      outcomes[k] = minimise(tasks[k].problem(), *tasks[k].gram->gram, tasks[k].beta.data(), tasks[k].vector.data(), options,
                             at_checkpoint);
    };
    std::atomic<std::size_t> next{0};
    const auto in_turn = [&](std::ptrdiff_t) {
      for (std::size_t k = next++; k < tasks.size(); k = next++) one(std::ptrdiff_t(k));
    };
    parallel_chunks(std::ptrdiff_t(at_once), in_turn, [&] { watch.while_waiting(); });
    watch.rethrow();
  }
  nb::list result;
  for (Outcome& outcome : outcomes) result.append(as_tuple(std::move(outcome), watch.interrupted()));
  return result;
}

nb::tuple minimise_classes(const GramHandle& gram, const Indices& label, const Vector& upper, const Matrix<double>& beta,
                           const Vector& bias, bool offsets, double tol, std::int64_t max_steps, double max_seconds,
                           std::size_t cache_bytes, const nb::object& monitor) {
  const auto n = std::size_t(gram.gram->size());
  if (label.shape(0) != n || upper.shape(0) != n || beta.shape(0) != n)
    throw nb::value_error("Labels, bounds and coefficients must have one value per row.");
  if (bias.shape(0) != beta.shape(1)) throw nb::value_error("There must be as many offsets as classes.");
  const auto classes = Index(beta.shape(1));
  for (std::size_t i = 0; i < n; ++i)
    if (label.data()[i] < 0 || label.data()[i] >= classes) throw nb::value_error("A label is outside the classes.");
  JointOutcome outcome;
  Watch watch(monitor, max_seconds);
  {
    const nb::gil_scoped_release release;
    const JointDual problem{Index(n), classes, label.data(), upper.data(), offsets};
    const Options options{.tol = tol, .max_steps = max_steps, .max_seconds = max_seconds, .cache_bytes = cache_bytes};
    outcome = minimise_joint(problem, *gram.gram, beta.data(), bias.data(), options,
                             [&](const Progress& p) { return watch.at_checkpoint(p); });
  }
  return nb::make_tuple(to_numpy(std::move(outcome.beta), {n, std::size_t(classes)}), to_numpy(std::move(outcome.bias)),
                        int(outcome.ending), watch.interrupted() && outcome.ending == Ending::stopped, outcome.steps,
                        outcome.rows_made, as_table(outcome.trace));
}

nb::list judge_all(const nb::list& problems) {
  const std::vector<Task> tasks = as_tasks(problems);
  std::vector<Judgement> found(tasks.size());
  {
    const nb::gil_scoped_release release;
    const auto one = [&](std::ptrdiff_t k) {
      found[k] = judge(tasks[k].problem(), tasks[k].beta.data(), tasks[k].vector.data());
    };
    std::size_t rows = 0;
    for (const Task& task : tasks) rows += task.beta.shape(0);
    if (rows < 4096)  // some nanoseconds a row: threads would take longer to wake
      for (std::size_t k = 0; k < tasks.size(); ++k) one(std::ptrdiff_t(k));
    else
      parallel_chunks(std::ptrdiff_t(tasks.size()), one);
  }
  nb::list result;
  for (Judgement& j : found)
    result.append(nb::make_tuple(to_numpy(std::move(j.support)), to_numpy(std::move(j.boundary)), j.bias, j.bias_low,
                                 j.bias_high, j.price, j.violation, j.primal, j.dual, j.square_norm, j.mass, j.infeasibility));
  return result;
}

}  // namespace

void bind_solving(nb::module_& m) {
  m.def("minimise", &minimise_all, "problems"_a, "tol"_a, "max_steps"_a, "max_seconds"_a, "cache_bytes"_a, "shrinking"_a,
        "resumed"_a, "monitor"_a.none());
  m.def("minimise_joint", &minimise_classes, "gram"_a, "label"_a, "upper"_a, "beta"_a, "bias"_a, "offsets"_a, "tol"_a,
        "max_steps"_a, "max_seconds"_a, "cache_bytes"_a, "monitor"_a.none());
  m.def("judge", &judge_all, "problems"_a);
}

}  // namespace maxmargin::python
