// The Newton rounds of a pair search: what happens on the face of the box where the free variables live.
#include <algorithm>

#include "maxmargin/cpu.hpp"
#include "maxmargin/newton.hpp"
#include "maxmargin/pair_search.hpp"

namespace maxmargin {

namespace {

void axpy_with(std::ptrdiff_t n, double a, const float* x, double* y) { hot().axpy_f32(n, a, x, y); }
void axpy_with(std::ptrdiff_t n, double a, const double* x, double* y) { hot().axpy(n, a, x, y); }

}  // namespace

template <class R>
auto PairSearch<R>::newton() -> Newton {
  std::vector<Index> free, moved;
  for (Index k = 0; k < n_; ++k) {
    const bool is_free = beta_[k] > lower_[k] && beta_[k] < upper_[k];
    if (is_free) free.push_back(k);
    if (is_free || beta_[k] != first_beta_[k]) moved.push_back(k);
  }
  const auto m = free.size();
  newton_cost_ = double(m) * double(m) * double(m) / 3 + 4.0 * double(n_) * double(moved.size());
  if (m == 0 || (m == 1 && problem_.keep_total)) return Newton::nothing_free;
  if (Index(m) > face_limit || Index(moved.size()) > rows_->capacity()) return Newton::unfit;
  rows_->fetch(*maker_, moved, -1);
  due_ = true;
  std::vector<double> K(m * m, 0.0);
  for (std::size_t a = 0; a < m; ++a) {
    const R* const from = rows_->row(free[a]);
    for (std::size_t b = 0; b < a; ++b) K[a * m + b] = double(from[free[b]]);
    K[a * m + a] = double(diagonal_[free[a]]);
  }
  FaceNewton face(Index(m), std::move(K), problem_.keep_total);
  if (!face.positive()) {
    state_.outcome.negative_curvature = true;
    return Newton::unfit;
  }
  ++state_.outcome.newton_rounds;
  // A second and third solution with the same factor wash out the ridge and the rounding.
  for (int refinement = 0; refinement < 3 && !face.fixed_any(); ++refinement) {
    std::vector<double> g(m), lower(m), upper(m);
    for (std::size_t a = 0; a < m; ++a) {
      const Index k = free[a];
      g[a] = gradient_[k];
      lower[a] = lower_[k] - beta_[k];
      upper[a] = upper_[k] - beta_[k];
    }
    const std::vector<double> d = face.minimise(g, lower, upper);
    for (std::size_t a = 0; a < m; ++a) {
      const Index k = free[a];
      beta_[k] = d[a] == upper[a]   ? upper_[k]
                 : d[a] == lower[a] ? lower_[k]
                                    : std::clamp(beta_[k] + d[a], lower_[k], upper_[k]);
      set_masks(k);
    }
    refresh_gradient();
  }
  select();
  return Newton::done;
}

// The gradient from where this active set began, so that the errors of thousands of steps do not add up.
template <class R>
void PairSearch<R>::refresh_gradient() {
  std::copy(first_gradient_.begin(), first_gradient_.end(), gradient_.begin());
  double gain = 0;
  for (Index k = 0; k < n_; ++k) {
    const double change = beta_[k] - first_beta_[k];
    if (change == 0.0) continue;
    axpy_with(n_, change, rows_->row(k), gradient_.data());
    gradient_[k] += change * ridge_[k];
  }
  for (Index k = 0; k < n_; ++k) gain += 0.5 * (beta_[k] - first_beta_[k]) * (first_gradient_[k] + gradient_[k]);
  state_.objective = first_objective_ + gain;
}

template auto PairSearch<float>::newton() -> Newton;
template auto PairSearch<double>::newton() -> Newton;

}  // namespace maxmargin
