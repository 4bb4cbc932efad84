#include "maxmargin/linear/subgradient_walk.hpp"

#include <cmath>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/poll.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t kBetweenPolls = 16;  // steps: a poll costs as much as a short row

}  // namespace

double FeatureWalkRows::product(Index i) const {
  double out = 0;
  x_.products(i, i + 1, theta_, &out);
  return out;
}

void FeatureWalkRows::add(Index i, double amount, double weight) {
  const double weighted = weight * amount;
  x_.add_rows(i, i + 1, &amount, theta_);
  x_.add_rows(i, i + 1, &weighted, moment_);
}

void KernelWalkRows::add(Index i, double amount, double weight) {
  theta_[i] += amount;
  moment_[i] += weight * amount;
  simd().axpy(n_, amount, row_(i), products_);
}

bool take_steps(std::span<const std::int64_t> draws, const WalkTerms& terms, const std::function<double(double)>& derivative,
                WalkRows& rows, WalkPoint& point, const WalkTally& tally) {
  for (const std::int64_t i : draws) {
    if (point.steps % kBetweenPolls == 0) poll_now();
    const double eta = 1.0 / (terms.lambda * (terms.delay + double(point.steps + 1)));
    const double f = eta * (rows.product(Index(i)) + terms.scale * *tally.constant) + point.b;
    const double fall = -derivative(terms.slope[i] * f + terms.at_zero[i]);
    if (!std::isfinite(f) || !std::isfinite(fall)) return false;
    ++point.steps;
    const double weight = terms.growing ? double(point.steps) : 1.0;
    point.weights += weight;
    point.rates += weight * eta;
    point.b_sum += weight * point.b;
    tally.drawn[i] += weight;
    if (fall == 0) continue;
    const double amount = fall * terms.slope[i];
    tally.slopes[i] += weight * fall;
    rows.add(Index(i), amount, point.rates);
    *tally.constant += terms.scale * amount;
    *tally.constant_moment += point.rates * terms.scale * amount;
    if (terms.free_offset) point.b += eta * amount;
  }
  return true;
}

}  // namespace maxmargin
