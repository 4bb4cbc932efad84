// Looks at arrays that somebody gave, before anything relies on them: shared by threads, and polled.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

// Are all of them finite?
template <class V>
bool are_finite(const V* values, std::int64_t count);

// Are these rows of a matrix, each `columns` wide, equal to others that stand one after the other?
template <class V>
bool are_same_rows(const V* matrix, std::span<const Index> rows, std::int64_t columns, const V* others);

// A sparse matrix in rows: `rows` + 1 starts, of which the last must not be beyond the `held` indices and values.
enum class CsrFault { none, starts, columns };
struct CsrCheck {
  CsrFault fault = CsrFault::none;
  bool canonical = true;  // in each row the columns ascend, none twice
};
template <class S, class I>
CsrCheck check_csr(const S* starts, std::int64_t rows, const I* indices, std::int64_t held, std::int64_t columns);

// The variance of the wanted columns of a sparse matrix, from what their stored values are off the mean; others stay as given.
template <class V, class I>
void column_variances(const I* indices, const V* data, std::int64_t count, std::int64_t rows, std::span<const double> mean,
                      const bool* wanted, double* variance) {
  std::vector<double> stored(mean.size());
  for (std::int64_t k = 0; k < count; ++k) {
    const I column = indices[k];
    if (column < 0 || std::size_t(column) >= mean.size() || !wanted[column]) continue;
    const double away = double(data[k]) - mean[column];
    variance[column] += away * away;
    stored[column] += 1;
  }
  for (std::size_t c = 0; c < mean.size(); ++c)
    if (wanted[c]) variance[c] = (variance[c] + (double(rows) - stored[c]) * (mean[c] * mean[c])) / double(rows);
}

// The largest |K_ij| of an n x n matrix, and the largest |K_ij - K_ji|; NaN if any of its values is.
struct SquareCheck {
  double largest, asymmetry;
};
template <class V>
SquareCheck check_square(const V* matrix, Index n);

}  // namespace maxmargin
