// Cosines and sines of many angles: random Fourier features.
#pragma once

#include "maxmargin/rows/tile_rows.hpp"

namespace maxmargin {

// Of each row of `angles`, rows x columns: out[r][j] = scale cos a_j, and out[r][columns + j] = scale sin a_j while there is
// room for it in `width` values, columns <= width <= 2 columns. Computed in float64 and rounded once; two units in the last
// place off at most up to 2^20, where the C library goes on. False if an angle is not finite.
template <class T>
bool harmonics(const double* angles, Index rows, Index columns, Index width, double scale, T* out);

}  // namespace maxmargin
