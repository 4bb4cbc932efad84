#include "maxmargin/linear/record.hpp"

#include <algorithm>

#include "maxmargin/linear/losses.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t small = 1 << 17;

// Sums of terms as large as the objective at 0 tell no more than this, whatever they come to.
double rounding_of(const LinearProblem& problem) {
  return with_loss(problem.loss, [&](auto loss) {
    const Index n = problem.x->rows();
    double sums[4] = {0, 0, 0, 0};  // one would wait for each addition
    for (Index i = 0; i < n; ++i) sums[i % 4] += loss_of<loss()>(problem, i, 0.0);
    return 1e-15 * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
  });
}

}  // namespace

bool is_small(const LinearProblem& problem) { return problem.x->stored_values() + std::int64_t(problem.x->rows()) <= small; }

LinearRecord::LinearRecord(const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor,
                           std::int64_t patience, bool to_the_end)
    : NewtonRecord(options, monitor,
                   {.exact = to_the_end && is_small(problem),
                    .extra_rounds = 1,
                    .patience = patience,
                    .rounding = rounding_of(problem),
                    .penalty = problem.penalty}),
      problem_(problem) {
  outcome_.w.assign(problem.x->columns(), 0.0);
  outcome_.alpha.assign(problem.x->rows(), 0.0);
}

Index LinearRecord::n_support() const {
  return Index(std::count_if(outcome_.alpha.begin(), outcome_.alpha.end(), [](double a) { return a != 0; }));
}

bool LinearRecord::see(double primal, const std::vector<double>& w, double b, double dual, const std::vector<double>& alpha,
                       double factor_minus, double factor_plus, std::int64_t rounds) {
  if (was_stopped()) return true;  // what the passes made since then means nothing
  set_rounds(rounds);
  if (is_better_primal(primal)) insist(w, b);
  if (is_better_dual(dual))
    for (std::size_t i = 0; i < alpha.size(); ++i)
      outcome_.alpha[i] = alpha[i] * (alpha[i] * problem_.y[i] > 0 ? factor_plus : factor_minus);
  return stops();
}

void LinearRecord::adopt(const LinearOutcome& found) {
  if (found.trace.empty()) return;
  set_dual(-found.trace.back().objective);
  outcome_.alpha = found.alpha;
}

void LinearRecord::insist(const std::vector<double>& w, double b) {
  std::copy(w.begin(), w.begin() + problem_.x->columns(), outcome_.w.begin());
  outcome_.b = b;
}

LinearOutcome LinearRecord::finish() {
  static_cast<NewtonSummary&>(outcome_) = take_summary();
  return std::move(outcome_);
}

}  // namespace maxmargin
