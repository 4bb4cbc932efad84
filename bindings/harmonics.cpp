// Cosines and sines for random frequencies.
#include "maxmargin/kernels/harmonics.hpp"

#include <algorithm>
#include <limits>

#include "common.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

// Cosines of angles and, beside them, as many sines as there is room for, written to `out`; false if an angle is not finite.
template <class V>
bool write_harmonics(const Matrix<double>& angles, double scale,
                     const nb::ndarray<V, nb::ndim<2>, nb::c_contig, nb::device::cpu>& out) {
  const std::size_t columns = angles.shape(1), width = out.shape(1);
  if (out.shape(0) != angles.shape(0) || width < columns || width > 2 * columns)
    throw nb::value_error("Each angle needs room for its cosine, and at most for its sine.");
  if (std::max(angles.shape(0), width) > std::size_t(std::numeric_limits<Index>::max()))
    throw nb::value_error("There are more than 2147483647 angles, which is more than the core can number.");
  return without_gil([&](const Poll&) {
    return harmonics(angles.data(), Index(angles.shape(0)), Index(columns), Index(width), scale, out.data());
  });
}

}  // namespace

void bind_harmonics(nb::module_& m) {
  m.def("write_harmonics", &write_harmonics<double>, "angles"_a.noconvert(), "scale"_a, "out"_a.noconvert());
  m.def("write_harmonics", &write_harmonics<float>, "angles"_a.noconvert(), "scale"_a, "out"_a.noconvert());
}

}  // namespace maxmargin::python
