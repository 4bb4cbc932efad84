#include "maxmargin/linear/face_polish.hpp"

#include <algorithm>
#include <numeric>

#include "maxmargin/linear/losses.hpp"
#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

constexpr double forcing_of_a_face = 1e-3;
constexpr double far = 0.5;  // how far a multiplier of the hinge goes for a margin that is 1 off, in C

}  // namespace

FacePolish::FacePolish(const LinearProblem& problem, RowPasses& passes, ConjugateGradients& gradients,
                       const std::vector<double>& ridge)
    : problem_(problem),
      passes_(passes),
      gradients_(gradients),
      ridge_(ridge),
      n_(problem.x->rows()),
      d_(problem.x->columns()),
      base_(n_, 0.0),
      along_(n_),
      change_(n_),
      direction_(ridge.size()) {}

bool FacePolish::move(const std::vector<double>& alpha, const std::vector<double>& curvature, double free_offset,
                      LinearRecord& record) {
  const bool squared = problem_.loss == MarginLoss::squared_hinge;
  const bool free = problem_.offset == LinearOffset::free, paid = problem_.offset == LinearOffset::penalised;
  const auto combine = [&](const std::vector<double>& multipliers) {
    for (Index i = 0; i < n_; ++i) along_[i] = problem_.y[i] * multipliers[i];
    passes_.combine(along_.data(), direction_.data());
    const double total = std::accumulate(along_.begin(), along_.end(), 0.0);
    if (paid) direction_[d_] = total / ridge_[d_];
    return total;
  };
  const double total = combine(alpha);
  face_.balance = free ? -total : 0.0;
  const double offset = free ? free_offset : (paid ? direction_[d_] : 0.0);
  passes_.scores(direction_.data(), along_.data());
  face_.clear();
  for (Index i = 0; i < n_; ++i) {
    const double own = squared ? 0.5 / problem_.C[i] : 0.0;
    change_[i] = 1 - problem_.y[i] * (along_[i] + offset) - own * alpha[i];  // how the dual objective rises
    if (curvature[i] == 0) continue;
    const double reach = squared ? 1 / own : far * problem_.C[i];
    face_.add(i, reach, squared ? change_[i] : change_[i] - (alpha[i] - base_[i]) / reach);
  }
  if (!gradients_.solve(face_, ridge_, forcing_of_a_face, record)) return false;

  double first = 0, second = 0;
  moved_.assign(n_, 0.0);
  for (std::size_t k = 0; k < face_.rows.size(); ++k) {
    const Index i = face_.rows[k];
    moved_[i] = std::clamp(alpha[i] + face_.change[k], 0.0, most_alpha(problem_.loss, problem_.C[i])) - alpha[i];
    first += change_[i] * moved_[i];
    if (squared) second += 0.5 / problem_.C[i] * moved_[i] * moved_[i];
  }
  combine(moved_);
  second += simd().dot(d_, direction_.data(), direction_.data());
  if (paid) second += direction_[d_] * direction_[d_] * ridge_[d_];
  const double part = second > 0 ? std::clamp(first / second, 0.0, 1.0) : 0.0;
  for (Index i = 0; i < n_; ++i) moved_[i] = alpha[i] + part * moved_[i];
  return true;
}

}  // namespace maxmargin
