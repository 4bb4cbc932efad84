#include "maxmargin/kernels/indefinite.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr int far_exponent = 400;  // squares of such numbers, and what is far below them, are still normal
constexpr Index panel = 32, columns_of_a_chunk = 96, few_columns = 256;  // of a Cholesky; few are not worth to wake threads
constexpr Index some_rows = 128;                                         // by which it is seen whether float32 can tell
constexpr Index fewest_in_float32 = 64;                                  // smaller ones are factored at once
constexpr Index rows_at_once = 64, few_rows = 8;  // few, so that memory for them need not come from the system

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

// The corner of a panel; that of float32 values is computed in float64 and rounded.
bool factor_corner(Index width, double* a, Index stride) { return simd().cholesky(width, a, stride, 0.0) < 0; }
bool factor_corner(Index width, float* a, Index stride) {
  double corner[panel * panel];
  for (Index r = 0; r < width; ++r) std::copy_n(a + std::ptrdiff_t(r) * stride, r + 1, corner + r * width);
  if (!factor_corner(width, corner, width)) return false;
  for (Index r = 0; r < width; ++r)
    for (Index c = 0; c <= r; ++c) a[std::ptrdiff_t(r) * stride + c] = float(corner[r * width + c]);
  return true;
}
void factor_rows(Index j, Index width, Index n, double* a) { simd().cholesky_rows_f64(j, width, j + width, n, a, n); }
void factor_rows(Index j, Index width, Index n, float* a) { simd().cholesky_rows_f32(j, width, j + width, n, a, n); }
void factor_columns(Index j, Index width, Index begin, Index end, Index n, double* a) {
  simd().cholesky_columns_f64(j, width, begin, end, n, a, n);
}
void factor_columns(Index j, Index width, Index begin, Index end, Index n, float* a) {
  simd().cholesky_columns_f32(j, width, begin, end, n, a, n);
}

// Does the lower triangle of a row-major matrix have a Cholesky factor? It is written over it.
template <class T>
bool has_factor(Index n, T* a) {
  for (Index j = 0; j < n; j += panel) {
    const Index width = std::min(panel, n - j), next = j + width;
    if (!factor_corner(width, a + std::ptrdiff_t(j) * (n + 1), n)) return false;
    factor_rows(j, width, n, a);
    const Index columns = n - next >= few_columns ? columns_of_a_chunk : n;
    parallel_chunks((n - next + columns - 1) / columns, [&](std::ptrdiff_t chunk) {
      const Index begin = next + Index(chunk) * columns;
      factor_columns(j, width, begin, std::min(n, begin + columns), n, a);
    });
  }
  return true;
}

// Is the matrix positive definite by so much that float32 can tell? With K_ij / sqrt(K_ii K_jj) in place of K_ij, the diagonal
// is 1. In a factor L of it less mu, a product l_ik l_jk takes part in at most m roundings: its own, those of a sum over a
// panel, one subtraction for each panel, and a few of quotients, roots and of the value as float32. So LL' differs from what
// was factored by at most m u |l_i| |l_j|, and by m u n in the spectral norm (N. Higham, Accuracy and Stability of Numerical
// Algorithms, 2002, section 10.1). A factor of K less twice that is a proof, in half the time of one in float64.
bool is_definite_in_float32(const Gram& gram) {
  const Index n = gram.size();
  std::vector<double> scale(n);
  gram.diagonal(scale.data());
  for (double& each : scale) {
    if (!(each > 0) || !std::isfinite(each)) return false;
    each = 1 / std::sqrt(each);
  }
  const Index panels = (n + panel - 1) / panel;
  const double roundings = panel + panels + 16, mu = 2 * roundings * std::ldexp(double(n), -24);
  std::vector<Index> every(n);
  std::iota(every.begin(), every.end(), 0);
  const auto leading_is_definite = [&](Index m) {
    const std::unique_ptr<float[]> K = std::make_unique_for_overwrite<float[]>(std::size_t(m) * m);
    parallel_chunks((m + few_rows - 1) / few_rows, [&](std::ptrdiff_t chunk) {
      const Index first = Index(chunk) * few_rows, end = std::min(m, first + few_rows);
      std::vector<double> block(std::size_t(end - first) * end);
      gram.block(std::span(every).subspan(first, end - first), std::span(every).first(end), block.data());
      for (Index i = first; i < end; ++i) {
        const double* const from = block.data() + std::ptrdiff_t(i - first) * end;
        float* const to = K.get() + std::ptrdiff_t(i) * m;
        for (Index j = 0; j < i; ++j) to[j] = float(from[j] * scale[i] * scale[j]);
        to[i] = float(1 - mu);
      }
    });
    return has_factor(m, K.get());
  };
  if (n > 4 * some_rows && !leading_is_definite(some_rows)) return false;  // as most fail that do
  return leading_is_definite(n);
}

}  // namespace

bool is_indefinite(const Gram& gram, double part) {
  const Index n = gram.size();
  if (n >= fewest_in_float32 && !gram.is_opaque() && is_definite_in_float32(gram)) return false;
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
  return !has_factor(n, K.data());
}

}  // namespace maxmargin
