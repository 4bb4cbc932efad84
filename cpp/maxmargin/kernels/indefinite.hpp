// Kernels that are not positive semidefinite.
#pragma once

#include "maxmargin/kernels/gram.hpp"

namespace maxmargin {

// Does the matrix have an eigenvalue that is clearly below 0? It does if K + part max |K_ii| cannot be factored. In O(n^3): for
// small ones.
bool is_indefinite(const Gram& gram, double part);

}  // namespace maxmargin
