#include "maxmargin/kernels/matrix_products.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr Index rows_of_a_chunk = 32;
constexpr Index at_once = 24;  // vectors; more would leave the cache

}  // namespace

void matrix_products(const double* K, Index n, const double* vectors, Index count, double* out) {
  std::vector<double> entries;  // those of one coordinate stand together
  for (Index first = 0; first < count; first += at_once) {
    const Index some = std::min(at_once, count - first), width = (some + 3) / 4 * 4;
    entries.assign(std::size_t(n) * std::size_t(width), 0.0);
    for (Index j = 0; j < some; ++j)
      for (Index k = 0; k < n; ++k)
        entries[std::size_t(k) * std::size_t(width) + std::size_t(j)] = vectors[std::ptrdiff_t(first + j) * n + k];
    parallel_chunks((n + rows_of_a_chunk - 1) / rows_of_a_chunk, [&](std::ptrdiff_t chunk) {
      const Index begin = Index(chunk) * rows_of_a_chunk, rows = std::min(rows_of_a_chunk, n - begin);
      const double* of[rows_of_a_chunk];
      double sums[rows_of_a_chunk * at_once];
      for (Index r = 0; r < rows; ++r) of[r] = K + std::ptrdiff_t(begin + r) * n;
      simd().class_products_f64(rows, n, width, of, entries.data(), nullptr, sums);
      for (Index j = 0; j < some; ++j)
        for (Index r = 0; r < rows; ++r) out[std::ptrdiff_t(first + j) * n + begin + r] = sums[r * width + j];
    });
  }
}

}  // namespace maxmargin
