// What the objectives of a linear model sum up over rows, from their margins.
#pragma once

#include "maxmargin/linear/row_losses.hpp"

namespace maxmargin {

struct RowTerms {
  struct Side {
    double abs_sum = 0, gain = 0, square = 0;  // as in DualSums
  };
  double loss = 0, of_slopes = 0;  // sum of C loss(z), and of C loss(z) + alpha z
  Side minus, plus;                // by the sign of alpha_i y_i

  RowTerms& operator+=(const RowTerms& other);
};

// Of rows [begin, end) at margins z; writes their multipliers and curvatures. alpha_i y_i goes to `share` where it is positive
// or there is no `negative`, else to that; the other of the two is 0.
RowTerms row_terms(const LinearProblem& problem, const RowLosses& losses, Index begin, Index end, const double* z,
                   double* alpha, double* curvature, double* share, double* negative);

}  // namespace maxmargin
