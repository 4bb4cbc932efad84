// Linear models of all classes at once, in the primal.
#pragma once

#include <vector>

#include "maxmargin/linear/problem.hpp"

namespace maxmargin {

enum class ClassLoss : int { multinomial = 0, crammer_singer = 1 };

// minimise  1/2 sum_k |w_k|^2 (+ 1/2 (b_k / scale)^2 if penalised) + sum_i C_i loss(f(x_i), y_i),  f_k(x) = <w_k, x> + b_k,
//
// with the loss  log sum_k exp f_k - f_y  or  max_k (f_k + [k != y]) - f_y.
//
// Its dual: with alpha_i >= 0, sum_k alpha_ik = C_i, and  v_k = sum_i (C_i [k = y_i] - alpha_ik) x_i,
//
//     maximise  -1/2 sum_k |v_k|^2 (- 1/2 (scale total_k)^2) + gain,  total_k = sum_i (C_i [k = y_i] - alpha_ik),
//
// gain = -sum alpha_ik log(alpha_ik / C_i)  or  sum over k != y_i of alpha_ik; total = 0 where offsets are free, and v = 0
// where there is no penalty.
struct ClassProblem {
  const LinearRows* x;
  const Index* label;
  const double* C;
  Index classes;
  ClassLoss loss;
  LinearOffset offset;
  double offset_scale;
  bool penalty;  // else the loss alone: multinomial only

  Index width() const { return (classes + 3) / 4 * 4; }  // classes in memory
};

struct ClassOutcome : NewtonSummary {
  std::vector<double> w, b, alpha;  // [classes][d], [classes], [n][classes]
};

// Newton's method; for the loss of the highest score on its proximal smoothings, as for the hinge. From w, b and alpha of a
// start, if there is one.
ClassOutcome minimise_classes_by_newton(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor,
                                        const ClassOutcome* start = nullptr);

// Coordinate descent in the dual over rows, for the loss of the highest score.
ClassOutcome minimise_classes_by_rows(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor);

}  // namespace maxmargin
