// What the core knows of a kernel beside its numbers. That a kernel is one of distances, has a unit diagonal or is linear is
// asked here and nowhere else.
#pragma once

#include "maxmargin/kernels/kernel_function.hpp"

namespace maxmargin {

// What is summed up over the columns of two rows.
enum class Accumulates { inner_product, squared_distance };

// What makes the kernel value of that: simd/tiles.inl.
//
//   identity     a
//   power        (gamma a + coef0)^degree
//   exponential  exp(-gamma a)
//   tanh         tanh(gamma a + coef0)
enum class KernelMap { identity, power, exponential, tanh };

// What it does to kernel values if the same centre is taken from all rows: they are others; they are the same; or they are
// others, but where beta sums to 0 only the offset notices.
enum class Centring { changes, never_matters, moves_the_offset };

// Data only, so that the files compiled for one instruction set leave no code of theirs to the others.
struct KernelTraits {
  KernelKind kind;
  Accumulates accumulates;
  KernelMap map;
  Centring centring;
  bool unit_diagonal;  // k(x, x) = 1
};

inline constexpr KernelTraits kernel_traits[] = {
    {KernelKind::linear, Accumulates::inner_product, KernelMap::identity, Centring::moves_the_offset, false},
    {KernelKind::polynomial, Accumulates::inner_product, KernelMap::power, Centring::changes, false},
    {KernelKind::rbf, Accumulates::squared_distance, KernelMap::exponential, Centring::never_matters, true},
    {KernelKind::sigmoid, Accumulates::inner_product, KernelMap::tanh, Centring::changes, false},
};
static_assert(
    [] {
      int number = 0;
      for (const KernelTraits& each : kernel_traits)
        if (int(each.kind) != number++) return false;
      return true;
    }(),
    "the traits stand in the order of the kinds");

const KernelTraits& traits_of(const KernelFunction& kernel);

// Is the product K beta = X (X' beta), without a kernel value?
bool is_linear(const KernelFunction& kernel);

// Are rows taken less a centre, where it is `wanted` because beta sums to 0?
bool takes_centre(const KernelFunction& kernel, bool wanted);

// Are float32 values near enough to the truth to steer a search by, of rows with these squared norms as they are used?
bool float32_suffices(const KernelFunction& kernel, double largest_square, double mean_square);

// The largest |k(u, v)| that a score sums up, and with it the scale of its rounding errors.
double largest_value(const KernelFunction& kernel, double largest_square);

}  // namespace maxmargin
