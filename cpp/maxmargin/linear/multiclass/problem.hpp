// Linear models of all classes at once, in the primal.
#pragma once

#include <vector>

#include "maxmargin/linear/problem.hpp"

namespace maxmargin {

enum class ClassLoss : int { multinomial = 0, crammer_singer = 1 };

// minimise  l1 sum_k |w_k|_1 + ridge/2 sum_k |w_k|^2 (+ the same of b_k / scale if penalised) + sum_i C_i loss(f(x_i), y_i),
// f_k(x) = <w_k, x> + b_k,
//
// with the loss  log sum_k exp f_k - f_y  or  max_k (f_k + [k != y]) - f_y.
//
// Its dual: with alpha_i >= 0, sum_k alpha_ik = C_i, and  v_k = sum_i (C_i [k = y_i] - alpha_ik) x_i,
//
//     maximise  -sum max(0, |v_kj| - l1)^2 / (2 ridge) (and the same of scale total_k) + gain,
//
// total_k = sum_i (C_i [k = y_i] - alpha_ik), where ridge = 0 asks for |v_kj| <= l1 instead, and
//
// gain = -sum alpha_ik log(alpha_ik / C_i)  or  sum over k != y_i of alpha_ik; total = 0 where offsets are free, and v = 0
// where there is no penalty. An l1 above 0 is for the multinomial loss only.
struct ClassProblem {
  const LinearRows* x;
  const Index* label;
  const double* C;
  Index classes;
  ClassLoss loss;
  LinearOffset offset;
  double offset_scale;
  bool penalty;  // else the loss alone: multinomial only
  double l1 = 0, ridge = 1;
  const ColumnAccess* columns = nullptr;  // of x, where there is an l1

  Index width() const { return (classes + 3) / 4 * 4; }  // classes in memory
};

struct ClassOutcome : NewtonSummary {
  std::vector<double> w, b, alpha;  // [classes][d], [classes], [n][classes]
};

// Newton's method; for the loss of the highest score on its proximal smoothings, as for the hinge. From w, b and alpha of a
// start, if there is one.
ClassOutcome minimise_classes_by_newton(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor,
                                        const ClassOutcome* start = nullptr);

// Proximal Newton on a working set of weights, for an l1 above 0.
ClassOutcome minimise_classes_with_l1(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor,
                                      const ClassOutcome* start = nullptr);

// Coordinate descent in the dual over rows, for the loss of the highest score.
ClassOutcome minimise_classes_by_rows(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor);

}  // namespace maxmargin
