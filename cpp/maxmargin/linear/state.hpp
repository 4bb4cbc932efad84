// What both searches for linear models share: pieces of the objectives, the gap of a pair of points, the best pair so far, and
// when to stop.
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
  double mass[2] = {0, 0};                                      // sum of |alpha|
  double gain[2] = {0, 0};                                      // sum of its linear gain
  double square[2] = {0, 0};                                    // sum of alpha^2 / (4 price)
  double of_slopes = std::numeric_limits<double>::quiet_NaN();  // where alpha are the losses' slopes: all that they gain
  std::vector<double> combination[2];  // sum of alpha_i y_i x_i; where the offset is not free all of it is in the first
};

// The best of all multiples t w of weights of squared length `square` and the primal objective there, for the hinge and its
// square; of other losses w itself. Multipliers that are nearly right make margins that miss 1 by a little, some on each side:
// what those below it cost, a w that is a little longer saves. At large prices that is most of the gap.
struct Multiple {
  double t, primal;
};
Multiple best_multiple(const LinearProblem& problem, const std::vector<double>& margins, double square);

// The best of the points t w, b for any t and b, near t = 1 and the b that is given, for the hinge and its square: first one,
// then the other. An offset is what all rows see; a little too much of it costs as much as all that sweeps have left of the
// gap. The margins, which have the offset, are overwritten; `first` is how far they may be off.
struct Plane {
  double t, b, primal;
};
Plane best_in_plane(const LinearProblem& problem, std::vector<double>& margins, double square, double b, double first);

// The dual objective of alpha with the classes scaled so that it is feasible, and where it pays all of it: the factors.
struct ScaledDual {
  double value, minus, plus;
};
ScaledDual scaled_dual(const LinearProblem& problem, const DualSums& sums, const std::vector<double>& alpha, RowPasses& passes);

}  // namespace maxmargin
