// What is drawn beside the boundary: how far rows are from where they should be, and the two means of a proof.
#pragma once

#include <vector>

#include "fit.hpp"

namespace maxmargin::playground {

// Segments x, y, x, y from each row with slack to where it would have none: straight up or down to the edge of a tube, else to
// the level of f that it misses, along the gradient of f. Rows whose level is not found near by have no segment. Of one part
// in the plane; of several there are too many lines to tell apart.
std::vector<double> slack_lines(const Fit& fit);

// The weighted means of the positive and of the negative rows of a proof, x, y, x, y: the same point, if the kernel is linear.
// Without an offset the second is the origin. Empty where there is no proof.
std::vector<double> proof_means(const Fit& fit, std::size_t part);

// Each column less its mean, divided by its standard deviation, with three decimals; a constant column becomes 0.
std::vector<double> standardised(const std::vector<double>& x, Index columns);

}  // namespace maxmargin::playground
