// Newton's system of a linear model with many features, by conjugate gradients.
//
// Few features are heavy in most data (the offset, common words), and make the system ill-conditioned. The preconditioner has
// their block of the Hessian exactly, factored, and of the others the diagonal.
#pragma once

#include <vector>

#include "maxmargin/linear_state.hpp"

namespace maxmargin {

class ConjugateGradients {
 public:
  // size: features, and one more if there is an offset
  ConjugateGradients(const LinearProblem& problem, LinearPasses& passes, Index size);

  // (ridge + X' diag(curvature) X) direction = -gradient, until the residual is `forcing` of what it was. `offset_floor` is
  // what the offset has at least. False if the record says to stop.
  bool solve(const std::vector<double>& curvature, const std::vector<double>& ridge, double offset_floor,
             const std::vector<double>& gradient, double forcing, std::vector<double>& direction, LinearRecord& record);

 private:
  void prepare(const std::vector<double>& curvature, const std::vector<double>& ridge, double offset_floor);
  void precondition(const std::vector<double>& residual, std::vector<double>& out);
  void multiply(const std::vector<double>& p, std::vector<double>& out);

  const Features& x_;
  LinearPasses& passes_;
  Index size_, d_, heavy_, stride_;
  SomeColumns some_;
  std::vector<Index> active_;  // rows that curve
  std::vector<double> curve_;  // their curvatures
  std::vector<double> ridge_, diagonal_, block_, heavy_part_, sum_, residual_, fitted_, search_, image_, room_;
};

}  // namespace maxmargin
