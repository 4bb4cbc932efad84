#include "maxmargin/kernels/kernel_traits.hpp"

#include <algorithm>
#include <cmath>

namespace maxmargin {

namespace {

// Norms, gamma and powers must be far from where float32 ends; what is squared or divided by, twice as far.
bool far_from_the_ends(double x) { return x == 0 || (x > 1e-25 && x < 1e25); }
bool twice_as_far_from_the_ends(double x) { return x == 0 || (x > 1e-18 && x < 1e18); }

double largest_power(const Formula& formula, double largest_square) {
  return std::pow(std::abs(formula.gamma) * largest_square + std::abs(formula.coef0), formula.degree);
}

// The largest accumulated value of a row with itself or, for distances, of a row with 0. |u|_1 <= sqrt(d) |u|.
double largest_own(const Accumulator& accumulator, double square, double terms) {
  const bool of_squares = accumulator.what == Accumulates::inner_product || accumulator.what == Accumulates::squared_distance;
  return of_squares ? square : std::sqrt(std::min(terms, double(accumulator.end - accumulator.begin)) * square);
}

// The largest |value|, and the size of what its rounding errors are parts of.
struct Size {
  double largest, rounding;
};

// What a distance is multiplied by before it goes through exp or the like.
double rate_of(const Formula& formula, double own) {
  if (traits_of(formula).map == KernelMap::rational) return formula.coef0 * formula.gamma * own;
  return formula.gamma * (traits_of(formula).map == KernelMap::matern ? std::sqrt(own) : own);
}

Size size_of(const Formula& formula, double own, bool direct) {
  switch (traits_of(formula).map) {
    case KernelMap::identity: return {own, own};
    case KernelMap::power: return {largest_power(formula, own), largest_power(formula, own)};
    case KernelMap::tanh: {
      const double most = std::min(1.0, std::abs(formula.gamma) * own + std::abs(formula.coef0));
      return {most, most};
    }
    case KernelMap::quadratic: return {1 + own + own * own, 1 + own + 2 * own * own};
    case KernelMap::cosine:
    case KernelMap::ratio: return {1, 4};
    case KernelMap::exponential:
    case KernelMap::rational:
    case KernelMap::matern: return {1, direct ? 2.0 : 1 + 4 * rate_of(formula, own)};
  }
  return {1, 1};
}

Size size_of(const KernelFunction& kernel, const RowSizes& rows) {
  Size stack[KernelFunction::deepest] = {};
  int top = 0;
  for (int k = 0; k < kernel.operation_count && top >= 0; ++k) {
    const Operation& each = kernel.operations[k];
    Size& last = stack[std::max(top - 1, 0)];
    Size& before = stack[std::max(top - 2, 0)];
    switch (each.op) {
      case Operator::formula: {
        const double own = largest_own(kernel.accumulators[each.place], rows.largest_square, rows.terms);
        stack[top++] = size_of(each.formula, own, rows.direct);
        break;
      }
      case Operator::add:
        before = {before.largest + last.largest, before.rounding + last.rounding};
        --top;
        break;
      case Operator::multiply:
        before = {before.largest * last.largest, before.largest * last.rounding + last.largest * before.rounding};
        --top;
        break;
      case Operator::scale: last = {each.formula.gamma * last.largest, each.formula.gamma * last.rounding}; break;
      case Operator::power: {
        const int n = each.formula.degree;
        last = {std::pow(last.largest, n), n * std::pow(last.largest, n - 1) * last.rounding};
        break;
      }
      case Operator::normalise: last = {1, 4 * std::max(1.0, last.largest > 0 ? last.rounding / last.largest : 1.0)}; break;
    }
  }
  return stack[0];
}

// Sums of differences: float32 has lost of a distance what it has lost of the rows.
bool suffices(const Formula& formula, const Accumulator& accumulator, const RowSizes& rows) {
  const double largest = largest_own(accumulator, rows.largest_square, rows.terms);
  const double mean = largest_own(accumulator, rows.mean_square, rows.terms);
  switch (traits_of(formula).map) {
    case KernelMap::identity: return true;
    case KernelMap::power:
      return far_from_the_ends(std::abs(formula.gamma)) && far_from_the_ends(largest_power(formula, largest));
    case KernelMap::tanh: return far_from_the_ends(std::abs(formula.gamma));
    case KernelMap::quadratic:
    case KernelMap::cosine:
    case KernelMap::ratio: return twice_as_far_from_the_ends(largest);
    case KernelMap::exponential:
    case KernelMap::rational:
    case KernelMap::matern:
      return far_from_the_ends(formula.gamma) && rate_of(formula, mean) < 32.0 && rate_of(formula, largest) < 1e4;
  }
  return false;
}

bool combined_suffices(const KernelFunction& kernel, const RowSizes& rows) {
  for (int k = 0; k < kernel.operation_count; ++k) {
    const Operation& each = kernel.operations[k];
    if (each.op == Operator::formula) {
      if (!suffices(each.formula, kernel.accumulators[each.place], rows)) return false;
      // the root of a difference of squared norms has lost half the digits
      if (!rows.direct && traits_of(each.formula).map == KernelMap::matern) return false;
    }
    if (each.op == Operator::scale && !far_from_the_ends(each.formula.gamma)) return false;
  }
  const double largest = size_of(kernel, rows).largest;
  return kernel.normalised_count > 0 ? twice_as_far_from_the_ends(largest) : far_from_the_ends(largest);
}

template <class Holds>
bool all_formulas(const KernelFunction& kernel, const Holds& holds) {
  for (int k = 0; k < kernel.operation_count; ++k)
    if (kernel.operations[k].op == Operator::formula && !holds(kernel.operations[k].formula)) return false;
  return true;
}

}  // namespace

const KernelTraits& traits_of(const Formula& formula) { return kernel_traits[int(formula.kind)]; }

bool push(KernelFunction& kernel, const Formula& formula, std::int32_t begin, std::int32_t end) {
  const Accumulator wanted{traits_of(formula).accumulates, begin, end};
  int place = 0;
  while (place < kernel.accumulator_count && !(kernel.accumulators[place] == wanted)) ++place;
  if (kernel.operation_count == KernelFunction::most_operations || place == KernelFunction::most_accumulators ||
      kernel.height == KernelFunction::deepest)
    return false;
  kernel.accumulators[place] = wanted;
  kernel.accumulator_count = std::max(kernel.accumulator_count, place + 1);
  kernel.operations[kernel.operation_count++] = {Operator::formula, place, formula};
  ++kernel.height;
  return true;
}

bool push(KernelFunction& kernel, Operator op, double factor, int exponent) {
  const bool of_two = op == Operator::add || op == Operator::multiply;
  const bool normalises = op == Operator::normalise;
  if (op == Operator::formula || kernel.height < (of_two ? 2 : 1)) return false;
  if (kernel.operation_count == KernelFunction::most_operations) return false;
  if (normalises && kernel.normalised_count == KernelFunction::most_normalised) return false;
  kernel.operations[kernel.operation_count++] = {
      op, normalises ? kernel.normalised_count++ : 0, {KernelKind::linear, exponent, factor, 0.0}};
  kernel.height -= of_two;
  return true;
}

bool is_linear(const KernelFunction& kernel) {
  const KernelTraits& traits = traits_of(kernel);
  return !kernel.is_combined() && traits.map == KernelMap::identity && traits.accumulates == Accumulates::inner_product;
}

bool has_unit_diagonal(const KernelFunction& kernel) { return !kernel.is_combined() && traits_of(kernel).unit_diagonal; }

bool takes_centre(const KernelFunction& kernel, bool wanted) {
  if (kernel.is_combined())
    return all_formulas(kernel, [](const Formula& each) { return traits_of(each).centring == Centring::never_matters; });
  const Centring centring = traits_of(kernel).centring;
  return centring == Centring::never_matters || (wanted && centring == Centring::moves_the_offset);
}

bool is_exact_for_whole_rows(const KernelFunction& kernel, double largest_square) {
  if (!kernel.is_combined()) return true;
  constexpr double most = 1 << 22;  // a sum of squared differences is up to four times as large
  return largest_square <= most && kernel.normalised_count == 0 &&
         all_formulas(kernel, [](const Formula& each) { return traits_of(each).accumulates != Accumulates::chi_squared; });
}

bool float32_suffices(const KernelFunction& kernel, const RowSizes& rows) {
  const double gamma = std::abs(kernel.gamma);
  const KernelTraits& traits = traits_of(kernel);
  if (!far_from_the_ends(rows.largest_square)) return false;
  if (kernel.is_combined()) return combined_suffices(kernel, rows);
  if (traits.map != KernelMap::identity && !far_from_the_ends(gamma)) return false;
  // Tiles form |u|^2 + |v|^2 - 2<u,v>: the error of a distance is about 1e-7 of the squared norms.
  if (traits.accumulates == Accumulates::squared_distance &&
      !(gamma * rows.mean_square < 32.0 && gamma * rows.largest_square < 1e4))
    return false;
  return traits.map != KernelMap::power || far_from_the_ends(largest_power(kernel, rows.largest_square));
}

// A squared distance has errors of the squared norms that it is the difference of.
double largest_value(const KernelFunction& kernel, const RowSizes& rows) {
  return kernel.is_combined() ? size_of(kernel, rows).rounding : size_of(kernel, rows.largest_square, false).rounding;
}

}  // namespace maxmargin
