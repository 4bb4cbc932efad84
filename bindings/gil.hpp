// With and without Python's lock, also in daemon threads that outlive the interpreter.
//
// A thread that wants the lock while the interpreter ends is told to exit (before Python 3.14), in the middle of what it does.
// A C++ stack does not survive that: destructors and functions that must not throw end the process. So such a thread waits here
// for the process to end, as Python 3.14 lets it do itself.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>

#include "maxmargin/platform/poll.hpp"

namespace maxmargin::python {

[[noreturn]] inline void wait_for_the_end() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// The same for a thread that is told so in the middle of Python code which the core or nanobind has called (an import, a
// conversion): the way out of it ends the process at the first function that must not throw.
inline void let_threads_wait_for_the_end() {
  static const std::thread::id first = std::this_thread::get_id();  // the one that imports the module
  static const std::terminate_handler before = std::get_terminate();
  std::set_terminate([] {
    const bool told_to_exit = Py_IsInitialized() == 0 && !std::current_exception();
    if (told_to_exit && std::this_thread::get_id() != first) wait_for_the_end();
    if (before != nullptr) before();
    std::abort();
  });
}

// Python's lock, for as long as this is alive.
class WithGil {
 public:
  WithGil() : state_(ensured()) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  static PyGILState_STATE ensured() {
    if (Py_IsInitialized() == 0) wait_for_the_end();
    try {
      return PyGILState_Ensure();
    } catch (...) {  // how the C library ends a thread; Python itself throws nothing
      wait_for_the_end();
    }
  }
  PyGILState_STATE state_;
};

// The lock is for others meanwhile.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    if (Py_IsInitialized() == 0) wait_for_the_end();
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      wait_for_the_end();
    }
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

// Calls a Python function, which may not come back either. Arguments are owned by the caller: nobody may drop them then.
template <class... Arguments>
nanobind::object call_python(const nanobind::object& function, const Arguments&... arguments) {
  const Watched nobody{Poll()};  // what it calls of ours has polls of its own
#if defined(__GLIBCXX__)
  try {
    return function(arguments...);
  } catch (const abi::__forced_unwind&) {
    wait_for_the_end();
  }
#else
  return function(arguments...);
#endif
}

}  // namespace maxmargin::python
