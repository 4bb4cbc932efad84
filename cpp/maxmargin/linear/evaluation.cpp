#include "maxmargin/linear/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace maxmargin {

namespace {

constexpr std::size_t block = 256;  // rows whose terms are added in double: their sums are in long double
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Term {
  double value, derivative;
};

template <RowLossKind loss>
Term at(double z, double epsilon) {
  using Kind = RowLossKind;
  if constexpr (loss == Kind::hinge) return z < 1 ? Term{1 - z, -1.0} : Term{0.0, 0.0};
  if constexpr (loss == Kind::perceptron) return {std::max(-z, 0.0), z <= 0 ? -1.0 : 0.0};
  if constexpr (loss == Kind::squared_hinge) {
    const double slack = std::max(1 - z, 0.0);
    return {slack * slack, -2 * slack};
  }
  if constexpr (loss == Kind::square) return {(1 - z) * (1 - z), -2 * (1 - z)};
  if constexpr (loss == Kind::exponential) return {std::exp(-z), -std::exp(-z)};
  if constexpr (loss == Kind::logistic) {
    const double e = std::exp(-std::abs(z));
    return {std::max(-z, 0.0) + std::log1p(e), -(z > 0 ? e : 1.0) / (1 + e)};
  }
  if constexpr (loss == Kind::tube || loss == Kind::squared_tube) {
    const double excess = std::max(std::abs(z) - epsilon, 0.0), up = z > 0 ? 1.0 : -1.0;
    if constexpr (loss == Kind::tube) return {excess, excess > 0 ? up : 0.0};
    return {excess * excess, 2 * excess * up};
  }
}

inline double times_log(double p) { return p > 0 ? p * std::log(p) : 0.0; }

template <RowLossKind loss>
double conjugate(double u, double epsilon) {
  using Kind = RowLossKind;
  if constexpr (loss == Kind::hinge) return u >= -1 && u <= 0 ? u : infinity;
  if constexpr (loss == Kind::perceptron) return u >= -1 && u <= 0 ? 0.0 : infinity;
  if constexpr (loss == Kind::squared_hinge) return u <= 0 ? u + 0.25 * u * u : infinity;
  if constexpr (loss == Kind::square) return u + 0.25 * u * u;
  if constexpr (loss == Kind::exponential) return u <= 0 ? times_log(-u) + u : infinity;
  if constexpr (loss == Kind::logistic) {
    if (!(u >= -1 && u <= 0)) return infinity;
    return times_log(-u) + (u > -1 ? (1 + u) * std::log1p(u) : 0.0);
  }
  if constexpr (loss == Kind::tube) return std::abs(u) <= 1 ? epsilon * std::abs(u) : infinity;
  if constexpr (loss == Kind::squared_tube) return epsilon * std::abs(u) + 0.25 * u * u;
}

template <class Body>
void with_loss(RowLossKind loss, const Body& body) {
  using Kind = RowLossKind;
  switch (loss) {
    case Kind::hinge: return body(std::integral_constant<Kind, Kind::hinge>());
    case Kind::squared_hinge: return body(std::integral_constant<Kind, Kind::squared_hinge>());
    case Kind::logistic: return body(std::integral_constant<Kind, Kind::logistic>());
    case Kind::exponential: return body(std::integral_constant<Kind, Kind::exponential>());
    case Kind::tube: return body(std::integral_constant<Kind, Kind::tube>());
    case Kind::squared_tube: return body(std::integral_constant<Kind, Kind::squared_tube>());
    case Kind::square: return body(std::integral_constant<Kind, Kind::square>());
    case Kind::perceptron: return body(std::integral_constant<Kind, Kind::perceptron>());
  }
}

}  // namespace

EvaluatedRows evaluate_rows(RowLossKind loss, double epsilon, std::size_t n, const double* f, const double* y, const double* C,
                            const double* alpha, double shrink, bool with_slopes) {
  EvaluatedRows rows;
  if (with_slopes) rows.slopes.resize(n);
  with_loss(loss, [&](auto kind) {
    constexpr bool residual = kind() == RowLossKind::tube || kind() == RowLossKind::squared_tube;
    long double lost = 0, conjugates = 0, size = 0, abs_sum = 0;
    for (std::size_t begin = 0; begin < n; begin += block) {
      double sum[4] = {0, 0, 0, 0};
      for (std::size_t i = begin; i < std::min(begin + block, n); ++i) {
        const double z = residual ? y[i] - f[i] : y[i] * f[i], u = -shrink * alpha[i] / C[i];
        const Term term = at<kind()>(z, epsilon);
        const double paid = conjugate<kind()>(u, epsilon), share = C[i] * paid;
        sum[0] += C[i] * term.value;
        sum[1] += share;
        sum[2] += std::abs(share);
        // a residual that is rounded loses digits once more when epsilon is taken from it, times the row's C
        if (residual) sum[2] += C[i] * std::abs(term.derivative * z);
        sum[3] += std::abs(alpha[i]);
        // what is not finite or no number has to show
        if (!(std::abs(f[i]) <= rows.reach)) rows.reach = std::abs(f[i]);
        if (const double missed = term.value + paid - u * z; !(missed <= rows.worst)) rows.worst = missed;
        if (with_slopes) rows.slopes[i] = -C[i] * (residual ? -term.derivative : y[i] * term.derivative);
      }
      lost += sum[0];
      conjugates += sum[1];
      size += sum[2];
      abs_sum += sum[3];
    }
    rows.lost = double(lost);
    rows.conjugates = double(conjugates);
    rows.size = double(size);
    rows.abs_sum = double(abs_sum);
  });
  return rows;
}

double slope_at(RowLossKind loss, double z, double epsilon) {
  double slope = 0;
  with_loss(loss, [&](auto kind) { slope = at<kind()>(z, epsilon).derivative; });
  return slope;
}

}  // namespace maxmargin
