// Systems with a Cholesky factor.
#pragma once

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

// x becomes the solution of L L' x = b, which it has at first. L is lower triangular, its rows `stride` apart.
void solve_factored(const double* L, Index size, std::ptrdiff_t stride, double* x);

// The same for `width` right sides at once, a multiple of 4: X is [size][width]. The room has as many numbers.
void solve_factored(const double* L, Index size, std::ptrdiff_t stride, Index width, double* X, double* room);

}  // namespace maxmargin
