// A run that Python watches: clock, signals, callback, and the table of its checkpoints.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "common.hpp"
#include "maxmargin/engine.hpp"

namespace maxmargin::python {

// What the run of several problems shares: the clock, the wish to stop, and Python, which only the calling thread talks to.
class Watch {
 public:
  explicit Watch(const nb::object& monitor, double max_seconds) : monitor_(monitor), max_seconds_(max_seconds) {}

  // True stops the run; nobody is asked again after that.
  bool at_checkpoint(const Progress& p) {
    if (stop_ || std::this_thread::get_id() != caller_) return stop_;
    const WithGil gil;
    try {
      check_signals();
      if (!monitor_.is_none() &&
          nb::cast<bool>(call_python(monitor_, p.seconds, p.steps, p.objective, p.violation, p.n_support)))
        stop_ = true;
    } catch (...) {
      stop_ = true;
      throw;
    }
    return stop_;
  }

  // Of a thread that waits for others, who end at their next checkpoint.
  void while_waiting() noexcept {
    if (!is_due()) return;
    const WithGil gil;
    try {
      check_signals();
    } catch (...) {
      stop_ = true;
      error_ = std::current_exception();
    }
  }

  // In the middle of work that nobody will miss: throws `Stopped` if it must end here.
  void poll() {
    if (is_due()) {
      const WithGil gil;
      check_signals();
    }
    if (stop_) throw Stopped(Ending::stopped);
    if (max_seconds_ > 0 && passed() > max_seconds_) throw Stopped(Ending::time_limit);
  }

  // In the middle of work that ends at its next checkpoint: throws Ctrl-C if that is long in coming.
  void insist() {
    if (!is_due()) return;
    const WithGil gil;
    check_signals();
    if (!interrupted_ || std::chrono::steady_clock::now() - since_ < std::chrono::milliseconds(100)) return;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }
  bool interrupted() const { return interrupted_; }
  bool stopped() const { return stop_; }

  // Seconds left for a run that begins now; 0 stands for no limit.
  double seconds_left() const { return max_seconds_ > 0 ? std::max(1e-9, max_seconds_ - passed()) : 0; }

 private:
  double passed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

  // Every 50 ms or so.
  bool is_due() {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_ < std::chrono::milliseconds(50)) return false;
    looked_ = now;
    return true;
  }

  // Ctrl-C ends the run and keeps what it has; any other exception of a signal handler goes its way.
  void check_signals() {
    if (PyErr_CheckSignals() == 0) return;
    if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
    PyErr_Clear();
    if (!interrupted_) since_ = std::chrono::steady_clock::now();
    interrupted_ = true;
    stop_ = true;
  }

  const nb::object& monitor_;
  double max_seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), looked_ = start_, since_ = start_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> stop_{false};
  bool interrupted_ = false;
  std::exception_ptr error_;
};

inline Result as_table(const std::vector<Progress>& trace) {
  std::vector<double> table;
  for (const Progress& p : trace)
    table.insert(table.end(), {p.seconds, double(p.steps), p.objective, p.violation, double(p.n_support)});
  return to_numpy(std::move(table), {trace.size(), std::size_t(5)});
}

}  // namespace maxmargin::python
