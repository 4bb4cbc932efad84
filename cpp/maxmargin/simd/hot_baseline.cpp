#include "maxmargin/simd/hot.hpp"

#define MAXMARGIN_LEVEL "baseline"

namespace maxmargin {
#include "maxmargin/simd/hot.inl"
const Hot& hot_baseline() { return table; }
}  // namespace maxmargin
