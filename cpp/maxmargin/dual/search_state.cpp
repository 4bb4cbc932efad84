#include "maxmargin/dual/search_state.hpp"

#include <algorithm>

namespace maxmargin {

namespace {

// Checkpoints of the trace: so many steps apart at the least, and so many while the steps double. Small problems are over in
// the time of a few, and have them further apart.
constexpr std::int64_t least_between_checkpoints = 16, most_between_checkpoints = 256, checkpoints_doubling = 12;
constexpr std::int64_t steps_times_rows = 1 << 18;

}  // namespace

void SearchState::poll(const Deadline& deadline) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_report > std::chrono::milliseconds(50)) {
    last_report = now;
    if ((*monitor)(progress())) throw Stopped(Termination::stopped);
  }
  if (deadline.is_over_at(now)) throw Stopped(Termination::time_limit);
}

Progress SearchState::progress() const {
  Progress found{seconds(), outcome.steps, objective, told_violation(), n_support};
  if (!outcome.trace.empty()) found.gap = outcome.trace.back().gap + (objective - outcome.trace.back().objective);
  return found;
}

double SearchState::seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

void SearchState::note_progress(std::int64_t steps, Index active_size) {
  std::vector<Progress>& trace = outcome.trace;
  next_note = steps + steps_to_checkpoint(steps, active_size);
  if (trace.empty()) return;
  const Progress& last = trace.back();
  trace.push_back({seconds(), steps, objective, last.violation, last.n_support, last.gap + (objective - last.objective)});
}

std::int64_t SearchState::steps_to_checkpoint(std::int64_t steps, Index active_size) {
  const std::int64_t least = std::clamp(steps_times_rows / std::max<std::int64_t>(1, active_size), least_between_checkpoints,
                                        most_between_checkpoints);
  return std::max(least, steps / checkpoints_doubling);
}

}  // namespace maxmargin
