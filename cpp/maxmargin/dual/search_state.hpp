// What a run of the engine keeps when the active set or the precision of its rows changes.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "maxmargin/dual/engine.hpp"
#include "maxmargin/dual/variables.hpp"

namespace maxmargin {

struct SearchState {
  std::vector<double> beta, gradient, diagonal;  // over all n variables; gradients of inactive ones are not kept up
  std::vector<Index> active;
  double objective = 0;
  double diagonal_scale = 0;
  double known_violation = 0;   // of all variables when last known, where the active ones cannot tell it
  double untold_violation = 0;  // what of it the rounding of float32 rows may hide
  Outcome outcome;
  std::chrono::steady_clock::time_point start, last_report;
  std::int64_t next_checkpoint = 0, next_note = 0;
  double violation = std::numeric_limits<double>::infinity();  // when last known, for reports from the middle of something,
  Index n_support = 0;
  const Monitor* monitor = nullptr;  // and who gets them

  // What a move tells; false if it moved nothing.
  bool note(const Move& move) {
    objective += move.gain;
    outcome.negative_curvature |= move.negative_curvature;
    return move.step != 0.0;
  }
  // A checkpoint in the middle of a burst of steps: of the primal objective and the violation it is known what they were
  // before.
  void note_progress(std::int64_t steps, Index active_size);
  static std::int64_t steps_to_checkpoint(std::int64_t steps, Index active_size);
  // In the middle of something: of the primal objective it is known what it was at the last checkpoint.
  Progress progress() const;
  double told_violation() const { return std::max({violation, known_violation, untold_violation}); }
  double seconds() const;
  // In the middle of something: throws `Stopped` if the run must end here.
  void poll(const Deadline& deadline);
};

}  // namespace maxmargin
