#include "maxmargin/dual/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/dual/evaluation.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

template <class R>
ActiveSet<R>::ActiveSet(const SignedDual& problem, const Gram& gram, std::size_t cache_bytes, SearchState& state)
    : problem_(problem), gram_(gram), state_(state), rows_(Index(state.active.size()), cache_bytes) {
  load();
}

template <class R>
void ActiveSet<R>::load() {
  Variables<R>& v = variables;
  v.resize(Index(state_.active.size()), problem_);
  if (gram_.is_of_float32()) v.clearly_negative = Variables<float>().clearly_negative;
  gradient_.assign(v.gradient.size(), 0.0);
  changes_.assign(v.n, 0.0);
  for (Index k = 0; k < v.n; ++k) {
    const Index i = state_.active[k];
    gradient_[k] = state_.gradient[i];
    v.beta[k] = state_.beta[i];
    v.lower[k] = problem_.lower[i];
    v.upper[k] = problem_.upper[i];
    v.ridge[k] = problem_.ridge_at(i);
    v.diagonal[k] = R(state_.diagonal[i]);
    v.set_masks(k);
  }
  const auto is_support = [](double b) { return b != 0.0; };
  support_elsewhere_ = Index(std::count_if(state_.beta.begin(), state_.beta.end(), is_support) -
                             std::count_if(v.beta.begin(), v.beta.end(), is_support));
  first_beta_ = v.beta;
  first_gradient_.assign(gradient_.begin(), gradient_.begin() + v.n);
  first_objective_ = state_.objective;
  maker_ = maker_for(gram_, state_.active, R());
  if (rows_.filled() == 0) rows_.adopt(maker_->held());
  take_gradient();
}

template <class R>
void ActiveSet<R>::store() const {
  for (Index k = 0; k < size(); ++k) {
    const Index i = state_.active[k];
    state_.gradient[i] = gradient_[k];
    state_.beta[i] = variables.beta[k];
  }
}

template <class R>
void ActiveSet<R>::keep(std::span<const Index> positions) {
  store();
  rows_.compact(positions);  // which may be stopped: the variables are still all of them
  std::vector<Index> active(positions.size());
  for (std::size_t k = 0; k < positions.size(); ++k) active[k] = state_.active[positions[k]];
  state_.active = std::move(active);
  load();
}

template <class R>
void ActiveSet<R>::select() {
  if (!keeps_nothing()) {
    pairs = choose_pairs(variables);
  } else {
    const std::vector<R> zeros(variables.gradient.size(), R(0));
    single = single_with(variables.view(0), 0.0, zeros.data());
  }
}

// Where the sum is kept the steps see the gradient up to a constant: float32 then resolves it around the level of the free
// variables.
template <class R>
void ActiveSet<R>::take_gradient() {
  double shift = 0;
  if (sizeof(R) == 4 && !keeps_nothing()) {
    const std::size_t sides = variables.sides.size();
    for (std::size_t side = 0; side < sides; ++side) shift += levels(side).middle / double(sides);
    if (!std::isfinite(shift)) shift = 0;
  }
  for (Index k = 0; k < size(); ++k) variables.gradient[k] = R(gradient_[k] - shift);
  caught_up_ = variables.beta;
  select();
}

template <class R>
void ActiveSet<R>::catch_up() {
  if constexpr (sizeof(R) == 8) {
    std::copy(variables.gradient.begin(), variables.gradient.end(), gradient_.begin());
  } else {
    for (Index k = 0; k < size(); ++k) changes_[k] = variables.beta[k] - caught_up_[k];
    add_rows();
    take_gradient();
  }
}

template <class R>
void ActiveSet<R>::refresh_gradient() {
  const Variables<R>& v = variables;
  std::copy(first_gradient_.begin(), first_gradient_.end(), gradient_.begin());
  for (Index k = 0; k < v.n; ++k) changes_[k] = v.beta[k] - first_beta_[k];
  add_rows();
  double gain = 0;
  for (Index k = 0; k < v.n; ++k)
    gain += 0.5 * changes_[k] * (first_gradient_[k] + gradient_[k]) +
            v.l1_weight * (std::abs(v.beta[k]) - std::abs(first_beta_[k]));
  state_.objective = first_objective_ + gain;
}

// gradient += (K + ridge) changes, from rows that are held; in fixed pieces, so that threads do not change the sums.
template <class R>
void ActiveSet<R>::add_rows() {
  std::vector<double> factors;
  std::vector<const R*> from;
  for (Index k = 0; k < size(); ++k) {
    if (changes_[k] == 0.0) continue;
    factors.push_back(changes_[k]);
    from.push_back(rows_.row(k));
    gradient_[k] += changes_[k] * variables.ridge[k];
  }
  constexpr Index piece = 2048;
  parallel_chunks((size() + piece - 1) / piece, [&](std::ptrdiff_t chunk) {
    const Index begin = Index(chunk) * piece, end = std::min(begin + piece, size());
    accumulate_with(begin, end, Index(from.size()), factors.data(), from.data(), gradient_.data());
  });
}

// Errors of a sum mostly cancel.
template <class R>
double ActiveSet<R>::noise() const {
  const Variables<R>& v = variables;
  double square = 0;
  for (Index k = 0; k < v.n; ++k) square += v.beta[k] * v.beta[k] * std::abs(double(v.diagonal[k]));
  return double(std::numeric_limits<R>::epsilon()) * (1.0 + std::sqrt(square * state_.diagonal_scale));
}

template <class R>
auto ActiveSet<R>::levels(std::size_t side) const -> Levels {
  const auto& [up, down] = variables.sides[side];
  double lowest = infinity, highest = -infinity;
  for (Index k = 0; k < size(); ++k) {
    lowest = std::min(lowest, gradient_[k] + double(up[k]));
    highest = std::max(highest, gradient_[k] + double(down[k]));
  }
  return {lowest, highest, 0.5 * (lowest + highest)};
}

template <class R>
double ActiveSet<R>::gap() const {
  const Variables<R>& v = variables;
  double offset[2] = {0, 0}, sum[2] = {0, 0};
  Index free[2] = {0, 0};
  const bool by_side = v.sides.size() == 2;
  for (Index k = 0; k < v.n; ++k) {
    if (!v.is_free(k)) continue;
    const int side = by_side && v.beta[k] < 0;
    sum[side] += gradient_[k] + v.bend(k);
    ++free[side];
  }
  const std::size_t sides = keeps_nothing() ? 0 : by_side ? 2 : 1;
  for (std::size_t side = 0; side < sides; ++side)
    offset[side] = -(free[side] > 0 ? sum[side] / double(free[side]) : levels(side).middle);
  const double bias = by_side ? 0.5 * (offset[0] + offset[1]) : offset[0];
  const double l1_weight = v.l1_weight + (by_side ? 0.5 * (offset[0] - offset[1]) : 0.0);
  double gap = 0;
  if (l1_weight == 0 &&
      problem_.ridge == nullptr) {  // as below without its branches: every checkpoint of a small fit asks for it
    for (Index k = 0; k < v.n; ++k) {
      const double linear = gradient_[k] + bias, end = linear < 0 ? v.upper[k] : v.lower[k];
      gap += linear * (v.beta[k] - (linear == 0 ? 0.0 : end));
    }
    return gap;
  }
  for (Index k = 0; k < v.n; ++k) {
    const double beta = v.beta[k], linear = gradient_[k] + bias - v.ridge[k] * beta;
    gap += conjugate(-linear, l1_weight, v.ridge[k], v.lower[k], v.upper[k]) + beta * (linear + 0.5 * v.ridge[k] * beta) +
           l1_weight * std::abs(beta);
  }
  return gap;
}

template <class R>
double ActiveSet<R>::told_gap() const {
  return sizeof(R) == 4 ? std::max(gap(), noise() * abs_sum()) : gap();
}

template <class R>
double ActiveSet<R>::abs_sum() const {
  double sum = 0;
  for (Index k = 0; k < size(); ++k) sum += std::abs(variables.beta[k]);
  return sum;
}

template <class R>
Index ActiveSet<R>::support() const {
  Index support = support_elsewhere_;
  for (Index k = 0; k < size(); ++k) support += variables.beta[k] != 0.0;
  return support;
}

template class ActiveSet<float>;
template class ActiveSet<double>;

}  // namespace maxmargin
