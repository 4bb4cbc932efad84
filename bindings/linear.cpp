// Linear models: passes over the rows.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "common.hpp"
#include "maxmargin/l1.hpp"
#include "maxmargin/linear.hpp"
#include "maxmargin/linear_judge.hpp"
#include "maxmargin/linear_passes.hpp"
#include "watch.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

Result row_products(const FeaturesHandle& x, const Vector& w) {
  if (w.shape(0) != std::size_t(x.features->columns())) throw nb::value_error("w must have one value per column.");
  std::vector<double> out(x.features->rows());
  without_gil([&](const Poll&) { LinearPasses(*x.features).products(w.data(), out.data()); });
  return to_numpy(std::move(out));
}

Result row_sum(const FeaturesHandle& x, const Vector& coefficients) {
  if (coefficients.shape(0) != std::size_t(x.features->rows())) throw nb::value_error("There must be one coefficient per row.");
  std::vector<double> out(x.features->columns());
  without_gil([&](const Poll&) { LinearPasses(*x.features).combine(coefficients.data(), out.data()); });
  return to_numpy(std::move(out));
}

// Of each column the sum of c_i x_ik^2.
Result column_squares(const FeaturesHandle& x, const Vector& coefficients) {
  if (coefficients.shape(0) != std::size_t(x.features->rows())) throw nb::value_error("There must be one coefficient per row.");
  std::vector<double> out(x.features->columns());
  without_gil([&](const Poll&) { LinearPasses(*x.features).squares(coefficients.data(), out.data()); });
  return to_numpy(std::move(out));
}

// Mean, of dense rows less the first row, and variance of each column.
Result column_moments(const FeaturesHandle& x) {
  const auto d = std::size_t(x.features->columns());
  std::vector<double> out(2 * d);
  without_gil([&](const Poll&) { LinearPasses(*x.features).moments(out.data(), out.data() + d); });
  return to_numpy(std::move(out), {std::size_t(2), d});
}

// lost, conjugates, size, mass, reach, worst, slopes or None
nb::tuple judge_rows_of(int loss, double epsilon, const Vector& scores, const Vector& y, const Vector& price,
                        const Vector& alpha, double shrink, bool with_slopes) {
  const std::size_t n = scores.shape(0);
  if (y.shape(0) != n || price.shape(0) != n || alpha.shape(0) != n) throw nb::value_error("There must be one value per row.");
  if (loss < 0 || loss > int(RowLossKind::perceptron)) throw nb::value_error("unknown loss");
  JudgedRows rows;
  {
    const nb::gil_scoped_release release;
    rows = judge_rows(RowLossKind(loss), epsilon, n, scores.data(), y.data(), price.data(), alpha.data(), shrink, with_slopes);
  }
  const nb::object slopes = with_slopes ? nb::cast(to_numpy(std::move(rows.slopes))) : nb::none();
  return nb::make_tuple(rows.lost, rows.conjugates, rows.size, rows.mass, rows.reach, rows.worst, slopes);
}

using Start = std::tuple<Vector, double, Vector>;  // w, b, alpha

// w, b, alpha, ending, interrupted, rounds, separates, trace
nb::tuple minimise_linear(const FeaturesHandle& x, const Vector& y, const Vector& price, int loss,
                          const std::optional<Vector>& target, double epsilon, int offset, double offset_scale, bool penalty,
                          const std::optional<Start>& start, bool by_newton, std::uint64_t seed, double tol,
                          std::int64_t max_rounds, double max_seconds, const nb::object& monitor) {
  const auto n = std::size_t(x.features->rows());
  if (y.shape(0) != n || price.shape(0) != n) throw nb::value_error("Labels and prices must have one value per row.");
  if (loss < 0 || loss > int(MarginLoss::squared_tube)) throw nb::value_error("unknown loss");
  if ((loss >= int(MarginLoss::tube)) != target.has_value() || (target && target->shape(0) != n))
    throw nb::value_error("A tube must have one target per row, other losses none.");
  if (offset < 0 || offset > int(LinearOffset::penalised)) throw nb::value_error("unknown offset");
  LinearOutcome outcome, begin;
  if (start) {
    const auto& [w, b, alpha] = *start;
    if (alpha.shape(0) != n || w.shape(0) != std::size_t(x.features->columns()))
      throw nb::value_error("A start must have one weight per column and one multiplier per row.");
    begin.w.assign(w.data(), w.data() + w.shape(0));
    begin.b = b;
    begin.alpha.assign(alpha.data(), alpha.data() + n);
  }
  Watch watch(monitor, max_seconds);
  const Poll poll = [&] { watch.insist(); };
  {
    const WithoutGil release;
    const Watched watched(poll);
    const LinearProblem problem{x.features.get(),
                                y.data(),
                                price.data(),
                                MarginLoss(loss),
                                LinearOffset(offset),
                                offset_scale,
                                penalty,
                                target ? target->data() : nullptr,
                                epsilon};
    const LinearOptions options{tol, max_rounds, max_seconds};
    const Monitor at_checkpoint = [&](const Progress& p) { return watch.at_checkpoint(p); };
    outcome = by_newton ? minimise_by_newton(problem, options, at_checkpoint, start ? &begin : nullptr)
                        : minimise_by_coordinates(problem, seed, options, at_checkpoint);
  }
  return nb::make_tuple(to_numpy(std::move(outcome.w)), outcome.b, to_numpy(std::move(outcome.alpha)), int(outcome.ending),
                        watch.interrupted() && outcome.ending == Ending::stopped, outcome.rounds, outcome.separates,
                        as_table(outcome.trace));
}

// w, b, beta, ending, interrupted, rounds, trace
nb::tuple minimise_with_l1(const FeaturesHandle& x, const Vector& y, const Vector& price, int loss, double epsilon, int offset,
                           double offset_scale, double tol, std::int64_t max_rounds, double max_seconds,
                           const nb::object& monitor) {
  const auto n = std::size_t(x.features->rows());
  if (y.shape(0) != n || price.shape(0) != n) throw nb::value_error("Labels and prices must have one value per row.");
  if (loss < 0 || loss > int(SmoothLoss::squared_tube)) throw nb::value_error("unknown loss");
  if (offset < 0 || offset > int(LinearOffset::penalised)) throw nb::value_error("unknown offset");
  LinearOutcome outcome;
  Watch watch(monitor, max_seconds);
  const Poll poll = [&] { watch.insist(); };
  {
    const WithoutGil release;
    const Watched watched(poll);
    const L1Problem problem{x.features.get(),     y.data(),    price.data(), SmoothLoss(loss), epsilon,
                            LinearOffset(offset), offset_scale};
    outcome = minimise_l1(problem, {tol, max_rounds, max_seconds}, [&](const Progress& p) { return watch.at_checkpoint(p); });
  }
  return nb::make_tuple(to_numpy(std::move(outcome.w)), outcome.b, to_numpy(std::move(outcome.alpha)), int(outcome.ending),
                        watch.interrupted() && outcome.ending == Ending::stopped, outcome.rounds, as_table(outcome.trace));
}

}  // namespace

void bind_linear(nb::module_& m) {
  m.def("row_products", &row_products, "features"_a, "w"_a);
  m.def("minimise_linear", &minimise_linear, "features"_a, "y"_a, "price"_a, "loss"_a, "target"_a.none(), "epsilon"_a,
        "offset"_a, "offset_scale"_a, "penalty"_a, "start"_a.none(), "by_newton"_a, "seed"_a, "tol"_a, "max_rounds"_a,
        "max_seconds"_a, "monitor"_a.none());
  m.def("minimise_l1", &minimise_with_l1, "features"_a, "y"_a, "price"_a, "loss"_a, "epsilon"_a, "offset"_a, "offset_scale"_a,
        "tol"_a, "max_rounds"_a, "max_seconds"_a, "monitor"_a.none());
  m.def("judge_rows", &judge_rows_of, "loss"_a, "epsilon"_a, "scores"_a, "y"_a, "price"_a, "alpha"_a, "shrink"_a,
        "with_slopes"_a);
  m.def("column_moments", &column_moments, "features"_a);
  m.def("column_squares", &column_squares, "features"_a, "coefficients"_a);
  m.def("row_sum", &row_sum, "features"_a, "coefficients"_a);
}

}  // namespace maxmargin::python
