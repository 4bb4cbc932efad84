// Built with -march=x86-64-v4 (AVX-512); only reached when the processor has it. Tiles of kernel values gain from vectors of 64
// bytes. All else is that of x86-64-v3: passes over memory are no faster, and their vectors fit the padding of their arrays.
#if defined(__x86_64__)
#include "maxmargin/simd/table.hpp"

#define MAXMARGIN_VECTOR_BYTES 64

namespace maxmargin {
namespace {

#include "maxmargin/simd/vectors.inl"
// (order matters)
#include "maxmargin/simd/maps.inl"
// (order matters)
#include "maxmargin/simd/tiles.inl"

SimdTable with_wide_tiles(SimdTable table) {
  table.level = "x86-64-v4";
  table.tile_f32 = tile<float, float>;
  table.tile_f64 = tile<double, double>;
  table.tile_whole = tile<float, double>;
  return table;
}

}  // namespace

const SimdTable& simd_x86_64_v4() {
  static const SimdTable table = with_wide_tiles(simd_x86_64_v3());
  return table;
}

}  // namespace maxmargin
#endif
