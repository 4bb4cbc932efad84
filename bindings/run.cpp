// What every run shares: its limits, how it ended, and what it reports.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common.hpp"
#include "maxmargin/dual/assembly.hpp"
#include "watch.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

struct Field {
  std::string name, type;
  std::size_t offset;
};

// Entries are grouped, with so many in each group, one group after the other. Picks at most `most` of each group, evenly
// spaced; the first and the last of a group are always among them.
nb::object evenly_spaced(const Values<std::int64_t>& counts, std::int64_t most) {
  if (most < 2) throw nb::value_error("At least the first and the last must be kept.");
  std::vector<std::int64_t> places;
  std::int64_t start = 0;
  for (const std::int64_t count : std::span(counts.data(), counts.size())) {
    const std::int64_t kept = std::min(count, most);
    for (std::int64_t i = 0; i < kept; ++i)
      places.push_back(start + (kept < count ? (2 * i * (count - 1) + most - 1) / (2 * (most - 1)) : i));
    start += count;
  }
  return nb::cast(to_numpy(std::move(places)));
}

}  // namespace

void bind_run(nb::module_& m) {
  nb::class_<LimitsHandle>(m, "Limits")
      .def(nb::init<double, std::int64_t, double>(), "tol"_a, "max_steps"_a, "max_seconds"_a)
      .def_ro("tol", &LimitsHandle::tol)
      .def_ro("max_steps", &LimitsHandle::max_steps)
      .def_ro("max_seconds", &LimitsHandle::max_seconds);
  nb::enum_<Termination>(m, "Termination")
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
      .def_prop_ro("n_support", [](const Report& r) { return r.at.n_support; })
      .def_ro("done", &Report::done);
  // Where the fields of a checkpoint, and of a certificate, stand among its bytes.
  nb::class_<Field>(m, "Field").def_ro("name", &Field::name).def_ro("type", &Field::type).def_ro("offset", &Field::offset);
  m.attr("CHECKPOINT_FIELDS") = nb::cast(std::vector<Field>{{"seconds", "f8", offsetof(Progress, seconds)},
                                                            {"steps", "i8", offsetof(Progress, steps)},
                                                            {"objective", "f8", offsetof(Progress, objective)},
                                                            {"violation", "f8", offsetof(Progress, violation)},
                                                            {"gap", "f8", offsetof(Progress, gap)},
                                                            {"n_support", "i4", offsetof(Progress, n_support)}});
  m.def("evenly_spaced", &evenly_spaced, "counts"_a, "most"_a);
  m.attr("CHECKPOINT_SIZE") = sizeof(Progress);
  m.attr("CERTIFICATE_FIELDS") = nb::cast(std::vector<Field>{{"primal", "f8", offsetof(CertificateRecord, primal)},
                                                             {"dual", "f8", offsetof(CertificateRecord, dual)},
                                                             {"violation", "f8", offsetof(CertificateRecord, violation)},
                                                             {"scale", "f8", offsetof(CertificateRecord, scale)},
                                                             {"indefinite", "?", offsetof(CertificateRecord, indefinite)},
                                                             {"bias_low", "f8", offsetof(CertificateRecord, bias_low)},
                                                             {"bias_high", "f8", offsetof(CertificateRecord, bias_high)}});
  m.attr("CERTIFICATE_SIZE") = sizeof(CertificateRecord);
}

}  // namespace maxmargin::python
