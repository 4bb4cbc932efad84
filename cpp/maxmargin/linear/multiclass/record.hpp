// The best pair of points of a model of all classes so far, and when to stop.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/linear/multiclass/problem.hpp"

namespace maxmargin {

class ClassRecord {
 public:
  ClassRecord(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor);

  // A method begins, which goes on if for so many rounds the gap and the primal objective hardly become smaller.
  void begin(std::int64_t patience) {
    patience_ = patience;
    settled_round_ = outcome_.rounds;
  }
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

  double gap() const { return primal_ - dual_; }
  double relative_gap() const { return gap() / std::max(std::abs(primal_), 1e-300); }
  double aim() const { return aim_ * std::abs(primal_); }  // the gap to come to
  // So many rounds, or as many as there may be.
  std::int64_t rounds_until(std::int64_t rounds) const { return std::min(rounds, options_.max_rounds); }
  std::int64_t rounds() const { return outcome_.rounds; }
  bool is_small() const { return aim_ < options_.tol; }  // then the answer shall be exact
  bool converged() const { return gap() <= options_.tol * std::abs(primal_); }
  void end(Ending ending) { outcome_.ending = ending; }
  void separates() { outcome_.separates = true; }

 private:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Progress progress() const;
  bool spent();

  const ClassProblem& problem_;
  const LinearOptions& options_;
  const Monitor& monitor_;
  double aim_;
  double primal_ = std::numeric_limits<double>::infinity(), dual_ = -std::numeric_limits<double>::infinity();
  double settled_gap_ = std::numeric_limits<double>::infinity(), settled_primal_ = settled_gap_;
  std::int64_t settled_round_ = 0, extra_rounds_ = 0, patience_ = 60;
  std::vector<double> W_, alpha_;
  ClassOutcome outcome_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_ = start_;
  bool stopped_ = false;
};

}  // namespace maxmargin
