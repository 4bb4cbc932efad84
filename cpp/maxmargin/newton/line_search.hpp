// The exact line search of Newton's method.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace maxmargin {

// What the objective does at a point along the direction.
struct AlongDirection {
  double slope, curvature;
  bool falls = true;  // whether it is below where the direction begins, as far as that was asked for
};

// The root of the slope along a direction, which rises: Newton's steps from 1, kept between what is known to be left and right
// of it, until the slope is at most `enough` and the objective falls. look(length) tells AlongDirection.
template <class Look>
double line_search(double enough, const Look& look) {
  constexpr int most_trials = 40;
  double low = 0, high = std::numeric_limits<double>::infinity(), length = 1;
  for (int trial = 0; trial < most_trials; ++trial) {
    const AlongDirection at = look(length);
    if (std::abs(at.slope) <= enough && at.falls) break;
    (at.slope < 0 ? low : high) = length;
    double next = at.curvature > 0 ? length - at.slope / at.curvature : 2 * length;
    if (!(next > low && next < high)) next = std::isfinite(high) ? 0.5 * (low + high) : 2 * length;
    if (!std::isfinite(high)) next = std::min(next, 10 * length);
    length = next;
  }
  return length;
}

}  // namespace maxmargin
