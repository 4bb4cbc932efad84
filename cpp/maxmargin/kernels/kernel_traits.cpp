#include "maxmargin/kernels/kernel_traits.hpp"

#include <algorithm>
#include <cmath>

namespace maxmargin {

namespace {

// Norms, gamma and powers must be far from where float32 ends.
bool far_from_the_ends(double x) { return x == 0 || (x > 1e-25 && x < 1e25); }

double largest_power(const KernelFunction& kernel, double largest_square) {
  return std::pow(std::abs(kernel.gamma) * largest_square + std::abs(kernel.coef0), kernel.degree);
}

}  // namespace

const KernelTraits& traits_of(const KernelFunction& kernel) { return kernel_traits[int(kernel.kind)]; }

bool is_linear(const KernelFunction& kernel) {
  const KernelTraits& traits = traits_of(kernel);
  return traits.map == KernelMap::identity && traits.accumulates == Accumulates::inner_product;
}

bool takes_centre(const KernelFunction& kernel, bool wanted) {
  const Centring centring = traits_of(kernel).centring;
  return centring == Centring::never_matters || (wanted && centring == Centring::moves_the_offset);
}

bool float32_suffices(const KernelFunction& kernel, double largest_square, double mean_square) {
  const double gamma = std::abs(kernel.gamma);
  const KernelTraits& traits = traits_of(kernel);
  if (!far_from_the_ends(largest_square)) return false;
  if (traits.map != KernelMap::identity && !far_from_the_ends(gamma)) return false;
  // Tiles form |u|^2 + |v|^2 - 2<u,v>: the error of a distance is about 1e-7 of the squared norms.
  if (traits.accumulates == Accumulates::squared_distance && !(gamma * mean_square < 32.0 && gamma * largest_square < 1e4))
    return false;
  return traits.map != KernelMap::power || far_from_the_ends(largest_power(kernel, largest_square));
}

// A squared distance has errors of the squared norms that it is the difference of.
double largest_value(const KernelFunction& kernel, double largest_square) {
  switch (traits_of(kernel).map) {
    case KernelMap::identity: return largest_square;
    case KernelMap::power: return largest_power(kernel, largest_square);
    case KernelMap::exponential: return 1 + 4 * kernel.gamma * largest_square;
    case KernelMap::tanh: return std::min(1.0, std::abs(kernel.gamma) * largest_square + std::abs(kernel.coef0));
  }
  return 1;
}

}  // namespace maxmargin
