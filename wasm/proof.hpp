// Proofs that no hyperplane separates two classes.
#pragma once

#include <vector>

#include "solving.hpp"

namespace maxmargin::playground {

// Weights of the rows, 0 or more: those of each class sum to 1, and the two weighted means of phi(x_i) are the same point.
// Without an offset all sum to 1, and the weighted mean of y_i phi(x_i) is 0. Weights for which that holds exactly exist within
// rounding of these. Empty where none were found, or it could not be decided.
//
// Equal rows of two classes coincide for every kernel. For a linear kernel in the plane hulls are compared exactly, for a
// polynomial one the rows that a search has found (`beta`) by a verified inverse.
std::vector<double> coincidence(const Background& background, const std::vector<double>& y, const std::vector<double>& beta,
                                bool offset);

}  // namespace maxmargin::playground
