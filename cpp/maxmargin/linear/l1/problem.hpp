// Linear models whose weights cost their absolute values, for losses that are smooth.
#pragma once

#include "maxmargin/linear/problem.hpp"

namespace maxmargin {

enum class SmoothLoss : int { squared_hinge = 0, logistic = 1, squared_tube = 2 };

// minimise  |w|_1 (+ |b| / scale if penalised) + sum_i C_i loss_i(f_i),   f_i = <w, x_i> + b
//
// with loss_i(f) = max(0, 1 - y_i f)^2, log(1 + exp(-y_i f)) or max(0, |y_i - f| - epsilon)^2. Its dual, in the slopes
// beta_i = -C_i loss_i'(f_i):  maximise  -sum_i C_i loss_i*(-beta_i / C_i)  subject to  |sum_i beta_i x_ik| <= 1
// for all k (and |scale sum_i beta_i| <= 1), with sum_i beta_i = 0 where the offset is free.
struct L1Problem {
  const LinearRows* x;
  const ColumnAccess* columns;  // of the same
  const double* y;              // -1 and +1, or targets
  const double* C;
  SmoothLoss loss;
  double epsilon;  // half the width of the tube
  LinearOffset offset;
  double offset_scale;
};

// Proximal Newton on a working set of features, from w and b of a start, if there is one. The outcome's alpha is beta.
LinearOutcome minimise_l1(const L1Problem& problem, const LinearOptions& options, const Monitor& monitor,
                          const LinearOutcome* start = nullptr);

}  // namespace maxmargin
