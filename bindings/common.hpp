// What the files of the module share: arrays, and handles that keep the user's arrays alive.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <initializer_list>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gil.hpp"
#include "maxmargin/dual/engine.hpp"
#include "maxmargin/kernels/gram.hpp"
#include "maxmargin/platform/deadline.hpp"
#include "maxmargin/platform/out_of_memory.hpp"
#include "maxmargin/rows/features.hpp"

namespace nb = nanobind;

namespace maxmargin::python {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class V>
using Matrix = nb::ndarray<const V, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class V>
using Values = nb::ndarray<const V, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<nb::numpy, double>;

template <class V>
nb::ndarray<nb::numpy, V> to_numpy(std::vector<V> values, std::initializer_list<std::size_t> shape) {
  auto* moved = new std::vector<V>(std::move(values));
  const nb::capsule owner(moved, [](void* p) noexcept { delete static_cast<std::vector<V>*>(p); });
  return nb::ndarray<nb::numpy, V>(moved->data(), shape, owner);
}
template <class V>
nb::ndarray<nb::numpy, V> to_numpy(std::vector<V> values) {
  const std::size_t n = values.size();
  return to_numpy(std::move(values), {n});
}

// User's arrays stay alive as long as C++ reads them.
struct FeaturesHandle {
  std::shared_ptr<const Features> features;
  std::vector<nb::object> owners;
};
struct GramHandle {
  std::shared_ptr<const Gram> gram;
  std::vector<nb::object> owners;
};

// Lets Python handle signals every 50 ms or so, from a thread that has released the GIL.
class SignalPoll {
 public:
  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    const WithGil gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// The same, and throws `Stopped` when the time is over.
class TimedPoll {
 public:
  explicit TimedPoll(double max_seconds) : deadline_(max_seconds) {}
  void operator()() {
    signals_();
    if (deadline_.is_over()) throw Stopped(Termination::time_limit);
  }

 private:
  SignalPoll signals_;
  Deadline deadline_;
};

// Calls body(poll) without the GIL; whatever it calls is polled for signals.
template <class Body>
auto without_gil(const Body& body) {
  const WithoutGil release;
  const Poll poll = SignalPoll();
  const Watched watched(poll);
  return body(poll);
}

// Room for `rows` x `columns` values of 0; what for is said where there is not enough memory.
template <class V = double>
std::vector<V> room_for(std::size_t rows, std::size_t columns, const char* what) {
  try {
    if (columns > 0 && rows > std::vector<V>().max_size() / columns) throw std::bad_alloc();
    return std::vector<V>(rows * columns);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(double(rows) * double(columns) * sizeof(V),
                      std::string(what) + " of shape (" + std::to_string(rows) + ", " + std::to_string(columns) + ")");
  }
}

// Calls body(), whose memory is mostly `rows` x `columns` numbers, `times` over.
template <class Body>
auto with_room_for(std::size_t rows, std::size_t columns, double times, const char* what, const Body& body) {
  try {
    return body();
  } catch (const OutOfMemory&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(times * double(rows) * double(columns) * sizeof(double),
                      std::string(what) + " of " + std::to_string(rows) + " rows and " + std::to_string(columns) + " classes");
  }
}

// When a run must end; infinity stands for no limit of time.
struct LimitsHandle {
  double tol;
  std::int64_t max_steps;
  double max_seconds;
};

// Each file adds its part to the module.
void bind_run(nb::module_& m);
void bind_blocks(nb::module_& m);
void bind_classes(nb::module_& m);
void bind_class_blocks(nb::module_& m);
void bind_harmonics(nb::module_& m);
void bind_kernels(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_objects(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_paths(nb::module_& m);
void bind_solving(nb::module_& m);
void bind_text(nb::module_& m);
void bind_walk(nb::module_& m);

}  // namespace maxmargin::python
