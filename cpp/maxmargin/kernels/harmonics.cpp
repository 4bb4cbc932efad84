#include "maxmargin/kernels/harmonics.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

// Compiled for the baseline: these need neither wider vectors nor fused operations to be faster than what they read and write.
using Vec = double __attribute__((vector_size(32)));
using Bits = std::int64_t __attribute__((vector_size(32)));
constexpr Index lanes = 4;

constexpr Index angles_of_a_chunk = 8192;
constexpr double largest = 1048576.0;         // up to here n times the first two parts of pi/2 is exact
constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds, and n stands in the low bits of the sum
constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
constexpr double half_pi[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};  // 33 bits, 33 bits, the rest

// The series of Taylor, which for |r| <= pi/4 leave 8e-20 and 2e-18.
constexpr double sine[] = {1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, -1.0 / 39916800.0,
                           1.0 / 362880.0,          -1.0 / 5040.0,          1.0 / 120.0,        -1.0 / 6.0};
constexpr double cosine[] = {1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
                             1.0 / 40320.0,          -1.0 / 720.0,         1.0 / 24.0};

Vec splat(double a) { return a - Vec{}; }
Vec chosen(Bits mask, Vec a, Vec b) {
  return std::bit_cast<Vec>((std::bit_cast<Bits>(a) & mask) | (std::bit_cast<Bits>(b) & ~mask));
}
Vec turned(Vec a, Bits sign) { return std::bit_cast<Vec>(std::bit_cast<Bits>(a) ^ sign); }

// a = n pi/2 + r (Cody and Waite): n says which of the two series is which, and their signs.
void both(Vec a, Vec& cosines, Vec& sines) {
  const Vec shifted = a * two_over_pi + shift, n = shifted - shift;
  const Vec r = ((a - n * half_pi[0]) - n * half_pi[1]) - n * half_pi[2], square = r * r;
  Vec s = splat(sine[0]), c = splat(cosine[0]);
  for (std::size_t k = 1; k < std::size(sine); ++k) s = s * square + sine[k];
  for (std::size_t k = 1; k < std::size(cosine); ++k) c = c * square + cosine[k];
  s = r + r * (square * s);
  c = 1.0 - (0.5 * square - square * (square * c));
  const Bits quarter = std::bit_cast<Bits>(shifted), odd = -(quarter & 1);
  cosines = turned(chosen(odd, s, c), ((quarter + 1) & 2) << 62);
  sines = turned(chosen(odd, c, s), (quarter & 2) << 62);
}

// Some angles, at most `lanes`; false if one is not finite.
template <class T>
bool write_some(const double* angles, Index count, Index with_sine, double scale, T* cosines, T* sines) {
  double a[lanes] = {};
  std::copy_n(angles, count, a);
  Vec c, s;
  both(std::bit_cast<Vec>(a), c, s);
  bool finite = true;
  for (Index l = 0; l < count; ++l) {
    double own_c = c[l], own_s = s[l];
    if (!(std::abs(a[l]) <= largest)) {
      finite = finite && std::isfinite(a[l]);
      own_c = std::cos(a[l]);
      own_s = std::sin(a[l]);
    }
    cosines[l] = T(scale * own_c);
    if (l < with_sine) sines[l] = T(scale * own_s);
  }
  return finite;
}

}  // namespace

template <class T>
bool harmonics(const double* angles, Index rows, Index columns, Index width, double scale, T* out) {
  const Index height = std::max(Index(1), angles_of_a_chunk / std::max(Index(1), columns)), sines = width - columns;
  std::atomic<bool> finite = true;
  parallel_chunks((std::ptrdiff_t(rows) + height - 1) / height, [&](std::ptrdiff_t chunk) {
    const Index begin = Index(chunk) * height, end = std::min(rows, begin + height);
    bool good = true;
    for (Index r = begin; r < end; ++r) {
      const double* const own = angles + std::ptrdiff_t(r) * columns;
      T* const to = out + std::ptrdiff_t(r) * width;
      for (Index k = 0; k < columns; k += lanes)
        good &= write_some(own + k, std::min(lanes, columns - k), sines - k, scale, to + k, to + columns + k);
    }
    if (!good) finite = false;
  });
  return finite;
}

template bool harmonics(const double*, Index, Index, Index, double, float*);
template bool harmonics(const double*, Index, Index, Index, double, double*);

}  // namespace maxmargin
