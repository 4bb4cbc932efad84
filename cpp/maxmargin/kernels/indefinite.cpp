#include "maxmargin/kernels/indefinite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr int far_exponent = 400;  // squares of such numbers, and what is far below them, are still normal
constexpr Index panel = 32, columns_of_a_chunk = 96, few_columns = 256;  // of a Cholesky; few are not worth to wake threads
constexpr Index rows_at_once = 64;

// All kernel values; those of a Python function in one call, from the thread that owns it.
std::vector<double> whole_matrix(const Gram& gram) {
  const auto n = std::size_t(gram.size());
  std::vector<Index> every(n);
  std::iota(every.begin(), every.end(), 0);
  std::vector<double> K(n * n);
  const std::size_t rows = gram.is_opaque() ? std::max<std::size_t>(n, 1) : rows_at_once;
  parallel_chunks(std::ptrdiff_t((n + rows - 1) / rows), [&](std::ptrdiff_t chunk) {
    const std::size_t first = std::size_t(chunk) * rows;
    gram.block(std::span(every).subspan(first, std::min(rows, n - first)), every, K.data() + first * n);
  });
  return K;
}

}  // namespace

bool is_indefinite(const Gram& gram, double part) {
  const Index n = gram.size();
  std::vector<double> K = whole_matrix(gram);
  double largest = 0, scale = 0;
  for (const double k : K) largest = std::max(largest, std::abs(k));
  if (!(largest > 0)) return false;
  // By a power of 2, which changes no digits: what is below the range of normal numbers has signs all the same.
  const int exponent = std::abs(std::ilogb(largest)) > far_exponent ? -std::ilogb(largest) : 0;
  if (exponent != 0)
    for (double& k : K) k = std::ldexp(k, exponent);
  for (Index i = 0; i < n; ++i) scale = std::max(scale, std::abs(K[std::ptrdiff_t(i) * (n + 1)]));
  const double last_place = std::ldexp(double(n) * std::numeric_limits<double>::denorm_min(), exponent);
  for (Index i = 0; i < n; ++i) K[std::ptrdiff_t(i) * (n + 1)] += part * scale + last_place + 1e-300;
  for (Index j = 0; j < n; j += panel) {
    const Index width = std::min(panel, n - j), next = j + width;
    if (simd().cholesky(width, K.data() + std::ptrdiff_t(j) * (n + 1), n, 0.0) >= 0) return true;
    simd().cholesky_rows(j, width, next, n, K.data(), n);
    const Index columns = n - next >= few_columns ? columns_of_a_chunk : n;
    parallel_chunks((n - next + columns - 1) / columns, [&](std::ptrdiff_t chunk) {
      const Index begin = next + Index(chunk) * columns;
      simd().cholesky_columns(j, width, begin, std::min(n, begin + columns), n, K.data(), n);
    });
  }
  return false;
}

}  // namespace maxmargin
