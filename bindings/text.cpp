// Rows of text files.
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>

#include "common.hpp"
#include "maxmargin/text/svmlight.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

struct Rows {
  nb::object labels, values, columns, starts, queries;
  std::string fault;
  std::int64_t line, at;
};

const char* name_of(SvmlightFault fault) {
  switch (fault) {
    case SvmlightFault::none: return "";
    case SvmlightFault::no_label: return "no_label";
    case SvmlightFault::several_labels: return "several_labels";
    case SvmlightFault::bad_label: return "bad_label";
    case SvmlightFault::bad_index: return "bad_index";
    case SvmlightFault::no_colon: return "no_colon";
    case SvmlightFault::bad_value: return "bad_value";
    case SvmlightFault::too_large: return "too_large";
    case SvmlightFault::repeated_index: return "repeated_index";
    case SvmlightFault::descending_index: return "descending_index";
    case SvmlightFault::bad_query: return "bad_query";
  }
  return "";
}

Rows rows_of(const Values<std::uint8_t>& text) {
  const std::string_view held(reinterpret_cast<const char*>(text.data()), text.size());
  SvmlightRows found = without_gil([&](const Poll&) { return read_svmlight(held); });
  return {.labels = nb::cast(to_numpy(std::move(found.labels))),
          .values = nb::cast(to_numpy(std::move(found.values))),
          .columns = nb::cast(to_numpy(std::move(found.columns))),
          .starts = nb::cast(to_numpy(std::move(found.starts))),
          .queries = nb::cast(to_numpy(std::move(found.queries))),
          .fault = name_of(found.fault),
          .line = found.line,
          .at = found.at};
}

}  // namespace

void bind_text(nb::module_& m) {
  nb::class_<Rows>(m, "SvmlightRows")
      .def_ro("labels", &Rows::labels)
      .def_ro("values", &Rows::values)
      .def_ro("columns", &Rows::columns)
      .def_ro("starts", &Rows::starts)
      .def_ro("queries", &Rows::queries)
      .def_ro("fault", &Rows::fault)
      .def_ro("line", &Rows::line)
      .def_ro("at", &Rows::at);
  m.def("read_svmlight", &rows_of, "text"_a.noconvert());
}

}  // namespace maxmargin::python
