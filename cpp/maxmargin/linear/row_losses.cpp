#include "maxmargin/linear/row_losses.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "maxmargin/linear/losses.hpp"
#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

constexpr double first_by_rows = 10.0;  // of the penalty_parameter on wide rows

constexpr Index lanes = 8;  // sums that do not wait for each other

struct Row {
  double alpha, curvature;
};

// The terms of rows 0 ... count - 1, each in the lane of its number.
template <class Term>
void add_in_lanes(Index count, double* sums, const Term& term) {
  double own[lanes];
  for (Index l = 0; l < lanes; ++l) own[l] = sums[l];
  for (Index k = 0; k < count; k += lanes)
    for (Index l = 0; l < lanes; ++l) own[l] += term(k + l);
  for (Index l = 0; l < lanes; ++l) sums[l] = own[l];
}

}  // namespace

RowLosses::RowLosses(const LinearProblem& problem, bool wide)
    : problem_(problem), proximal_(has_kinks(problem.loss) || (problem.loss == MarginLoss::squared_hinge && wide)) {
  if (!proximal_) return;
  const Index n = problem.x->rows();
  centre.resize(n);
  rate_.resize(n);
  for (Index i = 0; i < n; ++i) {
    centre[i] = problem.loss == MarginLoss::hinge ? 0.5 * problem.C[i] : 0.0;
    rate_[i] = wide ? 1 / std::max(problem.x->square(i), 1e-300) : problem.C[i];
  }
  mean_rate_ = std::accumulate(rate_.begin(), rate_.end(), 0.0) / n;
  if (wide) penalty_parameter = first_by_rows;
}

void RowLosses::at(Index begin, Index count, const double* z, double* alpha, double* curvature, double* loss) const {
  const double* const C = problem_.C + begin;
  if (problem_.loss == MarginLoss::logistic) return simd().logistic(count, z, C, alpha, curvature, loss);
  if (problem_.loss == MarginLoss::squared_hinge && !proximal_)
    return simd().squared_hinge(count, z, C, alpha, curvature, loss);
  if (problem_.loss == MarginLoss::hinge)
    return simd().smoothed_hinge(count, z, C, centre.data() + begin, rate_.data() + begin, penalty_parameter, alpha, curvature,
                                 loss);
  with_loss(problem_.loss, [&](auto of) {
    const auto row = [&](Index i, double margin) -> Row {
      const double C = problem_.C[i], slack = 1.0 - margin;
      if constexpr (of() == MarginLoss::squared_hinge) {
        const double rate = penalty_parameter * rate_[i], bend = 1 / (0.5 / C + 1 / rate);
        const double wanted = bend * (slack + centre[i] / rate);
        return {wanted > 0 ? wanted : 0.0, wanted > 0 ? bend : 0.0};
      } else if constexpr (of() == MarginLoss::tube) {
        const double rate = penalty_parameter * rate_[i], wanted = centre[i] + rate * (problem_.target[i] - margin);
        const double beyond = std::abs(wanted) - rate * problem_.epsilon;
        if (!(beyond > 0)) return {0.0, 0.0};
        return {std::copysign(std::min(beyond, C), wanted), beyond < C ? rate : 0.0};
      } else if constexpr (of() == MarginLoss::squared_tube) {
        const double residual = problem_.target[i] - margin, beyond = std::abs(residual) - problem_.epsilon;
        return {beyond > 0 ? std::copysign(2 * C * beyond, residual) : 0.0, beyond > 0 ? 2 * C : 0.0};
      } else {
        const double lost = C * std::exp(-margin);
        return {lost, lost};
      }
    };
    for (Index k = 0; k < count; ++k) {
      const Row r = row(begin + k, z[k]);
      alpha[k] = r.alpha;
      curvature[k] = r.curvature;
    }
    for (Index k = 0; k < count && loss; ++k) loss[k] = loss_of<of()>(problem_, begin + k, z[k]);
  });
}

RowLosses::Slope RowLosses::slope_at(Index begin, Index end, const double* from, const double* direction, double length) const {
  double z[block], alpha[block], curvature[block], first[lanes] = {}, second[lanes] = {};
  for (Index i = begin; i < end; i += block) {
    const Index count = std::min(block, end - i), whole = count / lanes * lanes;
    const double* const along = direction + i;
    for (Index k = 0; k < count; ++k) z[k] = from[i + k] + length * along[k];
    at(i, count, z, alpha, curvature, nullptr);
    // One sum at a time: eight lanes of both do not fit the registers.
    add_in_lanes(whole, first, [&](Index k) { return -(alpha[k] * along[k]); });
    add_in_lanes(whole, second, [&](Index k) { return curvature[k] * along[k] * along[k]; });
    for (Index k = whole; k < count; ++k) {
      first[k - whole] -= alpha[k] * along[k];
      second[k - whole] += curvature[k] * along[k] * along[k];
    }
  }
  Slope sum;
  for (Index l = 0; l < lanes; ++l) {
    sum.first += first[l];
    sum.second += second[l];
  }
  return sum;
}

}  // namespace maxmargin
