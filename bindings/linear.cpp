// Linear models: passes over the rows.
#include <algorithm>

#include "common.hpp"
#include "maxmargin/linear_passes.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

Result row_products(const FeaturesHandle& x, const Vector& w) {
  if (w.shape(0) != std::size_t(x.features->columns())) throw nb::value_error("w must have one value per column.");
  std::vector<double> out(x.features->rows());
  {
    const nb::gil_scoped_release release;
    LinearPasses(*x.features).products(w.data(), out.data());
  }
  return to_numpy(std::move(out));
}

Result row_sum(const FeaturesHandle& x, const Vector& coefficients) {
  if (coefficients.shape(0) != std::size_t(x.features->rows())) throw nb::value_error("There must be one coefficient per row.");
  std::vector<double> out(x.features->columns());
  {
    const nb::gil_scoped_release release;
    LinearPasses(*x.features).combine(coefficients.data(), out.data());
  }
  return to_numpy(std::move(out));
}

}  // namespace

void bind_linear(nb::module_& m) {
  m.def("row_products", &row_products, "features"_a, "w"_a);
  m.def("row_sum", &row_sum, "features"_a, "coefficients"_a);
}

}  // namespace maxmargin::python
