#include "maxmargin/dual/pair_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t batch = 6;    // one strip of a tile
constexpr double burst_work = 2e7;  // about 20 milliseconds of pair steps
constexpr double poll_work = 1e6;   // about one
constexpr std::int64_t steps_to_look = 1000;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

}  // namespace

template <class R>
PairSearch<R>::PairSearch(const SignedDual& problem, const Gram& gram, const Options& options, const Monitor& monitor,
                          State& state)
    : problem_(problem), gram_(gram), options_(options), monitor_(monitor), state_(state) {
  load_active();
  rows_ = std::make_unique<RowStore<R>>(v_.n, options_.cache_bytes);
}

template <class R>
void PairSearch<R>::load_active() {
  v_.resize(Index(state_.active.size()), problem_);
  gradient_.assign(v_.gradient.size(), 0.0);
  changes_.assign(v_.n, 0.0);
  for (Index k = 0; k < v_.n; ++k) {
    const Index i = state_.active[k];
    gradient_[k] = state_.gradient[i];
    v_.beta[k] = state_.beta[i];
    v_.lower[k] = problem_.lower[i];
    v_.upper[k] = problem_.upper[i];
    v_.ridge[k] = problem_.ridge_at(i);
    v_.diagonal[k] = R(state_.diagonal[i]);
    v_.set_masks(k);
  }
  const auto is_support = [](double b) { return b != 0.0; };
  support_elsewhere_ = Index(std::count_if(state_.beta.begin(), state_.beta.end(), is_support) -
                             std::count_if(v_.beta.begin(), v_.beta.end(), is_support));
  first_beta_ = v_.beta;
  first_gradient_.assign(gradient_.begin(), gradient_.begin() + v_.n);
  first_objective_ = state_.objective;
  maker_ = maker_for(gram_, state_.active, R());
  block_.clear();
  take_gradient();
}

template <class R>
void PairSearch<R>::store_active() {
  for (Index k = 0; k < v_.n; ++k) {
    const Index i = state_.active[k];
    state_.gradient[i] = gradient_[k];
    state_.beta[i] = v_.beta[k];
  }
}

// The candidates for the next steps, best first: when a row must be made, theirs are made with it, since a tile of several
// rows costs little more than one row.
template <class R>
void PairSearch<R>::fill_queue() {
  const bool singles = problem_.keep == Keep::nothing;
  Leaders<R> found{.most = Index(batch)};
  for (std::size_t side = 0; side < v_.sides.size(); ++side) {
    const double lowest = singles ? 0.0 : pairs_.of[side].lowest_up.value,
                 highest = singles ? 0.0 : pairs_.of[side].highest_down;
    leaders_with(v_.view(side), lowest, highest, rows_->slots(), found);
  }
  queue_.assign(found.who, found.who + found.count);
}

template <class R>
const R* PairSearch<R>::row(Index p, Index pinned) {
  if (rows_->has(p)) return rows_->row(p);
  wanted_.assign(1, p);
  if (v_.n <= 64 && rows_->capacity() == v_.n) {  // small: the whole matrix at once
    wanted_.resize(v_.n);
    std::iota(wanted_.begin(), wanted_.end(), 0);
  } else if (rows_->filled() + Index(batch) <= rows_->capacity()) {
    fill_queue();
    for (const Index k : queue_)
      if (k != p && wanted_.size() < batch) wanted_.push_back(k);
  }
  rows_->fetch(*maker_, wanted_, pinned);
  return rows_->row(p);
}

// What a move tells; false if it moved nothing.
template <class R>
bool PairSearch<R>::note(const Move& move) {
  state_.objective += move.gain;
  state_.outcome.negative_curvature |= move.negative_curvature;
  return move.step != 0.0;
}

// The float64 gradient's own part of a move in one variable; the row's part is left to the caller.
template <class R>
void PairSearch<R>::follow(Index a, double step) {
  gradient_[a] += step * v_.ridge[a];
  caught_up_[a] = v_.beta[a];
}

// One step in the pair that gains most to second order; false when it moves nothing.
template <class R>
bool PairSearch<R>::step_pair() {
  const std::size_t side = pairs_.worst();
  const auto [level, a] = pairs_.of[side].lowest_up;
  const R* const row_a = row(a, -1);
  const Index b = partner_with(v_.view(side), level, double(v_.diagonal[a]), curvature_floor<R>, row_a).index;
  if (b < 0) return false;
  const R* const row_b = row(b, a);
  const Move move = v_.move_pair(a, b, double(row_a[b]), side);
  if (!note(move)) return false;
  pairs_ = advance(v_, move.step, row_a, row_b);
  if (is_tight()) {
    const double steps[] = {move.step, -move.step};
    const R* const both[] = {row_a, row_b};
    follow(a, move.step);
    follow(b, -move.step);
    accumulate_with(0, v_.n, 2, steps, both, gradient_.data());
  }
  work_ += 12.0 * v_.n;
  ++state_.outcome.steps;
  return true;
}

// Without a sum to keep, one variable moves at a time.
template <class R>
bool PairSearch<R>::step_single() {
  const Index a = single_.index;
  if (a < 0) return false;
  const R* const row_a = row(a, -1);
  const Move move = v_.move_single(a);
  if (!note(move)) return false;
  single_ = single_with(v_.view(0), move.step, row_a);
  if (is_tight()) {
    follow(a, move.step);
    accumulate_with(0, v_.n, 1, &move.step, &row_a, gradient_.data());
  }
  work_ += 12.0 * v_.n;
  ++state_.outcome.steps;
  return true;
}

template <class R>
double PairSearch<R>::violation() const {
  return problem_.keep == Keep::nothing ? single_.violation : pairs_.violation();
}

template <class R>
void PairSearch<R>::select() {
  if (problem_.keep != Keep::nothing) {
    pairs_ = choose_pairs(v_);
  } else {
    const std::vector<R> zeros(v_.gradient.size(), R(0));
    single_ = single_with(v_.view(0), 0.0, zeros.data());
  }
}

// A number of steps in pairs, or in single variables; false when none moves anything. Without room for all rows the float64
// gradient goes along, since a row may be gone later.
template <class R>
bool PairSearch<R>::step_pairs() {
  const auto most =
      std::min<std::int64_t>(options_.max_steps - state_.outcome.steps,
                             sizeof(R) == 8 ? 64 : std::clamp<std::int64_t>(std::int64_t(burst_work) / v_.n, 200, 4000));
  const double goal = sizeof(R) == 8 ? target_ : 0.9 * target_;
  const std::int64_t between_polls = std::max<std::int64_t>(1, std::int64_t(poll_work) / v_.n);
  std::int64_t taken = 0;
  while (taken < most && violation() > goal && (sizeof(R) == 4 || work_ <= newton_cost_ || taken == 0) && !shrinking_pays() &&
         (problem_.keep == Keep::nothing ? step_single() : step_pair())) {
    if (++taken % between_polls == 0) poll_now();
    if (state_.outcome.steps >= state_.next_note) note_progress(state_.outcome.steps);
  }
  catch_up();
  return taken > 0 || !near_.empty();
}

// From time to time: are the variables that are far from any violating pair many? The others are put into `near_`.
template <class R>
bool PairSearch<R>::shrinking_pays() {
  if (!near_.empty()) return true;
  if (state_.outcome.steps < next_shrink_ || problem_.keep == Keep::nothing || !options_.shrinking) return false;
  next_shrink_ = state_.outcome.steps + shrink_interval();
  const double margin = violation();
  for (Index k = 0; k < v_.n; ++k) {
    bool near = false;
    for (std::size_t side = 0; side < v_.sides.size(); ++side) {
      const double lowest = pairs_.of[side].lowest_up.value - margin, highest = pairs_.of[side].highest_down + margin;
      near |= v_.gradient[k] + v_.sides[side].up[k] < highest || v_.gradient[k] + v_.sides[side].down[k] > lowest;
    }
    if (near) near_.push_back(k);
  }
  if (10 * Index(near_.size()) > 7 * v_.n || near_.size() < 2) near_.clear();
  return !near_.empty();
}

// Leaves out all variables but those near.
template <class R>
void PairSearch<R>::shrink() {
  store_active();
  rows_->compact(near_);  // which may be stopped: the variables are still all of them
  std::vector<Index> active(near_.size());
  for (std::size_t k = 0; k < near_.size(); ++k) active[k] = state_.active[near_[k]];
  state_.active = std::move(active);
  near_.clear();
  load_active();
}

// Has a whole window of steps left the objective where it was?
template <class R>
bool PairSearch<R>::stagnates() {
  const std::int64_t steps = state_.outcome.steps;
  if (steps < window_end_) return false;
  const bool still = window_end_ > 0 && window_objective_ - state_.objective < 4 * epsilon * std::abs(state_.objective);
  window_objective_ = state_.objective;
  window_end_ = steps + std::max<std::int64_t>(100000, 20 * std::int64_t(v_.n));
  return still;
}

// Steps until the violation is below tol, with Newton rounds in between once they cost no more than the steps since the last
// one. Then, where float64 rows make it possible, the same down to rounding: the exact finish. Float32 rows end when the gap is
// small too, a little below tol, so that the certificate agrees.
template <class R>
bool PairSearch<R>::search() {
  Outcome& outcome = state_.outcome;
  const bool exact = sizeof(R) == 8 && v_.n <= exact_limit;
  double best = infinity;
  bool finishing = false, handed_over = false;
  int idle_rounds = 0, rescues = 20;
  next_shrink_ = outcome.steps + shrink_interval();
  std::int64_t next_look = outcome.steps + steps_to_look;
  target_ = sizeof(R) == 4 ? 0.95 * options_.tol : options_.tol;
  work_ = 0;
  newton_cost_ = 24.0 * v_.n * v_.n;  // before 2n steps the free set has not settled,
  if (options_.origin == Origin::warm && newton_work() < newton_cost_) work_ = infinity;  // but for a warm start it has
  select();
  for (;;) {
    const double now = violation();
    if (now <= target_) {
      if (finishing || target_ < 1e-3 * options_.tol) break;
      if (exact) {
        finishing = true;
        idle_rounds = 0;
        target_ = std::min(options_.tol, std::max(1e-11, noise()));
        work_ = infinity;
        continue;
      }
      if (gap_is_small()) break;
      target_ *= 0.2;
      newton();
      continue;
    }
    if (checkpoint(now)) break;
    if (outcome.steps >= options_.max_steps) {
      if (!finishing) outcome.termination = Termination::step_limit;
      break;
    }
    if (work_ > newton_cost_) {
      work_ = 0;
      const Newton result = newton();
      if (result == Newton::unfit && finishing) break;
      if (result == Newton::done) {
        idle_rounds = violation() < 0.5 * best ? 0 : idle_rounds + 1;
        best = std::min(best, violation());
        if (finishing && idle_rounds > 8) break;
        continue;
      }
    }
    if (!step(now) || stagnates()) {
      if (rescues-- > 0 && newton() == Newton::done && violation() < 0.5 * now) continue;
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
  try {
    ended = search();
  } catch (const Stopped& stop) {
    state_.outcome.termination = stop.termination();
  }
  state_.outcome.rows_made += rows_->rows_made();
  store_active();
  return ended;
}

// Blocks where many variables move and rows are costly; pairs where a long tail would make blocks repeat themselves.
template <class R>
bool PairSearch<R>::step(double violation) {
  return problem_.keep != Keep::nothing && blocks_pay(violation) ? step_block(violation) : step_pairs();
}

template bool PairSearch<float>::run();
template bool PairSearch<double>::run();
template PairSearch<float>::PairSearch(const SignedDual&, const Gram&, const Options&, const Monitor&, State&);
template PairSearch<double>::PairSearch(const SignedDual&, const Gram&, const Options&, const Monitor&, State&);
template void PairSearch<float>::select();
template void PairSearch<double>::select();
template double PairSearch<float>::violation() const;
template double PairSearch<double>::violation() const;
template bool PairSearch<float>::note(const Move&);
template bool PairSearch<double>::note(const Move&);

}  // namespace maxmargin
