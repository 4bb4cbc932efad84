// What multipliers of all classes prove: the dual objective where they are feasible.
#pragma once

#include <vector>

#include "maxmargin/linear/multiclass/passes.hpp"
#include "maxmargin/linear/multiclass/problem.hpp"

namespace maxmargin {

class ClassBound {
 public:
  ClassBound(const ClassProblem& problem, ClassPasses& passes);

  // The dual objective of multipliers, made feasible and put into `out`. Free offsets want the totals of all classes to be what
  // the labels give: classes with too much give a part of theirs, and the others share it, in each row. `v` has the
  // combinations v_k of the rows, [size][width], with the totals last; the multinomial loss needs its scores and log sum exp f
  // too. With an l1, multipliers are moved towards C e_y until no product with a feature is above it, or, where a ridge allows
  // that, left as they are if this bounds the optimum better.
  double find(const std::vector<double>& alpha, const std::vector<double>& v, const std::vector<double>& scores,
              const std::vector<double>& log_sums, std::vector<double>& out);

 private:
  std::size_t area(Index rows) const { return std::size_t(rows) * std::size_t(width_); }
  bool free_offsets() const { return problem_.penalty && problem_.offset == LinearOffset::free; }
  double moved_to_labels(double gain, double lost, double largest, std::vector<double>& out);
  double feasible(Index i, const double* alpha, const double* scores, double log_sum, double* out) const;

  const ClassProblem& problem_;
  ClassPasses& passes_;
  Index d_, K_, width_, size_;
  std::vector<double> label_sums_, give_, take_, lost_;
};

}  // namespace maxmargin
