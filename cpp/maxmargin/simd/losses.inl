// Losses of many margins.

// log(1 + e) = 2 atanh(s) for s = e / (2 + e): 2 atanh(s) / s as a polynomial of s^2 <= 1/9, which interpolates in Chebyshev
// nodes, highest power first, 2e-18 off. So what is small keeps all its digits.
constexpr double twice_atanh[] = {0.16488285931389568, 0.06980390498332432, 0.10976616637947494, 0.11715274668110426,
                                  0.13336876815743837, 0.1538444706045997,  0.18181823422495252, 0.22222222119103674,
                                  0.28571428572622926, 0.3999999999999287,  0.6666666666666669,  2.0};
constexpr double log2_e_low = 2.0355273740931033e-17;  // what log2_e is off
constexpr double least_exponent = -700.0;

inline Vec<double> exp_of_negative(Vec<double> x) {
  using P = PowerOfTwo<double>;
  x = larger(x, splat(least_exponent));
  const Vec<double> shifted = x * log2_e + P::shift;
  const Vec<double> f = (x * log2_e - (shifted - P::shift)) + x * log2_e_low;
  Vec<double> p = splat(P::coefficients[0]);
  for (std::size_t c = 1; c < sizeof(P::coefficients) / sizeof(double); ++c) p = p * f + P::coefficients[c];
  return __builtin_bit_cast(Vec<double>,
                            __builtin_bit_cast(Bits<double>, p) + (__builtin_bit_cast(Bits<double>, shifted) << P::mantissa));
}

// Slopes, curvatures and losses, if these are asked for, of four rows at a time, and of the last as if they were four:
// body(four, slope, curve, lost), where four(p) has what stands from p on.
template <class Body>
inline void four_by_four(Index n, double* alpha, double* curvature, double* loss, const Body& body) {
  Vec<double> slope, curve, lost{};
  Index i = 0;
  for (; i + 4 <= n; i += 4) {
    body([i](const double* p) { return load<Vec<double>>(p + i); }, slope, curve, lost);
    store(alpha + i, slope);
    store(curvature + i, curve);
    if (loss) store(loss + i, lost);
  }
  if (i == n) return;
  const auto bytes = std::size_t(n - i) * sizeof(double);
  const auto last = [i, bytes](const double* p) {
    Vec<double> four{};
    __builtin_memcpy(&four, p + i, bytes);
    return four;
  };
  body(last, slope, curve, lost);
  __builtin_memcpy(alpha + i, &slope, bytes);
  __builtin_memcpy(curvature + i, &curve, bytes);
  if (loss) __builtin_memcpy(loss + i, &lost, bytes);
}

// alpha_i = centre_i + penalty_parameter rate_i (1 - z_i) between 0 and C_i, and the hinge itself.
void smoothed_hinge(Index n, const double* z, const double* C, const double* centre, const double* rate,
                    double penalty_parameter, double* alpha, double* curvature, double* loss) {
  four_by_four(n, alpha, curvature, loss, [&](const auto& four, auto& slope, auto& curve, auto& lost) {
    const Vec<double> slack = 1 - four(z), c = four(C), bend = penalty_parameter * four(rate),
                      wanted = four(centre) + bend * slack;
    const Vec<double> above = larger(Vec<double>{}, wanted);
    slope = above < c ? above : c;
    curve = ((wanted > 0) & (wanted < c)) ? bend : Vec<double>{};
    lost = c * larger(Vec<double>{}, slack);
  });
}

void squared_hinge(Index n, const double* z, const double* C, double* alpha, double* curvature, double* loss) {
  four_by_four(n, alpha, curvature, loss, [&](const auto& four, auto& slope, auto& curve, auto& lost) {
    const Vec<double> slack = 1 - four(z), c = four(C), short_of = larger(Vec<double>{}, slack);
    curve = slack > 0 ? 2 * c : Vec<double>{};
    slope = 2 * c * short_of;
    lost = c * short_of * short_of;
  });
}

// alpha_i = C_i / (1 + exp(z_i)).
void logistic(Index n, const double* z, const double* C, double* alpha, double* curvature, double* loss) {
  four_by_four(n, alpha, curvature, loss, [&](const auto& four, auto& slope, auto& curve, auto& lost) {
    const Vec<double> m = four(z), c = four(C);
    const Vec<double> e = exp_of_negative(m > 0 ? -m : m), near = 1 / (1 + e), away = e * near;
    slope = c * (m > 0 ? away : near);
    curve = slope * (m > 0 ? near : away);
    if (!loss) return;
    const Vec<double> s = e / (2 + e), u = s * s;
    Vec<double> p = splat(twice_atanh[0]);
    for (std::size_t k = 1; k < sizeof(twice_atanh) / sizeof(double); ++k) p = p * u + twice_atanh[k];
    lost = c * (larger(Vec<double>{}, -m) + s * p);  // in this order what is no number stays none
  });
}
