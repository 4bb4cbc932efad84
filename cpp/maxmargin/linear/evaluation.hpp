// What the evaluation of a linear model needs of its rows, in one pass.
#pragma once

#include <cstddef>
#include <vector>

namespace maxmargin {

enum class RowLossKind : int {
  hinge = 0,
  squared_hinge = 1,
  logistic = 2,
  exponential = 3,
  tube = 4,
  squared_tube = 5,
  square = 6,
  perceptron = 7
};

// Sums over rows with scores f, of a loss of z = y f, or of z = y - f for the tubes.
struct EvaluatedRows {
  double lost = 0;             // sum of C loss(z)
  double conjugates = 0;       // sum of C loss*(-alpha / C)
  double size = 0;             // of all terms whose rounding counts in the two
  double abs_sum = 0;          // sum of |alpha|
  double reach = 0;            // largest |f|
  double worst = 0;            // largest loss(z) + loss*(-alpha / C) + z alpha / C
  std::vector<double> slopes;  // -C loss'(z) dz/df, if asked for
};

EvaluatedRows evaluate_rows(RowLossKind loss, double epsilon, std::size_t n, const double* f, const double* y, const double* C,
                            const double* alpha, double shrink, bool with_slopes);

// The slope of one row's loss in z; at a kink that of the side that costs.
double slope_at(RowLossKind loss, double z, double epsilon);

}  // namespace maxmargin
