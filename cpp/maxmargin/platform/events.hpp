// What a run of several problems tells while it goes on, and who may end it.
#pragma once

#include <cstddef>

#include "maxmargin/platform/progress.hpp"

namespace maxmargin {

// Any thread may call it.
class Events {
 public:
  virtual ~Events() = default;
  // A checkpoint of a problem; true ends it. All others end too if `stopped`.
  virtual bool at_checkpoint(std::size_t problem, const Progress& progress) = 0;
  // A problem has ended, here.
  virtual void at_end(std::size_t problem, const Progress& progress) = 0;
  // From a thread that waits for others, who end at their next checkpoint.
  virtual void while_waiting() noexcept = 0;
  // In the middle of work whose result is not needed if the run ends: throws `Stopped` if it must end here.
  virtual void poll() = 0;
  // In the middle of work that ends at its next checkpoint: throws if that is too long in coming.
  virtual void insist() = 0;
  virtual bool stopped() const = 0;
  virtual const Deadline& deadline() const = 0;
};

}  // namespace maxmargin
