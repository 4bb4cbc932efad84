// The dual objective of multipliers of a linear model.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/linear/losses.hpp"
#include "maxmargin/rows/row_passes.hpp"

namespace maxmargin {

// Sums over the rows of a point of the dual, by the sign of alpha_i y_i, for a margin the class; index 1 is +1.
struct DualSums {
  double abs_sum[2] = {0, 0};                                   // sum of |alpha|
  double gain[2] = {0, 0};                                      // sum of its linear gain
  double square[2] = {0, 0};                                    // sum of alpha^2 / (4 C)
  double of_slopes = std::numeric_limits<double>::quiet_NaN();  // where alpha are the losses' slopes: all that they gain
  std::vector<double> combination[2];  // sum of alpha_i y_i x_i; where the offset is not free all of it is in the first
};

// The dual objective of alpha with the classes scaled so that it is feasible, and where it pays all of it: the factors.
struct ScaledDual {
  double value, minus, plus;
};
ScaledDual scaled_dual(const LinearProblem& problem, const DualSums& sums, const std::vector<double>& alpha, RowPasses& passes);

// The same of any alpha, whose sums it makes, with room for alpha_i y_i of each side.
ScaledDual dual_of(const LinearProblem& problem, const std::vector<double>& alpha, RowPasses& passes, DualSums& sums,
                   std::vector<double> (&shares)[2]);

}  // namespace maxmargin
