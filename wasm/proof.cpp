#include "proof.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "maxmargin/kernels/kernel_traits.hpp"
#include "orientation.hpp"
#include "verified.hpp"

namespace maxmargin::playground {

namespace {

// Two equal rows of different classes.
bool equal_pair(const Background& background, const std::vector<double>& y, double share, std::vector<double>& weights) {
  const auto width = std::size_t(background.columns);
  const auto row = [&](std::size_t i) { return background.x + i * width; };
  std::vector<std::size_t> order(y.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (std::equal(row(a), row(a) + width, row(b))) return a < b;
    return std::lexicographical_compare(row(a), row(a) + width, row(b), row(b) + width);
  });
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (!std::equal(row(order[k]), row(order[k]) + width, row(order[k - 1]))) continue;
    if (y[order[k]] == y[order[k - 1]]) continue;  // of rows that are all the same, two neighbours differ
    weights[order[k]] = weights[order[k - 1]] = share;
    return true;
  }
  return false;
}

std::vector<PlanePoint> plane_points(const Background& background, const std::vector<double>& y, double sign, bool turned) {
  std::vector<PlanePoint> points;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (sign != 0 && y[i] != sign) continue;
    const double factor = turned ? y[i] : 1;
    const double* const row = background.x + std::ptrdiff_t(i) * background.columns;
    points.push_back({factor * row[0], background.columns > 1 ? factor * row[1] : 0.0, int(i)});
  }
  return points;
}

// In the plane, of rows as they are.
bool in_the_plane(const Background& background, const std::vector<double>& y, bool offset, std::vector<double>& weights) {
  CommonPoint common;
  if (offset)
    common = common_point(plane_points(background, y, 1, false), plane_points(background, y, -1, false));
  else
    common = common_point(plane_points(background, y, 0, true), {{0, 0, -1}});
  for (const Combination* const part : {&common.first, &common.second})
    for (const Share& share : *part)
      if (share.row >= 0) weights[std::size_t(share.row)] += share.weight;
  return common.exists();
}

}  // namespace

std::vector<double> coincidence(const Background& background, const std::vector<double>& y, const std::vector<double>& beta,
                                bool offset) {
  std::vector<double> weights(y.size(), 0.0);
  if (equal_pair(background, y, offset ? 1.0 : 0.5, weights)) return weights;
  const KernelFunction& kernel = background.kernel;
  if (is_linear(kernel) && background.columns <= 2) {
    if (in_the_plane(background, y, offset, weights)) return weights;
    return {};
  }
  if (kernel.is_combined() || kernel.kind != KernelKind::polynomial) return {};
  return verified_coincidence(background, y, beta, offset);
}

}  // namespace maxmargin::playground
