#include "maxmargin/pair_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/cpu.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double tiny = 1e-300;
template <class R>
constexpr double tau_of = sizeof(R) == 4 ? 1e-7 : 1e-14;  // of K_ii + K_jj: curvatures below are rounding
constexpr std::size_t batch = 6;                          // one strip of a tile
constexpr double epsilon = std::numeric_limits<double>::epsilon();

std::unique_ptr<RowMaker<float>> maker_for(const Gram& gram, std::span<const Index> active, float) {
  return gram.rows_f32(active);
}
std::unique_ptr<RowMaker<double>> maker_for(const Gram& gram, std::span<const Index> active, double) {
  return gram.rows_f64(active);
}
Selection update_with(const PairView<float>& v, double step, const float* i, const float* j) {
  return hot().update_f32(v, step, i, j);
}
Selection update_with(const PairView<double>& v, double step, const double* i, const double* j) {
  return hot().update_f64(v, step, i, j);
}
Extreme partner_with(const PairView<float>& v, double level, double diagonal, double tau, const float* row) {
  return hot().partner_f32(v, level, diagonal, tau, row);
}
Extreme partner_with(const PairView<double>& v, double level, double diagonal, double tau, const double* row) {
  return hot().partner_f64(v, level, diagonal, tau, row);
}
Candidate single_with(const PairView<float>& v, double step, const float* row) { return hot().update_single_f32(v, step, row); }
Candidate single_with(const PairView<double>& v, double step, const double* row) {
  return hot().update_single_f64(v, step, row);
}

}  // namespace

template <class R>
PairSearch<R>::PairSearch(const SignedDual& problem, const Gram& gram, const Options& options, const Monitor& monitor,
                          State& state)
    : problem_(problem), gram_(gram), options_(options), monitor_(monitor), state_(state) {
  load_active();
  rows_ = std::make_unique<RowStore<R>>(n_, options_.cache_bytes);
}

template <class R>
PairView<R> PairSearch<R>::view() {
  return {n_, gradient_.data(), up_.data(), down_.data(), diagonal_.data()};
}

template <class R>
void PairSearch<R>::load_active() {
  n_ = Index(state_.active.size());
  const Index padded = (n_ + 15) / 16 * 16;
  gradient_.assign(padded, 0.0);
  up_.assign(padded, infinity);
  down_.assign(padded, -infinity);
  diagonal_.assign(padded, R(1));
  zeros_.assign(padded, R(0));
  for (auto* v : {&beta_, &lower_, &upper_, &ridge_}) v->assign(n_, 0.0);
  for (Index k = 0; k < n_; ++k) {
    const Index i = state_.active[k];
    gradient_[k] = state_.gradient[i];
    beta_[k] = state_.beta[i];
    lower_[k] = problem_.lower[i];
    upper_[k] = problem_.upper[i];
    ridge_[k] = problem_.ridge == nullptr ? 0.0 : problem_.ridge[i];
    diagonal_[k] = R(state_.diagonal[i]);
    set_masks(k);
  }
  first_beta_ = beta_;
  first_gradient_.assign(gradient_.begin(), gradient_.begin() + n_);
  first_objective_ = state_.objective;
  maker_ = maker_for(gram_, state_.active, R());
  queue_.clear();
}

template <class R>
void PairSearch<R>::store_active() {
  for (Index k = 0; k < n_; ++k) {
    const Index i = state_.active[k];
    state_.gradient[i] = gradient_[k];
    state_.beta[i] = beta_[k];
  }
}

template <class R>
void PairSearch<R>::set_masks(Index k) {
  up_[k] = beta_[k] < upper_[k] ? 0.0 : infinity;
  down_[k] = beta_[k] > lower_[k] ? 0.0 : -infinity;
}

// The candidates for the next steps, best first: when a row must be made, theirs are made with it, since a tile of several
// rows costs little more than one row.
template <class R>
void PairSearch<R>::fill_queue() {
  double lowest = infinity, highest = -infinity;
  for (Index k = 0; k < n_; ++k) {
    lowest = std::min(lowest, gradient_[k] + up_[k]);
    highest = std::max(highest, gradient_[k] + down_[k]);
  }
  if (!problem_.keep_total) lowest = highest = 0.0;
  std::vector<std::pair<double, Index>> candidates;
  for (Index k = 0; k < n_; ++k) {
    const double violation = std::max(highest - (gradient_[k] + up_[k]), gradient_[k] + down_[k] - lowest);
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
  if (n_ <= 64 && rows_->capacity() == n_) {  // small: the whole matrix at once
    wanted.resize(n_);
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

template <class R>
void PairSearch<R>::note_curvature(double curvature, double scale) {
  // Below zero by more than the rounding of the rows.
  if (curvature < (sizeof(R) == 4 ? -1e-5 : -1e-10) * std::abs(scale)) state_.outcome.negative_curvature = true;
}

// One step in the pair that gains most to second order; false when it moves nothing.
template <class R>
bool PairSearch<R>::step_pair() {
  const Index a = pair_.lowest_up.index;
  const R* const row_a = row(a, -1);
  const Index b = partner_with(view(), pair_.lowest_up.value, double(diagonal_[a]), tau_of<R>, row_a).index;
  if (b < 0) return false;
  const R* const row_b = row(b, a);
  const double sum = double(diagonal_[a]) + double(diagonal_[b]);
  const double curvature = sum - 2.0 * double(row_a[b]);
  note_curvature(curvature, sum);
  const double slope = gradient_[a] - gradient_[b];  // negative
  const double room_a = upper_[a] - beta_[a], room_b = beta_[b] - lower_[b];
  const double step = std::min({-slope / std::max(curvature, tau_of<R> * std::abs(sum) + tiny), room_a, room_b});
  const double before_a = beta_[a], before_b = beta_[b];
  beta_[a] = step == room_a ? upper_[a] : beta_[a] + step;
  beta_[b] = step == room_b ? lower_[b] : beta_[b] - step;
  if (beta_[a] == before_a && beta_[b] == before_b) return false;
  state_.objective += step * slope + 0.5 * step * step * curvature;
  gradient_[a] += step * ridge_[a];
  gradient_[b] -= step * ridge_[b];
  set_masks(a);
  set_masks(b);
  pair_ = update_with(view(), step, row_a, row_b);
  return true;
}

// Without a total to keep, one variable moves at a time.
template <class R>
bool PairSearch<R>::step_single() {
  const Index a = single_.index;
  if (a < 0) return false;
  const R* const row_a = row(a, -1);
  const double slope = gradient_[a], curvature = double(diagonal_[a]);
  note_curvature(curvature, std::abs(curvature));
  const double wanted = beta_[a] - slope / std::max(curvature, tiny);
  const double before = beta_[a];
  beta_[a] = std::clamp(wanted, lower_[a], upper_[a]);
  const double step = beta_[a] - before;
  if (step == 0.0) return false;
  state_.objective += step * slope + 0.5 * step * step * curvature;
  gradient_[a] += step * ridge_[a];
  set_masks(a);
  single_ = single_with(view(), step, row_a);
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
    pair_ = update_with(view(), 0.0, zeros_.data(), zeros_.data());
  else
    single_ = single_with(view(), 0.0, zeros_.data());
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
    for (Index k = 0; k < n_; ++k) support += beta_[k] != 0.0;
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
  for (Index k = 0; k < n_; ++k) {
    if (gradient_[k] + up_[k] < highest || gradient_[k] + down_[k] > lowest) keep.push_back(k);
  }
  if (10 * Index(keep.size()) > 7 * n_ || keep.size() < 2) return false;
  store_active();
  std::vector<Index> active(keep.size());
  for (std::size_t k = 0; k < keep.size(); ++k) active[k] = state_.active[keep[k]];
  state_.active = std::move(active);
  rows_->compact(keep);
  load_active();
  select();
  return true;
}

// An upper estimate of the rounding error in a component of the gradient.
template <class R>
double PairSearch<R>::noise() const {
  double mass = 0;
  for (Index k = 0; k < n_; ++k) mass += std::abs(beta_[k]) * std::sqrt(std::abs(double(diagonal_[k])));
  return 4 * epsilon * (1.0 + mass * std::sqrt(state_.diagonal_scale));
}

// Has a whole window of steps left the objective where it was?
template <class R>
bool PairSearch<R>::stagnates() {
  const std::int64_t steps = state_.outcome.steps;
  if (steps < window_end_) return false;
  const bool still = window_end_ > 0 && window_objective_ - state_.objective < 4 * epsilon * std::abs(state_.objective);
  window_objective_ = state_.objective;
  window_end_ = steps + std::max<std::int64_t>(100000, 20 * std::int64_t(n_));
  return still;
}

// Pair steps until the violation is below tol, with Newton rounds in between once they cost no more than the steps since the
// last one. Then, where float64 rows make it possible, the same down to rounding: the exact finish.
template <class R>
bool PairSearch<R>::run() {
  Outcome& outcome = state_.outcome;
  const bool exact = sizeof(R) == 8 && n_ <= exact_limit;
  double target = options_.tol, work = 0, best = infinity;
  bool finishing = false;
  int idle_rounds = 0, rescues = 20;
  std::int64_t since_shrink = 0;
  newton_cost_ = 24.0 * n_ * n_;  // before 2n steps the free set has not settled
  select();
  for (;;) {
    const double now = violation();
    if (now <= target) {
      if (!exact || finishing) break;
      finishing = true;
      target = std::min(options_.tol, std::max(1e-11, noise()));
      work = infinity;
      continue;
    }
    if ((due_ || (outcome.steps & 63) == 0) && checkpoint(now)) break;
    if (outcome.steps >= options_.max_steps) {
      if (!finishing) outcome.ending = Ending::step_limit;
      break;
    }
    if (exact && work > newton_cost_) {
      work = 0;
      if (finishing) {
        idle_rounds = now < 0.5 * best ? 0 : idle_rounds + 1;
        best = std::min(best, now);
        if (idle_rounds > 4) break;
      }
      const Newton result = newton();
      if (result == Newton::done) continue;
      if (result == Newton::unfit && finishing) break;
    }
    if (!(problem_.keep_total ? step_pair() : step_single()) || stagnates()) {
      if (exact && rescues-- > 0 && newton() == Newton::done && violation() < 0.5 * now) continue;
      if (!finishing) outcome.ending = Ending::stalled;
      break;
    }
    ++outcome.steps;
    work += 12.0 * n_;
    if (++since_shrink >= std::max<std::int64_t>(1000, n_ / 2)) {
      since_shrink = 0;
      if (shrink() && sizeof(R) == 4 && n_ <= exact_limit) {
        outcome.rows_made += rows_->rows_made();
        store_active();
        return false;
      }
    }
  }
  outcome.violation = violation();
  outcome.rows_made += rows_->rows_made();
  store_active();
  return true;
}

template class PairSearch<float>;
template class PairSearch<double>;

}  // namespace maxmargin
