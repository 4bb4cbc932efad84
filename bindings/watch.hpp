// A run that Python watches: clock, signals, callback, and the table of its checkpoints.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "common.hpp"
#include "maxmargin/dual/engine.hpp"
#include "maxmargin/platform/events.hpp"

namespace maxmargin::python {

// A checkpoint, and which of several problems it is of.
struct Report {
  std::size_t problem;
  Progress at;
  bool done = false;  // the last one of this problem
};

// What Python answers to a report.
enum class Answer : int { go_on = 0, stop = 1, stop_this = 2 };

// What the run of several problems shares: the clock, the wish to stop, and Python, which only the calling thread talks to.
// What other threads report waits until that thread reports or waits itself; of each problem the last report is kept.
class Watch final : public Events {
 public:
  explicit Watch(const nb::object& monitor, double max_seconds) : monitor_(monitor), deadline_(max_seconds) {}

  // True ends the problem; where all are to stop, nobody is asked again after that.
  bool at_checkpoint(std::size_t problem, const Progress& progress) override {
    if (stop_) return true;
    if (std::this_thread::get_id() != caller_) {
      if (!monitor_.is_none()) leave({problem, progress});
      return stop_ || is_ended(problem);
    }
    const WithGil gil;
    try {
      check_signals();
      tell_waiting();
      tell({problem, progress});
    } catch (...) {
      stop_ = true;
      throw;
    }
    return stop_ || is_ended(problem);
  }
  void at_end(std::size_t problem, const Progress& progress) override {
    if (monitor_.is_none() || stop_) return;
    const Report last{problem, progress, true};
    if (std::this_thread::get_id() != caller_) return leave(last);
    const WithGil gil;
    try {
      tell_waiting();
      tell(last);
    } catch (...) {
      stop_ = true;
      throw;
    }
  }
  bool at_checkpoint(const Progress& progress) { return at_checkpoint(0, progress); }

  void while_waiting() noexcept override {
    if (!is_due()) return;
    const WithGil gil;
    try {
      check_signals();
      tell_waiting();
    } catch (...) {
      stop_ = true;
      error_ = std::current_exception();
    }
  }

  void poll() override {
    if (std::this_thread::get_id() == caller_ && is_due()) {
      const WithGil gil;
      check_signals();
    }
    if (stop_) throw Stopped(Termination::stopped);
    if (deadline_.is_over()) throw Stopped(Termination::time_limit);
  }

  // Throws Ctrl-C; other threads are told by `stop_`.
  void insist() override {
    if (std::this_thread::get_id() != caller_ || !is_due()) return;
    const WithGil gil;
    check_signals();
    if (!interrupted_ || std::chrono::steady_clock::now() - since_ < std::chrono::milliseconds(100)) return;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }

  // When all is done: what other threads reported last, and what a handler or a callback has thrown meanwhile.
  void finish() {
    if (error_) std::rethrow_exception(error_);
    const WithGil gil;
    tell_waiting();
  }
  bool interrupted() const { return interrupted_; }
  bool stopped() const override { return stop_; }
  const Deadline& deadline() const override { return deadline_; }

 private:
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

  void leave(const Report& report) {
    const std::lock_guard lock(mutex_);
    const auto same = [&](const Report& other) { return other.problem == report.problem; };
    const auto before = std::find_if(waiting_.begin(), waiting_.end(), same);
    if (before == waiting_.end())
      waiting_.push_back(report);
    else
      *before = report;
  }

  void tell_waiting() {
    std::vector<Report> reports;
    {
      const std::lock_guard lock(mutex_);
      reports.swap(waiting_);
    }
    for (const Report& report : reports) tell(report);
  }

  void tell(const Report& report) {
    if (stop_ || monitor_.is_none()) return;
    const auto answer = Answer(nb::cast<int>(call_python(monitor_, nb::cast(report))));
    if (answer == Answer::stop) stop_ = true;
    if (answer != Answer::stop_this) return;
    const std::lock_guard lock(mutex_);
    ended_.push_back(report.problem);
  }

  bool is_ended(std::size_t problem) {
    const std::lock_guard lock(mutex_);
    return std::find(ended_.begin(), ended_.end(), problem) != ended_.end();
  }

  const nb::object& monitor_;
  Deadline deadline_;
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now(), since_ = looked_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> stop_{false};
  bool interrupted_ = false;
  std::exception_ptr error_;
  std::mutex mutex_;  // of what follows
  std::vector<Report> waiting_;
  std::vector<std::size_t> ended_;  // those that Python has stopped one by one
};

// Records as bytes; Python reads them by the names and places of their fields: of `Progress`, of `CertificateRecord`.
template <class Record>
nb::ndarray<nb::numpy, std::uint8_t> as_bytes(std::vector<Record> records) {
  auto* moved = new std::vector<Record>(std::move(records));
  const nb::capsule owner(moved, [](void* p) noexcept { delete static_cast<std::vector<Record>*>(p); });
  return nb::ndarray<nb::numpy, std::uint8_t>(moved->data(), {moved->size() * sizeof(Record)}, owner);
}

}  // namespace maxmargin::python
