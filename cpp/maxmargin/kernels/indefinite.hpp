// Kernels that are not positive semidefinite.
#pragma once

#include "maxmargin/kernels/gram.hpp"

namespace maxmargin {

// Does the matrix have a clearly negative eigenvalue? It does if K + 1e-10 max |K_ii| cannot be factored. In O(n^3): for small
// ones.
bool is_indefinite(const Gram& gram);

}  // namespace maxmargin
