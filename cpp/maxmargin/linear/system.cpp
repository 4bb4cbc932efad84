#include "maxmargin/linear/system.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "maxmargin/newton/triangular.hpp"
#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t worth_a_try = 12;              // iterations: inexact directions make more rounds
constexpr std::int64_t fair_share = 8;                // of these, before their rate tells anything
constexpr Index rows_of_a_guess = 6, least_step = 3;  // a feature, of some rows whose matrix is factored
constexpr double little = 0.3;                        // of the curvatures: so small a change leaves the last factor a good one

}  // namespace

SystemCosts::SystemCosts(const LinearRows& x, double size) {
  const double filled = double(x.stored_values()) / x.rows();
  const bool dense = filled >= 0.9 * x.columns();
  row_of_matrix = dense ? size * size / 13 : filled * filled / 2 + filled;
  row_of_product = dense ? 0.8 * filled : 2 * filled + 5;
  factor = size * size * size / 100 + size * size;
  step = size * size / 4;
}

LinearSystem::LinearSystem(const LinearProblem& problem, RowPasses& passes, const std::vector<double>& ridge, Rules rules)
    : problem_(problem),
      passes_(passes),
      ridge_(ridge),
      rules_(rules),
      n_(problem.x->rows()),
      d_(problem.x->columns()),
      size_(Index(ridge.size())),
      stride_((size_ + 7) / 8 * 8),
      H_(std::size_t(stride_) * std::size_t(stride_), 0.0),
      L_(H_.size()),
      in_H_(n_, 0.0),
      change_(n_),
      offset_row_(d_, 0.0) {
  for (std::vector<double>* v : {&residual_, &fitted_, &search_, &image_, &diagonal_}) v->resize(size_);
}

void LinearSystem::scale_curvatures(double factor) {
  for (double& value : H_) value *= factor;
  for (double& value : in_H_) value *= factor;
  for (double& value : offset_row_) value *= factor;
  offset_corner_ *= factor;
}

// Of every `step`-th row, each for so many. Between two rounds only rows that came or went are added to H or taken from it.
void LinearSystem::factor(const std::vector<double>& curvature, double offset_floor, Index step) {
  if (step > 1) {
    some_.assign(n_, 0.0);
    for (Index i = 0; i < n_; i += step) some_[i] = step * curvature[i];
  }
  const std::vector<double>& wanted = step > 1 ? some_ : curvature;
  Index changed = 0, alive = 0;
  for (Index i = 0; i < n_; ++i) {
    change_[i] = wanted[i] - in_H_[i];
    changed += change_[i] != 0;
    alive += wanted[i] != 0;
  }
  if (2 * changed > alive) {  // from the start: cheaper, and rid of rounding
    std::fill(H_.begin(), H_.end(), 0.0);
    std::fill(offset_row_.begin(), offset_row_.end(), 0.0);
    offset_corner_ = 0;
    change_ = wanted;
  }
  in_H_ = wanted;
  passes_.add_outer(change_.data(), H_.data(), stride_);
  if (size_ > d_) {
    passes_.combine(change_.data(), fitted_.data());
    for (Index k = 0; k < d_; ++k) offset_row_[k] += fitted_[k];
    offset_corner_ = std::accumulate(change_.begin(), change_.end(), offset_corner_);
  }
  // Weights without penalty may have directions without curvature, which must not carry rounding away: each gets a part of what
  // its feature has, whatever the unit. Elsewhere it is below rounding.
  double floor = problem_.penalty ? 1e-14 : 1e-9;
  // Not where rows curve: on rows far from 0 it would weigh as much as what they differ by.
  const double least = std::max(0.0, offset_floor - offset_corner_);
  // Features that some rows have and none of these would look as if they did not curve; and so would the offset where few do.
  if (step > 1) {
    passes_.squares(curvature.data(), diagonal_.data());
    if (size_ > d_) diagonal_[d_] = std::accumulate(curvature.begin(), curvature.end(), 0.0);
  }
  for (int attempt = 0; attempt < 8; ++attempt, floor *= 100) {
    for (Index k = 0; k < d_; ++k) {
      const std::ptrdiff_t row = std::ptrdiff_t(k) * stride_;
      std::copy(H_.begin() + row, H_.begin() + row + k + 1, L_.begin() + row);
    }
    if (size_ > d_) {
      double* const last = L_.data() + std::ptrdiff_t(d_) * stride_;
      std::copy(offset_row_.begin(), offset_row_.end(), last);
      last[d_] = offset_corner_;
    }
    for (Index k = 0; k < size_ && step > 1; ++k) {
      double& corner = L_[std::ptrdiff_t(k) * stride_ + k];
      corner = std::max(corner, diagonal_[k]);
    }
    for (Index k = 0; k < size_; ++k) {
      double& corner = L_[std::ptrdiff_t(k) * stride_ + k];
      corner += std::max(ridge_[k], floor * corner + 1e-300) + (k == d_ ? least : 0.0);
    }
    if (simd().cholesky(size_, L_.data(), stride_, 0.0) < 0) break;
  }
  step_of_H_ = step;
  if (step == 1) tried_ = 0;
}

void LinearSystem::precondition(const std::vector<double>& residual, std::vector<double>& out) const {
  if (step_of_H_ == 0) {
    for (Index k = 0; k < size_; ++k) out[k] = residual[k] / diagonal_[k];
    return;
  }
  std::copy(residual.begin(), residual.begin() + size_, out.begin());
  solve_factored(L_.data(), size_, stride_, out.data());
}

// Conjugate gradients from `direction`, until the residual is `forcing` of what it was; false if that takes more iterations.
bool LinearSystem::iterate(const std::vector<double>& curvature, double offset_floor, double forcing, std::int64_t most,
                           std::vector<double>& direction) {
  const SimdTable& h = simd();
  const double total = std::accumulate(curvature.begin(), curvature.end(), 0.0);
  const double least = std::max(0.0, offset_floor - total);
  if (step_of_H_ == 0) {
    passes_.squares(curvature.data(), diagonal_.data());
    if (size_ > d_) diagonal_[d_] = total + least;
    for (Index k = 0; k < size_; ++k) diagonal_[k] += ridge_[k] + 1e-300;
  }
  precondition(residual_, fitted_);
  search_ = fitted_;
  double rho = h.dot(size_, residual_.data(), fitted_.data());
  const double first = rho, enough = forcing * forcing * rho;
  for (std::int64_t iteration = 0; rho > enough; ++iteration) {
    if (iteration == most) return false;
    // At this rate it would take far longer than a factor: better to know it early.
    if (iteration >= fair_share && !(double(iteration) * std::log(enough / first) > 4.0 * double(most) * std::log(rho / first)))
      return false;
    ++tried_;
    passes_.curvature(curvature.data(), search_.data(), size_ > d_ ? &search_[d_] : nullptr, image_.data());
    for (Index k = 0; k < size_; ++k) image_[k] += (ridge_[k] + (k == d_ ? least : 0.0)) * search_[k];
    const double curve = h.dot(size_, search_.data(), image_.data());
    if (!(curve > 0)) return false;
    const double length = rho / curve;
    h.axpy(size_, length, search_.data(), direction.data());
    h.axpy(size_, -length, image_.data(), residual_.data());
    precondition(residual_, fitted_);
    const double next = h.dot(size_, residual_.data(), fitted_.data());
    for (Index k = 0; k < size_; ++k) search_[k] = fitted_[k] + next / rho * search_[k];
    rho = next;
  }
  return true;
}

// Without a new factor of all rows, where that pays; else false, with what has been done for it in `direction` and residual_.
bool LinearSystem::solve_by_iterations(const std::vector<double>& curvature, double offset_floor, double forcing,
                                       std::vector<double>& direction) {
  if (!rules_.iterates) return false;
  Index changed = 0, alive = 0;
  double off = 0, total = 0;
  for (Index i = 0; i < n_; ++i) {
    changed += curvature[i] != in_H_[i];
    alive += curvature[i] != 0;
    off += std::abs(curvature[i] - in_H_[i]);
    total += curvature[i];
  }
  if (changed == 0 && step_of_H_ == 1) {  // the same system once more
    precondition(residual_, direction);
    return true;
  }
  const SystemCosts costs(*problem_.x, size_);
  const double made = std::min(changed, alive) * costs.row_of_matrix + costs.factor;
  auto most = std::int64_t(made / (alive * costs.row_of_product + costs.step));
  // The last of all rounds hardly change the curvatures: an iteration with the last factor takes a residual to about the part
  // that they do. Before, these directions are too inexact, and make more rounds: rows that stand for more have no last ones.
  if (rules_.exact)
    return !rules_.stands_for_more && step_of_H_ == 1 && off < little * total &&
           std::log(forcing) > double(most) * std::log(off / total) &&
           iterate(curvature, offset_floor, forcing, most, direction);
  // The first factor of all rows serves the rounds that follow, which change little: it is put off once, not in every round.
  if (step_of_H_ != 1) most -= tried_;
  if (most < worth_a_try) return false;
  const Index step = n_ / (rows_of_a_guess * size_);
  if (step_of_H_ != 1 && step >= least_step) factor(curvature, offset_floor, step);
  return iterate(curvature, offset_floor, forcing, most, direction);
}

void LinearSystem::solve(const std::vector<double>& curvature, const std::vector<double>& gradient, double offset_floor,
                         double forcing, std::vector<double>& direction) {
  for (Index k = 0; k < size_; ++k) residual_[k] = -gradient[k];
  std::fill(direction.begin(), direction.end(), 0.0);
  if (solve_by_iterations(curvature, offset_floor, forcing, direction)) return;
  factor(curvature, offset_floor, 1);
  precondition(residual_, fitted_);
  for (Index k = 0; k < size_; ++k) direction[k] += fitted_[k];
}

}  // namespace maxmargin
