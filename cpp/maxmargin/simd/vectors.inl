// Vectors of the compiler's own vector extension, and the elementary functions on them. No standard header with inline code
// may be included from an .inl file: the linker would be free to keep the copy compiled for the higher level.

// Bytes of a vector: 32, but for the tiles of x86_64_v4.cpp.
#if !defined(MAXMARGIN_VECTOR_BYTES)
#define MAXMARGIN_VECTOR_BYTES 32
#endif

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  static constexpr int width = MAXMARGIN_VECTOR_BYTES / 4;
  typedef float type __attribute__((vector_size(MAXMARGIN_VECTOR_BYTES)));
  typedef std::int32_t bits __attribute__((vector_size(MAXMARGIN_VECTOR_BYTES)));
};
template <>
struct VectorOf<double> {
  static constexpr int width = MAXMARGIN_VECTOR_BYTES / 8;
  typedef double type __attribute__((vector_size(MAXMARGIN_VECTOR_BYTES)));
  typedef std::int64_t bits __attribute__((vector_size(MAXMARGIN_VECTOR_BYTES)));
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
  return a - Vec<T>{};  // a + 0 would be computed: it is not a where a = -0
}
inline Vec<double> widen(const double* p) { return load<Vec<double>>(p); }
inline Vec<double> widen(const float* p) {
  typedef float half __attribute__((vector_size(MAXMARGIN_VECTOR_BYTES / 2)));
  return __builtin_convertvector(load<half>(p), Vec<double>);
}

// The larger of two, b if they do not compare. Compilers make two instructions of a > b ? a : b.
#if MAXMARGIN_VECTOR_BYTES == 64 && defined(__clang__)
inline Vec<float> larger(Vec<float> a, Vec<float> b) { return __builtin_ia32_maxps512(a, b, 4); }
inline Vec<double> larger(Vec<double> a, Vec<double> b) { return __builtin_ia32_maxpd512(a, b, 4); }
#elif MAXMARGIN_VECTOR_BYTES == 64
inline Vec<float> larger(Vec<float> a, Vec<float> b) { return __builtin_ia32_maxps512_mask(a, b, a, -1, 4); }
inline Vec<double> larger(Vec<double> a, Vec<double> b) { return __builtin_ia32_maxpd512_mask(a, b, a, -1, 4); }
#elif defined(__AVX__)
inline Vec<float> larger(Vec<float> a, Vec<float> b) { return __builtin_ia32_maxps256(a, b); }
inline Vec<double> larger(Vec<double> a, Vec<double> b) { return __builtin_ia32_maxpd256(a, b); }
#else
template <class V>
inline V larger(V a, V b) {
  return a > b ? a : b;
}
#endif

#if defined(__AVX__) && MAXMARGIN_VECTOR_BYTES == 32
inline Vec<float> smaller(Vec<float> a, Vec<float> b) { return __builtin_ia32_minps256(a, b); }
inline Vec<double> smaller(Vec<double> a, Vec<double> b) { return __builtin_ia32_minpd256(a, b); }
#else
template <class V>
inline V smaller(V a, V b) {
  return a < b ? a : b;
}
#endif

// The root of each lane, correctly rounded: the root of x * x is |x|.
#if defined(__has_builtin) && __has_builtin(__builtin_elementwise_sqrt)
template <class V>
inline V square_root(V x) {
  return __builtin_elementwise_sqrt(x);
}
#elif MAXMARGIN_VECTOR_BYTES == 64
inline Vec<float> square_root(Vec<float> x) { return __builtin_ia32_sqrtps512_mask(x, x, -1, 4); }
inline Vec<double> square_root(Vec<double> x) { return __builtin_ia32_sqrtpd512_mask(x, x, -1, 4); }
#elif defined(__AVX__)
inline Vec<float> square_root(Vec<float> x) { return __builtin_ia32_sqrtps256(x); }
inline Vec<double> square_root(Vec<double> x) { return __builtin_ia32_sqrtpd256(x); }
#else
inline Vec<float> square_root(Vec<float> x) {
  for (int l = 0; l < VectorOf<float>::width; ++l) x[l] = __builtin_sqrtf(x[l]);
  return x;
}
inline Vec<double> square_root(Vec<double> x) {
  for (int l = 0; l < VectorOf<double>::width; ++l) x[l] = __builtin_sqrt(x[l]);
  return x;
}
#endif

inline Vec<float> absolute(Vec<float> x) {
  return __builtin_bit_cast(Vec<float>, __builtin_bit_cast(Bits<float>, x) & 0x7fffffff);
}
inline Vec<double> absolute(Vec<double> x) {
  return __builtin_bit_cast(Vec<double>, __builtin_bit_cast(Bits<double>, x) & 0x7fffffffffffffff);
}

// x / sqrt(a b), which is exactly 1 where x = a = b, unless a b leaves the range of numbers. A row with a = 0 is a vector of
// its own, orthogonal to all others.
template <class T>
inline Vec<T> normalised(Vec<T> x, Vec<T> a, Vec<T> b) {
  constexpr T far = sizeof(T) == 4 ? T(1e30) : T(1e290);
  const Vec<T> square = a * b, apart = square_root(a) * square_root(b);
  const Vec<T> length = square > 1 / far ? (square < far ? square_root(square) : apart) : apart;
  const Vec<T> otherwise = a + b > T(0) ? Vec<T>{} : splat(T(1));
  return length > T(0) ? x / length : otherwise;
}

#if MAXMARGIN_VECTOR_BYTES == 32
// Lanes in another order: halves, quarters, neighbours changed.
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
template <class V>
inline V other_half(V v) {
  if constexpr (sizeof(v[0]) == 4)
    return __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
  else
    return __builtin_shufflevector(v, v, 2, 3, 0, 1);
}
template <class V>
inline V other_quarter(V v) {
  if constexpr (sizeof(v[0]) == 4)
    return __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
  else
    return __builtin_shufflevector(v, v, 1, 0, 3, 2);
}
template <class V>
inline V neighbour(V v) {
  return __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6);
}
#else
template <class V>
inline V at_distance(V v, int distance) {
  V result;
  for (int l = 0; l < int(sizeof(v) / sizeof(v[0])); ++l) result[l] = v[l ^ distance];
  return result;
}
template <class V>
inline V other_half(V v) {
  return at_distance(v, int(sizeof(v) / sizeof(v[0])) / 2);
}
template <class V>
inline V other_quarter(V v) {
  return at_distance(v, int(sizeof(v) / sizeof(v[0])) / 4);
}
template <class V>
inline V neighbour(V v) {
  return at_distance(v, 1);
}
#endif
#endif

template <class T>
struct Smallest;
template <>
struct Smallest<float> {
  static constexpr float normal = __FLT_MIN__;
};
template <>
struct Smallest<double> {
  static constexpr double normal = __DBL_MIN__;
};

// 2^x = 2^n 2^f with n the nearest integer and |f| <= 1/2. The polynomials for 2^f are 1 + f p(f), p interpolating
// (2^f - 1) / f in Chebyshev nodes, highest power first: 9e-9 and 2e-17 off, and 2^0 = 1.
template <class T>
struct PowerOfTwo;
template <>
struct PowerOfTwo<float> {
  static constexpr float shift = 12582912.0f;  // 1.5 * 2^23: adding it rounds, and n stands in the low bits of the sum
  static constexpr int mantissa = 23;
  static constexpr float least = -125.0f;
  static constexpr float coefficients[] = {
      1.54531634e-4f, 1.33908633e-3f, 9.61808302e-3f, 5.55035695e-2f, 2.40226507e-1f, 6.93147182e-1f, 1.0f};
};
template <>
struct PowerOfTwo<double> {
  static constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr int mantissa = 52;
  static constexpr double least = -1021.0;
  static constexpr double coefficients[] = {4.4549605981865186e-10, 7.072585949269223e-09, 1.0178062445845774e-07,
                                            1.321544258792169e-06,  1.525273382983612e-05, 1.540353044173605e-04,
                                            1.3333558146416936e-03, 9.618129107606888e-03, 5.55041086648216e-02,
                                            0.24022650695910097,    0.6931471805599453,    1.0};
};
constexpr double log2_e = 1.4426950408889634074;

// 2^x of `count` vectors at once, for x up to 126 (1022); far below it stays a little above 0. One vector would wait for itself
// at every step of the polynomial; several fill the gaps. Inlined always: its vectors stay in registers.
template <class T, int count>
__attribute__((always_inline)) inline void exp2_all(Vec<T>* x) {
  using P = PowerOfTwo<T>;
  Vec<T> shifted[count], f[count], p[count];
  for (int v = 0; v < count; ++v) {
    x[v] = larger(x[v], splat(P::least));
    shifted[v] = x[v] + P::shift;
    f[v] = x[v] - (shifted[v] - P::shift);
    p[v] = splat(P::coefficients[0]);
  }
  for (std::size_t c = 1; c < sizeof(P::coefficients) / sizeof(T); ++c)
    for (int v = 0; v < count; ++v) p[v] = p[v] * f[v] + P::coefficients[c];
  for (int v = 0; v < count; ++v)
    x[v] = __builtin_bit_cast(Vec<T>,
                              __builtin_bit_cast(Bits<T>, p[v]) + (__builtin_bit_cast(Bits<T>, shifted[v]) << P::mantissa));
}

// 2^x - 1 in the same range, with all its digits near 0: 2^n (2^f - 1) + (2^n - 1), where 2^f - 1 is f p(f).
template <class T, int count>
inline void exp2_less_1_all(Vec<T>* x) {
  using P = PowerOfTwo<T>;
  constexpr std::size_t last = sizeof(P::coefficients) / sizeof(T) - 1;
  Vec<T> shifted[count], f[count], p[count];
  for (int v = 0; v < count; ++v) {
    x[v] = larger(x[v], splat(P::least));
    shifted[v] = x[v] + P::shift;
    f[v] = x[v] - (shifted[v] - P::shift);
    p[v] = splat(P::coefficients[0]);
  }
  for (std::size_t c = 1; c < last; ++c)
    for (int v = 0; v < count; ++v) p[v] = p[v] * f[v] + P::coefficients[c];
  for (int v = 0; v < count; ++v) {
    const Vec<T> power = __builtin_bit_cast(
        Vec<T>, __builtin_bit_cast(Bits<T>, splat(T(1))) + (__builtin_bit_cast(Bits<T>, shifted[v]) << P::mantissa));
    x[v] = power * (f[v] * p[v]) + (power - T(1));
  }
}

// log2(1 + x) for x >= 0. 1 + x = 2^n (1 + f) with 1 + f between the roots of 1/2 and 2, and f = x, with all its digits, where
// n = 0; log(1 + f) = 2 atanh(s) = 2 s (1 + s^2/3 + s^4/5 + ...) with s = f / (2 + f), |s| <= 0.172.
template <class T>
inline Vec<T> log2_of_1_plus(Vec<T> x) {
  using P = PowerOfTwo<T>;
  constexpr int terms = sizeof(T) == 4 ? 5 : 11;
  const Bits<T> bits = __builtin_bit_cast(Bits<T>, x + T(1));
  const Bits<T> n = (bits - __builtin_bit_cast(Bits<T>, splat(T(0.70710678118654752)))) >> P::mantissa;
  const Vec<T> rest = __builtin_bit_cast(Vec<T>, bits - (n << P::mantissa)) - T(1);
  const Vec<T> f = n == 0 ? x : rest;
  const Vec<T> s = f / (f + T(2)), square = s * s;
  Vec<T> sum = splat(T(1.0 / (2 * terms - 1)));
  for (int k = terms - 2; k >= 0; --k) sum = sum * square + T(1.0 / (2 * k + 1));
  const Vec<T> exponent = __builtin_bit_cast(Vec<T>, __builtin_bit_cast(Bits<T>, splat(P::shift)) + n) - P::shift;
  return exponent + T(2 * log2_e) * (s * sum);
}

template <class T>
inline Vec<T> power_of(Vec<T> x, int degree) {
  Vec<T> result = splat(T(1));
  for (; degree > 0; degree >>= 1, x = x * x)
    if (degree & 1) result = result * x;
  return result;
}
