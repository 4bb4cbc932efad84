// The exact finish: Newton on the face of the box where the free variables live.
#pragma once

#include <functional>
#include <vector>

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

// minimise  1/2 d' K d + g' d   subject to  lower <= d <= upper  and, for each of the parts, sum of d over it = 0
//
// over m variables, from d = 0, in float64. Each round solves the Newton system on the variables still free, goes as far as the
// box allows, fixes what it ran into and goes on; it ends when a whole step fits. So the objective never rises, and where no
// bound is in the way one round is exact. Inside, variables are scaled so that K has a unit diagonal. K may be singular: the
// system has a small ridge, and a direction in which the true curvature vanishes is followed to the box.
class FaceNewton {
 public:
  // K: m x m, row-major, lower triangle filled. `rounding`: relative error of its entries.
  // `part` says which of at most two sums a variable belongs to; empty: there are none to keep.
  FaceNewton(std::vector<double> K, Index m, std::vector<int> part, double rounding);

  // False if K has negative curvature beyond rounding: the problem is not convex.
  bool positive() const { return positive_; }

  // Returns d. May be called again with the gradient at the new point (iterative refinement) while no variable was fixed.
  // After `most_rounds` it ends where it is; 0 stands for a twelfth of the variables: beyond that, pair steps know better which
  // of them are free. `stop` is asked before every round.
  std::vector<double> minimise(std::vector<double> g, const std::vector<double>& lower, const std::vector<double>& upper,
                               Index most_rounds = 0, const std::function<bool()>& stop = nullptr);
  bool fixed_any() const { return fixed_any_; }

 private:
  void solve(std::vector<double>& x) const;
  void remove(Index position);
  Index alive_in(int part) const;
  double part_dot(int part, const std::vector<double>& x) const;
  void project(std::vector<double>& toward, double multiplier[2]);
  void keep_level(std::vector<double>& d) const;

  Index m_, alive_;
  std::vector<int> part_;
  std::vector<double> L_;  // alive_ rows, row-major with stride m_
  std::vector<Index> variable_;
  std::vector<double> scale_;      // 1 / sqrt(K_ii)
  std::vector<double> across_[2];  // room
  double ridge_ = 0;
  bool positive_ = true, fixed_any_ = false;
};

}  // namespace maxmargin
