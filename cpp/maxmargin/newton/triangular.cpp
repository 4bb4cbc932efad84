#include "maxmargin/newton/triangular.hpp"

#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

void solve_factored(const double* L, Index size, std::ptrdiff_t stride, double* x) {
  const SimdTable& h = simd();
  for (Index k = 0; k < size; ++k) {
    const double* const row = L + k * stride;
    x[k] = (x[k] - h.dot(k, row, x)) / row[k];
  }
  for (Index k = size; k-- > 0;) {
    const double* const row = L + k * stride;
    x[k] /= row[k];
    h.axpy(k, -x[k], row, x);
  }
}

void solve_factored(const double* L, Index size, std::ptrdiff_t stride, Index width, double* X, double* room) {
  const SimdTable& h = simd();
  for (Index k = 0; k < size; ++k) {
    const double* const row = L + k * stride;
    double* const own = X + std::ptrdiff_t(k) * width;
    h.class_products_f64(1, k, width, &row, X, nullptr, room);
    for (Index c = 0; c < width; ++c) own[c] = (own[c] - room[c]) / row[k];
  }
  for (Index k = size; k-- > 0;) {
    const double* const row = L + k * stride;
    double* const own = X + std::ptrdiff_t(k) * width;
    for (Index c = 0; c < width; ++c) {
      own[c] /= row[k];
      room[c] = -own[c];
    }
    h.class_sums_f64(1, k, width, &row, room, X);
  }
}

}  // namespace maxmargin
