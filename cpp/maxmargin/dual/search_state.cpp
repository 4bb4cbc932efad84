// What a pair search knows about itself: its gradient, how near it is to the end, and how far its rows can be trusted.
#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/dual/evaluation.hpp"
#include "maxmargin/dual/pair_search.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Checkpoints of the trace: so many steps apart at the least, and so many while the steps double. Small problems are over in
// the time of a few, and have them further apart.
constexpr std::int64_t least_between_checkpoints = 16, most_between_checkpoints = 256, checkpoints_doubling = 12;
constexpr std::int64_t steps_times_rows = 1 << 18;

}  // namespace

void State::poll(const Deadline& deadline) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_report > std::chrono::milliseconds(50)) {
    const double passed = std::chrono::duration<double>(now - start).count();
    last_report = now;
    if ((*monitor)({passed, outcome.steps, objective, std::max(violation, known_violation), n_support}))
      throw Stopped(Termination::stopped);
  }
  if (deadline.is_over_at(now)) throw Stopped(Termination::time_limit);
}

// The steps go on from the float64 gradient. Where the sum is kept they see it up to a constant: float32 then resolves it
// around the level of the free variables.
template <class R>
void PairSearch<R>::take_gradient() {
  double shift = 0;
  if (sizeof(R) == 4 && problem_.keep != Keep::nothing) {
    for (std::size_t side = 0; side < v_.sides.size(); ++side) shift += levels(side).middle / double(v_.sides.size());
    if (!std::isfinite(shift)) shift = 0;
  }
  for (Index k = 0; k < v_.n; ++k) v_.gradient[k] = R(gradient_[k] - shift);
  caught_up_ = v_.beta;
  select();
}

// Brings the float64 gradient to where the steps have led.
template <class R>
void PairSearch<R>::catch_up() {
  if constexpr (sizeof(R) == 8) {
    std::copy(v_.gradient.begin(), v_.gradient.end(), gradient_.begin());
  } else {
    for (Index k = 0; k < v_.n; ++k) changes_[k] = v_.beta[k] - caught_up_[k];
    add_rows(changes_);
    take_gradient();
  }
}

// About the error of a component of the gradient that the rounding of the rows' values makes: errors of a sum mostly cancel.
template <class R>
double PairSearch<R>::noise() const {
  double square = 0;
  for (Index k = 0; k < v_.n; ++k) square += v_.beta[k] * v_.beta[k] * std::abs(double(v_.diagonal[k]));
  return double(std::numeric_limits<R>::epsilon()) * (1.0 + std::sqrt(square * state_.diagonal_scale));
}

// Would float32 rows not do to the end? Where few are active, float64 rows are cheap, and it need not be seen to the last.
template <class R>
bool PairSearch<R>::wants_float64() const {
  if (sizeof(R) == 8) return false;
  const bool few = v_.n <= exact_limit;
  if (few && options_.tol < float_tol) return true;
  const double error = noise();
  return error > 0.1 * target_ && violation() < (few ? 30 : 2) * error;
}

// Where the slopes of a side lie: the lowest that would rise, the highest that would fall, and between them the level that free
// variables have at the optimum.
template <class R>
auto PairSearch<R>::levels(std::size_t side) const -> Levels {
  const auto& [up, down] = v_.sides[side];
  double lowest = infinity, highest = -infinity;
  for (Index k = 0; k < v_.n; ++k) {
    lowest = std::min(lowest, gradient_[k] + double(up[k]));
    highest = std::max(highest, gradient_[k] + double(down[k]));
  }
  return {lowest, highest, 0.5 * (lowest + highest)};
}

// The duality gap at the offset of the free variables. Inactive variables add nothing to it.
template <class R>
double PairSearch<R>::gap() const {
  double offset[2] = {0, 0}, sum[2] = {0, 0};
  Index free[2] = {0, 0};
  const bool by_side = v_.sides.size() == 2;
  for (Index k = 0; k < v_.n; ++k) {
    if (!v_.is_free(k)) continue;
    const int side = by_side && v_.beta[k] < 0;
    sum[side] += gradient_[k] + v_.bend(k);
    ++free[side];
  }
  const std::size_t sides = problem_.keep == Keep::nothing ? 0 : by_side ? 2 : 1;
  for (std::size_t side = 0; side < sides; ++side)
    offset[side] = -(free[side] > 0 ? sum[side] / double(free[side]) : levels(side).middle);
  const double bias = by_side ? 0.5 * (offset[0] + offset[1]) : offset[0];
  const double l1_weight = v_.l1_weight + (by_side ? 0.5 * (offset[0] - offset[1]) : 0.0);
  double gap = 0;
  if (l1_weight == 0 &&
      problem_.ridge == nullptr) {  // as below without its branches: every checkpoint of a small fit asks for it
    for (Index k = 0; k < v_.n; ++k) {
      const double linear = gradient_[k] + bias, end = linear < 0 ? v_.upper[k] : v_.lower[k];
      gap += linear * (v_.beta[k] - (linear == 0 ? 0.0 : end));
    }
    return gap;
  }
  for (Index k = 0; k < v_.n; ++k) {
    const double beta = v_.beta[k], linear = gradient_[k] + bias - v_.ridge[k] * beta;
    gap += conjugate(-linear, l1_weight, v_.ridge[k], v_.lower[k], v_.upper[k]) + beta * (linear + 0.5 * v_.ridge[k] * beta) +
           l1_weight * std::abs(beta);
  }
  return gap;
}

// Is the gap within the part of the primal objective that a certificate grants?
template <class R>
bool PairSearch<R>::gap_is_small() const {
  const double gap = this->gap();
  double abs_sum = 0;
  for (Index k = 0; k < v_.n; ++k) abs_sum += std::abs(v_.beta[k]);
  // where the optimum is 0, no gap is small beside it
  const double nothing =
      std::min(options_.tol * abs_sum, std::max(options_.tol * options_.tol, 1e-9) * abs_sum * abs_sum * state_.diagonal_scale);
  return gap <= 0.9 * std::max(std::max(options_.tol, 1e-3) * std::abs(gap - state_.objective), nothing);
}

// Records progress; true if the run must end here.
template <class R>
bool PairSearch<R>::checkpoint(double violation) {
  Outcome& outcome = state_.outcome;
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - state_.start).count();
  state_.violation = violation;
  const bool due = outcome.steps >= state_.next_checkpoint;
  const bool report = now - state_.last_report > std::chrono::milliseconds(50);
  if (due || report) {
    Index support = support_elsewhere_;
    for (Index k = 0; k < v_.n; ++k) support += v_.beta[k] != 0.0;
    state_.n_support = support;
    const Progress progress{seconds, outcome.steps, state_.objective, std::max(violation, state_.known_violation),
                            support, gap()};
    if (due) {
      outcome.trace.push_back(progress);
      state_.next_checkpoint = state_.next_note = outcome.steps + steps_to_checkpoint(outcome.steps);
    }
    if (report) {
      state_.last_report = now;
      if (monitor_(progress)) return outcome.termination = Termination::stopped, true;
    }
  }
  if (options_.deadline.is_over_at(now)) return outcome.termination = Termination::time_limit, true;
  return false;
}

// A checkpoint in the middle of a burst of steps: of the primal objective and the violation it is known what they were before.
template <class R>
void PairSearch<R>::note_progress(std::int64_t steps) {
  std::vector<Progress>& trace = state_.outcome.trace;
  state_.next_note = steps + steps_to_checkpoint(steps);
  if (trace.empty()) return;
  const Progress& last = trace.back();
  trace.push_back({state_.seconds(), steps, state_.objective, last.violation, last.n_support,
                   last.gap + (state_.objective - last.objective)});
}

template <class R>
std::int64_t PairSearch<R>::steps_to_checkpoint(std::int64_t steps) const {
  const std::int64_t least =
      std::clamp(steps_times_rows / std::max<std::int64_t>(1, v_.n), least_between_checkpoints, most_between_checkpoints);
  return std::max(least, steps / checkpoints_doubling);
}

template void PairSearch<float>::take_gradient();
template void PairSearch<double>::take_gradient();
template void PairSearch<float>::catch_up();
template void PairSearch<double>::catch_up();
template bool PairSearch<float>::checkpoint(double);
template bool PairSearch<double>::checkpoint(double);
template void PairSearch<float>::note_progress(std::int64_t);
template void PairSearch<double>::note_progress(std::int64_t);
template double PairSearch<float>::noise() const;
template double PairSearch<double>::noise() const;
template bool PairSearch<float>::wants_float64() const;
template bool PairSearch<double>::wants_float64() const;
template bool PairSearch<float>::gap_is_small() const;
template bool PairSearch<double>::gap_is_small() const;

}  // namespace maxmargin
