// One block of the rows of a linear model: what it adds to the sums that a round of Newton's method needs.
//
// All of this is a function of the block and of what it is given, and of nothing else: whoever holds the block computes the
// same bits. The sums over blocks, and what follows from them, are made elsewhere.
#pragma once

#include <vector>

#include "maxmargin/linear/row_terms.hpp"
#include "maxmargin/rows/row_passes.hpp"

namespace maxmargin {

enum class BlockCurvature : int { none = 0, diagonal = 1, matrix = 2 };

struct BlockTerms {
  RowTerms rows;
  std::vector<double> combination[2];  // sum of alpha_i y_i x_i by its sign, as in DualSums; one where the offset is not free
  // sum of c_i (x_i, 1)(x_i, 1)' with the rows' curvatures: its lower triangle, rows of `size`; or its diagonal. Without an
  // offset there is no 1.
  std::vector<double> curvature;
};

class LinearBlock {
 public:
  // The problem has the rows of the block. `centre` and `penalty_parameter` are those of RowLosses; others losses have none.
  LinearBlock(const LinearProblem& problem, const double* centre, double penalty_parameter);

  BlockTerms terms(const double* w, double b, BlockCurvature kind);
  // Of the losses along (p, p_offset) from w, b: first and second derivatives at some lengths.
  void along(const double* w, double b, const double* p, double p_offset, Index count, const double* lengths, double* first,
             double* second);
  // alpha of each row at w, b.
  void multipliers(const double* w, double b, double* alpha);
  // sum of c_i (<p, x_i> + p_offset) (x_i, 1), with the curvatures at w, b.
  std::vector<double> product(const double* w, double b, const double* p, double p_offset);

 private:
  void margins(const double* w, double b, std::vector<double>& z);

  const LinearProblem& problem_;
  RowPasses passes_;
  RowLosses losses_;
  Index n_, d_, size_;
  std::vector<double> z_, alpha_, curvature_;
};

}  // namespace maxmargin
