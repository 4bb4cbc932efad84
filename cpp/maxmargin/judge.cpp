#include "maxmargin/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The middle; of a half-line its end.
double middle(double a, double b) {
  if (std::isinf(a)) return b;
  return std::isinf(b) ? a : 0.5 * (a + b);
}

// What Fenchel's dual has for one row: the largest of  slope t - 1/2 ridge t^2  over the box.
double conjugate(double slope, double ridge, double lower, double upper) {
  if (ridge > 0) {
    const double t = std::clamp(slope / ridge, lower, upper);
    return t * (slope - 0.5 * ridge * t);
  }
  return slope == 0 ? 0.0 : slope * (slope > 0 ? upper : lower);
}

}  // namespace

Judgement judge(const SignedDual& problem, const double* beta, const double* scores) {
  const Index n = problem.n;
  Judgement found{};
  double lowest = infinity, highest = -infinity, free_sum = 0, beta_gradient = 0, square_norm = 0;
  double total = 0, absolute = 0, outside = 0;
  Index free_count = 0;
  for (Index i = 0; i < n; ++i) {
    const double b = beta[i], lower = problem.lower[i], upper = problem.upper[i];
    const double gradient = scores[i] + problem.q[i] + (problem.ridge ? problem.ridge[i] * b : 0.0);
    const bool can_rise = b < upper, can_fall = b > lower;
    if (can_rise) lowest = std::min(lowest, gradient);
    if (can_fall) highest = std::max(highest, gradient);
    if (can_rise && can_fall) {
      free_sum += gradient;
      ++free_count;
    }
    outside = std::max({outside, lower - b, b - upper});
    if (b == 0) continue;
    found.support.push_back(i);
    beta_gradient += b * (gradient + problem.q[i]);
    square_norm += b * scores[i];
    total += b;
    absolute += std::abs(b);
  }
  const bool with_total = problem.keep_total;
  found.lowest = lowest;
  found.highest = highest;
  found.violation = std::max(0.0, with_total ? highest - lowest : std::max(highest, -lowest));
  if (with_total) found.bias = free_count > 0 ? -free_sum / free_count : middle(-lowest, -highest);
  found.dual = 0.0 - 0.5 * beta_gradient;
  found.square_norm = square_norm;
  found.infeasibility = std::max(outside, with_total ? std::abs(total) : 0.0) / std::max(absolute, 1e-300);

  const double near = std::max(10.0 * found.violation, 1e-6);
  double loss = 0;
  for (Index i = 0; i < n; ++i) {
    const double slope = -(scores[i] + found.bias + problem.q[i]);
    const double ridge = problem.ridge ? problem.ridge[i] : 0.0;
    loss += conjugate(slope, ridge, problem.lower[i], problem.upper[i]);
    // at 0 a variable that can rise wants slope <= 0, one that can fall slope >= 0
    if (beta[i] == 0 && (problem.upper[i] > 0 ? slope : -slope) >= -near) found.boundary.push_back(i);
  }
  found.primal = 0.5 * square_norm + loss;
  return found;
}

}  // namespace maxmargin
