// Something made when it is first asked for, by whichever thread comes first; the others wait for it, and can be stopped
// meanwhile. (std::call_once cannot be stopped while it waits.)
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "maxmargin/platform/poll.hpp"

namespace maxmargin {

class Once {
 public:
  // Calls make() unless a call has returned before. One that throws leaves it to the next.
  template <class Make>
  void operator()(const Make& make) {
    if (made_.load(std::memory_order_acquire)) return;
    std::unique_lock<std::mutex> hold(lock_, std::try_to_lock);
    while (!hold.owns_lock()) {
      poll_now();
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      hold.try_lock();
    }
    if (made_.load(std::memory_order_relaxed)) return;
    make();
    made_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> made_{false};
  std::mutex lock_;
};

}  // namespace maxmargin
