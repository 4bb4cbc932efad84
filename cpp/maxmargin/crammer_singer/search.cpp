#include "maxmargin/crammer_singer/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/crammer_singer/search.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t shrink_every = 50;
constexpr std::int64_t prove_every = 16;
constexpr Index fewest_active = 256;
constexpr double offsets_from = 0.1;        // of the relative gap: before, the class sums have nothing to say,
constexpr std::int64_t offsets_after = 10;  // but for steps a row
// The pull beside the diagonal: a larger one makes steps short, a smaller one makes offsets learn slowly.
constexpr double first_pull = 0.05;
constexpr int most_lessons = 100;
constexpr double left_over = 0.5;  // of the worst violation: the goal of a block, and what is settled beside the pull
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

template <class R>
CrammerSingerSearch<R>::CrammerSingerSearch(const CrammerSingerDual& problem, const Gram& gram, const double* beta,
                                            const double* bias, const Options& options, const Monitor& monitor)
    : problem_(problem),
      gram_(gram),
      options_(options),
      monitor_(monitor),
      width_((problem.classes + 7) / 8 * 8),
      rows_(problem.n, options.cache_bytes),
      shift_(width_, -1e300),
      bias_(width_, 0.0),
      class_sum_(width_, 0.0) {
  const auto size = std::size_t(problem.n) * std::size_t(problem.classes);
  all_beta_.resize(size);
  all_gradient_.resize(size);
  for (Index k = 0; k < problem.classes; ++k)
    for (Index i = 0; i < problem.n; ++i)
      all_beta_[std::ptrdiff_t(k) * problem.n + i] = beta[std::ptrdiff_t(i) * problem.classes + k];
  std::copy(bias, bias + problem.classes, bias_.begin());
  all_diagonal_.resize(problem.n);
  gram.diagonal(all_diagonal_.data());
  for (double& d : all_diagonal_) d *= 0.5;
  scale_ = std::accumulate(all_diagonal_.begin(), all_diagonal_.end(), 0.0) / problem.n;
  if (!(scale_ > 0)) scale_ = 1;  // only the pull has a curvature then
  set_shift();
  begin_from_all();
}

template <class R>
void CrammerSingerSearch<R>::search() {
  double worst = look();
  std::int64_t rounds = 0, next_proof = 0;
  int lessons = 0;  // since the last step
  while (!checkpoint(worst)) {
    if (rounds >= next_proof) {
      next_proof = rounds + prove_every;
      const double gap = relative_gap();
      if (problem_.offsets && pull_ == 0 && (gap < offsets_from || outcome_.steps > offsets_after * problem_.n)) {
        pull_ = first_pull * scale_;
        set_shift();
      }
      if (gap <= 0.9 * options_.tol && proven()) break;
      worst = look();
    }
    if (worst <= left_over * pull_ * imbalance()) {
      if (++lessons > most_lessons) {  // what is left of the class sums is rounding
        outcome_.termination = Termination::stalled;
        break;
      }
      learn_offsets();
      worst = look();
      next_proof = rounds;
      continue;
    }
    lessons = 0;
    choose_block(left_over * worst);
    if (!solve_block(left_over * worst)) {
      outcome_.termination = Termination::stalled;
      break;
    }
    worst = spread_block();
    if (++rounds % shrink_every == 0 && shrink(worst)) worst = look();
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
    balance_in_haste();
  else if (outcome_.termination != Termination::converged)
    balance();
  store();
  outcome_.rows_made = rows_.rows_made();
  const Index K = problem_.classes;
  outcome_.beta.reserve(all_beta_.size());
  for (Index i = 0; i < problem_.n; ++i)
    for (Index k = 0; k < K; ++k) outcome_.beta.push_back(all_beta_[std::ptrdiff_t(k) * problem_.n + i]);
  outcome_.bias.assign(shift_.begin(), shift_.begin() + K);
  return std::move(outcome_);
}

template <class R>
void CrammerSingerSearch<R>::load() {
  n_ = Index(active_.size());
  const auto size = std::size_t(n_) * std::size_t(problem_.classes);
  beta_.resize(size);
  gradient_.resize(size);
  up_.resize(size);
  label_.resize(n_);
  upper_.resize(n_);
  diagonal_.resize(n_);
  violations_.resize(n_);
  for (Index a = 0; a < n_; ++a) {
    const Index i = active_[a];
    label_[a] = problem_.label[i];
    upper_[a] = problem_.upper[i];
    diagonal_[a] = all_diagonal_[i];
    for (Index k = 0; k < problem_.classes; ++k) {
      const std::ptrdiff_t from = std::ptrdiff_t(k) * problem_.n + i;
      beta_[at(a, k)] = all_beta_[from];
      gradient_[at(a, k)] = all_gradient_[from];
      set_mask(a, k);
    }
  }
  maker_ = maker_for(gram_, active_, R());
}

template <class R>
void CrammerSingerSearch<R>::store() {
  for (Index k = 0; k < problem_.classes; ++k)
    for (Index a = 0; a < n_; ++a) {
      all_beta_[std::ptrdiff_t(k) * problem_.n + active_[a]] = beta_[at(a, k)];
      all_gradient_[std::ptrdiff_t(k) * problem_.n + active_[a]] = gradient_[at(a, k)];
    }
}

// Leaves out rows without coefficients whose own class is far ahead of all others, if they are many.
template <class R>
bool CrammerSingerSearch<R>::shrink(double worst) {
  std::vector<Index> keep;
  for (Index a = 0; a < n_; ++a) {
    const Index y = label_[a];
    double rival = -infinity;
    bool holds = false;
    for (Index k = 0; k < problem_.classes; ++k) {
      holds |= beta_[at(a, k)] != 0;
      if (k != y) rival = std::max(rival, gradient_[at(a, k)] + shift_[k]);
    }
    if (holds || gradient_[at(a, y)] + shift_[y] - rival < 0.5 * worst) keep.push_back(a);
  }
  if (10 * Index(keep.size()) > 7 * n_ || Index(keep.size()) < fewest_active) return false;
  store();
  std::vector<Index> active(keep.size());
  for (std::size_t k = 0; k < keep.size(); ++k) active[k] = active_[keep[k]];
  active_ = std::move(active);
  rows_.compact(keep);
  load();
  return true;
}

// All rows, with gradients computed anew.
template <class R>
void CrammerSingerSearch<R>::begin_from_all() {
  std::vector<const Gram*> grams(problem_.classes, &gram_);
  std::vector<const double*> betas;
  std::vector<double*> outs;
  for (Index k = 0; k < problem_.classes; ++k) {
    betas.push_back(all_beta_.data() + std::ptrdiff_t(k) * problem_.n);
    outs.push_back(all_gradient_.data() + std::ptrdiff_t(k) * problem_.n);
  }
  products(grams, betas, outs, [] {});
  for (double& g : all_gradient_) g *= 0.5;
  for (Index i = 0; i < problem_.n; ++i) all_gradient_[std::ptrdiff_t(problem_.label[i]) * problem_.n + i] -= 1.0;
  active_.resize(problem_.n);
  std::iota(active_.begin(), active_.end(), 0);
  if (rows_.filled() > 0) rows_ = RowStore<R>(problem_.n, options_.cache_bytes);
  load();
}

// At the present offsets. The dual has their part of the class sums too: then the gap is a sum over rows, none negative.
template <class R>
auto CrammerSingerSearch<R>::objectives() const -> Objectives {
  constexpr Index piece = 512;
  double most = 1.0;
  if (std::isinf(problem_.upper[0]))
    for (const double b : beta_) most = std::max(most, std::abs(b));
  double product = 0, own = 0, slack = 0, offsets = 0;  // product: of coefficients and gradient
  for (Index begin = 0; begin < n_; begin += piece) {
    const Index end = std::min(n_, begin + piece);
    double highest[piece];
    std::fill(highest, highest + piece, -infinity);
    for (Index k = 0; k < problem_.classes; ++k) {
      const double* const beta = beta_.data() + at(0, k);
      const double* const gradient = gradient_.data() + at(0, k);
      for (Index i = begin; i < end; ++i) {
        product += beta[i] * gradient[i];
        highest[i - begin] = std::max(highest[i - begin], gradient[i] + shift_[k]);
      }
    }
    for (Index i = begin; i < end; ++i) {
      const Index y = label_[i];
      own += beta_[at(i, y)];
      slack += (std::isinf(upper_[i]) ? 2 * most : upper_[i]) * (highest[i - begin] - gradient_[at(i, y)] - shift_[y]);
    }
  }
  for (Index k = 0; k < problem_.classes; ++k) offsets += shift_[k] * class_sum_[k];
  const double square = product + own;  // the gradient has -1 at a row's own class
  return {0.5 * square + slack, own - 0.5 * square - offsets};
}

template <class R>
double CrammerSingerSearch<R>::relative_gap() const {
  const auto [primal, dual] = objectives();
  return (primal - dual) / std::abs(primal);
}

// Whether the gap is small at a feasible point, and still is with the rows that were left out.
template <class R>
bool CrammerSingerSearch<R>::proven() {
  const double enough = 0.98 * options_.tol;
  balance();
  if (relative_gap() > enough) return false;
  if (n_ == problem_.n) return true;
  store();
  begin_from_all();
  return relative_gap() <= enough;
}

template <class R>
bool CrammerSingerSearch<R>::checkpoint(double violation) {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const bool report = now - last_report_ > std::chrono::milliseconds(50);
  if (outcome_.steps >= next_checkpoint_ || report) {
    Index support = 0;
    for (Index i = 0; i < n_; ++i) support += beta_[at(i, label_[i])] != 0.0;
    const auto [primal, dual] = objectives();
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
      if (monitor_(progress)) return outcome_.termination = Termination::stopped, true;
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

template void CrammerSingerSearch<float>::stop_if_over();
template void CrammerSingerSearch<double>::stop_if_over();

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
