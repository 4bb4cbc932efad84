// The two objectives of a search so far, and when to stop: the same for every model that is searched for in the primal.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/platform/deadline.hpp"
#include "maxmargin/platform/progress.hpp"

namespace maxmargin {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct NewtonLimits {
  double tol = 1e-4;  // gap <= tol * primal
  std::int64_t max_rounds = 0;
  Deadline deadline;
};

// How a search went.
struct NewtonSummary {
  Termination termination = Termination::stalled;
  std::int64_t rounds = 0;  // Newton systems, or sweeps
  bool separates = false;   // without a penalty: every row is on its side, and there is no minimum
  std::vector<Progress> trace;
};

// A search that has the gap it was asked for has converged, whichever limit ended it. Models keep their best points in classes
// derived from this.
class NewtonRecord {
 public:
  struct Rules {
    bool exact = false;         // go on to what float64 can tell: rounds cost next to nothing
    int extra_rounds = 0;       // after that: the objective sees the square of the error of the weights; one where it began so
    std::int64_t patience = 0;  // rounds in which the gap must become a little smaller
    bool or_primal = false;     // or the primal objective
    double rounding = -std::numeric_limits<double>::infinity();  // of the objectives: nobody waits long below that
    bool penalty = true;                                         // else multipliers are feasible at the end only
  };
  NewtonRecord(const NewtonLimits& limits, const Monitor& monitor, const Rules& rules);
  virtual ~NewtonRecord() = default;
  NewtonRecord(const NewtonRecord&) = delete;
  NewtonRecord& operator=(const NewtonRecord&) = delete;

  // After a round. True to stop: the gap is small, or a limit is reached.
  bool stops();
  // Between two rounds: time and signals.
  bool poll();
  // A checkpoint between two points that are seen: the dual objective there, beside the best primal one so far.
  void note(double dual, std::int64_t rounds);

  double primal() const { return primal_; }
  double dual() const { return dual_; }
  double gap() const { return primal_ - dual_; }
  double relative_gap() const { return gap() / std::max(std::abs(primal_), 1e-300); }
  double aim() const { return aim_ * std::abs(primal_); }  // the gap to come to
  bool is_exact() const { return aim_ < limits_.tol; }     // is the answer to be as exact as float64 is?
  bool converged() const { return is_within(limits_.tol); }
  std::int64_t rounds() const { return summary_.rounds; }
  // So many rounds, or as many as there may be.
  std::int64_t rounds_until(std::int64_t rounds) const { return std::min(rounds, limits_.max_rounds); }
  // The next dual point counts, whatever its value: it is nearer to what makes it feasible.
  void forget_dual() { dual_ = -std::numeric_limits<double>::infinity(); }
  void end(Termination termination) { summary_.termination = termination; }
  // There is no minimum: all rows are separated.
  void separates() {
    summary_.separates = true;
    end(Termination::stalled);
  }

 protected:
  // Better points than the best so far?
  bool is_better_primal(double value);
  bool is_better_dual(double value);
  bool is_above_primal(double value) const;
  void set_dual(double value) { dual_ = value; }
  void set_rounds(std::int64_t rounds) { summary_.rounds = rounds; }
  void set_patience(std::int64_t patience) {
    rules_.patience = patience;
    settled_round_ = summary_.rounds;
  }
  bool was_stopped() const { return stopped_; }
  // The last checkpoint is that of the multipliers that are handed back.
  NewtonSummary take_summary() {
    summary_.trace.resize(std::min(seen_, summary_.trace.size()));
    return std::move(summary_);
  }
  virtual Index n_support() const = 0;

 private:
  Progress progress() const { return {seconds_since(start_), rounds(), -dual_, relative_gap(), n_support(), gap()}; }
  bool is_within(double tol) const;
  bool is_late() const { return limits_.deadline.is_over(); }
  bool spent();

  const NewtonLimits limits_;
  const Monitor& monitor_;
  Rules rules_;
  double aim_;
  double primal_ = std::numeric_limits<double>::infinity(), dual_ = -std::numeric_limits<double>::infinity();
  double settled_gap_ = std::numeric_limits<double>::infinity(), settled_primal_ = settled_gap_;
  std::int64_t settled_round_ = 0;
  int extra_rounds_ = 0;
  bool began_there_ = false;  // as exact as it is to be before the first round: the weights come from a search like this one
  NewtonSummary summary_;
  std::size_t seen_ = 0;  // checkpoints up to the last point that was
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_ = start_;
  bool stopped_ = false;
};

}  // namespace maxmargin
