// Products of a symmetric matrix that is held with a block of vectors.
#pragma once

#include "maxmargin/rows/tile_rows.hpp"

namespace maxmargin {

// out[j] = K vectors[j] for `count` vectors of length n, one after the other; K is n x n. Each value of K is read once for all
// vectors, which is what the time goes into.
void matrix_products(const double* K, Index n, const double* vectors, Index count, double* out);

}  // namespace maxmargin
