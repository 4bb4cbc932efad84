// Linear models whose weights cost their absolute values, or these and their squares, for losses that are smooth.
#pragma once

#include "maxmargin/linear/problem.hpp"

namespace maxmargin {

enum class SmoothLoss : int { squared_hinge = 0, logistic = 1, squared_tube = 2 };

// minimise  l1 |w|_1 + ridge/2 |w|^2 (+ the same of b / scale if penalised) + sum_i C_i loss_i(f_i),   f_i = <w, x_i> + b
//
// with loss_i(f) = max(0, 1 - y_i f)^2, log(1 + exp(-y_i f)) or max(0, |y_i - f| - epsilon)^2. Its dual, in the slopes
// beta_i = -C_i loss_i'(f_i), with v = sum_i beta_i x_i (and its entry scale sum_i beta_i of a penalised offset):
//
//     maximise  -sum_i C_i loss_i*(-beta_i / C_i) - sum_k max(0, |v_k| - l1)^2 / (2 ridge)
//
// where ridge = 0 asks for |v_k| <= l1 instead; with sum_i beta_i = 0 where the offset is free.
struct L1Problem {
  const LinearRows* x;
  const ColumnAccess* columns;  // of the same
  const double* y;              // -1 and +1, or targets
  const double* C;
  SmoothLoss loss;
  double epsilon;  // half the width of the tube
  LinearOffset offset;
  double offset_scale;
  double l1 = 1, ridge = 0;
};

// Proximal Newton on a working set of features, from w and b of a start, if there is one. The outcome's alpha is beta.
LinearOutcome minimise_l1(const L1Problem& problem, const LinearOptions& options, const Monitor& monitor,
                          const LinearOutcome* start = nullptr);

}  // namespace maxmargin
