#include "maxmargin/simd/table.hpp"

#define MAXMARGIN_LEVEL "baseline"

namespace maxmargin {
#include "maxmargin/simd/table.inl"
const SimdTable& simd_baseline() { return table; }
}  // namespace maxmargin
