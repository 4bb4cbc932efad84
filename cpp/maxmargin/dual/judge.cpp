#include "maxmargin/dual/judge.hpp"

#include <cmath>
#include <limits>

#include "maxmargin/dual/variables.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The variables of one side, or all of them: their multiplier is between -highest and -lowest, if they are optimal.
struct Level {
  double lowest = infinity, highest = -infinity, free_sum = 0;
  Index free_count = 0;

  void meet(Slopes at) {
    lowest = std::min(lowest, at.rise);
    highest = std::max(highest, at.fall);
  }
  void meet_free(double slope) {
    free_sum += slope;
    ++free_count;
  }
  double crossed() const { return std::max(0.0, highest - lowest); }
  // The mean over free variables; else the middle, of a half-line its end.
  double multiplier() const {
    if (free_count > 0) return -free_sum / free_count;
    if (std::isinf(lowest)) return std::isinf(highest) ? 0.0 : -highest;
    return std::isinf(highest) ? -lowest : -0.5 * (lowest + highest);
  }
};

// `plain` problems have no kink, no ridge and no mass: most of what is asked of each row is known before.
template <bool plain>
Judgement judge_as(const SignedDual& problem, const double* beta, const double* scores, double score_scale) {
  const Index n = problem.n;
  const double kink = plain ? 0.0 : problem.kink;
  const auto ridge_at = [&](Index i) { return plain ? 0.0 : problem.ridge_at(i); };
  Judgement found{};
  double beta_gradient = 0, linear = 0, total = 0, mass = 0, outside = 0;
  for (Index i = 0; i < n; ++i) {
    const double b = beta[i];
    outside = std::max({outside, problem.lower[i] - b, b - problem.upper[i]});
    if (b == 0) continue;
    found.support.push_back(i);
    found.square_norm += b * scores[i];
    beta_gradient += b * (scores[i] + 2.0 * problem.q[i] + ridge_at(i) * b);
    linear += std::abs(b * problem.q[i]);
    total += b;
    mass += std::abs(b);
  }
  found.mass = mass;
  const bool slack = problem.mass_may_fall && mass < problem.mass * (1 - 1e-9);
  const bool by_side = !plain && problem.keep == Keep::sides && !slack;

  Level levels[2];
  for (Index i = 0; i < n; ++i) {
    const double b = beta[i], lower = problem.lower[i], upper = problem.upper[i];
    const double gradient = scores[i] + problem.q[i] + ridge_at(i) * b;
    const Slopes at = slopes(gradient, kink, b, lower, upper);
    if (!by_side || b > 0)
      levels[0].meet(at);
    else if (b < 0)
      levels[1].meet(at);
    else {  // it may join either side
      levels[0].meet({at.rise, -infinity});
      levels[1].meet({infinity, at.fall});
    }
    const bool at_zero = !plain && b == 0 && problem.stops_at_zero();
    if (b > lower && b < upper && !at_zero) levels[by_side && b < 0].meet_free(gradient + (b > 0 ? kink : -kink));
  }
  const Level& first = levels[0];
  if (by_side) {
    found.violation = std::max(first.crossed(), levels[1].crossed());
    found.bias = 0.5 * (first.multiplier() + levels[1].multiplier());
    found.price = 0.5 * (first.multiplier() - levels[1].multiplier());
    if (problem.mass_may_fall) {  // a price below 0 says that the mass should fall
      found.violation = std::max(found.violation, -found.price);
      found.price = std::max(found.price, 0.0);
    }
    found.bias_low = found.bias_high = found.bias;
  } else if (problem.keep != Keep::nothing) {
    found.violation = first.crossed();
    found.bias = first.multiplier();
    found.bias_low = std::min(-first.lowest, -first.highest);
    found.bias_high = std::max(-first.lowest, -first.highest);
  } else {
    found.violation = std::max({0.0, first.highest, -first.lowest});
  }
  const double off_total = problem.keep == Keep::nothing ? 0.0 : std::abs(total - problem.total);
  const double off_mass = by_side ? std::abs(mass - problem.mass) : 0.0;
  // A point that is off its totals bounds the optimum all the same, less what the multipliers of the totals pay for that.
  found.dual = 0.0 - 0.5 * beta_gradient - kink * mass - std::abs(found.bias) * off_total - std::abs(found.price) * off_mass;
  found.infeasibility = std::max({outside, off_total, off_mass}) / std::max(mass, 1e-300);

  // Near the boundary is what is within 1e-6, of the level itself where there is no linear term to give a unit.
  // But scores that are much larger are not known so well, and a row must not be lost to their rounding.
  double largest = 0;
  bool unitless = true;
  for (Index i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(scores[i]));
    unitless = unitless && problem.q[i] == 0;
  }
  const double unit = !unitless || kink > 0 ? 1.0 : std::abs(by_side ? found.price : found.bias);
  const double near = std::max({10.0 * found.violation, 1e-6 * unit, 1e-12 * largest});
  const double bend = plain ? 0.0 : kink + found.price;
  constexpr double epsilon = 4.0 * std::numeric_limits<double>::epsilon();
  const double of_a_score = mass * score_scale + std::abs(found.bias), close = std::max(near, epsilon * of_a_score);
  double loss = 0, exposed = 0;  // exposed: how fast the loss changes with the scores
  for (Index i = 0; i < n; ++i) {
    const double slope = scores[i] + found.bias + problem.q[i], lower = problem.lower[i], upper = problem.upper[i];
    const double lost = conjugate(-slope, bend, ridge_at(i), lower, upper);
    loss += lost;
    const double room = std::min(upper > 0 ? slope + bend : infinity, lower < 0 ? bend - slope : infinity);
    if (room <= close || beta[i] != 0) exposed += std::isinf(upper - lower) ? std::abs(beta[i]) : std::max(upper, -lower);
    if (beta[i] == 0 && room <= near) found.boundary.push_back(i);
  }
  found.primal = 0.5 * found.square_norm + loss + found.bias * problem.total + found.price * (by_side ? problem.mass : 0.0);
  found.rounding = epsilon * (of_a_score * (exposed + mass) + linear + kink * mass + std::abs(loss));
  return found;
}

}  // namespace

Judgement judge(const SignedDual& problem, const double* beta, const double* scores, double score_scale) {
  const bool plain = problem.kink == 0 && problem.ridge == nullptr && problem.keep != Keep::sides;
  return plain ? judge_as<true>(problem, beta, scores, score_scale) : judge_as<false>(problem, beta, scores, score_scale);
}

}  // namespace maxmargin
