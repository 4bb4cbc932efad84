// All classes at once: one score a class, one slack a row.
#pragma once

#include <vector>

#include "maxmargin/dual/engine.hpp"

namespace maxmargin {

// minimise  1/4 sum over classes k of beta_k' K beta_k  -  sum over rows i of beta_i,label(i)
// subject to  sum over k of beta_ik = 0,  beta_ik <= 0 for k != label(i),  beta_i,label(i) <= upper_i
//             and, with `offsets`, sum over i of beta_ik = 0 for every class.
//
// The scores are f_k = 1/2 K beta_k + b_k.
struct CrammerSingerDual {
  Index n, classes;
  const Index* label;
  const double* upper;
  bool offsets;
};

struct CrammerSingerOutcome {
  std::vector<double> beta;  // [row][class]
  std::vector<double> bias;  // [class]
  Termination termination = Termination::converged;
  std::int64_t steps = 0, rows_made = 0;
  std::vector<Progress> trace;
};

// From beta, [row][class], which satisfies the constraints, and offsets near the best for it.
CrammerSingerOutcome minimise_crammer_singer(const CrammerSingerDual& problem, const Gram& gram, const double* beta,
                                             const double* bias, const Options& options, const Monitor& monitor);

}  // namespace maxmargin
