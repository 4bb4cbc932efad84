#include "maxmargin/linear/state.hpp"

#include <limits>
#include <numeric>

namespace maxmargin {

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
      if (slack > 0) slope -= problem.price[i] * margins[i] * (problem.loss == MarginLoss::hinge ? 1.0 : 2 * slack);
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

ScaledDual scaled_dual(const LinearProblem& problem, const DualSums& sums, const std::vector<double>& alpha,
                       RowPasses& passes) {
  const double minus = sums.mass[0], plus = sums.mass[1];
  double factor[2] = {1, 1};
  if (problem.offset == LinearOffset::free) {
    const double level = std::min(minus, plus);
    factor[0] = minus > 0 ? level / minus : 0.0;
    factor[1] = plus > 0 ? level / plus : 0.0;
  }
  double square = 0;  // of the sum, which is small beside the two classes' own at large prices
  for (std::size_t k = 0; k < sums.combination[0].size(); ++k) {
    const double v = factor[0] * sums.combination[0][k] + factor[1] * sums.combination[1][k];
    square += v * v;
  }
  if (problem.offset == LinearOffset::penalised) square += std::pow(problem.offset_scale * (plus - minus), 2);
  if (!is_quadratic(problem.loss)) {
    if (factor[0] == 1 && factor[1] == 1 && !std::isnan(sums.of_slopes)) return {sums.of_slopes - 0.5 * square, 1.0, 1.0};
    std::vector<double> parts(passes.chunks(), 0.0);
    passes.for_rows([&](Index c, Index begin, Index end) {
      double sum = 0;
      for (Index i = begin; i < end; ++i) sum += gain_of(problem, i, alpha[i] * factor[alpha[i] * problem.y[i] > 0]);
      parts[c] = sum;
    });
    return {std::accumulate(parts.begin(), parts.end(), 0.0) - 0.5 * square, factor[0], factor[1]};
  }
  // t gain - t^2 (1/2 square + squares), the best t; losses with kinks have |alpha| <= price, where every t <= 1 is.
  const double gain = factor[0] * sums.gain[0] + factor[1] * sums.gain[1];
  double curve = square;
  double most = 1;
  if (!has_kinks(problem.loss)) {
    curve += 2 * (factor[0] * factor[0] * sums.square[0] + factor[1] * factor[1] * sums.square[1]);
    most = std::numeric_limits<double>::infinity();
  }
  const double t = curve > 0 ? std::clamp(gain / curve, 0.0, most) : (gain > 0 ? 1.0 : 0.0);
  return {t * (gain - 0.5 * t * curve), t * factor[0], t * factor[1]};
}

}  // namespace maxmargin
