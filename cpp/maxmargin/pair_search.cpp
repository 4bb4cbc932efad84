#include "maxmargin/pair_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/passes.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t batch = 6;  // one strip of a tile
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
  v_.resize(Index(state_.active.size()));
  zeros_.assign(v_.gradient.size(), R(0));
  for (Index k = 0; k < v_.n; ++k) {
    const Index i = state_.active[k];
    v_.gradient[k] = state_.gradient[i];
    v_.beta[k] = state_.beta[i];
    v_.lower[k] = problem_.lower[i];
    v_.upper[k] = problem_.upper[i];
    v_.ridge[k] = problem_.ridge == nullptr ? 0.0 : problem_.ridge[i];
    v_.diagonal[k] = R(state_.diagonal[i]);
    v_.set_masks(k);
  }
  first_beta_ = v_.beta;
  first_gradient_.assign(v_.gradient.begin(), v_.gradient.begin() + v_.n);
  first_objective_ = state_.objective;
  maker_ = maker_for(gram_, state_.active, R());
  block_.clear();
  queue_.clear();
}

template <class R>
void PairSearch<R>::store_active() {
  for (Index k = 0; k < v_.n; ++k) {
    const Index i = state_.active[k];
    state_.gradient[i] = v_.gradient[k];
    state_.beta[i] = v_.beta[k];
  }
}

// The candidates for the next steps, best first: when a row must be made, theirs are made with it, since a tile of several
// rows costs little more than one row.
template <class R>
void PairSearch<R>::fill_queue() {
  double lowest = infinity, highest = -infinity;
  for (Index k = 0; k < v_.n; ++k) {
    lowest = std::min(lowest, v_.gradient[k] + v_.up[k]);
    highest = std::max(highest, v_.gradient[k] + v_.down[k]);
  }
  if (!problem_.keep_total) lowest = highest = 0.0;
  std::vector<std::pair<double, Index>> candidates;
  for (Index k = 0; k < v_.n; ++k) {
    const double violation = std::max(highest - (v_.gradient[k] + v_.up[k]), v_.gradient[k] + v_.down[k] - lowest);
    if (violation > 0 && !rows_->has(k)) candidates.emplace_back(-violation, k);
  }
  const auto count = std::min<std::size_t>(candidates.size(), batch - 1);
  std::partial_sort(candidates.begin(), candidates.begin() + std::ptrdiff_t(count), candidates.end());
  queue_.clear();
  for (std::size_t k = count; k-- > 0;) queue_.push_back(candidates[k].second);
}

template <class R>
const R* PairSearch<R>::row(Index p, Index pinned) {
  if (rows_->has(p)) return rows_->row(p);
  std::vector<Index> wanted{p};
  if (v_.n <= 64 && rows_->capacity() == v_.n) {  // small: the whole matrix at once
    wanted.resize(v_.n);
    std::iota(wanted.begin(), wanted.end(), 0);
  } else if (rows_->filled() + Index(batch) <= rows_->capacity()) {
    fill_queue();
    for (const Index k : queue_)
      if (k != p) wanted.push_back(k);
  }
  rows_->fetch(*maker_, wanted, pinned);
  due_ = true;
  return rows_->row(p);
}

// What a move tells; false if it moved nothing.
template <class R>
bool PairSearch<R>::note(const Move& move) {
  state_.objective += move.gain;
  state_.outcome.negative_curvature |= move.negative_curvature;
  return move.step != 0.0;
}

// One step in the pair that gains most to second order; false when it moves nothing.
template <class R>
bool PairSearch<R>::step_pair() {
  const Index a = pair_.lowest_up.index;
  const R* const row_a = row(a, -1);
  const double level = pair_.lowest_up.value;
  const Index b = partner_with(v_.view(), level, double(v_.diagonal[a]), curvature_floor<R>, row_a).index;
  if (b < 0) return false;
  const R* const row_b = row(b, a);
  const Move move = v_.move_pair(a, b, double(row_a[b]));
  if (!note(move)) return false;
  pair_ = update_with(v_.view(), move.step, row_a, row_b);
  work_ += 12.0 * v_.n;
  ++state_.outcome.steps;
  return true;
}

// Without a total to keep, one variable moves at a time.
template <class R>
bool PairSearch<R>::step_single() {
  const Index a = single_.index;
  if (a < 0) return false;
  const R* const row_a = row(a, -1);
  const Move move = v_.move_single(a);
  if (!note(move)) return false;
  single_ = single_with(v_.view(), move.step, row_a);
  work_ += 12.0 * v_.n;
  ++state_.outcome.steps;
  return true;
}

template <class R>
double PairSearch<R>::violation() const {
  if (problem_.keep_total) return std::max(0.0, pair_.highest_down - pair_.lowest_up.value);
  return single_.violation;
}

template <class R>
void PairSearch<R>::select() {
  if (problem_.keep_total)
    pair_ = update_with(v_.view(), 0.0, zeros_.data(), zeros_.data());
  else
    single_ = single_with(v_.view(), 0.0, zeros_.data());
}

// Records progress; true if the run must end here.
template <class R>
bool PairSearch<R>::checkpoint(double violation) {
  Outcome& outcome = state_.outcome;
  due_ = false;
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - state_.start).count();
  const bool due = outcome.steps >= state_.next_checkpoint;
  const bool report = now - state_.last_report > std::chrono::milliseconds(50);
  if (due || report) {
    Index support = 0;
    for (Index k = 0; k < v_.n; ++k) support += v_.beta[k] != 0.0;
    const Progress progress{seconds, outcome.steps, state_.objective, violation, support};
    if (due) {
      outcome.trace.push_back(progress);
      state_.next_checkpoint = outcome.steps + std::max<std::int64_t>(256, outcome.steps / 4);
    }
    if (report) {
      state_.last_report = now;
      if (monitor_(progress)) return outcome.ending = Ending::stopped, true;
    }
  }
  if (options_.max_seconds > 0 && seconds > options_.max_seconds) return outcome.ending = Ending::time_limit, true;
  return false;
}

// Leaves out the variables that no violating pair can contain now, if they are many.
template <class R>
bool PairSearch<R>::shrink() {
  if (!problem_.keep_total || !options_.shrinking) return false;
  const double lowest = pair_.lowest_up.value, highest = pair_.highest_down;
  std::vector<Index> keep;
  for (Index k = 0; k < v_.n; ++k) {
    if (v_.gradient[k] + v_.up[k] < highest || v_.gradient[k] + v_.down[k] > lowest) keep.push_back(k);
  }
  if (10 * Index(keep.size()) > 7 * v_.n || keep.size() < 2) return false;
  store_active();
  std::vector<Index> active(keep.size());
  for (std::size_t k = 0; k < keep.size(); ++k) active[k] = state_.active[keep[k]];
  state_.active = std::move(active);
  rows_->compact(keep);
  load_active();
  select();
  return true;
}

// About the rounding error of a component of the gradient: errors of a sum mostly cancel, so this is far below their bound.
template <class R>
double PairSearch<R>::noise() const {
  double mass = 0;
  for (Index k = 0; k < v_.n; ++k) mass += std::abs(v_.beta[k]) * std::sqrt(std::abs(double(v_.diagonal[k])));
  return 0.25 * epsilon * (1.0 + mass * std::sqrt(state_.diagonal_scale));
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
// one. Then, where float64 rows make it possible, the same down to rounding: the exact finish.
template <class R>
bool PairSearch<R>::run() {
  Outcome& outcome = state_.outcome;
  const bool exact = sizeof(R) == 8 && v_.n <= exact_limit;
  double target = options_.tol, best = infinity;
  bool finishing = false;
  int idle_rounds = 0, rescues = 20;
  std::int64_t next_shrink = outcome.steps + std::max<std::int64_t>(1000, v_.n / 2);
  work_ = 0;
  newton_cost_ = 24.0 * v_.n * v_.n;  // before 2n steps the free set has not settled
  select();
  for (;;) {
    const double now = violation();
    if (now <= target) {
      if (!exact || finishing) break;
      finishing = true;
      target = std::min(options_.tol, std::max(1e-11, noise()));
      work_ = infinity;
      continue;
    }
    if ((due_ || (outcome.steps & 63) == 0) && checkpoint(now)) break;
    if (outcome.steps >= options_.max_steps) {
      if (!finishing) outcome.ending = Ending::step_limit;
      break;
    }
    if (work_ > newton_cost_) {
      work_ = 0;
      if (finishing) {
        idle_rounds = now < 0.5 * best ? 0 : idle_rounds + 1;
        best = std::min(best, now);
        if (idle_rounds > 4) break;
      }
      const Newton result = newton();
      if (result == Newton::done) continue;
      if (result == Newton::unfit && finishing) break;
    }
    if (!step(now) || stagnates()) {
      if (rescues-- > 0 && newton() == Newton::done && violation() < 0.5 * now) continue;
      if (!finishing) outcome.ending = Ending::stalled;
      break;
    }
    if (outcome.steps >= next_shrink) {
      const bool shrunk = shrink();
      next_shrink = outcome.steps + std::max<std::int64_t>(1000, v_.n / 2);
      if (shrunk && sizeof(R) == 4 && v_.n <= exact_limit) {
        outcome.rows_made += rows_->rows_made();
        store_active();
        return false;
      }
    }
  }
  outcome.rows_made += rows_->rows_made();
  store_active();
  return true;
}

// Blocks where many variables move and rows are costly; pairs where a long tail would make blocks repeat themselves.
template <class R>
bool PairSearch<R>::step(double violation) {
  if (!problem_.keep_total) return step_single();
  return blocks_pay(violation) ? step_block(violation) : step_pair();
}

template class PairSearch<float>;
template class PairSearch<double>;

}  // namespace maxmargin
