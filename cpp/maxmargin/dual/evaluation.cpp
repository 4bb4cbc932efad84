#include "maxmargin/dual/evaluation.hpp"

#include <cmath>
#include <limits>

#include "maxmargin/dual/compensated_sum.hpp"
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

// `plain` problems have no l1_weight, no ridge and no sum of |beta| to keep: most of what is asked of each row is known before.
template <bool plain>
Evaluation evaluate_as(const SignedDual& problem, const double* beta, const double* scores, ScoreScales scales) {
  const Index n = problem.n;
  const double l1_weight = plain ? 0.0 : problem.l1_weight;
  const auto ridge_at = [&](Index i) { return plain ? 0.0 : problem.ridge_at(i); };
  Evaluation found{};
  CompensatedSum square_norm, gradient_sum, beta_sum;  // what the bound of rounding takes for known to the last places
  double linear = 0, abs_sum = 0, outside = 0;
  for (Index i = 0; i < n; ++i) {
    const double b = beta[i];
    outside = std::max({outside, problem.lower[i] - b, b - problem.upper[i]});
    if (b == 0) continue;
    found.support.push_back(i);
    square_norm += b * scores[i];
    gradient_sum += b * (scores[i] + 2.0 * problem.q[i] + ridge_at(i) * b);
    linear += std::abs(b * problem.q[i]);
    beta_sum += b;
    abs_sum += std::abs(b);
  }
  found.square_norm = square_norm.value();
  const double beta_gradient = gradient_sum.value(), sum = beta_sum.value();
  found.abs_sum = abs_sum;
  const bool slack = problem.abs_sum_may_fall && abs_sum < problem.abs_sum * (1 - 1e-9);
  const bool by_side = !plain && problem.keep == Keep::sides && !slack;

  Level levels[2];
  for (Index i = 0; i < n; ++i) {
    const double b = beta[i], lower = problem.lower[i], upper = problem.upper[i];
    const double gradient = scores[i] + problem.q[i] + ridge_at(i) * b;
    const Slopes at = slopes(gradient, l1_weight, b, lower, upper);
    if (!by_side || b > 0)
      levels[0].meet(at);
    else if (b < 0)
      levels[1].meet(at);
    else {  // it may join either side
      levels[0].meet({at.rise, -infinity});
      levels[1].meet({infinity, at.fall});
    }
    const bool at_zero = !plain && b == 0 && problem.stops_at_zero();
    if (b > lower && b < upper && !at_zero) levels[by_side && b < 0].meet_free(gradient + (b > 0 ? l1_weight : -l1_weight));
  }
  const Level& first = levels[0];
  if (by_side) {
    found.violation = std::max(first.crossed(), levels[1].crossed());
    found.bias = 0.5 * (first.multiplier() + levels[1].multiplier());
    found.nu_multiplier = 0.5 * (first.multiplier() - levels[1].multiplier());
    if (problem.abs_sum_may_fall) {  // a multiplier below 0 says that the sum of |beta| should fall
      found.violation = std::max(found.violation, -found.nu_multiplier);
      found.nu_multiplier = std::max(found.nu_multiplier, 0.0);
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
  const double off_sum = problem.keep == Keep::nothing ? 0.0 : std::abs(sum - problem.sum);
  const double off_abs_sum = by_side ? std::abs(abs_sum - problem.abs_sum) : 0.0;
  // A point that is off its sums bounds the optimum all the same, less what the multipliers of the sums pay for that.
  found.dual = 0.0 - 0.5 * beta_gradient - l1_weight * abs_sum - std::abs(found.bias) * off_sum -
               std::abs(found.nu_multiplier) * off_abs_sum;
  found.infeasibility = std::max({outside, off_sum, off_abs_sum}) / std::max(abs_sum, 1e-300);

  // Near the boundary is what is within 1e-6, of the level itself where there is no linear term to give a unit.
  // But scores that are much larger are not known so well, and a row must not be lost to their rounding.
  double largest = 0;
  bool unitless = true;
  for (Index i = 0; i < n; ++i) {
    largest = std::max(largest, std::abs(scores[i]));
    unitless = unitless && problem.q[i] == 0;
  }
  const double unit = !unitless || l1_weight > 0 ? 1.0 : std::abs(by_side ? found.nu_multiplier : found.bias);
  const double near = std::max({10.0 * found.violation, 1e-6 * unit, 1e-12 * largest});
  const double bend = plain ? 0.0 : l1_weight + found.nu_multiplier;
  constexpr double epsilon = 4.0 * std::numeric_limits<double>::epsilon();
  const double of_a_score = epsilon * (abs_sum * scales.score_scale + std::abs(found.bias)) + off_sum * scales.off_sum_scale;
  const double close = std::max(near, of_a_score);
  CompensatedSum losses;
  double exposed = 0, curved = 0;  // how fast the loss changes with the scores, and half of how fast that does
  for (Index i = 0; i < n; ++i) {
    const double slope = scores[i] + found.bias + problem.q[i], lower = problem.lower[i], upper = problem.upper[i];
    const double lost = conjugate(-slope, bend, ridge_at(i), lower, upper);
    losses += lost;
    const double room = std::min(upper > 0 ? slope + bend : infinity, lower < 0 ? bend - slope : infinity);
    if (room <= close || beta[i] != 0) {
      exposed += std::isinf(upper - lower) ? std::abs(beta[i]) : std::max(upper, -lower);
      if (ridge_at(i) > 0) curved += 0.5 / ridge_at(i);
    }
    if (beta[i] == 0 && room <= near) found.boundary.push_back(i);
  }
  const double loss = losses.value();
  found.primal =
      0.5 * found.square_norm + loss + found.bias * problem.sum + found.nu_multiplier * (by_side ? problem.abs_sum : 0.0);
  found.rounding =
      of_a_score * (exposed + abs_sum + curved * of_a_score) + epsilon * (linear + l1_weight * abs_sum + std::abs(loss));
  return found;
}

}  // namespace

Evaluation evaluate(const SignedDual& problem, const double* beta, const double* scores, ScoreScales scales) {
  const bool plain = problem.l1_weight == 0 && problem.ridge == nullptr && problem.keep != Keep::sides;
  return plain ? evaluate_as<true>(problem, beta, scores, scales) : evaluate_as<false>(problem, beta, scores, scales);
}

}  // namespace maxmargin
