// What can be said of a point without believing who found it: in float64, from the problem, the point and its exact scores.
#pragma once

#include <algorithm>
#include <vector>

#include "maxmargin/dual/engine.hpp"

namespace maxmargin {

// What Fenchel's dual has for one row, its loss: the largest of  slope t - l1_weight |t| - 1/2 ridge t^2  over a box that holds
// 0.
inline double conjugate(double slope, double l1_weight, double ridge, double lower, double upper) {
  const auto best = [ridge](double s, double low, double high) {
    if (s == 0) return 0.0;
    const double t = ridge > 0 ? std::clamp(s / ridge, low, high) : s > 0 ? high : low;
    return t == 0 ? s * t : t * (s - 0.5 * ridge * t);
  };
  return std::max(best(slope - l1_weight, 0.0, upper), best(slope + l1_weight, lower, 0.0));
}

struct Evaluation {
  std::vector<Index> support;   // beta != 0
  std::vector<Index> boundary;  // beta = 0, and the row is on the margin or beyond it
  double bias;                  // multiplier of the sum of beta: from free variables, else the middle of what is optimal
  double bias_low, bias_high;   // all that are optimal, if the point is
  double nu_multiplier;         // multiplier of the sum of |beta|: rho of nu-classification, epsilon of nu-regression
  double violation;             // of the optimality conditions by the worst pair; without a sum to keep by the worst variable
  double primal, dual;          // objectives: the optimum is between them
  double square_norm;           // beta' K beta
  double abs_sum;               // sum of |beta|
  double infeasibility;         // how far outside the box and off the sums, relative to the sum of |beta|
  double rounding;              // by how much rounding errors of scores and sums may change primal - dual
  double shift = 0;             // what is added to the bias for rows as they are, where the Gram is of centred ones
  double score_scale = 0;       // the largest kernel value that a score sums up
};

// How well the scores of the fitted model are known: they sum up products that are no larger than `score_scale` times |beta|,
// and change by at most `off_sum_scale` for each unit that the sum of beta is off.
struct ScoreScales {
  double score_scale = 0, off_sum_scale = 0;
};

// `scores` are K beta.
Evaluation evaluate(const SignedDual& problem, const double* beta, const double* scores, ScoreScales scales);

}  // namespace maxmargin
