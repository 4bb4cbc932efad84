#include "maxmargin/dual/continuation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace maxmargin {

namespace {

constexpr double same = 1e-9;  // of the largest bound
constexpr double last_places = 1e-13;

double bound_of(const MarginBounds& bounds, Index row) { return std::max(-bounds.lower[row], bounds.upper[row]); }

// By how much all bounds have grown; nothing if not by one factor, or one of them is not known.
std::optional<double> growth(const MarginBounds& bounds, const HeldCoefficients& held) {
  double least = 1, most = 1;
  for (std::size_t k = 0; k < held.support.size(); ++k) {
    const double bound = bound_of(bounds, held.support[k]), before = held.cost[k], factor = bound / before;
    if (!(before > 0) || !std::isfinite(before) || !std::isfinite(bound)) return std::nullopt;
    least = k == 0 ? factor : std::min(least, factor);
    most = k == 0 ? factor : std::max(most, factor);
  }
  if (most - least > same * most) return std::nullopt;
  if (std::abs(least - 1) <= same && std::abs(most - 1) <= same) return 1.0;
  return held.support.empty() ? 1.0 : bound_of(bounds, held.support[0]) / held.cost[0];
}

// Whether a point satisfies the constraints but for rounding. What that has left next to a bound, or to 0, would count as free.
bool settle(const MarginBounds& bounds, std::vector<double>& beta) {
  double size = 0, sum = 0, largest = 0;
  for (const double b : beta) {
    size += std::abs(b);
    sum += b;
    largest = std::max(largest, std::abs(b));
  }
  const double allowed = last_places * size, near = last_places * largest;
  if (!(std::abs(sum) <= allowed)) return false;
  for (std::size_t i = 0; i < beta.size(); ++i) {
    if (beta[i] < bounds.lower[i] - allowed || beta[i] > bounds.upper[i] + allowed) return false;
    if (std::abs(beta[i]) <= near) beta[i] = 0;
    if (std::abs(beta[i] - bounds.lower[i]) <= near) beta[i] = bounds.lower[i];
    if (std::abs(beta[i] - bounds.upper[i]) <= near) beta[i] = bounds.upper[i];
  }
  return true;
}

double dual_objective(const MarginBounds& bounds, const StartingPoint& point) {
  double found = 0;
  for (std::size_t i = 0; i < point.beta.size(); ++i) found -= point.beta[i] * (0.5 * point.scores[i] + bounds.q[i]);
  return found;
}

}  // namespace

std::optional<StartingPoint> continued(const Gram& gram, const MarginBounds& bounds, const HeldCoefficients& held,
                                       const Poll& poll) {
  const auto n = std::size_t(gram.size());
  const std::optional<double> factor = growth(bounds, held);
  if (!factor) return std::nullopt;
  StartingPoint kept{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t k = 0; k < held.support.size(); ++k) kept.beta[held.support[k]] = held.beta[k];
  StartingPoint longer;
  if (*factor != 1) {
    longer.beta = kept.beta;
    for (double& b : longer.beta) b *= *factor;
    if (!settle(bounds, longer.beta)) return std::nullopt;
  }
  if (!settle(bounds, kept.beta)) return std::nullopt;
  gram.start_product(kept.beta.data(), kept.scores.data(), poll);
  if (*factor == 1) return kept;
  bool is_multiple = true;
  for (std::size_t i = 0; i < n; ++i) is_multiple &= longer.beta[i] == *factor * kept.beta[i];
  longer.scores = kept.scores;
  if (is_multiple)
    for (double& score : longer.scores) score *= *factor;
  else
    gram.start_product(longer.beta.data(), longer.scores.data(), poll);
  return dual_objective(bounds, longer) > dual_objective(bounds, kept) ? std::move(longer) : std::move(kept);
}

}  // namespace maxmargin
