#include "maxmargin/dual/search_state.hpp"

#include <algorithm>

namespace maxmargin {

void SearchState::poll(const Deadline& deadline) {
  const auto now = std::chrono::steady_clock::now();
  if (now - last_report > std::chrono::milliseconds(50)) {
    const double passed = std::chrono::duration<double>(now - start).count();
    last_report = now;
    if ((*monitor)({passed, outcome.steps, objective, std::max(violation, known_violation), n_support}))
      throw Stopped(Termination::stopped);
  }
  if (deadline.is_over_at(now)) throw Stopped(Termination::time_limit);
}

}  // namespace maxmargin
