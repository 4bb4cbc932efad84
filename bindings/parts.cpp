// Classes and codes of labels, which rows and bounds the binary subproblems of several classes have, and their support vectors
// as one set.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "common.hpp"
#include "maxmargin/dual/assembly.hpp"
#include "maxmargin/dual/class_pairs.hpp"
#include "maxmargin/rows/checks.hpp"
#include "maxmargin/rows/labels.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

// Are all from 0 to `end` - 1?
bool are_within(std::span<const std::int64_t> values, std::int64_t end) {
  return std::all_of(values.begin(), values.end(), [&](std::int64_t value) { return 0 <= value && value < end; });
}

struct Labels {
  nb::object classes, codes;
};

template <class V>
std::optional<Labels> labels_of(const Values<V>& labels, std::int64_t widest) {
  std::optional<LabelCodes> found = label_codes(std::span<const V>(labels.data(), labels.size()), widest);
  if (!found) return std::nullopt;
  return Labels{.classes = nb::cast(to_numpy(std::move(found->classes))), .codes = nb::cast(to_numpy(std::move(found->codes)))};
}

template <class V>
bool same_rows(const Matrix<V>& x, const Indices& rows, const Matrix<V>& others) {
  const std::span asked(rows.data(), rows.size());
  const auto is_row = [&](Index row) { return 0 <= row && std::size_t(row) < x.shape(0); };
  if (others.shape(0) != asked.size() || others.shape(1) != x.shape(1) || !std::all_of(asked.begin(), asked.end(), is_row))
    return false;
  return without_gil([&](const Poll&) { return are_same_rows(x.data(), asked, std::int64_t(x.shape(1)), others.data()); });
}

struct Pairs {
  nb::object rows, signs, starts;
};

Pairs pairs_of(const Values<std::int64_t>& codes, Index classes) {
  const std::span held(codes.data(), codes.size());
  if (!are_within(held, classes)) throw nb::value_error("A label is outside the classes.");
  ClassPairs pairs = class_pairs(held, classes);
  return {.rows = nb::cast(to_numpy(std::move(pairs.rows))),
          .signs = nb::cast(to_numpy(std::move(pairs.signs))),
          .starts = nb::cast(to_numpy(std::move(pairs.starts)))};
}

struct Box {
  nb::object q, lower, upper;
};

Box box_of(const Vector& signs, const std::optional<Values<Index>>& rows, const Vector& costs) {
  const auto is_row = [&](Index row) { return 0 <= row && std::size_t(row) < costs.size(); };
  if (rows ? rows->size() != signs.size() : costs.size() == 0 || signs.size() % costs.size() != 0)
    throw nb::value_error("There must be one sign for each row of each problem.");
  if (rows && !std::all_of(rows->data(), rows->data() + rows->size(), is_row))
    throw nb::value_error("A row of a problem has no cost.");
  MarginBox box = margin_box({signs.data(), signs.size()}, rows ? rows->data() : nullptr, {costs.data(), costs.size()});
  return {.q = nb::cast(to_numpy(std::move(box.q))),
          .lower = nb::cast(to_numpy(std::move(box.lower))),
          .upper = nb::cast(to_numpy(std::move(box.upper)))};
}

struct Assembled {
  nb::object rows, n_support, dual;
  bool finite;
};

Assembled assembled(const Values<std::int64_t>& codes, Index classes, const Values<std::int64_t>& support,
                    const Values<std::int64_t>& counts, const Vector& beta, const Matrix<std::int64_t>& coefficient_rows,
                    Index coefficients) {
  const std::span of_rows(codes.data(), codes.size()), rows_held(support.data(), support.size()),
      of_each(counts.data(), counts.size()), places(coefficient_rows.data(), coefficient_rows.size());
  const std::size_t total = support.size();
  if (classes < 1 || !are_within(of_rows, classes) || !are_within(rows_held, std::int64_t(codes.size())) ||
      !are_within(places, coefficients) || !are_within(of_each, std::int64_t(total) + 1))
    throw nb::value_error("A class, a row or a row of coefficients is outside its range.");
  if (std::accumulate(of_each.begin(), of_each.end(), std::int64_t(0)) != std::int64_t(total) || total != beta.size() ||
      coefficient_rows.shape(0) != counts.size() || coefficient_rows.shape(1) != std::size_t(classes))
    throw nb::value_error("Support vectors, coefficients and their rows must belong to the same binary classifiers.");
  Assembly found = assemble(of_rows, classes, rows_held, of_each, {beta.data(), total}, places, coefficients);
  const std::size_t rows = found.rows.size();
  return {.rows = nb::cast(to_numpy(std::move(found.rows))),
          .n_support = nb::cast(to_numpy(std::move(found.counts))),
          .dual = nb::cast(to_numpy(std::move(found.dual), {std::size_t(coefficients), rows})),
          .finite = found.finite};
}

}  // namespace

void bind_parts(nb::module_& m) {
  nb::class_<Labels>(m, "LabelCodes").def_ro("classes", &Labels::classes).def_ro("codes", &Labels::codes);
  nb::class_<Pairs>(m, "ClassPairs")
      .def_ro("rows", &Pairs::rows)
      .def_ro("signs", &Pairs::signs)
      .def_ro("starts", &Pairs::starts);
  nb::class_<Box>(m, "MarginBox").def_ro("q", &Box::q).def_ro("lower", &Box::lower).def_ro("upper", &Box::upper);
  nb::class_<Assembled>(m, "Assembled")
      .def_ro("rows", &Assembled::rows)
      .def_ro("n_support", &Assembled::n_support)
      .def_ro("dual", &Assembled::dual)
      .def_ro("finite", &Assembled::finite);
  m.def("label_codes", &labels_of<std::int64_t>, "labels"_a.noconvert(), "widest"_a);
  m.def("label_codes", &labels_of<double>, "labels"_a.noconvert(), "widest"_a);
  m.def("same_rows", &same_rows<double>, "x"_a.noconvert(), "rows"_a, "others"_a.noconvert());
  m.def("same_rows", &same_rows<float>, "x"_a.noconvert(), "rows"_a, "others"_a.noconvert());
  m.def("class_pairs", &pairs_of, "codes"_a, "classes"_a);
  m.def("margin_box", &box_of, "signs"_a, "rows"_a.none(), "costs"_a);
  m.def("assemble", &assembled, nb::kw_only(), "codes"_a, "classes"_a, "support"_a, "counts"_a, "beta"_a, "coefficient_rows"_a,
        "coefficients"_a);
}

}  // namespace maxmargin::python
