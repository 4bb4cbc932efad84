// Kernels of objects made of others.
#pragma once

#include <memory>
#include <vector>

#include "maxmargin/objects/objects.hpp"

namespace maxmargin {

std::shared_ptr<const Objects> sum_of(std::shared_ptr<const Objects> left, std::shared_ptr<const Objects> right);
std::shared_ptr<const Objects> product_of(std::shared_ptr<const Objects> left, std::shared_ptr<const Objects> right);
// factor k + constant
std::shared_ptr<const Objects> scaled(std::shared_ptr<const Objects> inner, double factor, double constant);
std::shared_ptr<const Objects> power_of(std::shared_ptr<const Objects> inner, int exponent);
// k(u, v) / sqrt(k(u, u) k(v, v)); where k(u, u) = 0, u has a direction of its own, which it shares with others of that kind.
// Throws std::range_error for an object with k(u, u) that is not 0 and that a double cannot hold.
std::shared_ptr<const Objects> normalised(std::shared_ptr<const Objects> inner);

}  // namespace maxmargin
