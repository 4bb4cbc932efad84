// Newton's system with up to some hundred features: (ridge + X' diag(curvature) X) direction = -gradient.
//
// Its matrix is made and factored where that is cheap; else conjugate gradients take the last factor, or at first that of some
// of the rows or the diagonal, as a preconditioner, for as long as a new factor would take.
#pragma once

#include <vector>

#include "maxmargin/linear/problem.hpp"
#include "maxmargin/rows/row_passes.hpp"

namespace maxmargin {

// About nanoseconds, of one thread: only their ratios count.
struct SystemCosts {
  double row_of_matrix, row_of_product, factor, step;
  SystemCosts(const LinearRows& x, double size);
};

class LinearSystem {
 public:
  struct Rules {
    bool iterates;         // whether directions may be inexact
    bool exact;            // rounds go on to what float64 can tell: their last ones hardly change the curvatures
    bool stands_for_more;  // the rows: they have no last rounds
  };
  // The ridge is of the weights, and of the offset, which comes last.
  LinearSystem(const LinearProblem& problem, RowPasses& passes, const std::vector<double>& ridge, Rules rules);

  // To a residual of `forcing` of the gradient. The offset has at least the curvature `offset_floor`.
  void solve(const std::vector<double>& curvature, const std::vector<double>& gradient, double offset_floor, double forcing,
             std::vector<double>& direction);
  // All curvatures have become so many times larger.
  void scale_curvatures(double factor);

 private:
  bool solve_by_iterations(const std::vector<double>& curvature, double offset_floor, double forcing,
                           std::vector<double>& direction);
  void factor(const std::vector<double>& curvature, double offset_floor, Index step);
  void precondition(const std::vector<double>& residual, std::vector<double>& out) const;
  bool iterate(const std::vector<double>& curvature, double offset_floor, double forcing, std::int64_t most,
               std::vector<double>& direction);

  const LinearProblem& problem_;
  RowPasses& passes_;
  const std::vector<double>& ridge_;
  Rules rules_;
  Index n_, d_, size_, stride_;                                    // size_: weights and offset; stride_: of the matrix
  std::vector<double> H_, L_, in_H_, some_, change_, offset_row_;  // in_H_: curvatures that are in H
  double offset_corner_ = 0;
  Index step_of_H_ = 0;     // every how manyth row is in H; 0: none
  std::int64_t tried_ = 0;  // iterations since H has had all rows
  std::vector<double> residual_, fitted_, search_, image_, diagonal_;
};

}  // namespace maxmargin
