// A proof by a verified inverse: that weights exist for which two means of rows coincide, in the space of a polynomial kernel.
#pragma once

#include <vector>

#include "solving.hpp"

namespace maxmargin::playground {

// As `coincidence`, from the rows with coefficients: the equations of as many rows as there are features have one solution if
// their matrix has an inverse, and R approximates it if |I - R M| < 1; then it is at most |R r| / (1 - |I - R M|) from the
// weights whose residual is r (Rump 2010).
std::vector<double> verified_coincidence(const Background& background, const std::vector<double>& y,
                                         const std::vector<double>& beta, bool offset);

}  // namespace maxmargin::playground
