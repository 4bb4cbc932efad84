// The Newton rounds of a pair search: what happens on the face of the box where the free variables live.
#include <algorithm>
#include <cmath>

#include "maxmargin/dual/pair_search.hpp"
#include "maxmargin/newton/face_newton.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

// Multiply-adds to factor the system of the free variables.
template <class R>
double PairSearch<R>::newton_work() const {
  double m = 0;
  for (Index k = 0; k < v_.n; ++k) m += v_.is_free(k);
  return m * m * m / 3;
}

template <class R>
auto PairSearch<R>::newton() -> Newton {
  std::vector<Index> free, moved;
  std::vector<int> part;  // which sum a free variable belongs to
  for (Index k = 0; k < v_.n; ++k) {
    if (v_.is_free(k)) {
      free.push_back(k);
      part.push_back(problem_.keep == Keep::sides && v_.beta[k] < 0 ? 1 : 0);
    }
    if (v_.is_free(k) || v_.beta[k] != first_beta_[k]) moved.push_back(k);
  }
  const auto m = free.size();
  newton_cost_ = double(m) * double(m) * double(m) / 3 + 4.0 * double(v_.n) * double(moved.size());
  if (m == 0 || (m == 1 && problem_.keep != Keep::nothing)) return Newton::nothing_free;
  if (problem_.keep == Keep::nothing) part.clear();
  if (Index(m) > face_limit || Index(moved.size()) > rows_->capacity()) return Newton::unfit;
  rows_->fetch(*maker_, moved, -1);
  std::vector<double> K(m * m, 0.0);
  for (std::size_t a = 0; a < m; ++a) {
    const R* const from = rows_->row(free[a]);
    for (std::size_t b = 0; b < a; ++b) K[a * m + b] = double(from[free[b]]);
    K[a * m + a] = double(v_.diagonal[free[a]]);
  }
  // The ridge that float32 rows need hides small negative eigenvalues: only float64 rows can tell.
  FaceNewton face(std::move(K), Index(m), std::move(part), sizeof(R) == 4 ? 1e-9 : 2.5e-16);
  if (!face.positive()) {
    state_.outcome.negative_curvature |= sizeof(R) == 8;
    return Newton::unfit;
  }
  ++state_.outcome.newton_rounds;
  // A second and third solution with the same factor wash out the ridge and the rounding.
  for (int refinement = 0; refinement < 3 && !face.fixed_any(); ++refinement) {
    std::vector<double> g(m), lower(m), upper(m);
    for (std::size_t a = 0; a < m; ++a) {
      const Index k = free[a];
      g[a] = gradient_[k] + v_.bend(k);
      lower[a] = v_.floor(k) - v_.beta[k];
      upper[a] = v_.ceiling(k) - v_.beta[k];
    }
    const std::vector<double> d = face.minimise(g, lower, upper);
    for (std::size_t a = 0; a < m; ++a) {
      const Index k = free[a];
      const double floor = v_.floor(k), ceiling = v_.ceiling(k);
      v_.beta[k] = d[a] == upper[a] ? ceiling : d[a] == lower[a] ? floor : std::clamp(v_.beta[k] + d[a], floor, ceiling);
      v_.set_masks(k);
    }
    refresh_gradient();
  }
  take_gradient();
  near_.clear();  // it was of another point
  return Newton::done;
}

// The gradient from where this active set began, so that the errors of thousands of steps do not add up.
template <class R>
void PairSearch<R>::refresh_gradient() {
  std::copy(first_gradient_.begin(), first_gradient_.end(), gradient_.begin());
  for (Index k = 0; k < v_.n; ++k) changes_[k] = v_.beta[k] - first_beta_[k];
  add_rows(changes_);
  double gain = 0;
  for (Index k = 0; k < v_.n; ++k)
    gain += 0.5 * changes_[k] * (first_gradient_[k] + gradient_[k]) +
            v_.l1_weight * (std::abs(v_.beta[k]) - std::abs(first_beta_[k]));
  state_.objective = first_objective_ + gain;
}

// gradient += (K + ridge) changes, from rows that are held; in fixed pieces, so that threads do not change the sums.
template <class R>
void PairSearch<R>::add_rows(const std::vector<double>& changes) {
  std::vector<double> factors;
  std::vector<const R*> from;
  for (Index k = 0; k < v_.n; ++k) {
    if (changes[k] == 0.0) continue;
    factors.push_back(changes[k]);
    from.push_back(rows_->row(k));
    gradient_[k] += changes[k] * v_.ridge[k];
  }
  constexpr Index piece = 2048;
  parallel_chunks((v_.n + piece - 1) / piece, [&](std::ptrdiff_t chunk) {
    const Index begin = Index(chunk) * piece, end = std::min(begin + piece, v_.n);
    accumulate_with(begin, end, Index(from.size()), factors.data(), from.data(), gradient_.data());
  });
}

template void PairSearch<float>::add_rows(const std::vector<double>& changes);
template void PairSearch<double>::add_rows(const std::vector<double>& changes);
template double PairSearch<float>::newton_work() const;
template double PairSearch<double>::newton_work() const;
template auto PairSearch<float>::newton() -> Newton;
template auto PairSearch<double>::newton() -> Newton;

}  // namespace maxmargin
