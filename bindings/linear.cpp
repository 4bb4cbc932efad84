// Linear models: passes over the rows.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "common.hpp"
#include "linear_spec.hpp"
#include "maxmargin/linear/batch.hpp"
#include "maxmargin/linear/evaluation.hpp"
#include "maxmargin/linear/l1/problem.hpp"
#include "maxmargin/rows/checks.hpp"
#include "maxmargin/rows/row_passes.hpp"
#include "watch.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

// All that certificates of linear models see of X.
void with_rows(const FeaturesHandle& x, const std::function<void(RowOperator&)>& body) {
  without_gil([&](const Poll&) {
    RowPasses rows(*x.features);
    body(rows);
  });
}

Result row_products(const FeaturesHandle& x, const Vector& w) {
  if (w.shape(0) != std::size_t(x.features->columns())) throw nb::value_error("w must have one value per column.");
  std::vector<double> out(x.features->rows());
  with_rows(x, [&](RowOperator& rows) { rows.scores(w.data(), out.data()); });
  return to_numpy(std::move(out));
}

Result row_sum(const FeaturesHandle& x, const Vector& coefficients) {
  if (coefficients.shape(0) != std::size_t(x.features->rows())) throw nb::value_error("There must be one coefficient per row.");
  std::vector<double> out(x.features->columns());
  with_rows(x, [&](RowOperator& rows) { rows.combine(coefficients.data(), out.data()); });
  return to_numpy(std::move(out));
}

// Of each column the sum of c_i x_ik^2.
Result column_squares(const FeaturesHandle& x, const Vector& coefficients) {
  if (coefficients.shape(0) != std::size_t(x.features->rows())) throw nb::value_error("There must be one coefficient per row.");
  std::vector<double> out(x.features->columns());
  with_rows(x, [&](RowOperator& rows) { rows.squares(coefficients.data(), out.data()); });
  return to_numpy(std::move(out));
}

// Sums over the rows of a linear model; slopes or None.
struct RowSums {
  EvaluatedRows rows;
  nb::object slopes;
};

RowSums evaluate_rows_of(RowLossKind loss, double epsilon, const Vector& scores, const Vector& y, const Vector& cost,
                         const Vector& alpha, double shrink, bool with_slopes) {
  const std::size_t n = scores.shape(0);
  if (y.shape(0) != n || cost.shape(0) != n || alpha.shape(0) != n) throw nb::value_error("There must be one value per row.");
  RowSums found;
  {
    const nb::gil_scoped_release release;
    found.rows = evaluate_rows(loss, epsilon, n, scores.data(), y.data(), cost.data(), alpha.data(), shrink, with_slopes);
  }
  found.slopes = with_slopes ? nb::cast(to_numpy(std::move(found.rows.slopes))) : nb::none();
  return found;
}

struct Moments {
  nb::object mean, variance;
};

// Mean, of dense rows less the first row, and variance of each column.
Moments column_moments(const FeaturesHandle& x) {
  const auto d = std::size_t(x.features->columns());
  std::vector<double> mean(d), variance(d);
  with_rows(x, [&](RowOperator& rows) { rows.moments(mean.data(), variance.data()); });
  return {.mean = nb::cast(to_numpy(std::move(mean))), .variance = nb::cast(to_numpy(std::move(variance)))};
}

// Of the wanted columns of a sparse matrix, from what their values are off the mean; 0 of the others.
template <class V, class I>
Result exact_variances(const Values<I>& indices, const Values<V>& data, std::int64_t rows, const Vector& mean,
                       const Values<bool>& wanted) {
  if (indices.size() != data.size() || wanted.size() != mean.size()) throw nb::value_error("There must be an index a value.");
  std::vector<double> variance(mean.size());
  without_gil([&](const Poll&) {
    column_variances(indices.data(), data.data(), std::int64_t(data.size()), rows, {mean.data(), mean.size()}, wanted.data(),
                     variance.data());
  });
  return to_numpy(std::move(variance));
}

// Weights, offset and multipliers, where a search begins or ends.
struct LinearResult {
  LinearOutcome outcome;
  bool interrupted = false;
  nb::object w, alpha, trace;
};

LinearResult linear_result(LinearOutcome outcome, bool interrupted) {
  LinearResult result;
  result.w = nb::cast(to_numpy(std::move(outcome.w)));
  result.alpha = nb::cast(to_numpy(std::move(outcome.alpha)));
  result.trace = nb::cast(as_bytes(std::move(outcome.trace)));
  result.interrupted = interrupted && outcome.termination == Termination::stopped;
  result.outcome = std::move(outcome);
  return result;
}

struct LinearStart {
  LinearOutcome point;
};

void make_start(LinearStart* place, const Vector& w, double b, const Vector& alpha) {
  auto* const made = new (place) LinearStart;
  made->point.w.assign(w.data(), w.data() + w.shape(0));
  made->point.b = b;
  made->point.alpha.assign(alpha.data(), alpha.data() + alpha.shape(0));
}

std::vector<LinearResult> minimise_linear(const std::vector<const LinearSpec*>& specs,
                                          const std::vector<const LinearStart*>& starts, const LimitsHandle& limits,
                                          LinearMethod method, std::uint64_t seed, const nb::object& monitor) {
  if (specs.empty()) return {};
  std::vector<LinearProblem> problems;
  std::vector<LinearOutcome> points;
  for (const LinearSpec* spec : specs) {
    if (spec == nullptr) throw nb::type_error("A problem must be a LinearSpec.");
    problems.push_back(spec->problem());
    if (problems.back().x != problems.front().x) throw nb::value_error("The problems of a batch must have the same rows.");
  }
  if (!starts.empty() && starts.size() != specs.size()) throw nb::value_error("There must be one start per problem, or none.");
  for (const LinearStart* start : starts) {
    points.push_back(start == nullptr ? LinearOutcome() : start->point);
    if (start != nullptr && (start->point.alpha.size() != std::size_t(problems.front().x->rows()) ||
                             start->point.w.size() != std::size_t(problems.front().x->columns())))
      throw nb::value_error("A start must have one weight per column and one multiplier per row.");
  }
  Watch watch(monitor, limits.max_seconds);
  std::vector<LinearOutcome> outcomes;
  {
    const WithoutGil release;
    outcomes = minimise_linear_batch(problems, points, method, seed, {limits.tol, limits.max_steps}, watch);
    watch.finish();
  }
  std::vector<LinearResult> results;
  results.reserve(outcomes.size());
  for (LinearOutcome& outcome : outcomes) results.push_back(linear_result(std::move(outcome), watch.interrupted()));
  return results;
}

std::vector<std::vector<LinearResult>> minimise_paths(const std::vector<std::vector<const LinearSpec*>>& paths,
                                                      const LimitsHandle& limits) {
  std::vector<std::vector<LinearProblem>> problems(paths.size());
  for (std::size_t k = 0; k < paths.size(); ++k) {
    for (const LinearSpec* spec : paths[k]) {
      if (spec == nullptr) throw nb::type_error("A problem must be a LinearSpec.");
      problems[k].push_back(spec->problem());
      if (problems[k].back().x != problems[k].front().x)
        throw nb::value_error("The problems of a path must have the same rows.");
    }
  }
  const nb::object nobody = nb::none();
  Watch watch(nobody, limits.max_seconds);
  std::vector<std::vector<LinearOutcome>> outcomes;
  {
    const WithoutGil release;
    outcomes = minimise_linear_paths(problems, {limits.tol, limits.max_steps}, watch);
    watch.finish();
  }
  std::vector<std::vector<LinearResult>> results(paths.size());
  for (std::size_t k = 0; k < paths.size(); ++k)
    for (LinearOutcome& outcome : outcomes[k]) results[k].push_back(linear_result(std::move(outcome), watch.interrupted()));
  return results;
}

// A linear model with an L1 penalty, with its arrays.
struct L1Spec {
  FeaturesHandle features;
  Vector y, cost;
  SmoothLoss loss;
  double epsilon;
  LinearOffset offset;
  double offset_scale, l1;
};

void make_l1_spec(L1Spec* place, const FeaturesHandle& features, const Vector& y, const Vector& cost, SmoothLoss loss,
                  double epsilon, LinearOffset offset, double offset_scale, double l1) {
  const auto n = std::size_t(features.features->rows());
  if (y.shape(0) != n || cost.shape(0) != n) throw nb::value_error("Labels and costs must have one value per row.");
  new (place) L1Spec{features, y, cost, loss, epsilon, offset, offset_scale, l1};
}

LinearResult minimise_with_l1(const L1Spec& spec, const LinearStart* start, const LimitsHandle& limits,
                              const nb::object& monitor) {
  if (start != nullptr && start->point.w.size() != std::size_t(spec.features.features->columns()))
    throw nb::value_error("A start must have one weight per column.");
  LinearOutcome outcome;
  Watch watch(monitor, limits.max_seconds);
  const Poll insist = [&] { watch.insist(); };
  {
    const WithoutGil release;
    const Watched watched(insist);
    const L1Problem problem{.x = spec.features.features.get(),
                            .columns = spec.features.features.get(),
                            .y = spec.y.data(),
                            .C = spec.cost.data(),
                            .loss = spec.loss,
                            .epsilon = spec.epsilon,
                            .offset = spec.offset,
                            .offset_scale = spec.offset_scale,
                            .l1 = spec.l1,
                            .ridge = 1.0 - spec.l1};
    outcome = minimise_l1(
        problem, {limits.tol, limits.max_steps, watch.deadline()}, [&](const Progress& p) { return watch.at_checkpoint(p); },
        start ? &start->point : nullptr);
  }
  return linear_result(std::move(outcome), watch.interrupted());
}

void bind_sums(nb::module_& m) {
  nb::enum_<RowLossKind>(m, "RowLoss")
      .value("hinge", RowLossKind::hinge)
      .value("squared_hinge", RowLossKind::squared_hinge)
      .value("logistic", RowLossKind::logistic)
      .value("exponential", RowLossKind::exponential)
      .value("tube", RowLossKind::tube)
      .value("squared_tube", RowLossKind::squared_tube)
      .value("square", RowLossKind::square)
      .value("perceptron", RowLossKind::perceptron);
  nb::class_<RowSums>(m, "RowSums")
      .def_ro("slopes", &RowSums::slopes)
      .def_prop_ro("lost", [](const RowSums& r) { return r.rows.lost; })
      .def_prop_ro("conjugates", [](const RowSums& r) { return r.rows.conjugates; })
      .def_prop_ro("size", [](const RowSums& r) { return r.rows.size; })
      .def_prop_ro("abs_sum", [](const RowSums& r) { return r.rows.abs_sum; })
      .def_prop_ro("reach", [](const RowSums& r) { return r.rows.reach; })
      .def_prop_ro("worst", [](const RowSums& r) { return r.rows.worst; });
  nb::class_<Moments>(m, "Moments").def_ro("mean", &Moments::mean).def_ro("variance", &Moments::variance);
}

void bind_specs(nb::module_& m) {
  nb::enum_<MarginLoss>(m, "MarginLoss")
      .value("hinge", MarginLoss::hinge)
      .value("squared_hinge", MarginLoss::squared_hinge)
      .value("logistic", MarginLoss::logistic)
      .value("exponential", MarginLoss::exponential)
      .value("tube", MarginLoss::tube)
      .value("squared_tube", MarginLoss::squared_tube);
  nb::enum_<SmoothLoss>(m, "SmoothLoss")
      .value("squared_hinge", SmoothLoss::squared_hinge)
      .value("logistic", SmoothLoss::logistic)
      .value("squared_tube", SmoothLoss::squared_tube);
  nb::enum_<LinearOffset>(m, "LinearOffset")
      .value("none", LinearOffset::none)
      .value("free", LinearOffset::free)
      .value("penalised", LinearOffset::penalised);
  nb::enum_<LinearMethod>(m, "LinearMethod")
      .value("newton", LinearMethod::newton)
      .value("coordinates", LinearMethod::coordinates);
  nb::class_<LinearSpec>(m, "LinearSpec")
      .def("__init__", &make_spec, nb::kw_only(), "features"_a, "y"_a, "cost"_a, "loss"_a, "target"_a.none(), "epsilon"_a,
           "offset"_a, "offset_scale"_a, "penalty"_a);
  nb::class_<L1Spec>(m, "L1Spec")
      .def("__init__", &make_l1_spec, nb::kw_only(), "features"_a, "y"_a, "cost"_a, "loss"_a, "epsilon"_a, "offset"_a,
           "offset_scale"_a, "l1"_a);
  nb::class_<LinearStart>(m, "LinearStart").def("__init__", &make_start, "w"_a, "b"_a, "alpha"_a);
  nb::class_<LinearResult>(m, "LinearResult")
      .def_ro("w", &LinearResult::w)
      .def_ro("alpha", &LinearResult::alpha)
      .def_ro("trace", &LinearResult::trace)
      .def_ro("interrupted", &LinearResult::interrupted)
      .def_prop_ro("b", [](const LinearResult& r) { return r.outcome.b; })
      .def_prop_ro("termination", [](const LinearResult& r) { return r.outcome.termination; })
      .def_prop_ro("rounds", [](const LinearResult& r) { return r.outcome.rounds; })
      .def_prop_ro("separates", [](const LinearResult& r) { return r.outcome.separates; });
}

}  // namespace

void bind_linear(nb::module_& m) {
  m.def("row_products", &row_products, "features"_a, "w"_a);
  bind_specs(m);
  bind_sums(m);
  m.def("minimise_linear", &minimise_linear, "specs"_a, "starts"_a, "limits"_a, nb::kw_only(), "method"_a, "seed"_a,
        "monitor"_a.none());
  m.def("minimise_linear_paths", &minimise_paths, "paths"_a, "limits"_a);
  m.def("minimise_l1", &minimise_with_l1, "spec"_a, "start"_a.none(), "limits"_a, "monitor"_a.none());
  m.def("evaluate_rows", &evaluate_rows_of, nb::kw_only(), "loss"_a, "epsilon"_a, "scores"_a, "y"_a, "cost"_a, "alpha"_a,
        "shrink"_a, "with_slopes"_a);
  m.def("column_moments", &column_moments, "features"_a);
  const auto offer = [&m]<class V, class I>(V, I) {
    m.def("exact_variances", &exact_variances<V, I>, "indices"_a.noconvert(), "data"_a.noconvert(), "rows"_a, "mean"_a,
          "wanted"_a);
  };
  offer(double(), std::int32_t());
  offer(double(), std::int64_t());
  offer(float(), std::int32_t());
  offer(float(), std::int64_t());
  m.def("column_squares", &column_squares, "features"_a, "coefficients"_a);
  m.def("row_sum", &row_sum, "features"_a, "coefficients"_a);
}

}  // namespace maxmargin::python
