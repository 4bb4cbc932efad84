// The engine, several problems at once, with signals and progress; and the evaluation of what it finds.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "batch.hpp"
#include "maxmargin/crammer_singer/problem.hpp"
#include "maxmargin/dual/assembly.hpp"
#include "maxmargin/dual/batch.hpp"
#include "maxmargin/dual/continuation.hpp"
#include "maxmargin/dual/engine.hpp"
#include "maxmargin/dual/evaluation.hpp"
#include "maxmargin/dual/paths.hpp"
#include "watch.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

void make_batch(BatchHandle* place, const nb::sequence& grams, const Vector& q, const Vector& lower, const Vector& upper,
                const std::optional<Vector>& D, double l1_weight, bool offset, const Vector& total,
                const std::optional<Vector>& abs_sum, bool abs_sum_may_fall) {
  auto* const made = new (place) BatchHandle{
      .handles = nb::cast<std::vector<const GramHandle*>>(nb::object(grams)),
      .grams = nb::tuple(grams),  // nobody can take one away
      .q = nb::cast(q),
      .lower = nb::cast(lower),
      .upper = nb::cast(upper),
      .ridge = D ? nb::cast(*D) : nb::none(),
      .total = nb::cast(total),
      .abs_sum = abs_sum ? nb::cast(*abs_sum) : nb::none(),
      .sizes = {},
      .batch = {.grams = {},
                .starts = {0},
                .q = q.data(),
                .lower = lower.data(),
                .upper = upper.data(),
                .ridge = D ? D->data() : nullptr,
                .l1_weight = l1_weight,
                .offset = offset,
                .sum = total.data(),
                .abs_sum = abs_sum ? abs_sum->data() : nullptr,
                .abs_sum_may_fall = abs_sum_may_fall},
  };
  try {
    DualBatch& batch = made->batch;
    for (const GramHandle* handle : made->handles) {
      if (handle == nullptr) throw nb::type_error("A source of kernel values must be a Gram.");
      batch.grams.push_back(handle->gram.get());
      batch.starts.push_back(batch.starts.back() + handle->gram->size());
      made->sizes.push_back(std::size_t(handle->gram->size()));
    }
    for (const Vector* v : {&q, &lower, &upper}) made->require_rows(*v);
    if (D) made->require_rows(*D);
    if (total.shape(0) != batch.size() || (abs_sum && abs_sum->shape(0) != batch.size()))
      throw nb::value_error("There must be one total and one abs_sum per problem.");
  } catch (...) {
    made->~BatchHandle();
    throw;
  }
}

// A point to begin at, and its scores.
struct Beginning {
  nb::object beta, scores;
};

std::optional<Beginning> continue_from(const BatchHandle& handle, const Indices& support, const Vector& beta,
                                       const Vector& cost) {
  const DualBatch& batch = handle.batch;
  const std::span rows(support.data(), support.size());
  if (batch.size() != 1 || batch.ridge != nullptr || batch.abs_sum != nullptr || batch.l1_weight != 0 || !batch.offset ||
      batch.sum[0] != 0)
    throw nb::value_error("Only one soft margin can be continued at a time.");
  if (beta.size() != rows.size() || cost.size() != rows.size())
    throw nb::value_error("There must be a coefficient and a cost for each row of support.");
  if (!std::all_of(rows.begin(), rows.end(), [&](Index row) { return 0 <= row && row < batch.rows(); }))
    throw nb::value_error("A row of support is outside the problem.");
  std::optional<StartingPoint> found = without_gil([&](const Poll& poll) {
    return continued(batch.gram(0), {batch.q, batch.lower, batch.upper},
                     {rows, {beta.data(), rows.size()}, {cost.data(), rows.size()}}, poll);
  });
  if (!found) return std::nullopt;
  return Beginning{.beta = nb::cast(to_numpy(std::move(found->beta))), .scores = nb::cast(to_numpy(std::move(found->scores)))};
}

// What a search found, problem after problem.
struct SearchResult {
  std::vector<Outcome> outcomes;
  bool interrupted = false;  // by Ctrl-C
  nb::object beta, trace;
};

// One value of each problem.
template <class V, class Get>
nb::object column(std::size_t count, const Get& get) {
  std::vector<V> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = V(get(k));
  return nb::cast(to_numpy(std::move(values)));
}

SearchResult search(const BatchHandle& handle, const Vector& beta, const Vector& gradient, const LimitsHandle& limits,
                    std::size_t cache_bytes, bool shrinking, Origin origin, const nb::object& monitor) {
  handle.require_rows(beta);
  handle.require_rows(gradient);
  SearchResult result;
  Watch watch(monitor, limits.max_seconds);
  {
    const WithoutGil release;
    const Options options{
        .tol = limits.tol, .max_steps = limits.max_steps, .cache_bytes = cache_bytes, .shrinking = shrinking, .origin = origin};
    result.outcomes = minimise_batch(handle.batch, beta.data(), gradient.data(), options, watch);
    watch.finish();
  }
  result.interrupted = watch.interrupted();
  std::vector<double> points;
  std::vector<Progress> trace;
  points.reserve(std::size_t(handle.batch.rows()));
  for (const Outcome& outcome : result.outcomes) {
    points.insert(points.end(), outcome.beta.begin(), outcome.beta.end());
    trace.insert(trace.end(), outcome.trace.begin(), outcome.trace.end());
  }
  result.beta = nb::cast(to_numpy(std::move(points)));
  result.trace = nb::cast(as_bytes(std::move(trace)));
  return result;
}

// The problem of Crammer and Singer with its arrays.
struct CrammerSingerSpec {
  GramHandle gram;
  Indices label;
  Vector upper;
  bool offsets;
};

void make_crammer_singer_spec(CrammerSingerSpec* place, const GramHandle& gram, const Indices& label, const Vector& upper,
                              bool offsets) {
  const auto n = std::size_t(gram.gram->size());
  if (label.shape(0) != n || upper.shape(0) != n) throw nb::value_error("Labels and bounds must have one value per row.");
  new (place) CrammerSingerSpec{gram, label, upper, offsets};
}

// Coefficients and offsets, and how the search ended there.
struct CrammerSingerResult {
  nb::object beta, bias, trace;
  Termination termination;
  bool interrupted;
  std::int64_t steps, rows_made;
};

CrammerSingerResult search_crammer_singer(const CrammerSingerSpec& spec, const Matrix<double>& beta, const Vector& bias,
                                          const LimitsHandle& limits, std::size_t cache_bytes, const nb::object& monitor) {
  const Gram& gram = *spec.gram.gram;
  const auto n = std::size_t(gram.size());
  if (beta.shape(0) != n) throw nb::value_error("There must be one row of coefficients per row.");
  if (bias.shape(0) != beta.shape(1)) throw nb::value_error("There must be as many offsets as classes.");
  const auto classes = Index(beta.shape(1));
  const std::span labels(spec.label.data(), n);
  if (!std::all_of(labels.begin(), labels.end(), [&](Index label) { return 0 <= label && label < classes; }))
    throw nb::value_error("A label is outside the classes.");
  CrammerSingerOutcome outcome;
  Watch watch(monitor, limits.max_seconds);
  {
    const WithoutGil release;
    const Poll poll = [&] { watch.insist(); };
    const Watched watched(poll);
    const CrammerSingerDual problem{Index(n), classes, spec.label.data(), spec.upper.data(), spec.offsets};
    const Options options{
        .tol = limits.tol, .max_steps = limits.max_steps, .deadline = watch.deadline(), .cache_bytes = cache_bytes};
    const Monitor monitored = [&](const Progress& p) { return watch.at_checkpoint(p); };
    outcome = with_room_for(n, std::size_t(classes), 6, "the search", [&] {
      return minimise_crammer_singer(problem, gram, beta.data(), bias.data(), options, monitored);
    });
  }
  return {.beta = nb::cast(to_numpy(std::move(outcome.beta), {n, std::size_t(classes)})),
          .bias = nb::cast(to_numpy(std::move(outcome.bias))),
          .trace = nb::cast(as_bytes(std::move(outcome.trace))),
          .termination = outcome.termination,
          .interrupted = watch.interrupted() && outcome.termination == Termination::stopped,
          .steps = outcome.steps,
          .rows_made = outcome.rows_made};
}

void bind_crammer_singer(nb::module_& m) {
  nb::class_<CrammerSingerSpec>(m, "CrammerSingerSpec")
      .def("__init__", &make_crammer_singer_spec, nb::kw_only(), "gram"_a, "label"_a, "upper"_a, "offsets"_a);
  nb::class_<CrammerSingerResult>(m, "CrammerSingerResult")
      .def_ro("beta", &CrammerSingerResult::beta)
      .def_ro("bias", &CrammerSingerResult::bias)
      .def_ro("trace", &CrammerSingerResult::trace)
      .def_ro("termination", &CrammerSingerResult::termination)
      .def_ro("interrupted", &CrammerSingerResult::interrupted)
      .def_ro("steps", &CrammerSingerResult::steps)
      .def_ro("rows_made", &CrammerSingerResult::rows_made);
  m.def("search_crammer_singer", &search_crammer_singer, "spec"_a, "beta"_a, "bias"_a, "limits"_a, "cache_bytes"_a,
        "monitor"_a.none());
}

// Evaluations of points, problem after problem.
struct Evaluations {
  BatchEvaluation all;
  nb::object scores, support, boundary;  // rows: places among those of all problems
};

Evaluations evaluate(const BatchHandle& handle, const Vector& beta, const std::optional<Vector>& known) {
  handle.require_rows(beta);
  if (known) handle.require_rows(*known);
  Evaluations found;
  const DualBatch& batch = handle.batch;
  found.all =
      without_gil([&](const Poll& poll) { return evaluate_batch(batch, beta.data(), known ? known->data() : nullptr, poll); });
  std::vector<std::int64_t> support, boundary;
  for (std::size_t k = 0; k < batch.size(); ++k) {
    for (const Index i : found.all.found[k].support) support.push_back(batch.starts[k] + i);
    for (const Index i : found.all.found[k].boundary) boundary.push_back(batch.starts[k] + i);
  }
  found.scores = known ? nb::cast(*known) : nb::cast(to_numpy(std::move(found.all.scores)));
  found.support = nb::cast(to_numpy(std::move(support)));
  found.boundary = nb::cast(to_numpy(std::move(boundary)));
  return found;
}

struct Margins {
  nb::object beta, scores, deficit, sides, costs, bias, certificates;
};

Margins margins_of(const Evaluations& evaluations, const BatchHandle& handle, const Vector& beta) {
  handle.require_rows(beta);
  const auto scores = nb::cast<Vector>(evaluations.scores);
  handle.require_rows(scores);
  const std::vector<Evaluation>& found = evaluations.all.found;
  if (found.size() != handle.batch.size()) throw nb::value_error("These are evaluations of other problems.");
  MarginColumns columns = margin_columns(handle.batch, beta.data(), scores.data(), found);
  const auto held = [](auto& values) { return nb::cast(to_numpy(std::move(values))); };
  return {.beta = held(columns.beta),
          .scores = held(columns.scores),
          .deficit = held(columns.deficit),
          .sides = held(columns.sides),
          .costs = held(columns.costs),
          .bias = held(columns.bias),
          .certificates = nb::cast(as_bytes(std::move(columns.certificates)))};
}

void bind_batches(nb::module_& m) {
  nb::enum_<Origin>(m, "Origin").value("cold", Origin::cold).value("warm", Origin::warm).value("resumed", Origin::resumed);
  nb::class_<BatchHandle>(m, "DualBatch")
      .def("__init__", &make_batch, nb::kw_only(), "grams"_a, "q"_a, "lower"_a, "upper"_a, "D"_a.none(), "l1_weight"_a,
           "offset"_a, "total"_a, "abs_sum"_a.none(), "abs_sum_may_fall"_a)
      .def_ro("grams", &BatchHandle::grams)
      .def_ro("q", &BatchHandle::q)
      .def_ro("lower", &BatchHandle::lower)
      .def_ro("upper", &BatchHandle::upper)
      .def_ro("D", &BatchHandle::ridge)
      .def_ro("total", &BatchHandle::total)
      .def_ro("abs_sum", &BatchHandle::abs_sum)
      .def_ro("sizes", &BatchHandle::sizes)
      .def_prop_ro("bounded",
                   [](const BatchHandle& b) {
                     const std::span upper(b.batch.upper, std::size_t(b.batch.rows()));
                     return std::all_of(upper.begin(), upper.end(), [](double bound) { return std::isfinite(bound); });
                   })
      .def_prop_ro("l1_weight", [](const BatchHandle& b) { return b.batch.l1_weight; })
      .def_prop_ro("offset", [](const BatchHandle& b) { return b.batch.offset; })
      .def_prop_ro("abs_sum_may_fall", [](const BatchHandle& b) { return b.batch.abs_sum_may_fall; });
  const auto counted = [](auto get) {
    return [get](const SearchResult& r) {
      return column<std::int64_t>(r.outcomes.size(), [&](std::size_t k) { return get(r.outcomes[k]); });
    };
  };
  nb::class_<SearchResult>(m, "SearchResult")
      .def_ro("beta", &SearchResult::beta)
      .def_ro("trace", &SearchResult::trace)
      .def_ro("interrupted", &SearchResult::interrupted)
      .def_prop_ro("converged",
                   [](const SearchResult& r) {
                     return std::all_of(r.outcomes.begin(), r.outcomes.end(),
                                        [](const Outcome& o) { return o.termination == Termination::converged; });
                   })
      .def_prop_ro("terminations",
                   [](const SearchResult& r) {
                     std::vector<Termination> terminations;
                     terminations.reserve(r.outcomes.size());
                     for (const Outcome& outcome : r.outcomes) terminations.push_back(outcome.termination);
                     return terminations;
                   })
      .def_prop_ro("steps", counted([](const Outcome& o) { return o.steps; }))
      .def_prop_ro("rows_made", counted([](const Outcome& o) { return o.rows_made; }))
      .def_prop_ro("newton_rounds", counted([](const Outcome& o) { return o.newton_rounds; }))
      .def_prop_ro("negative_curvature", counted([](const Outcome& o) { return o.negative_curvature; }))
      .def_prop_ro("checkpoints", counted([](const Outcome& o) { return o.trace.size(); }));
  nb::class_<Beginning>(m, "Beginning").def_ro("beta", &Beginning::beta).def_ro("scores", &Beginning::scores);
  m.def("continued", &continue_from, "batch"_a, "support"_a, "beta"_a, "cost"_a);
  nb::class_<Margins>(m, "Margins")
      .def_ro("beta", &Margins::beta)
      .def_ro("scores", &Margins::scores)
      .def_ro("deficit", &Margins::deficit)
      .def_ro("sides", &Margins::sides)
      .def_ro("costs", &Margins::costs)
      .def_ro("bias", &Margins::bias)
      .def_ro("certificates", &Margins::certificates);
  nb::class_<Evaluation>(m, "Evaluation")
      .def_ro("bias", &Evaluation::bias)
      .def_ro("bias_low", &Evaluation::bias_low)
      .def_ro("bias_high", &Evaluation::bias_high)
      .def_ro("cost", &Evaluation::nu_multiplier)
      .def_ro("primal", &Evaluation::primal)
      .def_ro("dual", &Evaluation::dual)
      .def_ro("violation", &Evaluation::violation)
      .def_ro("square_norm", &Evaluation::square_norm)
      .def_ro("abs_sum", &Evaluation::abs_sum)
      .def_ro("infeasibility", &Evaluation::infeasibility)
      .def_ro("rounding", &Evaluation::rounding)
      .def_ro("shift", &Evaluation::shift)
      .def_ro("score_scale", &Evaluation::score_scale);
  nb::class_<Allowed>(m, "Allowed")
      .def(nb::init<double, double, double, double>(), nb::kw_only(), "violation"_a, "gap"_a, "rounding"_a, "infeasibility"_a);
  nb::class_<Evaluations>(m, "Evaluations")
      .def_ro("scores", &Evaluations::scores)
      .def_ro("support", &Evaluations::support)
      .def_ro("boundary", &Evaluations::boundary)
      .def_prop_ro("n_support",
                   [](const Evaluations& e) {
                     return column<std::int64_t>(e.all.found.size(), [&](auto k) { return e.all.found[k].support.size(); });
                   })
      .def_prop_ro("n_boundary",
                   [](const Evaluations& e) {
                     return column<std::int64_t>(e.all.found.size(), [&](auto k) { return e.all.found[k].boundary.size(); });
                   })
      .def(
          "are_optimal",
          [](const Evaluations& e, const Allowed& allowed) {
            return std::all_of(e.all.found.begin(), e.all.found.end(), [&](const auto& j) { return is_optimal(j, allowed); });
          },
          "allowed"_a)
      .def(
          "optimal",
          [](const Evaluations& e, const Allowed& allowed) {
            return column<std::uint8_t>(e.all.found.size(), [&](auto k) { return is_optimal(e.all.found[k], allowed); });
          },
          "allowed"_a)
      .def(
          "are_settled",
          [](const Evaluations& e, const Allowed& allowed) {
            return std::all_of(e.all.found.begin(), e.all.found.end(), [&](const auto& j) {
              return is_optimal(j, allowed) || (!is_stationary(j, allowed) && is_clear(j, allowed) && std::isfinite(j.dual));
            });
          },
          "allowed"_a)
      .def("margins", &margins_of, "batch"_a, "beta"_a)
      .def("__getitem__", [](const Evaluations& e, std::size_t k) {
        if (k >= e.all.found.size()) throw nb::index_error();
        return e.all.found[k];
      });
  m.def("search", &search, "batch"_a, "beta"_a, "gradient"_a, "limits"_a, nb::kw_only(), "cache_bytes"_a, "shrinking"_a,
        "origin"_a, "monitor"_a.none());
  m.def("evaluate", &evaluate, "batch"_a, "beta"_a, "scores"_a.none());
}

}  // namespace

void bind_solving(nb::module_& m) {
  bind_batches(m);
  bind_crammer_singer(m);
}

}  // namespace maxmargin::python
