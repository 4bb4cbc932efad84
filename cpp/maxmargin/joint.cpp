#include "maxmargin/joint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/joint_search.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t shrink_every = 50;
constexpr Index fewest_active = 256;
// The pull, times the rows of a class, beside the diagonal: much more makes steps short, much less makes offsets learn slowly.
constexpr double pulled = 16;
constexpr int most_lessons = 100;
constexpr double first_violation = 0.1;  // before, the totals have nothing to say
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

template <class R>
JointSearch<R>::JointSearch(const JointDual& problem, const Gram& gram, const Options& options, const Monitor& monitor)
    : problem_(problem),
      gram_(gram),
      options_(options),
      monitor_(monitor),
      width_((problem.classes + 7) / 8 * 8),
      rows_(problem.n, options.cache_bytes),
      shift_(width_, -1e300),
      bias_(width_, 0.0),
      total_(width_, 0.0) {
  const auto size = std::size_t(problem.n) * std::size_t(problem.classes);
  all_beta_.assign(size, 0.0);
  all_gradient_.assign(size, 0.0);
  for (Index i = 0; i < problem.n; ++i) all_gradient_[std::ptrdiff_t(problem.label[i]) * problem.n + i] = -1.0;
  all_diagonal_.resize(problem.n);
  gram.diagonal(all_diagonal_.data());
  for (double& d : all_diagonal_) d *= 0.5;
  scale_ = std::accumulate(all_diagonal_.begin(), all_diagonal_.end(), 0.0) / problem.n;
  active_.resize(problem.n);
  std::iota(active_.begin(), active_.end(), 0);
  std::fill(shift_.begin(), shift_.begin() + problem.classes, 0.0);
  load();
}

template <class R>
JointOutcome JointSearch<R>::run() {
  start_ = last_report_ = std::chrono::steady_clock::now();
  std::int64_t rounds = 0;
  int lessons = 0;  // since the last step
  for (;;) {
    const double worst = look(), off = imbalance();
    if (problem_.offsets && pull_ == 0 && worst < first_violation) {
      pull_ = pulled * problem_.classes / problem_.n * scale_;
      set_shift();
      continue;
    }
    if (worst <= target_ && off <= target_) {
      if (n_ < problem_.n) {
        unshrink();
        continue;
      }
      if (gap_is_small()) break;
      target_ *= 0.5;
    }
    if (checkpoint(std::max(worst, off))) break;
    if (outcome_.steps >= options_.max_steps) {
      outcome_.ending = Ending::step_limit;
      break;
    }
    const bool settled = worst <= std::max(0.04 * pull_ / scale_ * off, target_);
    if (off > target_ && settled && pull_ > 0) {
      if (++lessons > most_lessons) {  // what is left of the totals is rounding
        outcome_.ending = Ending::stalled;
        break;
      }
      learn_offsets();
      continue;
    }
    lessons = 0;
    choose_block();
    if (!solve_block(std::max(0.1 * worst, 0.5 * target_))) {
      outcome_.ending = Ending::stalled;
      break;
    }
    spread_block();
    if (++rounds % shrink_every == 0) shrink(worst);
  }
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
void JointSearch<R>::load() {
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
  every_.resize(n_);
  std::iota(every_.begin(), every_.end(), 0);
  maker_ = maker_for(gram_, active_, R());
}

template <class R>
void JointSearch<R>::store() {
  for (Index k = 0; k < problem_.classes; ++k)
    for (Index a = 0; a < n_; ++a) {
      all_beta_[std::ptrdiff_t(k) * problem_.n + active_[a]] = beta_[at(a, k)];
      all_gradient_[std::ptrdiff_t(k) * problem_.n + active_[a]] = gradient_[at(a, k)];
    }
}

// Leaves out rows without coefficients whose own class is far ahead of all others.
template <class R>
void JointSearch<R>::shrink(double worst) {
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
  if (10 * Index(keep.size()) > 7 * n_ || Index(keep.size()) < fewest_active) return;
  store();
  std::vector<Index> active(keep.size());
  for (std::size_t k = 0; k < keep.size(); ++k) active[k] = active_[keep[k]];
  active_ = std::move(active);
  rows_.compact(keep);
  load();
}

// All rows again, with gradients computed anew.
template <class R>
void JointSearch<R>::unshrink() {
  store();
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
  rows_ = RowStore<R>(problem_.n, options_.cache_bytes);
  load();
}

template <class R>
auto JointSearch<R>::objectives() const -> Objectives {
  double square = 0, own = 0, slack = 0;
  for (Index i = 0; i < n_; ++i) {
    const Index y = label_[i];
    double highest = -infinity;
    for (Index k = 0; k < problem_.classes; ++k) {
      const double g = gradient_[at(i, k)];
      square += beta_[at(i, k)] * g;
      highest = std::max(highest, g + shift_[k]);
    }
    own += beta_[at(i, y)];
    const double xi = highest - gradient_[at(i, y)] - shift_[y];
    if (xi > 0) slack += upper_[i] * xi;
  }
  square += own;  // the gradient has -1 at a row's own class
  return {0.5 * square + slack, own - 0.5 * square};
}

template <class R>
bool JointSearch<R>::gap_is_small() const {
  if (std::isinf(problem_.upper[0])) return true;
  const auto [primal, dual] = objectives();
  return primal - dual <= 0.8 * std::max(options_.tol, 1e-3) * std::abs(primal);
}

template <class R>
bool JointSearch<R>::checkpoint(double violation) {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const bool report = now - last_report_ > std::chrono::milliseconds(50);
  if (outcome_.steps >= next_checkpoint_ || report) {
    Index support = 0;
    for (Index i = 0; i < n_; ++i) support += beta_[at(i, label_[i])] != 0.0;
    const Progress progress{seconds, outcome_.steps, -objectives().dual, violation, support};
    if (outcome_.steps >= next_checkpoint_) {
      outcome_.trace.push_back(progress);
      next_checkpoint_ = outcome_.steps + std::max<std::int64_t>(256, outcome_.steps / 4);
    }
    if (report) {
      last_report_ = now;
      if (monitor_(progress)) return outcome_.ending = Ending::stopped, true;
    }
  }
  if (options_.max_seconds > 0 && seconds > options_.max_seconds) return outcome_.ending = Ending::time_limit, true;
  return false;
}

JointOutcome minimise_joint(const JointDual& problem, const Gram& gram, const Options& options, const Monitor& monitor) {
  constexpr Index exact_limit = 6000;
  constexpr double float_tol = 1e-4;
  const bool exact = problem.n <= exact_limit && (options.tol < float_tol || problem.n <= 200);
  if (exact || !gram.single_precision_suffices()) return JointSearch<double>(problem, gram, options, monitor).run();
  return JointSearch<float>(problem, gram, options, monitor).run();
}

}  // namespace maxmargin
