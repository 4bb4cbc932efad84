#include "maxmargin/linear/nearby_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/linear/losses.hpp"

namespace maxmargin {

namespace {

constexpr int most_doublings = 8, most_cuts = 10;
constexpr double least_factor = 0.25;

// The root of a slope that rises, from 0 on: doubled until it is passed, then cut (Illinois). Not below `least`.
template <class Slope>
double root(const Slope& slope, double first, double least) {
  double low = 0, at_low = slope(0.0);
  if (at_low == 0) return 0;
  double step = at_low < 0 ? first : std::max(-first, least), high = step, at_high = slope(high);
  for (int doubled = 0; doubled < most_doublings && at_low * at_high > 0; ++doubled) {
    if (high == least) return high;
    low = high;
    at_low = at_high;
    high = std::max(4 * high, least);
    at_high = slope(high);
  }
  if (at_low * at_high > 0) return high;
  double found = high;
  for (int cut = 0; cut < most_cuts && at_high != 0; ++cut) {
    found = high - at_high * (high - low) / (at_high - at_low);
    const double at_found = slope(found);
    if (at_found * at_high < 0) {
      low = high;
      at_low = at_high;
    } else {
      at_low *= 0.5;
    }
    high = found;
    at_high = at_found;
    if (std::abs(high - low) <= 1e-3 * std::abs(found)) break;
  }
  return found;
}

// Sum of C_i u_i loss'(m_i + h u_i), of the hinge or its square, less its sign. Four sums: one would wait for each
// addition.
template <bool squared, class Direction>
double pull(const LinearProblem& problem, const std::vector<double>& margins, double h, const Direction& u) {
  const auto n = Index(margins.size());
  double sum[4] = {0, 0, 0, 0};
  const auto share = [&](Index i) {
    const double slack = 1.0 - (margins[i] + h * u(i));
    const double slope = squared ? 2 * slack : 1.0;
    return slack > 0 ? problem.C[i] * u(i) * slope : 0.0;
  };
  Index i = 0;
  for (; i + 4 <= n; i += 4)
    for (Index l = 0; l < 4; ++l) sum[l] += share(i + l);
  for (; i < n; ++i) sum[0] += share(i);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <bool squared>
Plane search(const LinearProblem& problem, std::vector<double>& margins, double square, double b, double first) {
  const double cost = problem.offset == LinearOffset::penalised ? 1 / (problem.offset_scale * problem.offset_scale) : 0.0;
  const auto primal = [&](const Plane& at) {
    double sum = 0.5 * at.t * at.t * square + 0.5 * cost * at.b * at.b;
    for (std::size_t i = 0; i < margins.size(); ++i) sum += loss_of(problem, Index(i), margins[i]);
    return sum;
  };
  Plane plane{1.0, b, 0.0};
  const Plane given{1.0, b, primal(plane)};
  const auto shift = [&] {
    const auto y = [&](Index i) { return problem.y[i]; };
    const double s = root([&](double h) { return cost * (plane.b + h) - pull<squared>(problem, margins, h, y); }, first,
                          -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < margins.size(); ++i) margins[i] += s * problem.y[i];
    plane.b += s;
  };
  const auto stretch = [&] {
    const double curve = plane.t * plane.t * square + cost * plane.b * plane.b;
    const auto itself = [&](Index i) { return margins[i]; };
    const double h = root([&](double more) { return (1 + more) * curve - pull<squared>(problem, margins, more, itself); },
                          first, least_factor - 1);
    for (double& m : margins) m *= 1 + h;
    plane.t *= 1 + h;
    plane.b *= 1 + h;
  };
  const bool offset = problem.offset != LinearOffset::none;
  if (offset) shift();
  stretch();
  if (offset) shift();
  plane.primal = primal(plane);
  return plane.primal < given.primal ? plane : given;  // at the end the best point may be a kink, which no cut meets
}

}  // namespace

Multiple best_multiple(const LinearProblem& problem, const std::vector<double>& margins, double square) {
  const auto n = Index(margins.size());
  const auto at = [&](double t) {
    double sum = 0.5 * t * t * square;
    for (Index i = 0; i < n; ++i) sum += loss_of(problem, i, t * margins[i]);
    return Multiple{t, sum};
  };
  const Multiple one = at(1.0);
  if (problem.loss != MarginLoss::hinge && problem.loss != MarginLoss::squared_hinge) return one;
  const auto falls = [&](double t) {
    double slope = t * square;
    for (Index i = 0; i < n; ++i) {
      const double slack = 1.0 - t * margins[i];
      if (slack > 0) slope -= problem.C[i] * margins[i] * (problem.loss == MarginLoss::hinge ? 1.0 : 2 * slack);
    }
    return slope < 0;
  };
  double low = 1, high = 1;
  for (int doubled = 0; doubled < 10 && falls(high); ++doubled) {
    low = high;
    high *= 2;
  }
  if (high == 1) return one;
  for (int step = 0; step < 16; ++step) {
    const double middle = 0.5 * (low + high);
    (falls(middle) ? low : high) = middle;
  }
  const Multiple found = at(low);
  return found.primal < one.primal ? found : one;
}

Plane best_in_plane(const LinearProblem& problem, std::vector<double>& margins, double square, double b, double first) {
  return problem.loss == MarginLoss::hinge ? search<false>(problem, margins, square, b, first)
                                           : search<true>(problem, margins, square, b, first);
}

}  // namespace maxmargin
