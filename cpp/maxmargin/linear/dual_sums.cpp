#include "maxmargin/linear/dual_sums.hpp"

#include <limits>
#include <numeric>

namespace maxmargin {

ScaledDual scaled_dual(const LinearProblem& problem, const DualSums& sums, const std::vector<double>& alpha,
                       RowPasses& passes) {
  const double minus = sums.abs_sum[0], plus = sums.abs_sum[1];
  double factor[2] = {1, 1};
  if (problem.offset == LinearOffset::free) {
    const double level = std::min(minus, plus);
    factor[0] = minus > 0 ? level / minus : 0.0;
    factor[1] = plus > 0 ? level / plus : 0.0;
  }
  double square = 0;  // of the sum, which is small beside the two classes' own at large C
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
  // t gain - t^2 (1/2 square + squares), the best t; losses with kinks have |alpha| <= C, where every t <= 1 is.
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
