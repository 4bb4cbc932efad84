// Built with -march=x86-64-v3 (AVX2 and FMA); only reached when the processor has them.
#if defined(__x86_64__)
#include "maxmargin/simd/table.hpp"

#define MAXMARGIN_LEVEL "x86-64-v3"

namespace maxmargin {
#include "maxmargin/simd/table.inl"
const SimdTable& simd_x86_64_v3() { return table; }
}  // namespace maxmargin
#endif
