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

// exp of `count` vectors at once, for x <= 88 (708): x = n ln 2 + r, |r| <= ln 2 / 2, e^r by its Taylor polynomial, 2^n put
// into the exponent. One vector would wait for itself at every step of the polynomial; several fill the gaps.
template <int count>
inline void exp_all(Vec<float>* x) {
  const float shift = 12582912.0f;  // 1.5 * 2^23: adding it rounds to the nearest integer
  const float coefficients[] = {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f};
  Vec<float> n[count], r[count], p[count];
  for (int v = 0; v < count; ++v) {
    x[v] = x[v] < -87.0f ? splat(-87.0f) : x[v];
    x[v] = x[v] > 88.0f ? splat(88.0f) : x[v];
    n[v] = (x[v] * 1.44269504088896341f + shift) - shift;
    r[v] = x[v] - n[v] * 0.693359375f;
    r[v] = r[v] + n[v] * 2.12194440e-4f;
    p[v] = splat(1.0f / 5040);
  }
  for (const float c : coefficients)
    for (int v = 0; v < count; ++v) p[v] = p[v] * r[v] + c;
  for (int v = 0; v < count; ++v) {
    const Bits<float> power = (__builtin_convertvector(n[v], Bits<float>) + 127) << 23;
    x[v] = p[v] * __builtin_bit_cast(Vec<float>, power);
  }
}

template <int count>
inline void exp_all(Vec<double>* x) {
  const double shift = 6755399441055744.0;  // 1.5 * 2^52
  const double coefficients[] = {1.0 / 479001600.0,
                                 1.0 / 39916800.0,
                                 1.0 / 3628800.0,
                                 1.0 / 362880.0,
                                 1.0 / 40320.0,
                                 1.0 / 5040.0,
                                 1.0 / 720.0,
                                 1.0 / 120.0,
                                 1.0 / 24.0,
                                 1.0 / 6.0,
                                 0.5,
                                 1.0,
                                 1.0};
  Vec<double> shifted[count], r[count], p[count];
  for (int v = 0; v < count; ++v) {
    x[v] = x[v] < -708.0 ? splat(-708.0) : x[v];
    x[v] = x[v] > 709.0 ? splat(709.0) : x[v];
    shifted[v] = x[v] * 1.4426950408889634074 + shift;
    const Vec<double> n = shifted[v] - shift;
    r[v] = x[v] - n * 6.93147180369123816490e-01;
    r[v] = r[v] - n * 1.90821492927058770002e-10;
    p[v] = splat(1.0 / 6227020800.0);
  }
  for (const double c : coefficients)
    for (int v = 0; v < count; ++v) p[v] = p[v] * r[v] + c;
  for (int v = 0; v < count; ++v) {
    // The integer n stands in the low bits of `shifted`.
    const Bits<double> power = (__builtin_bit_cast(Bits<double>, shifted[v]) - 0x4338000000000000LL + 1023) << 52;
    x[v] = p[v] * __builtin_bit_cast(Vec<double>, power);
  }
}

template <class T>
inline Vec<T> power_of(Vec<T> x, int degree) {
  Vec<T> result = splat(T(1));
  for (; degree > 0; degree >>= 1, x = x * x)
    if (degree & 1) result = result * x;
  return result;
}
