#include "maxmargin/dual/pair_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double burst_work = 2e7;  // about 20 milliseconds of pair steps
constexpr double poll_work = 1e6;   // about one
constexpr std::int64_t steps_to_look = 1000;
constexpr double quick_work = 50;  // a variable: of steps for which rows stand ready, which are few from fit to fit
constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

template <class R>
PairSearch<R>::PairSearch(const SignedDual& problem, const Gram& gram, const Options& options, const Monitor& monitor,
                          SearchState& state)
    : options_(options),
      monitor_(monitor),
      state_(state),
      active_(problem, gram, options.cache_bytes, state),
      pairs_(active_, state),
      blocks_(active_, options, state),
      face_(active_, state) {}

// A number of steps in pairs, or in single variables; false when none moves anything. Without room for all rows the float64
// gradient goes along, since a row may be gone later.
template <class R>
bool PairSearch<R>::step_pairs() {
  const auto most = std::min<std::int64_t>(
      options_.max_steps - state_.outcome.steps,
      sizeof(R) == 8 ? 64 : std::clamp<std::int64_t>(std::int64_t(burst_work) / active_.size(), 200, 4000));
  const double goal = sizeof(R) == 8 ? target_ : 0.9 * target_;
  const std::int64_t between_polls = std::max<std::int64_t>(1, std::int64_t(poll_work) / active_.size());
  std::int64_t taken = 0;
  while (taken < most && active_.violation() > goal && (sizeof(R) == 4 || work_ <= face_.cost() || taken == 0) &&
         !shrinking_pays() && pairs_.take()) {
    work_ += pairs_.work();
    if (++taken % between_polls == 0) poll_now();
    if (state_.outcome.steps >= state_.next_note) state_.note_progress(state_.outcome.steps, active_.size());
  }
  active_.catch_up();
  return taken > 0 || !near_.empty();
}

// From time to time: are the variables that are far from any violating pair many? The others are put into `near_`.
template <class R>
bool PairSearch<R>::shrinking_pays() {
  if (!near_.empty()) return true;
  if (state_.outcome.steps < next_shrink_ || active_.keeps_nothing() || !options_.shrinking) return false;
  next_shrink_ = state_.outcome.steps + shrink_interval();
  const Variables<R>& v = active_.variables;
  const Selection* const chosen = active_.pairs.of;
  const double margin = active_.violation();
  for (Index k = 0; k < active_.size(); ++k) {
    bool near = false;
    for (std::size_t side = 0; side < v.sides.size(); ++side) {
      const double lowest = chosen[side].lowest_up.value - margin, highest = chosen[side].highest_down + margin;
      near |= v.gradient[k] + v.sides[side].up[k] < highest || v.gradient[k] + v.sides[side].down[k] > lowest;
    }
    if (near) near_.push_back(k);
  }
  if (10 * Index(near_.size()) > 7 * active_.size() || near_.size() < 2) near_.clear();
  return !near_.empty();
}

// Leaves out all variables but those near.
template <class R>
void PairSearch<R>::shrink() {
  active_.keep(near_);
  near_.clear();
  blocks_.forget();
}

// Has a whole window of steps led to no objective below the lowest before? Rounding can make steps go round in circles, each of
// which seems to gain: the objective is computed anew. Few variables need few steps to get anywhere.
template <class R>
bool PairSearch<R>::stagnates() {
  const std::int64_t steps = state_.outcome.steps, n = active_.size();
  if (steps < window_end_) return false;
  if (window_end_ > 0 && face_.refresh()) active_.take_gradient();
  const double lowest = std::min(lowest_objective_, state_.objective), gain = lowest_objective_ - lowest, gap = active_.gap();
  // Steps that gain next to nothing of the gap get nowhere either, unless they lead nearer to the optimality conditions.
  const bool nearer = lowest_violation_ < 0.99 * window_violation_ || gap < 0.99 * window_gap_;
  const bool still = window_end_ > 0 && (!(gain > 4 * epsilon * std::abs(lowest)) || (!(gain > 1e-9 * gap) && !nearer));
  lowest_objective_ = lowest;
  window_violation_ = lowest_violation_;
  window_gap_ = gap;
  window_end_ = steps + std::max(std::min<std::int64_t>(100000, 1000 * n), 20 * n);
  return still;
}

// Multiply-adds, in those of a factorisation, of what steps take where a fit need not be exact.
template <class R>
double PairSearch<R>::quick_steps() const {
  return quick_work * double(active_.size());
}

// Would float32 rows not do to the end? Where few are active, float64 rows are cheap, and it need not be seen to the last.
template <class R>
bool PairSearch<R>::wants_float64() const {
  if (sizeof(R) == 8) return false;
  const bool few = active_.size() <= exact_limit;
  if (few && options_.tol < float_tol) return true;
  const double error = active_.noise();
  return error > 0.1 * target_ && active_.violation() < (few ? 30 : 2) * error;
}

// Is the gap within the part of the primal objective that a certificate grants?
template <class R>
bool PairSearch<R>::gap_is_small() const {
  const double gap = active_.gap(), abs_sum = active_.abs_sum();
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
    const Index support = state_.n_support = active_.support();
    state_.untold_violation = active_.untold_violation();
    const Progress progress{seconds, outcome.steps, state_.objective, state_.told_violation(), support, active_.told_gap()};
    if (due) {
      outcome.trace.push_back(progress);
      state_.next_checkpoint = state_.next_note =
          outcome.steps + SearchState::steps_to_checkpoint(outcome.steps, active_.size());
    }
    if (report) {
      state_.last_report = now;
      if (monitor_(progress)) return outcome.termination = Termination::stopped, true;
    }
  }
  if (options_.deadline.is_over_at(now)) return outcome.termination = Termination::time_limit, true;
  return false;
}

template <class R>
auto PairSearch<R>::newton() -> Newton {
  const Newton result = face_.take();
  if (result == Newton::done) near_.clear();  // it was of another point
  return result;
}

// Steps until the violation is below tol, with Newton rounds in between once they cost no more than the steps since the last
// one. Then, where float64 rows make it possible, the same down to rounding: the exact finish. Float32 rows end when the gap is
// small too, a little below tol, so that the certificate agrees.
template <class R>
bool PairSearch<R>::search() {
  Outcome& outcome = state_.outcome;
  const bool exact = sizeof(R) == 8 && options_.finish && active_.size() <= exact_limit;
  double best = infinity, rescued = infinity;
  bool finishing = false, handed_over = false;
  int idle_rounds = 0, rescues = 20;
  next_shrink_ = outcome.steps + shrink_interval();
  std::int64_t next_look = outcome.steps + steps_to_look;
  target_ = sizeof(R) == 4 ? 0.95 * options_.tol : options_.tol;
  work_ = 0;
  // its free set has settled
  if (options_.origin == Origin::warm && face_.factor_work() < (options_.finish ? face_.cost() : quick_steps()))
    work_ = infinity;
  active_.select();
  for (;;) {
    const double now = active_.violation();
    lowest_violation_ = std::min(lowest_violation_, now);
    if (now <= target_) {
      if (finishing || target_ < 1e-3 * options_.tol) break;
      if (exact) {
        finishing = true;
        idle_rounds = 0;
        target_ = std::min(options_.tol, std::max(1e-11, active_.noise()));
        work_ = infinity;
        continue;
      }
      if (gap_is_small()) break;
      target_ *= 0.2;
      if (options_.finish || face_.factor_work() < quick_steps()) newton();
      continue;
    }
    if (checkpoint(now)) break;
    if (outcome.steps >= options_.max_steps) {
      if (!finishing) outcome.termination = Termination::step_limit;
      break;
    }
    if (work_ > face_.cost()) {
      work_ = 0;
      const Newton result = newton();
      if (result == Newton::unfit && finishing) break;
      if (result == Newton::done) {
        idle_rounds = active_.violation() < 0.5 * best ? 0 : idle_rounds + 1;
        best = std::min(best, active_.violation());
        if (finishing && idle_rounds > 8) break;
        continue;
      }
    }
    if (!step(now) || stagnates()) {
      if (rescues-- > 0 && newton() == Newton::done && active_.violation() < 0.5 * std::min(now, rescued)) {
        rescued = active_.violation();
        continue;
      }
      handed_over = sizeof(R) == 4;  // float32 resolves no more
      if (!finishing && !handed_over) outcome.termination = Termination::stalled;
      break;
    }
    if (shrinking_pays()) shrink();
    if (outcome.steps >= next_look) {
      next_look = outcome.steps + steps_to_look;
      handed_over = wants_float64();
      if (handed_over) break;
    }
  }
  return !handed_over;
}

// A search that was stopped in the middle of something ends at its last step.
template <class R>
bool PairSearch<R>::run() {
  bool ended = true;
  state_.untold_violation = active_.untold_violation();
  try {
    ended = search();
    state_.violation = active_.violation();
    state_.untold_violation = active_.untold_violation();
    state_.n_support = active_.support();
    state_.outcome.end = state_.progress();
    state_.outcome.end->gap = active_.told_gap();
  } catch (const Stopped& stop) {
    state_.outcome.termination = stop.termination();
    state_.outcome.end = state_.progress();
  }
  state_.outcome.rows_made += active_.rows().rows_made();
  active_.store();
  return ended;
}

// Blocks where they pay; pairs where a long tail would make blocks repeat themselves.
template <class R>
bool PairSearch<R>::step(double violation) {
  if (!blocks_.pay(violation)) return step_pairs();
  const bool moved = blocks_.take(violation);
  work_ += blocks_.work();
  return moved;
}

template class PairSearch<float>;
template class PairSearch<double>;

}  // namespace maxmargin
