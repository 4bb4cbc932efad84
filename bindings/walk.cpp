// Stochastic subgradient steps.
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "common.hpp"
#include "maxmargin/linear/subgradient_walk.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

using Mutable = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// What a step does.
struct WalkRule {
  std::optional<RowLossKind> loss;  // else a Python function
  double epsilon;
  nb::object derivative;
  double lambda, delay, scale;
  bool free_offset, growing;
};

void make_rule(WalkRule* place, std::optional<RowLossKind> loss, double epsilon, const nb::object& derivative, double lambda,
               double delay, double scale, bool free_offset, bool growing) {
  new (place) WalkRule{loss, epsilon, derivative, lambda, delay, scale, free_offset, growing};
}

// What a walk stands on: rows with labels, and what it knows of each. theta and moment have the constant feature at their end.
struct WalkGround {
  Vector slope, at_zero;
  Mutable theta, moment, drawn, slopes;

  std::size_t rows() const { return slope.shape(0); }
  std::size_t columns() const { return theta.shape(0) - 1; }
};

void make_ground(WalkGround* place, const Vector& slope, const Vector& at_zero, const Mutable& theta, const Mutable& moment,
                 const Mutable& drawn, const Mutable& slopes) {
  const std::size_t n = slope.shape(0);
  if (at_zero.shape(0) != n || drawn.shape(0) != n || slopes.shape(0) != n)
    throw nb::value_error("There must be one value per row.");
  if (theta.shape(0) == 0 || moment.shape(0) != theta.shape(0)) throw nb::value_error("The moment must be as long as theta.");
  new (place) WalkGround{slope, at_zero, theta, moment, drawn, slopes};
}

void check_draws(const Values<std::int64_t>& draws, std::size_t n) {
  for (std::size_t k = 0; k < draws.shape(0); ++k)
    if (draws.data()[k] < 0 || std::size_t(draws.data()[k]) >= n) throw nb::value_error("A draw must be a row.");
}

bool walk(const WalkRule& rule, const WalkGround& ground, WalkRows& rows, WalkPoint& point, const Values<std::int64_t>& draws) {
  const WalkTerms terms{.slope = ground.slope.data(),
                        .at_zero = ground.at_zero.data(),
                        .lambda = rule.lambda,
                        .delay = rule.delay,
                        .scale = rule.scale,
                        .free_offset = rule.free_offset,
                        .growing = rule.growing};
  const WalkTally tally{.drawn = ground.drawn.data(),
                        .slopes = ground.slopes.data(),
                        .constant = ground.theta.data() + ground.columns(),
                        .constant_moment = ground.moment.data() + ground.columns()};
  const std::span<const std::int64_t> each(draws.data(), draws.shape(0));
  std::function<double(double)> derivative;
  if (rule.loss)
    derivative = [loss = *rule.loss, epsilon = rule.epsilon](double z) { return slope_at(loss, z, epsilon); };
  else
    derivative = [&](double z) {
      const WithGil gil;
      return nb::cast<double>(call_python(rule.derivative, nb::cast(z)));
    };
  return without_gil([&](const Poll&) { return take_steps(each, terms, derivative, rows, point, tally); });
}

bool walk_on_features(const WalkRule& rule, const WalkGround& ground, const FeaturesHandle& x, WalkPoint& point,
                      const Values<std::int64_t>& draws) {
  if (ground.rows() != std::size_t(x.features->rows()) || ground.columns() != std::size_t(x.features->columns()))
    throw nb::value_error("There must be one label per row, and one value of theta per column.");
  check_draws(draws, ground.rows());
  FeatureWalkRows rows(*x.features, ground.theta.data(), ground.moment.data());
  return walk(rule, ground, rows, point, draws);
}

// `row` gives one row of a kernel matrix that is not kept.
bool walk_on_kernel(const WalkRule& rule, const WalkGround& ground, const std::optional<Matrix<double>>& matrix,
                    const nb::object& row, const Mutable& products, WalkPoint& point, const Values<std::int64_t>& draws) {
  const std::size_t n = ground.rows();
  if (ground.columns() != n || products.shape(0) != n || (matrix && (matrix->shape(0) != n || matrix->shape(1) != n)))
    throw nb::value_error("There must be one coefficient and one product per row.");
  check_draws(draws, n);
  std::vector<double> held(matrix ? 0 : n);
  const KernelWalkRows::Row of = [&](Index i) -> const double* {
    if (matrix) return matrix->data() + std::size_t(i) * n;
    const WithGil gil;
    const auto values = nb::cast<Vector>(call_python(row, nb::cast(i)));
    if (values.shape(0) != n) throw nb::value_error("A row must have one value per row.");
    std::copy(values.data(), values.data() + n, held.begin());
    return held.data();
  };
  KernelWalkRows rows(Index(n), of, ground.theta.data(), ground.moment.data(), products.data());
  return walk(rule, ground, rows, point, draws);
}

}  // namespace

void bind_walk(nb::module_& m) {
  nb::class_<WalkRule>(m, "WalkRule")
      .def("__init__", &make_rule, "loss"_a.none(), "epsilon"_a, "derivative"_a.none(), "lam"_a, "delay"_a, "scale"_a,
           "free_offset"_a, "growing"_a);
  nb::class_<WalkGround>(m, "WalkGround")
      .def("__init__", &make_ground, "slope"_a, "at_zero"_a, "theta"_a, "moment"_a, "drawn"_a, "slopes"_a);
  nb::class_<WalkPoint>(m, "WalkPoint")
      .def(nb::init<>())
      .def_rw("steps", &WalkPoint::steps)
      .def_rw("weights", &WalkPoint::weights)
      .def_rw("rates", &WalkPoint::rates)
      .def_rw("b", &WalkPoint::b)
      .def_rw("b_sum", &WalkPoint::b_sum);
  m.def("walk_on_features", &walk_on_features, "rule"_a, "ground"_a, "features"_a, "point"_a, "draws"_a);
  m.def("walk_on_kernel", &walk_on_kernel, "rule"_a, "ground"_a, "K"_a.none(), "row"_a.none(), "Kc"_a, "point"_a, "draws"_a);
}

}  // namespace maxmargin::python
