// The best pair of points of a model of all classes so far, and when to stop.
#pragma once

#include <vector>

#include "maxmargin/linear/multiclass/problem.hpp"
#include "maxmargin/newton/record.hpp"

namespace maxmargin {

class ClassRecord final : public NewtonRecord {
 public:
  ClassRecord(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor);

  // A method begins, which goes on if for so many rounds the gap and the primal objective hardly become smaller.
  void begin(std::int64_t patience) { set_patience(patience); }
  // A point of the primal, weights [features][width] with the offsets last, after so many rounds.
  void see_primal(double value, const std::vector<double>& W, std::int64_t rounds);
  // A point of the dual, [n][width], which may be swapped for another.
  void see_dual(double value, std::vector<double>& alpha);
  ClassOutcome finish(const std::vector<double>& last_alpha);

 private:
  Index n_support() const override;

  const ClassProblem& problem_;
  std::vector<double> W_, alpha_;
};

}  // namespace maxmargin
