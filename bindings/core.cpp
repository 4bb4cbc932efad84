// The thin module: arrays in, arrays out, GIL released, interrupts polled. No algorithm lives here.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "common.hpp"
#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/thread_pool.hpp"

using namespace nb::literals;

// For threadpoolctl, which finds them in the loaded library.
extern "C" {
__attribute__((visibility("default"))) int maxmargin_get_num_threads() { return maxmargin::thread_count(); }
__attribute__((visibility("default"))) void maxmargin_set_num_threads(int count) { maxmargin::set_thread_count(count); }
}

NB_MODULE(_core, m) {
  maxmargin::python::let_threads_wait_for_the_end();
  nb::set_leak_warnings(false);  // a module that is alive at interpreter exit is no leak
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const maxmargin::OutOfMemory& error) {
      PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const std::bad_alloc&) {
      PyErr_SetString(PyExc_MemoryError,
                      "Unable to allocate what the core works with: copies of rows, multipliers, kernel values");
    }
  });
  m.def("get_threads", &maxmargin::thread_count);
  m.def("set_threads", &maxmargin::set_thread_count, "count"_a);
  m.def("cpu_level", [] { return std::string(maxmargin::simd().level); });
  m.def("cpu_levels", &maxmargin::cpu_levels);
  maxmargin::python::bind_run(m);
  maxmargin::python::bind_kernels(m);
  maxmargin::python::bind_harmonics(m);
  maxmargin::python::bind_solving(m);
  maxmargin::python::bind_parts(m);
  maxmargin::python::bind_paths(m);
  maxmargin::python::bind_linear(m);
  maxmargin::python::bind_blocks(m);
  maxmargin::python::bind_objects(m);
  maxmargin::python::bind_text(m);
  maxmargin::python::bind_walk(m);
  maxmargin::python::bind_classes(m);
  maxmargin::python::bind_class_blocks(m);
}
