// The best pair of points of a linear model so far, and when to stop.
#pragma once

#include <vector>

#include "maxmargin/linear/problem.hpp"
#include "maxmargin/newton/record.hpp"

namespace maxmargin {

// So few stored values that a round costs next to nothing: Newton's go on to what float64 can tell, and two ways to say the
// same problem give the same answer.
bool is_small(const LinearProblem& problem);

// Keeps the best primal and the best dual point: any two of them bound the optimum.
class LinearRecord final : public NewtonRecord {
 public:
  // `patience`: rounds in which the gap must become a little smaller. `to_the_end`: rounds are cheap and converge fast, so that
  // on small problems they go on to what float64 can tell.
  LinearRecord(const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor, std::int64_t patience,
               bool to_the_end);

  // True to stop: the gap is small, or a limit is reached.
  bool see(double primal, const std::vector<double>& w, double b, double dual, const std::vector<double>& alpha,
           double factor_minus, double factor_plus, std::int64_t rounds);
  // Takes over the dual point of another search of the same problem.
  void adopt(const LinearOutcome& found);
  // This point is the answer, whatever its value.
  void insist(const std::vector<double>& w, double b);
  LinearOutcome finish();

 private:
  Index n_support() const override;

  const LinearProblem& problem_;
  LinearOutcome outcome_;
};

}  // namespace maxmargin
