// Vectors of the compiler's own vector extension, and the elementary functions on them. No standard header with inline code
// may be included from an .inl file: the linker would be free to keep the copy compiled for the higher level.

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  static constexpr int width = 8;
  typedef float type __attribute__((vector_size(32)));
  typedef std::int32_t bits __attribute__((vector_size(32)));
};
template <>
struct VectorOf<double> {
  static constexpr int width = 4;
  typedef double type __attribute__((vector_size(32)));
  typedef std::int64_t bits __attribute__((vector_size(32)));
};
template <class T>
using Vec = typename VectorOf<T>::type;
template <class T>
using Bits = typename VectorOf<T>::bits;

template <class V, class T>
inline V load(const T* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class V, class T>
inline void store(T* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}
template <class T>
inline Vec<T> splat(T a) {
  return Vec<T>{} + a;
}
inline Vec<double> widen(const double* p) { return load<Vec<double>>(p); }
inline Vec<double> widen(const float* p) {
  typedef float half __attribute__((vector_size(16)));
  return __builtin_convertvector(load<half>(p), Vec<double>);
}

// exp(x) for x <= 88 (708): x = n ln 2 + r, |r| <= ln 2 / 2, e^r by its Taylor polynomial, 2^n put into the exponent.
inline Vec<float> exp_of(Vec<float> x) {
  const float shift = 12582912.0f;  // 1.5 * 2^23: adding it rounds to the nearest integer
  x = x < -87.0f ? splat(-87.0f) : x;
  x = x > 88.0f ? splat(88.0f) : x;
  const Vec<float> n = (x * 1.44269504088896341f + shift) - shift;
  Vec<float> r = x - n * 0.693359375f;
  r = r + n * 2.12194440e-4f;
  Vec<float> p = splat(1.0f / 5040);
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const Bits<float> power = (__builtin_convertvector(n, Bits<float>) + 127) << 23;
  return p * __builtin_bit_cast(Vec<float>, power);
}

inline Vec<double> exp_of(Vec<double> x) {
  const double shift = 6755399441055744.0;  // 1.5 * 2^52
  x = x < -708.0 ? splat(-708.0) : x;
  x = x > 709.0 ? splat(709.0) : x;
  const Vec<double> shifted = x * 1.4426950408889634074 + shift;
  const Vec<double> n = shifted - shift;
  Vec<double> r = x - n * 6.93147180369123816490e-01;
  r = r - n * 1.90821492927058770002e-10;
  Vec<double> p = splat(1.0 / 6227020800.0);
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  // The integer n stands in the low bits of `shifted`.
  const Bits<double> power = (__builtin_bit_cast(Bits<double>, shifted) - 0x4338000000000000LL + 1023) << 52;
  return p * __builtin_bit_cast(Vec<double>, power);
}

template <class T>
inline Vec<T> tanh_of(Vec<T> x) {
  return T(1) - T(2) / (exp_of(x + x) + T(1));
}

template <class T>
inline Vec<T> power_of(Vec<T> x, int degree) {
  Vec<T> result = splat(T(1));
  for (; degree > 0; degree >>= 1, x = x * x)
    if (degree & 1) result = result * x;
  return result;
}
