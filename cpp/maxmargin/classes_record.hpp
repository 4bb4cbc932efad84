// The best pair of points of a model of all classes so far, and when to stop.
#pragma once

#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/classes.hpp"

namespace maxmargin {

class ClassRecord {
 public:
  ClassRecord(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor);

  // A point of the primal, weights [features][width] with the offsets last, after so many rounds.
  void primal(double value, const std::vector<double>& W, std::int64_t rounds);
  // A point of the dual, [n][width], which may be swapped for another.
  void dual(double value, std::vector<double>& alpha);
  double dual() const { return dual_; }
  // True to stop: the gap is small, or a limit is reached.
  bool stops();
  // Between two points: time and signals.
  bool poll();
  ClassOutcome finish(const std::vector<double>& last_alpha);

  double relative_gap() const { return gap() / std::max(std::abs(primal_), 1e-300); }
  double aim() const { return aim_ * std::abs(primal_); }  // the gap to come to
  bool converged() const { return gap() <= options_.tol * std::abs(primal_); }
  void end(Ending ending) { outcome_.ending = ending; }
  void separates() { outcome_.separates = true; }

 private:
  double gap() const { return primal_ - dual_; }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Progress progress() const;
  bool spent();

  const ClassProblem& problem_;
  const LinearOptions& options_;
  const Monitor& monitor_;
  double aim_;
  double primal_ = std::numeric_limits<double>::infinity(), dual_ = -std::numeric_limits<double>::infinity();
  double settled_gap_ = std::numeric_limits<double>::infinity(), settled_primal_ = settled_gap_;
  std::int64_t settled_round_ = 0, extra_rounds_ = 0;
  std::vector<double> W_, alpha_;
  ClassOutcome outcome_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_ = start_;
  bool stopped_ = false;
};

}  // namespace maxmargin
