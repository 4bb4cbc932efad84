// One block of the rows of a multinomial model of all classes: what it adds to the sums that a round of Newton's method needs.
//
// As linear/block.hpp: a function of the block and of what it is given, and of nothing else.
#pragma once

#include <vector>

#include "maxmargin/linear/multiclass/passes.hpp"
#include "maxmargin/linear/multiclass/rows.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/rows/row_passes.hpp"

namespace maxmargin {

// Of the curvature sum_i H_i (x) (x_i, 1)(x_i, 1)' with H_i[k][l] = alpha_ik ([k = l] - alpha_il / C_i): nothing; its diagonal;
// the sum over k of its diagonal parts, divided by classes - 1; all of it.
enum class ClassCurvature : int { none = 0, diagonal = 1, shared = 2, matrix = 3 };

// Weights are [size][classes]: feature by feature, the offsets last where there are any.
struct ClassBlockTerms {
  double loss = 0,
         of_slopes = 0;        // of_slopes: sum of C loss + <C e_y - alpha, f>, what the multipliers gain in the dual objective
  std::vector<double> slopes;  // sum of (x_i, 1) (C_i e_y - alpha_i)'
  // diagonal: [size][classes]; shared: [size][size], its lower triangle; matrix: [size * classes][size * classes], unknowns in
  // the order of the weights, its lower triangle
  std::vector<double> curvature;
};

class ClassBlock {
 public:
  // The problem has the rows of the block, and the multinomial loss. `poll` is called now and then.
  ClassBlock(const ClassProblem& problem, Poll poll);

  ClassBlockTerms terms(const double* W, ClassCurvature kind);
  // First and second derivatives of the losses along P from W, at some lengths.
  void along(const double* W, const double* P, Index count, const double* lengths, double* first, double* second);
  // The curvature at W times P.
  std::vector<double> product(const double* W, const double* P);

  Index size() const { return size_; }

 private:
  std::size_t area(Index rows) const { return std::size_t(rows) * std::size_t(width_); }
  std::vector<double> padded(const double* W) const;
  std::vector<double> unpadded(const std::vector<double>& W) const;
  void outer(std::vector<double>& H);
  void find_diagonal(std::vector<double>& out);
  void find_shared(std::vector<double>& out);
  void find_matrix(std::vector<double>& out);

  const ClassProblem& problem_;
  Poll poll_;
  Index n_, d_, K_, width_, size_, stride_;
  ClassRows rows_;
  ClassPasses passes_;
  RowPasses linear_;
  std::vector<double> alpha_, weight_;
};

}  // namespace maxmargin
