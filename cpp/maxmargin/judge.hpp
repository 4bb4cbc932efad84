// What can be said of a point without believing who found it: in float64, from the problem, the point and its exact scores.
#pragma once

#include <vector>

#include "maxmargin/engine.hpp"

namespace maxmargin {

struct Judgement {
  std::vector<Index> support;   // beta != 0
  std::vector<Index> boundary;  // beta = 0, and the row is on the margin or beyond it
  double lowest, highest;       // gradients of the variables that can rise, and that can fall
  double bias;                  // multiplier of the total: the mean over free variables, else the middle of what is optimal
  double violation;             // of the optimality conditions by the worst pair; without a total by the worst variable
  double primal, dual;          // objectives: the optimum is between them
  double square_norm;           // beta' K beta
  double infeasibility;         // how far outside the box and off the total, relative to the sum of |beta|
};

// `scores` are K beta.
Judgement judge(const SignedDual& problem, const double* beta, const double* scores);

}  // namespace maxmargin
