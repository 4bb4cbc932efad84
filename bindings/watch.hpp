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

  // True stops the run.
  bool at_checkpoint(const Progress& p) {
    if (std::this_thread::get_id() != caller_) return stop_;
    const nb::gil_scoped_acquire gil;
    try {
      check_signals();
      if (!monitor_.is_none() && nb::cast<bool>(monitor_(p.seconds, p.steps, p.objective, p.violation, p.n_support)))
        stop_ = true;
    } catch (...) {
      stop_ = true;
      throw;
    }
    return stop_;
  }

  void while_waiting() noexcept {
    const nb::gil_scoped_acquire gil;
    try {
      check_signals();
    } catch (...) {
      stop_ = true;
      error_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }
  bool interrupted() const { return interrupted_; }
  bool stopped() const { return stop_; }

  // Seconds left for a run that begins now; 0 stands for no limit.
  double seconds_left() const {
    if (max_seconds_ <= 0) return 0;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    return std::max(1e-9, max_seconds_ - passed.count());
  }

 private:
  // Ctrl-C ends the run and keeps what it has; any other exception of a signal handler goes its way.
  void check_signals() {
    if (PyErr_CheckSignals() == 0) return;
    if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
    PyErr_Clear();
    interrupted_ = true;
    stop_ = true;
  }

  const nb::object& monitor_;
  double max_seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
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
