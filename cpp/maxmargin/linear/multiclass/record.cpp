#include "maxmargin/linear/multiclass/record.hpp"

#include <algorithm>

namespace maxmargin {

namespace {

// Below so many products a round costs next to nothing; then two ways to say the same problem give the same answer.
constexpr std::int64_t small = 1 << 18;
constexpr double exact = 1e-14;
constexpr std::size_t most_checkpoints = 4096;

}  // namespace

ClassRecord::ClassRecord(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor)
    : problem_(problem), options_(options), monitor_(monitor) {
  const std::int64_t work = (problem.x->stored_values() + std::int64_t(problem.x->rows())) * problem.classes;
  aim_ = work <= small ? std::min(exact, options.tol) : options.tol;
}

void ClassRecord::primal(double value, const std::vector<double>& W, std::int64_t rounds) {
  outcome_.rounds = rounds;
  // Objectives that differ by rounding say nothing about W: the later one is nearer.
  if (W_.empty() || value <= primal_ || value - primal_ <= exact * std::abs(primal_)) {
    primal_ = std::min(value, primal_);
    W_ = W;
  }
}

void ClassRecord::dual(double value, std::vector<double>& alpha) {
  if (!(value > dual_)) return;
  dual_ = value;
  alpha_.resize(alpha.size());
  alpha_.swap(alpha);
}

bool ClassRecord::stops() {
  if (outcome_.trace.size() < most_checkpoints) outcome_.trace.push_back(progress());
  if (gap() < 0.999 * settled_gap_ || primal_ < 0.999 * settled_primal_) {
    settled_gap_ = gap();
    settled_primal_ = primal_;
    settled_round_ = outcome_.rounds;
  }
  const std::int64_t waited = outcome_.rounds - settled_round_;
  if (gap() <= aim_ * std::abs(primal_)) {
    // Near the optimum the objective sees the square of the error of W.
    if (is_small() && ++extra_rounds_ <= 2) return spent() || poll();
    end(Ending::converged);
    return true;
  }
  if (converged() && waited >= 4) {
    end(Ending::converged);
    return true;
  }
  if (waited >= patience_) {
    end(Ending::stalled);
    return true;
  }
  return spent() || poll();
}

bool ClassRecord::spent() {
  if (outcome_.rounds >= options_.max_rounds) {
    end(converged() ? Ending::converged : Ending::step_limit);
    return true;
  }
  if (options_.deadline.is_over()) {
    end(converged() ? Ending::converged : Ending::time_limit);
    return true;
  }
  return false;
}

bool ClassRecord::poll() {
  if (stopped_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(50)) return false;
  last_ = now;
  if (monitor_(progress())) {
    end(Ending::stopped);
    stopped_ = true;
  } else if (options_.deadline.is_over_at(now)) {
    end(converged() ? Ending::converged : Ending::time_limit);
    stopped_ = true;
  }
  return stopped_;
}

Progress ClassRecord::progress() const {
  Index support = 0;
  const Index width = problem_.width();
  if (!alpha_.empty())
    for (Index i = 0; i < problem_.x->rows(); ++i)
      support += alpha_[std::size_t(i) * std::size_t(width) + std::size_t(problem_.label[i])] < problem_.price[i];
  return {seconds(), outcome_.rounds, -dual_, relative_gap(), support, gap()};
}

ClassOutcome ClassRecord::finish(const std::vector<double>& last_alpha) {
  const Index K = problem_.classes, width = problem_.width(), d = problem_.x->columns(), n = problem_.x->rows();
  const std::vector<double>& alpha = alpha_.empty() ? last_alpha : alpha_;
  outcome_.w.resize(std::size_t(K) * std::size_t(d));
  outcome_.b.assign(K, 0.0);
  outcome_.alpha.resize(std::size_t(n) * std::size_t(K));
  for (Index k = 0; k < K; ++k) {
    for (Index j = 0; j < d; ++j)
      outcome_.w[std::size_t(k) * std::size_t(d) + std::size_t(j)] = W_[std::size_t(j) * std::size_t(width) + std::size_t(k)];
    if (problem_.offset != LinearOffset::none) outcome_.b[k] = W_[std::size_t(d) * std::size_t(width) + std::size_t(k)];
  }
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < K; ++k)
      outcome_.alpha[std::size_t(i) * std::size_t(K) + std::size_t(k)] =
          alpha[std::size_t(i) * std::size_t(width) + std::size_t(k)];
  return std::move(outcome_);
}

}  // namespace maxmargin
