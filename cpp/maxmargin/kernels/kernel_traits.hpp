// What the core knows of a kernel beside its numbers. That a kernel is one of distances, has a unit diagonal or is linear is
// asked here and nowhere else.
#pragma once

#include "maxmargin/kernels/kernel_function.hpp"

namespace maxmargin {

// What makes the kernel value of what is accumulated, a, where n and n' are what that is for each row with itself:
// simd/maps.inl.
//
//   identity     a
//   power        (gamma a + coef0)^degree
//   exponential  exp(-gamma a)
//   tanh         tanh(gamma a + coef0)
//   quadratic    1 + a + a^2
//   cosine       a / sqrt(n n'); of two zero rows 1
//   ratio        a / (n + n' - a); of two zero rows 1
//   matern       p(r) exp(-r) with r = gamma sqrt(a)
//   rational     (1 + gamma a)^-coef0
enum class KernelMap { identity, power, exponential, tanh, quadratic, cosine, ratio, matern, rational };

// What it does to kernel values if the same centre is taken from all rows: they are others; they are the same; or they are
// others, but where beta sums to 0 only the offset notices.
enum class Centring { changes, never_matters, moves_the_offset };

// Data only, so that the files compiled for one instruction set leave no code of theirs to the others.
struct KernelTraits {
  KernelKind kind;
  const char* name;  // in Python
  Accumulates accumulates;
  KernelMap map;
  Centring centring;
  bool unit_diagonal;  // k(x, x) = 1
};

inline constexpr KernelTraits kernel_traits[] = {
    {KernelKind::linear, "linear", Accumulates::inner_product, KernelMap::identity, Centring::moves_the_offset, false},
    {KernelKind::polynomial, "polynomial", Accumulates::inner_product, KernelMap::power, Centring::changes, false},
    {KernelKind::rbf, "rbf", Accumulates::squared_distance, KernelMap::exponential, Centring::never_matters, true},
    {KernelKind::sigmoid, "sigmoid", Accumulates::inner_product, KernelMap::tanh, Centring::changes, false},
    {KernelKind::quadratic, "quadratic", Accumulates::inner_product, KernelMap::quadratic, Centring::changes, false},
    {KernelKind::cosine, "cosine", Accumulates::inner_product, KernelMap::cosine, Centring::changes, true},
    {KernelKind::tanimoto, "tanimoto", Accumulates::inner_product, KernelMap::ratio, Centring::changes, true},
    {KernelKind::laplacian, "laplacian", Accumulates::manhattan, KernelMap::exponential, Centring::never_matters, true},
    {KernelKind::chi_squared, "chi_squared", Accumulates::chi_squared, KernelMap::exponential, Centring::changes, true},
    {KernelKind::intersection, "intersection", Accumulates::minimum, KernelMap::identity, Centring::changes, false},
    {KernelKind::min_max, "min_max", Accumulates::minimum, KernelMap::ratio, Centring::changes, true},
    {KernelKind::matern, "matern", Accumulates::squared_distance, KernelMap::matern, Centring::never_matters, true},
    {KernelKind::rational_quadratic, "rational_quadratic", Accumulates::squared_distance, KernelMap::rational,
     Centring::never_matters, true},
};
static_assert(
    [] {
      int number = 0;
      for (const KernelTraits& each : kernel_traits)
        if (int(each.kind) != number++) return false;
      return true;
    }(),
    "the traits stand in the order of the kinds");

const KernelTraits& traits_of(const Formula& formula);

// To make a combined kernel, one operation after the other. False if there is no room for it.
bool push(KernelFunction& kernel, const Formula& formula, std::int32_t begin, std::int32_t end);
bool push(KernelFunction& kernel, Operator op, double factor, int exponent);

// Is the product K beta = X (X' beta), without a kernel value?
bool is_linear(const KernelFunction& kernel);

// Is k(x, x) = 1, and exactly so?
bool has_unit_diagonal(const KernelFunction& kernel);

// Are rows taken less a centre, where it is `wanted` because beta sums to 0?
bool takes_centre(const KernelFunction& kernel, bool wanted);

// Are float32 sums of rows of whole numbers exact, so that kernel values in float64 can be made of them? The squared norms
// of the rows are at most so large.
bool is_exact_for_whole_rows(const KernelFunction& kernel, double largest_square);

// The size of rows as they are used.
struct RowSizes {
  double largest_square = 0, mean_square = 0;
  double terms = 0;    // values of a row that are not 0, about
  bool direct = true;  // distances are sums of differences of rows, not differences of their norms
};

// Are float32 values near enough to the truth to steer a search by?
bool float32_suffices(const KernelFunction& kernel, const RowSizes& rows);

// The largest |k(u, v)| that a score sums up, and with it the scale of its rounding errors.
double largest_value(const KernelFunction& kernel, const RowSizes& rows);

}  // namespace maxmargin
