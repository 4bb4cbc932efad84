// The one clock of a run: the moment at which it must end. Whoever is handed it looks at the same moment.
#pragma once

#include <chrono>
#include <limits>

namespace maxmargin {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  Deadline() = default;  // no limit
  // Some seconds from now; infinity, or more than a clock can count, for no limit.
  explicit Deadline(double seconds) {
    constexpr double most = 1e9;
    if (seconds < most)
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  bool is_over() const { return end_ != Clock::time_point::max() && Clock::now() >= end_; }
  bool is_over_at(Clock::time_point now) const { return now >= end_; }

 private:
  Clock::time_point end_ = Clock::time_point::max();
};

}  // namespace maxmargin
