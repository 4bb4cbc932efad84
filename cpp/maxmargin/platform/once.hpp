// Something made when it is first asked for, by whichever thread comes first; the others wait for it, and can be stopped
// meanwhile. (std::call_once cannot be stopped while it waits.)
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/threads.hpp"

namespace maxmargin {

class Once {
 public:
  // Calls make() unless a call has returned before. One that throws leaves it to the next.
  template <class Make>
  void operator()(const Make& make) {
    if (made_.load(std::memory_order_acquire)) return;
    std::unique_lock<Mutex> hold(lock_, std::try_to_lock);
    while (!hold.owns_lock()) {
      poll_now();
      rest_thread(std::chrono::microseconds(50));
      hold.try_lock();
    }
    if (made_.load(std::memory_order_relaxed)) return;
    make();
    made_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> made_{false};
  Mutex lock_;
};

}  // namespace maxmargin
