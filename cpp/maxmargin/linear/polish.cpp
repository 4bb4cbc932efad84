// Dual points from Newton's systems, for the gap. On wide rows w is right long before the multipliers that the losses' slopes
// make of it: those have its error times the curvature, and their combination of rows once more times the rows' lengths.
// And how close a smoothing is to the kinks.
#include <numeric>

#include "maxmargin/linear/newton.hpp"
#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

constexpr double forcing_of_a_face = 1e-3;
constexpr double far = 0.5;  // how far a multiplier of the hinge goes for a margin that is 1 off, in prices
constexpr double sharpening = 4.0, sharpening_again = 2.0, sharpest = 1e9;
constexpr std::int64_t few_rounds = 2, many_rounds = 6;  // of one smoothing
constexpr int most_short_steps = 12;

}  // namespace

// Hinge and tube: what alpha has become is the centre of the next smoothing, which is closer to the kink. On wide rows that
// have shown what is too close, by less, and not if this one was hard.
void LinearNewton::sharpen(std::int64_t round) {
  rows_at(0, n_, z_.data(), centre_.data(), change_.data(), nullptr);
  const std::int64_t took = round - centred_;
  centred_ = round;
  short_steps_ = 0;
  if (softened_ && took > few_rounds) {
    if (took > many_rounds) sharpness_ /= sharpening;
    return;
  }
  if (spread_ * sharpness_ >= sharpest) return;
  sharpness_ *= softened_ ? sharpening_again : sharpening;
  if (!explicit_) return;
  for (double& value : H_) value *= sharpening;
  for (double& value : in_H_) value *= sharpening;
  for (double& value : offset_row_) value *= sharpening;
  offset_corner_ *= sharpening;
}

// Too close to the kinks, w creeps from one to the next. The squared hinge, which bends less, is better off without this.
bool LinearNewton::soften(std::int64_t round) {
  if (!wide_ || !has_kinks(problem_.loss) || short_steps_ <= most_short_steps) return false;
  sharpness_ /= sharpening;
  centred_ = round;
  short_steps_ = 0;
  softened_ = true;
  return true;
}

// What Newton's system says that alpha becomes, inside its bounds.
bool LinearNewton::see_ahead(std::int64_t round) {
  for (Index i = 0; i < n_; ++i) {
    const double most = most_alpha(problem_.loss, problem_.price[i]);
    change_[i] = std::clamp(alpha_[i] - curvature_[i] * along_[i], problem_.target ? -most : 0.0, most);
  }
  return see_dual(change_, round);
}

bool LinearNewton::see_dual(const std::vector<double>& alpha, std::int64_t round) {
  const bool apart = problem_.offset == LinearOffset::free;
  for (int side : {0, 1}) ahead_.mass[side] = ahead_.gain[side] = ahead_.square[side] = 0;
  for (Index i = 0; i < n_; ++i) {
    const double share = problem_.y[i] * alpha[i];
    const int side = share > 0;
    ahead_.mass[side] += std::abs(alpha[i]);
    ahead_.gain[side] += linear_gain(problem_, i, alpha[i]);
    ahead_.square[side] += 0.25 * alpha[i] * alpha[i] / problem_.price[i];
    signed_[apart ? side : 0][i] = share;
    if (apart) signed_[1 - side][i] = 0;
  }
  for (int side = 0; side <= int(apart); ++side) passes_.combine(signed_[side].data(), ahead_.combination[side].data());
  const ScaledDual dual = scaled_dual(problem_, ahead_, alpha, passes_);
  best_ahead_ = dual.value > record_.dual();
  return see(dual, alpha, round);
}

// Moves the multipliers of the rows that curve together to where these rows have the margins that they ask for, and inside the
// bounds as far as the dual objective rises. The hinge's are drawn back to where this was done before: there may be no such
// margins.
bool LinearNewton::polish(std::int64_t round) {
  const bool squared = problem_.loss == MarginLoss::squared_hinge;
  const bool free = problem_.offset == LinearOffset::free, paid = problem_.offset == LinearOffset::penalised;
  const auto combine = [&](const std::vector<double>& alpha) {
    for (Index i = 0; i < n_; ++i) along_[i] = problem_.y[i] * alpha[i];
    passes_.combine(along_.data(), direction_.data());
    const double total = std::accumulate(along_.begin(), along_.end(), 0.0);
    if (paid) direction_[d_] = total / ridge_[d_];
    return total;
  };
  const double total = combine(alpha_);
  face_.balance = free ? -total : 0.0;
  const double offset = free ? w_[d_] : (paid ? direction_[d_] : 0.0);
  passes_.scores(direction_.data(), along_.data());
  face_.clear();
  for (Index i = 0; i < n_; ++i) {
    const double own = squared ? 0.5 / problem_.price[i] : 0.0;
    change_[i] = 1 - problem_.y[i] * (along_[i] + offset) - own * alpha_[i];  // how the dual objective rises
    if (curvature_[i] == 0) continue;
    const double reach = squared ? 1 / own : far * problem_.price[i];
    face_.add(i, reach, squared ? change_[i] : change_[i] - (alpha_[i] - base_[i]) / reach);
  }
  if (!gradients_->solve(face_, ridge_, forcing_of_a_face, record_)) return true;

  std::vector<double>& move = moved_;
  double first = 0, second = 0;
  move.assign(n_, 0.0);
  for (std::size_t k = 0; k < face_.rows.size(); ++k) {
    const Index i = face_.rows[k];
    move[i] = std::clamp(alpha_[i] + face_.change[k], 0.0, most_alpha(problem_.loss, problem_.price[i])) - alpha_[i];
    first += change_[i] * move[i];
    if (squared) second += 0.5 / problem_.price[i] * move[i] * move[i];
  }
  combine(move);
  second += hot().dot(d_, direction_.data(), direction_.data());
  if (paid) second += direction_[d_] * direction_[d_] * ridge_[d_];
  const double part = second > 0 ? std::clamp(first / second, 0.0, 1.0) : 0.0;
  for (Index i = 0; i < n_; ++i) move[i] = alpha_[i] + part * move[i];
  const bool stop = see_dual(move, round);
  if (best_ahead_) centre_ = base_ = move;
  return stop;
}

}  // namespace maxmargin
