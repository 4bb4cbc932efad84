// What the files of the module share: arrays, and handles that keep the user's arrays alive.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "maxmargin/gram.hpp"

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
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Each file adds its part to the module.
void bind_classes(nb::module_& m);
void bind_kernels(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_solving(nb::module_& m);

}  // namespace maxmargin::python
