// How a run reports, and how it ends: the same for every search.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <limits>

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

struct Progress {
  double seconds;
  std::int64_t steps;
  double objective;  // of the minimisation
  double violation;
  Index n_support;
  double gap = std::numeric_limits<double>::quiet_NaN();  // between primal and dual objective, where it is known
};

// Called at checkpoints about every 50 ms; true stops the run. May throw.
using Monitor = std::function<bool(const Progress&)>;

enum class Termination : int { converged = 0, step_limit = 1, time_limit = 2, stopped = 3, stalled = 4 };

// Thrown by a poll where a run must end: what it has is kept.
class Stopped : public std::exception {
 public:
  explicit Stopped(Termination termination) : termination_(termination) {}
  Termination termination() const { return termination_; }

 private:
  Termination termination_;
};

}  // namespace maxmargin
