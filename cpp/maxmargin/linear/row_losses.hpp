// What Newton's method asks of single rows at their margins: multipliers, curvatures and losses, of a smooth loss or of the
// smoothing of one with kinks (linear/newton.hpp).
#pragma once

#include <vector>

#include "maxmargin/linear/problem.hpp"

namespace maxmargin {

class RowLosses {
 public:
  struct Slope {
    double first = 0, second = 0;
  };
  static constexpr Index block = 256;  // rows whose numbers stay in the first cache

  // Wide: not many more rows than features.
  RowLosses(const LinearProblem& problem, bool wide);
  bool proximal() const { return proximal_; }
  // The curvature that the proximal term gives a row, on average.
  double mean_curvature() const { return penalty_parameter * mean_rate_; }

  // Of the rows from `begin` on at margins z: alpha, curvature, and the loss where that is asked for.
  void at(Index begin, Index count, const double* z, double* alpha, double* curvature, double* loss) const;
  // Of their losses, `length` along a direction.
  Slope slope_at(Index begin, Index end, const double* from, const double* direction, double length) const;

  std::vector<double> centre;      // of the proximal term
  double penalty_parameter = 0.3;  // and how little it weighs

 private:
  const LinearProblem& problem_;
  bool proximal_;
  std::vector<double> rate_;
  double mean_rate_ = 0;
};

}  // namespace maxmargin
