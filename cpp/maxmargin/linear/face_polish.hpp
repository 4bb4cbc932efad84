// Dual points from systems of the rows with curvature, for the gap. On wide rows w is right long before the multipliers that
// the losses' slopes make of it: those have its error times the curvature, and their combination of rows once more times the
// rows' lengths.
#pragma once

#include <vector>

#include "maxmargin/linear/conjugate_gradients.hpp"

namespace maxmargin {

class FacePolish {
 public:
  FacePolish(const LinearProblem& problem, RowPasses& passes, ConjugateGradients& gradients, const std::vector<double>& ridge);

  // Moves the multipliers of the rows with curvature together to where these rows have the margins that they ask for, and
  // inside the bounds as far as the dual objective rises. The hinge's are drawn back to where this was done before: there may
  // be no such margins. False: the record says to stop.
  bool move(const std::vector<double>& alpha, const std::vector<double>& curvature, double free_offset, LinearRecord& record);
  const std::vector<double>& moved() const { return moved_; }
  // It was the best point so far: the next are drawn back to it.
  void keep() { base_ = moved_; }

 private:
  const LinearProblem& problem_;
  RowPasses& passes_;
  ConjugateGradients& gradients_;
  const std::vector<double>& ridge_;
  Index n_, d_;
  Face face_;
  std::vector<double> base_, moved_, along_, change_, direction_;
};

}  // namespace maxmargin
