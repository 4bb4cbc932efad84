#include "maxmargin/linear/multiclass/record.hpp"

#include <algorithm>

namespace maxmargin {

namespace {

constexpr std::int64_t small = 1 << 18;  // products of a round

bool is_small(const ClassProblem& problem) {
  return (problem.x->stored_values() + std::int64_t(problem.x->rows())) * problem.classes <= small;
}

}  // namespace

// Where rounds cost next to nothing, two ways to say the same problem give the same answer.
ClassRecord::ClassRecord(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor)
    : NewtonRecord(
          options, monitor,
          {.exact = is_small(problem), .extra_rounds = 2, .patience = 60, .or_primal = true, .penalty = problem.penalty}),
      problem_(problem) {}

void ClassRecord::see_primal(double value, const std::vector<double>& W, std::int64_t rounds) {
  set_rounds(rounds);
  if (is_better_primal(value) || W_.empty()) W_ = W;
}

void ClassRecord::see_dual(double value, std::vector<double>& alpha) {
  if (!is_better_dual(value)) return;
  alpha_.resize(alpha.size());
  alpha_.swap(alpha);
}

Index ClassRecord::n_support() const {
  Index support = 0;
  const Index width = problem_.width();
  if (!alpha_.empty())
    for (Index i = 0; i < problem_.x->rows(); ++i)
      support += alpha_[std::size_t(i) * std::size_t(width) + std::size_t(problem_.label[i])] < problem_.C[i];
  return support;
}

ClassOutcome ClassRecord::finish(const std::vector<double>& last_alpha) {
  const Index K = problem_.classes, width = problem_.width(), d = problem_.x->columns(), n = problem_.x->rows();
  const std::vector<double>& alpha = alpha_.empty() ? last_alpha : alpha_;
  ClassOutcome outcome;
  static_cast<NewtonSummary&>(outcome) = take_summary();
  outcome.w.resize(std::size_t(K) * std::size_t(d));
  outcome.b.assign(K, 0.0);
  outcome.alpha.resize(std::size_t(n) * std::size_t(K));
  for (Index k = 0; k < K; ++k) {
    for (Index j = 0; j < d; ++j)
      outcome.w[std::size_t(k) * std::size_t(d) + std::size_t(j)] = W_[std::size_t(j) * std::size_t(width) + std::size_t(k)];
    if (problem_.offset != LinearOffset::none) outcome.b[k] = W_[std::size_t(d) * std::size_t(width) + std::size_t(k)];
  }
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < K; ++k)
      outcome.alpha[std::size_t(i) * std::size_t(K) + std::size_t(k)] =
          alpha[std::size_t(i) * std::size_t(width) + std::size_t(k)];
  return outcome;
}

}  // namespace maxmargin
