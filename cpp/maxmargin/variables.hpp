// The variables that a search moves: compact, and padded to whole vectors for the passes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/simd/hot.hpp"

namespace maxmargin {

// Rows of R resolve curvatures down to this part of K_aa + K_bb; below it a curvature is rounding.
template <class R>
constexpr double curvature_floor = sizeof(R) == 4 ? 1e-7 : 1e-14;
template <class R>
constexpr double clearly_negative = sizeof(R) == 4 ? -1e-5 : -1e-10;
constexpr double tiny = 1e-300;

struct Move {
  double step = 0;  // 0: nothing moved
  double gain = 0;  // change of the objective, negative
  bool negative_curvature = false;
};

template <class R>
struct Variables {
  Index n = 0;
  std::vector<double> beta, lower, upper, ridge;
  std::vector<R> gradient;      // up to a constant where the total is kept
  std::vector<float> up, down;  // masks: see PairView
  std::vector<R> diagonal;

  void resize(Index count) {
    n = count;
    const Index padded = (n + 15) / 16 * 16;
    gradient.assign(padded, R(0));
    up.assign(padded, std::numeric_limits<float>::infinity());
    down.assign(padded, -std::numeric_limits<float>::infinity());
    diagonal.assign(padded, R(1));
    for (auto* v : {&beta, &lower, &upper, &ridge}) v->assign(n, 0.0);
  }

  PairView<R> view() { return {n, gradient.data(), up.data(), down.data(), diagonal.data()}; }

  void set_masks(Index k) {
    up[k] = beta[k] < upper[k] ? 0.0f : std::numeric_limits<float>::infinity();
    down[k] = beta[k] > lower[k] ? 0.0f : -std::numeric_limits<float>::infinity();
  }

  bool is_free(Index k) const { return beta[k] > lower[k] && beta[k] < upper[k]; }

  // Moves mass from b to a, to the minimum or to a bound. Gradients change by the ridge only: the pass over the rows is left to
  // the caller.
  Move move_pair(Index a, Index b, double K_ab) {
    const double sum = double(diagonal[a]) + double(diagonal[b]), curvature = sum - 2.0 * K_ab;
    const double slope = double(gradient[a]) - double(gradient[b]);  // negative
    const double room_a = upper[a] - beta[a], room_b = beta[b] - lower[b];
    const double step = std::min({-slope / std::max(curvature, curvature_floor<R> * std::abs(sum) + tiny), room_a, room_b});
    const double before_a = beta[a], before_b = beta[b];
    beta[a] = step == room_a ? upper[a] : beta[a] + step;
    beta[b] = step == room_b ? lower[b] : beta[b] - step;
    if (beta[a] == before_a && beta[b] == before_b) return {};
    gradient[a] += R(step * ridge[a]);
    gradient[b] -= R(step * ridge[b]);
    set_masks(a);
    set_masks(b);
    return {step, step * slope + 0.5 * step * step * curvature, curvature < clearly_negative<R> * std::abs(sum)};
  }

  // The same for one variable alone.
  Move move_single(Index a) {
    const double slope = double(gradient[a]), curvature = double(diagonal[a]), before = beta[a];
    beta[a] = std::clamp(beta[a] - slope / std::max(curvature, tiny), lower[a], upper[a]);
    const double step = beta[a] - before;
    gradient[a] += R(step * ridge[a]);
    set_masks(a);
    return {step, step * slope + 0.5 * step * step * curvature, curvature < 0};
  }
};

}  // namespace maxmargin
