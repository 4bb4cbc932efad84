// Built with -march=x86-64-v3 (AVX2 and FMA); only reached when the processor has them.
#if defined(__x86_64__)
#include "maxmargin/simd/hot.hpp"

#define MAXMARGIN_LEVEL "x86-64-v3"

namespace maxmargin {
#include "maxmargin/simd/hot.inl"
const Hot& hot_x86_64_v3() { return table; }
}  // namespace maxmargin
#endif
