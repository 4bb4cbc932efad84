// Locks, and which thread this is: the standard library's, or stand-ins where a build has one thread (MAXMARGIN_SERIAL).
#pragma once

#include <chrono>
#include <mutex>
#include <thread>

namespace maxmargin {

#if defined(MAXMARGIN_SERIAL)

class Mutex {
 public:
  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
};
enum class ThreadId { only };
inline ThreadId this_thread() { return ThreadId::only; }
inline void yield_thread() {}
inline void rest_thread(std::chrono::microseconds) {}

#else

using Mutex = std::mutex;
using ThreadId = std::thread::id;
inline ThreadId this_thread() { return std::this_thread::get_id(); }
inline void yield_thread() { std::this_thread::yield(); }
inline void rest_thread(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

#endif

}  // namespace maxmargin
