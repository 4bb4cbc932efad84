// Looks at arrays that somebody gave, before anything relies on them: shared by threads, and polled.
#pragma once

#include <cstdint>

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

// Are all of them finite?
template <class V>
bool are_finite(const V* values, std::int64_t count);

// A sparse matrix in rows: `rows` + 1 starts, of which the last must not be beyond the `held` indices and values.
enum class CsrFault { none, starts, columns };
struct CsrCheck {
  CsrFault fault = CsrFault::none;
  bool canonical = true;  // in each row the columns ascend, none twice
};
template <class S, class I>
CsrCheck check_csr(const S* starts, std::int64_t rows, const I* indices, std::int64_t held, std::int64_t columns);

// Adds up, of the wanted columns, (x - centre)^2 over the stored values of a sparse matrix, and how many there are of each.
template <class V, class I>
void add_squares_about(const I* indices, const V* data, std::int64_t count, const double* centres, const bool* wanted,
                       std::int64_t columns, double* squares, double* stored) {
  for (std::int64_t k = 0; k < count; ++k) {
    const I column = indices[k];
    if (column < 0 || column >= columns || !wanted[column]) continue;
    const double away = double(data[k]) - centres[column];
    squares[column] += away * away;
    stored[column] += 1;
  }
}

// The largest |K_ij| of an n x n matrix, and the largest |K_ij - K_ji|; NaN if any of its values is.
struct SquareCheck {
  double largest, asymmetry;
};
template <class V>
SquareCheck check_square(const V* matrix, Index n);

}  // namespace maxmargin
