// Where the search of a soft margin begins that has the coefficients of one like it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "maxmargin/kernels/gram.hpp"

namespace maxmargin {

// A problem with linear slack and a free offset: beta between `lower` and `upper`, and sums to 0.
struct MarginBounds {
  const double* q;
  const double* lower;
  const double* upper;
};

// Coefficients where they are not 0: their rows, and the largest that each could have been.
struct HeldCoefficients {
  std::span<const Index> support;
  std::span<const double> beta, cost;
};

struct StartingPoint {
  std::vector<double> beta, scores;  // the scores K beta up to rounding
};

// The coefficients as they are, or all made longer by as much as the bounds have grown: whichever has the higher dual
// objective. Nothing if the bounds have not grown by one factor, or a point does not satisfy the constraints.
std::optional<StartingPoint> continued(const Gram& gram, const MarginBounds& bounds, const HeldCoefficients& held,
                                       const Poll& poll);

}  // namespace maxmargin
