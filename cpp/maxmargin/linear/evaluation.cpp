#include "maxmargin/linear/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t block = 256;  // rows whose terms are added in double: their sums are in long double
constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr std::size_t blocks_of_a_chunk = 64;  // some ten microseconds of work

struct BlockSums {
  double lost = 0, conjugates = 0, size = 0, abs_sum = 0;
};

// What is not finite or no number has to show, and to stay.
inline double larger_or_nan(double largest, double value) { return value <= largest || std::isnan(largest) ? largest : value; }

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
  const std::size_t blocks = (n + block - 1) / block, chunks = (blocks + blocks_of_a_chunk - 1) / blocks_of_a_chunk;
  std::vector<BlockSums> sums(blocks);
  std::vector<double> reach(chunks, 0.0), worst(chunks, 0.0);
  with_loss(loss, [&](auto kind) {
    constexpr bool residual = kind() == RowLossKind::tube || kind() == RowLossKind::squared_tube;
    parallel_chunks(std::ptrdiff_t(chunks), [&](std::ptrdiff_t c) {
      const std::size_t first = std::size_t(c) * blocks_of_a_chunk, last = std::min(first + blocks_of_a_chunk, blocks);
      double furthest = 0, most_missed = 0;
      for (std::size_t at_block = first; at_block < last; ++at_block) {
        BlockSums sum;
        for (std::size_t i = at_block * block; i < std::min((at_block + 1) * block, n); ++i) {
          const double z = residual ? y[i] - f[i] : y[i] * f[i], u = -shrink * alpha[i] / C[i];
          const Term term = at<kind()>(z, epsilon);
          const double paid = conjugate<kind()>(u, epsilon), share = C[i] * paid;
          sum.lost += C[i] * term.value;
          sum.conjugates += share;
          sum.size += std::abs(share);
          // a residual that is rounded loses digits once more when epsilon is taken from it, times the row's C
          if (residual) sum.size += C[i] * std::abs(term.derivative * z);
          sum.abs_sum += std::abs(alpha[i]);
          furthest = larger_or_nan(furthest, std::abs(f[i]));
          most_missed = larger_or_nan(most_missed, term.value + paid - u * z);
          if (with_slopes) rows.slopes[i] = -C[i] * (residual ? -term.derivative : y[i] * term.derivative);
        }
        sums[at_block] = sum;
      }
      reach[std::size_t(c)] = furthest;
      worst[std::size_t(c)] = most_missed;
    });
  });
  long double lost = 0, conjugates = 0, size = 0, abs_sum = 0;
  for (const BlockSums& sum : sums) {
    lost += sum.lost;
    conjugates += sum.conjugates;
    size += sum.size;
    abs_sum += sum.abs_sum;
  }
  for (std::size_t c = 0; c < chunks; ++c) {
    rows.reach = larger_or_nan(rows.reach, reach[c]);
    rows.worst = larger_or_nan(rows.worst, worst[c]);
  }
  rows.lost = double(lost);
  rows.conjugates = double(conjugates);
  rows.size = double(size);
  rows.abs_sum = double(abs_sum);
  return rows;
}

double slope_at(RowLossKind loss, double z, double epsilon) {
  double slope = 0;
  with_loss(loss, [&](auto kind) { slope = at<kind()>(z, epsilon).derivative; });
  return slope;
}

}  // namespace maxmargin
