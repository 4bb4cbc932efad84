// What every run shares: its limits, how it ended, and what it reports.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <string>
#include <vector>

#include "common.hpp"
#include "watch.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

struct Field {
  std::string name, type;
  std::size_t offset;
};

}  // namespace

void bind_run(nb::module_& m) {
  nb::class_<LimitsHandle>(m, "Limits")
      .def(nb::init<double, std::int64_t, double>(), "tol"_a, "max_steps"_a, "max_seconds"_a)
      .def_ro("tol", &LimitsHandle::tol)
      .def_ro("max_steps", &LimitsHandle::max_steps)
      .def_ro("max_seconds", &LimitsHandle::max_seconds);
  nb::enum_<Termination>(m, "Ending")
      .value("converged", Termination::converged)
      .value("step_limit", Termination::step_limit)
      .value("time_limit", Termination::time_limit)
      .value("stopped", Termination::stopped)
      .value("stalled", Termination::stalled);
  nb::class_<Report>(m, "Report")
      .def_ro("problem", &Report::problem)
      .def_prop_ro("seconds", [](const Report& r) { return r.at.seconds; })
      .def_prop_ro("steps", [](const Report& r) { return r.at.steps; })
      .def_prop_ro("objective", [](const Report& r) { return r.at.objective; })
      .def_prop_ro("violation", [](const Report& r) { return r.at.violation; })
      .def_prop_ro("gap", [](const Report& r) { return r.at.gap; })
      .def_prop_ro("n_support", [](const Report& r) { return r.at.n_support; });
  // Where the fields of a checkpoint stand among its bytes.
  nb::class_<Field>(m, "Field").def_ro("name", &Field::name).def_ro("type", &Field::type).def_ro("offset", &Field::offset);
  m.attr("CHECKPOINT_FIELDS") = nb::cast(std::vector<Field>{{"seconds", "f8", offsetof(Progress, seconds)},
                                                            {"steps", "i8", offsetof(Progress, steps)},
                                                            {"objective", "f8", offsetof(Progress, objective)},
                                                            {"violation", "f8", offsetof(Progress, violation)},
                                                            {"gap", "f8", offsetof(Progress, gap)},
                                                            {"n_support", "i4", offsetof(Progress, n_support)}});
  m.attr("CHECKPOINT_SIZE") = sizeof(Progress);
}

}  // namespace maxmargin::python
