#include "maxmargin/linear/dual_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace maxmargin {

namespace {

constexpr double level_enough = 1e-12;  // of sums: so little apart, they are equal but for rounding

}  // namespace

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

// Multipliers that meet the constraint of a free offset need not be told apart by their sides: one pass instead of two.
ScaledDual dual_of(const LinearProblem& problem, const std::vector<double>& alpha, RowPasses& passes, DualSums& sums,
                   std::vector<double> (&shares)[2]) {
  for (int side : {0, 1}) sums.abs_sum[side] = sums.gain[side] = sums.square[side] = 0;
  const auto n = Index(alpha.size());
  for (Index i = 0; i < n; ++i) {
    const double share = problem.y[i] * alpha[i];
    const int side = share > 0;
    sums.abs_sum[side] += std::abs(alpha[i]);
    sums.gain[side] += linear_gain(problem, i, alpha[i]);
    sums.square[side] += 0.25 * alpha[i] * alpha[i] / problem.C[i];
    shares[0][i] = share;
  }
  const double minus = sums.abs_sum[0], plus = sums.abs_sum[1];
  const bool free = problem.offset == LinearOffset::free;
  if (free && !(std::abs(plus - minus) <= level_enough * plus)) {
    for (Index i = 0; i < n; ++i) {
      const double share = shares[0][i];
      shares[0][i] = share > 0 ? 0.0 : share;
      shares[1][i] = share > 0 ? share : 0.0;
    }
    passes.combine(shares[1].data(), sums.combination[1].data());
  } else {
    std::fill(sums.combination[1].begin(), sums.combination[1].end(), 0.0);
    if (free) sums.abs_sum[0] = sums.abs_sum[1] = 0.5 * (minus + plus);
  }
  passes.combine(shares[0].data(), sums.combination[0].data());
  return scaled_dual(problem, sums, alpha, passes);
}

}  // namespace maxmargin
