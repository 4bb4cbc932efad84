// Newton's system with up to some hundred features: (ridge + X' diag(curvature) X) direction = -gradient.
//
// Its matrix is made and factored where that is cheap; else conjugate gradients take the last factor, or at first that of some
// of the rows or the diagonal, as a preconditioner, for as long as a new factor would take.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "maxmargin/linear/newton.hpp"
#include "maxmargin/newton/triangular.hpp"
#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t worth_a_try = 12;               // iterations: inexact directions make more rounds
constexpr std::int64_t fair_share = 8;                 // of these, before their rate tells anything
constexpr Index step_of_rows = 4, rows_a_feature = 8;  // of some rows that are solved for
constexpr Index rows_of_a_guess = 6, least_step = 3;   // a feature, of some rows whose matrix is factored
constexpr double enough_of_some = 1e-2;
constexpr double little = 0.3;  // of the curvatures: so small a change leaves the last factor a good one
constexpr int rows_worth_factors = 8;

// About nanoseconds, of one thread: only their ratios count.
struct Costs {
  double row_of_matrix, row_of_product, factor, step;
  Costs(const LinearRows& x, double size) {
    const double filled = double(x.stored_values()) / x.rows();
    const bool dense = filled >= 0.9 * x.columns();
    row_of_matrix = dense ? size * size / 13 : filled * filled / 2 + filled;
    row_of_product = dense ? 0.8 * filled : 2 * filled + 5;
    factor = size * size * size / 100 + size * size;
    step = size * size / 4;
  }
};

}  // namespace

// Of every `step`-th row, each for so many. Between two rounds only rows that came or went are added to H or taken from it.
void LinearNewton::factor(Index step) {
  if (step > 1) {
    some_.assign(n_, 0.0);
    for (Index i = 0; i < n_; i += step) some_[i] = step * curvature_[i];
  }
  const std::vector<double>& wanted = step > 1 ? some_ : curvature_;
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
  const double least = std::max(0.0, offset_floor() - offset_corner_);
  // Features that some rows have and none of these would look as if they did not curve; and so would the offset where few do.
  if (step > 1) {
    passes_.squares(curvature_.data(), diagonal_.data());
    if (size_ > d_) diagonal_[d_] = std::accumulate(curvature_.begin(), curvature_.end(), 0.0);
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
    if (hot().cholesky(size_, L_.data(), stride_, 0.0) < 0) break;
  }
  step_of_H_ = step;
  if (step == 1) tried_ = 0;
}

void LinearNewton::precondition(const std::vector<double>& residual, std::vector<double>& out) const {
  if (step_of_H_ == 0) {
    for (Index k = 0; k < size_; ++k) out[k] = residual[k] / diagonal_[k];
    return;
  }
  std::copy(residual.begin(), residual.begin() + size_, out.begin());
  solve_factored(L_.data(), size_, stride_, out.data());
}

// Conjugate gradients from direction_, until the residual is `forcing` of what it was; false if that takes more iterations.
bool LinearNewton::iterate(double forcing, std::int64_t most) {
  const Hot& h = hot();
  const double total = std::accumulate(curvature_.begin(), curvature_.end(), 0.0);
  const double least = std::max(0.0, offset_floor() - total);
  if (step_of_H_ == 0) {
    passes_.squares(curvature_.data(), diagonal_.data());
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
    passes_.curvature(curvature_.data(), search_.data(), size_ > d_ ? &search_[d_] : nullptr, image_.data());
    for (Index k = 0; k < size_; ++k) image_[k] += (ridge_[k] + (k == d_ ? least : 0.0)) * search_[k];
    const double curve = h.dot(size_, search_.data(), image_.data());
    if (!(curve > 0)) return false;
    const double length = rho / curve;
    h.axpy(size_, length, search_.data(), direction_.data());
    h.axpy(size_, -length, image_.data(), residual_.data());
    precondition(residual_, fitted_);
    const double next = h.dot(size_, residual_.data(), fitted_.data());
    for (Index k = 0; k < size_; ++k) search_[k] = fitted_[k] + next / rho * search_[k];
    rho = next;
  }
  return true;
}

// Without a new factor of all rows, where that pays; else false, with what has been done for it in direction_ and residual_.
bool LinearNewton::solve_by_iterations(double forcing) {
  if (proximal_ || !problem_.penalty) return false;
  Index changed = 0, alive = 0;
  double off = 0, total = 0;
  for (Index i = 0; i < n_; ++i) {
    changed += curvature_[i] != in_H_[i];
    alive += curvature_[i] != 0;
    off += std::abs(curvature_[i] - in_H_[i]);
    total += curvature_[i];
  }
  if (changed == 0 && step_of_H_ == 1) {  // the same system once more
    precondition(residual_, direction_);
    return true;
  }
  const Costs costs(*problem_.x, size_);
  const double made = std::min(changed, alive) * costs.row_of_matrix + costs.factor;
  auto most = std::int64_t(made / (alive * costs.row_of_product + costs.step));
  // The last of all rounds hardly change the curvatures: an iteration with the last factor takes a residual to about the part
  // that they do. Before, these directions are too inexact, and make more rounds: rows that stand for more have no last ones.
  if (record_.is_exact())
    return !stand_for_more_ && step_of_H_ == 1 && off < little * total &&
           std::log(forcing) > double(most) * std::log(off / total) && iterate(forcing, most);
  // The first factor of all rows serves the rounds that follow, which change little: it is put off once, not in every round.
  if (step_of_H_ != 1) most -= tried_;
  if (most < worth_a_try) return false;
  const Index step = n_ / (rows_of_a_guess * size_);
  if (step_of_H_ != 1 && step >= least_step) factor(step);
  return iterate(forcing, most);
}

void LinearNewton::solve(double forcing) {
  for (Index k = 0; k < size_; ++k) residual_[k] = -gradient_[k];
  std::fill(direction_.begin(), direction_.end(), 0.0);
  if (solve_by_iterations(forcing)) return;
  factor(1);
  precondition(residual_, fitted_);
  for (Index k = 0; k < size_; ++k) direction_[k] += fitted_[k];
}

// Some of the rows can be met closer than all of them, by about features / rows that curve of the objective: a step that gains
// no more than that serves these rows alone.
bool LinearNewton::gains_little() const {
  const auto alive = double(std::count_if(curvature_.begin(), curvature_.end(), [](double c) { return c != 0; }));
  return decrement_ <= std::max(enough_of_some, size_ / alive) * primal_;
}

// Some of the rows at a higher price, and these from some of them: most rounds are needed to come near, and for that a part of
// the rows tells as much as all. Not where there are few rows a feature, or where a round is the factor more than the rows.
void LinearNewton::begin_with_some_rows(const LinearOptions& options, const Monitor& monitor) {
  if (!explicit_ || proximal_ || !problem_.penalty || record_.is_exact()) return;
  if (n_ < step_of_rows * rows_a_feature * std::int64_t(size_)) return;
  const Costs costs(*problem_.x, size_);
  if (n_ * (0.5 * costs.row_of_matrix + 3 * costs.row_of_product) < rows_worth_factors * costs.factor) return;
  const std::unique_ptr<LinearRows> x = problem_.x->every(step_of_rows);
  std::vector<double> y, price, target;
  for (Index i = 0; i < n_; i += step_of_rows) {
    y.push_back(problem_.y[i]);
    price.push_back(step_of_rows * problem_.price[i]);
    if (problem_.target) target.push_back(problem_.target[i]);
  }
  LinearProblem some = problem_;
  some.x = x.get();
  some.y = y.data();
  some.price = price.data();
  some.target = problem_.target ? target.data() : nullptr;
  LinearOptions brief = options;
  brief.stand_for_more = true;
  place(minimise_by_newton(some, brief, [&](const Progress& p) { return monitor({p.seconds, 0, 0.0, 1.0, 0}); }));
}

}  // namespace maxmargin
