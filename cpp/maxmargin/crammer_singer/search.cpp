#include "maxmargin/crammer_singer/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "maxmargin/crammer_singer/search.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t shrink_every = 50;
constexpr std::int64_t prove_every = 16;
constexpr Index fewest_active = 256;
constexpr double offsets_from = 0.1;        // of the relative gap: before, the class sums have nothing to say,
constexpr std::int64_t offsets_after = 10;  // but for steps a row
// The pull beside the diagonal: a larger one makes steps short, a smaller one makes offsets learn slowly.
constexpr double first_pull = 0.05, largest_pull = 8;
constexpr int most_lessons = 100;
constexpr double left_over = 0.5;  // of the worst violation: the goal of a block, and what is settled beside the pull
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

template <class R>
void CrammerSingerSearch<R>::search() {
  double worst = rows_.look(offsets_);
  std::int64_t rounds = 0, next_proof = 0;
  int lessons = 0;  // since the last step
  while (!checkpoint(worst)) {
    if (rounds >= next_proof) {
      next_proof = rounds + prove_every;
      const double gap = relative_gap();
      if (problem_.offsets && offsets_.pull() == 0 && (gap < offsets_from || outcome_.steps > offsets_after * problem_.n))
        offsets_.pull_by(first_pull * rows_.scale());
      if (gap <= 0.9 * options_.tol && proven()) break;
      worst = rows_.look(offsets_);
    }
    if (worst <= left_over * offsets_.pull() * offsets_.imbalance()) {
      if (++lessons > most_lessons) {  // what is left of the class sums is rounding
        outcome_.termination = Termination::stalled;
        break;
      }
      offsets_.learn(largest_pull * rows_.scale());
      worst = rows_.look(offsets_);
      next_proof = rounds;
      continue;
    }
    lessons = 0;
    const double goal = left_over * worst;
    block_.choose(goal);
    {
      const Poll poll = [&] { stop_if_over(); };
      const Watched watched(poll);  // here nothing is half done
      block_.fetch();
    }
    const std::int64_t steps = block_.solve(goal, options_.max_steps - outcome_.steps);
    outcome_.steps += steps;
    if (steps == 0) {
      outcome_.termination = Termination::stalled;
      break;
    }
    worst = block_.spread();
    if (++rounds % shrink_every == 0 && shrink(worst)) worst = rows_.look(offsets_);
  }
}

template <class R>
CrammerSingerOutcome CrammerSingerSearch<R>::run() {
  start_ = last_report_ = std::chrono::steady_clock::now();
  try {
    search();
  } catch (const Stopped& stop) {
    outcome_.termination = stop.termination();
  }
  if (outcome_.termination == Termination::time_limit || outcome_.termination == Termination::stopped)
    balance_.restore_in_haste();
  else if (outcome_.termination != Termination::converged)
    balance_.restore();
  outcome_.rows_made = rows_.rows_made();
  outcome_.beta = rows_.coefficients();
  outcome_.bias.assign(offsets_.shifts(), offsets_.shifts() + rows_.classes());
  return std::move(outcome_);
}

// Leaves out rows without coefficients whose own class is far ahead of all others, if they are many.
template <class R>
bool CrammerSingerSearch<R>::shrink(double worst) {
  std::vector<Index> keep;
  for (Index a = 0; a < rows_.size(); ++a) {
    const Index y = rows_.label(a);
    double rival = -infinity;
    bool holds = false;
    for (Index k = 0; k < rows_.classes(); ++k) {
      holds |= rows_.beta(a, k) != 0;
      if (k != y) rival = std::max(rival, rows_.gradient(a, k) + offsets_.shift(k));
    }
    if (holds || rows_.gradient(a, y) + offsets_.shift(y) - rival < 0.5 * worst) keep.push_back(a);
  }
  if (10 * Index(keep.size()) > 7 * rows_.size() || Index(keep.size()) < fewest_active) return false;
  rows_.keep(keep);
  return true;
}

// Whether the gap is small at a feasible point, and still is with the rows that were left out.
template <class R>
bool CrammerSingerSearch<R>::proven() {
  const double enough = 0.98 * options_.tol;
  balance_.restore();
  if (relative_gap() > enough) return false;
  if (rows_.are_all()) return true;
  rows_.take_all();
  return relative_gap() <= enough;
}

template <class R>
bool CrammerSingerSearch<R>::checkpoint(double violation) {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const bool report = now - last_report_ > std::chrono::milliseconds(50);
  if (outcome_.steps >= next_checkpoint_ || report) {
    const Index support = rows_.support();
    const auto [primal, dual] = rows_.objectives(offsets_);
    const Progress progress{seconds, outcome_.steps, -dual, violation, support, primal - dual};
    last_objective_ = progress.objective;
    last_violation_ = violation;
    last_support_ = support;
    if (outcome_.steps >= next_checkpoint_) {
      outcome_.trace.push_back(progress);
      next_checkpoint_ = outcome_.steps + std::max<std::int64_t>(128, outcome_.steps / 12);
    }
    if (report) {
      last_report_ = now;
      Progress told = progress;  // of a point whose class sums are not yet 0 the gap tells nothing
      if (problem_.offsets) told.gap = std::numeric_limits<double>::quiet_NaN();
      if (monitor_(told)) return outcome_.termination = Termination::stopped, true;
    }
  }
  if (outcome_.steps >= options_.max_steps) return outcome_.termination = Termination::step_limit, true;
  if (options_.deadline.is_over_at(now)) return outcome_.termination = Termination::time_limit, true;
  return false;
}

// In the middle of something: throws `Stopped` if the run must end here.
template <class R>
void CrammerSingerSearch<R>::stop_if_over() {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (now - last_report_ > std::chrono::milliseconds(50)) {
    last_report_ = now;
    if (monitor_({seconds, outcome_.steps, last_objective_, last_violation_, last_support_}))
      throw Stopped(Termination::stopped);
  }
  if (options_.deadline.is_over_at(now)) throw Stopped(Termination::time_limit);
}

template class CrammerSingerSearch<float>;
template class CrammerSingerSearch<double>;

CrammerSingerOutcome minimise_crammer_singer(const CrammerSingerDual& problem, const Gram& gram, const double* beta,
                                             const double* bias, const Options& options, const Monitor& monitor) {
  constexpr Index small = 200;
  constexpr double float_tol = 1e-4;
  const bool exact = options.tol < float_tol || problem.n <= small;
  const auto start = std::chrono::steady_clock::now();
  auto reported = start;
  const Poll poll = [&] {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> passed = now - start;
    if (now - reported > std::chrono::milliseconds(50)) {
      reported = now;
      if (monitor({passed.count(), 0, 0, infinity, 0})) throw Stopped(Termination::stopped);
    }
    if (options.deadline.is_over_at(now)) throw Stopped(Termination::time_limit);
  };
  std::unique_ptr<CrammerSingerSearch<float>> rough;
  std::unique_ptr<CrammerSingerSearch<double>> fine;
  try {
    const Watched watched(poll);
    if (exact || !gram.single_precision_suffices())
      fine = std::make_unique<CrammerSingerSearch<double>>(problem, gram, beta, bias, options, monitor);
    else
      rough = std::make_unique<CrammerSingerSearch<float>>(problem, gram, beta, bias, options, monitor);
  } catch (const Stopped& stop) {  // before the first step
    CrammerSingerOutcome unmoved;
    unmoved.beta.assign(beta, beta + std::ptrdiff_t(problem.n) * problem.classes);
    unmoved.bias.assign(bias, bias + problem.classes);
    unmoved.termination = stop.termination();
    return unmoved;
  }
  return fine ? fine->run() : rough->run();
}

}  // namespace maxmargin
