// A kernel with its numbers fixed: what remains of a Python kernel object once it is bound to data.
#pragma once

#include <cstdint>

namespace maxmargin {

enum class KernelKind : int {
  linear,
  polynomial,
  rbf,
  sigmoid,
  quadratic,
  cosine,
  tanimoto,
  laplacian,
  chi_squared,
  intersection,
  min_max,
  matern,
  rational_quadratic,
};

// What is summed up over the columns of two rows.
//
//   inner_product     u v
//   squared_distance  (u - v)^2
//   manhattan         |u - v|
//   minimum           min(u, v)
//   chi_squared       (u - v)^2 / (u + v)
enum class Accumulates { inner_product, squared_distance, manhattan, minimum, chi_squared };

//  linear        <u, v>
//  polynomial    (gamma <u, v> + coef0)^degree
//  rbf           exp(-gamma |u - v|^2)
//  sigmoid       tanh(gamma <u, v> + coef0)
//  quadratic     1 + <u, v> + <u, v>^2
//  cosine        <u, v> / (|u| |v|)
//  tanimoto      <u, v> / (|u|^2 + |v|^2 - <u, v>)
//  laplacian     exp(-gamma |u - v|_1)
//  chi_squared   exp(-gamma sum of (u - v)^2 / (u + v))
//  intersection  sum of min(u, v)
//  min_max       sum of min(u, v) / sum of max(u, v)
//  matern        p(r) exp(-r), r = gamma |u - v|; p = 1, 1 + r or 1 + r + r^2/3 for degree 0, 1 or 2
//  rational_quadratic  (1 + gamma |u - v|^2)^-coef0
struct Formula {
  KernelKind kind = KernelKind::linear;
  int degree = 1;
  double gamma = 1.0;
  double coef0 = 0.0;
  bool operator==(const Formula&) const = default;
};

// A sum over the columns [begin, end).
struct Accumulator {
  Accumulates what = Accumulates::inner_product;
  std::int32_t begin = 0, end = 0;
  bool operator==(const Accumulator&) const = default;
};

// formula pushes a kernel value; the others take one or two from the stack and leave one: a + b, a b, gamma a, a^degree, and
// k(u, v) / sqrt(k(u, u) k(v, v)).
enum class Operator : int { formula, add, multiply, scale, power, normalise };

struct Operation {
  Operator op = Operator::formula;
  int place = 0;  // its accumulator; of `normalise`, which of them it is
  Formula formula;
  bool operator==(const Operation&) const = default;
};

// One of the first four formulas alone, or a short program of operations over a few accumulators, in postfix order. Its size
// is fixed, so that it is copied without an allocation; Python evaluates by blocks what is longer.
struct KernelFunction : Formula {
  static constexpr int most_operations = 24, most_accumulators = 4, most_normalised = 2, deepest = 6;
  static constexpr int most_own = most_accumulators + most_normalised;

  int operation_count = 0, accumulator_count = 0, normalised_count = 0, height = 0;
  Operation operations[most_operations];
  Accumulator accumulators[most_accumulators];

  bool is_combined() const { return operation_count > 0; }
  // Numbers that are kept for each row: what every accumulator makes of the row and itself, and k(u, u) to normalise by.
  int own_count() const { return accumulator_count + normalised_count; }
  // What is beyond the counts is not looked at: the Grams of many pairs of classes are compared.
  bool operator==(const KernelFunction& other) const {
    bool same = static_cast<const Formula&>(*this) == other && operation_count == other.operation_count &&
                accumulator_count == other.accumulator_count;
    for (int k = 0; same && k < operation_count; ++k) same = operations[k] == other.operations[k];
    for (int k = 0; same && k < accumulator_count; ++k) same = accumulators[k] == other.accumulators[k];
    return same;
  }
};

}  // namespace maxmargin
