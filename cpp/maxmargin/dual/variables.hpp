// The variables that a search moves: compact, and padded for the passes (simd/pairs.inl).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/dual/engine.hpp"

namespace maxmargin {

// Rows of R resolve curvatures down to this part of K_aa + K_bb; below it a curvature is rounding.
template <class R>
constexpr double curvature_floor = sizeof(R) == 4 ? 1e-7 : 1e-14;
constexpr double tiny = 1e-300;

struct Move {
  double step = 0;  // 0: nothing moved
  double gain = 0;  // change of the objective, negative
  bool negative_curvature = false;
};

// Slopes of the objective where a variable rises and where it falls; infinite where it cannot.
struct Slopes {
  double rise, fall;
};
inline Slopes slopes(double gradient, double l1_weight, double beta, double lower, double upper) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {beta < upper ? gradient + (beta < 0 ? -l1_weight : l1_weight) : infinity,
          beta > lower ? gradient + (beta > 0 ? l1_weight : -l1_weight) : -infinity};
}

template <class R>
struct Variables {
  Index n = 0;
  double l1_weight = 0;
  double clearly_negative = sizeof(R) == 4 ? -1e-5 : -1e-8;  // as a part of K_aa + K_bb: no rounding makes such a curvature
  bool stops_at_zero = false;
  std::vector<double> beta, lower, upper, ridge;
  std::vector<R> gradient;  // up to a constant where the sum is kept
  std::vector<R> diagonal;
  // Masks, see PairView: of all variables, or those of the positive and those of the negative side.
  struct Side {
    std::vector<R> up, down;
  };
  std::vector<Side> sides;

  void resize(Index count, const SignedDual& problem) {
    n = count;
    l1_weight = problem.l1_weight;
    stops_at_zero = problem.stops_at_zero();
    const Index padded = (n + 15) / 16 * 16;
    gradient.assign(padded, R(0));
    diagonal.assign(padded, R(1));
    sides.resize(problem.keep == Keep::sides ? 2 : 1);
    for (Side& side : sides) {
      side.up.assign(padded, std::numeric_limits<R>::infinity());
      side.down.assign(padded, -std::numeric_limits<R>::infinity());
    }
    for (auto* v : {&beta, &lower, &upper, &ridge}) v->assign(n, 0.0);
  }

  PairView<R> view(std::size_t side) {
    return {n, gradient.data(), sides[side].up.data(), sides[side].down.data(), diagonal.data()};
  }

  void set_masks(Index k) {
    constexpr R infinity = std::numeric_limits<R>::infinity();
    const double b = beta[k];
    const Slopes at = slopes(0.0, l1_weight, b, lower[k], upper[k]);
    const bool both = sides.size() == 1;
    sides[0].up[k] = both || b >= 0 ? R(at.rise) : infinity;
    sides[0].down[k] = both || b > 0 ? R(at.fall) : -infinity;
    if (both) return;
    sides[1].up[k] = b < 0 ? R(at.rise) : infinity;
    sides[1].down[k] = b <= 0 ? R(at.fall) : -infinity;
  }

  // How far a variable may go without crossing a bound or 0, if it stops there.
  double floor(Index k) const { return stops_at_zero && beta[k] > 0 ? 0.0 : lower[k]; }
  double ceiling(Index k) const { return stops_at_zero && beta[k] < 0 ? 0.0 : upper[k]; }
  bool is_free(Index k) const { return beta[k] > lower[k] && beta[k] < upper[k] && !(stops_at_zero && beta[k] == 0); }
  // What l1_weight |beta| adds to a free variable's slope.
  double bend(Index k) const { return beta[k] > 0 ? l1_weight : -l1_weight; }

  // Moves an amount from b to a, to the minimum or to a bound. Gradients change by the ridge only: the pass over the rows is
  // left to the caller.
  Move move_pair(Index a, Index b, double K_ab, std::size_t side) {
    const double sum = double(diagonal[a]) + double(diagonal[b]), curvature = sum - 2.0 * K_ab;
    const double slope = double(gradient[a]) + double(sides[side].up[a]) - double(gradient[b]) - double(sides[side].down[b]);
    const double top = ceiling(a), bottom = floor(b), room_a = top - beta[a], room_b = beta[b] - bottom;
    const double step = std::min({-slope / std::max(curvature, curvature_floor<R> * std::abs(sum) + tiny), room_a, room_b});
    const double before_a = beta[a], before_b = beta[b];
    beta[a] = step == room_a ? top : beta[a] + step;
    beta[b] = step == room_b ? bottom : beta[b] - step;
    if (beta[a] == before_a && beta[b] == before_b) return {};
    gradient[a] += R(step * ridge[a]);
    gradient[b] -= R(step * ridge[b]);
    set_masks(a);
    set_masks(b);
    return {step, step * slope + 0.5 * step * step * curvature, curvature < clearly_negative * std::abs(sum)};
  }

  // The same for one variable alone.
  Move move_single(Index a) {
    const double rise = double(gradient[a]) + double(sides[0].up[a]), fall = double(gradient[a]) + double(sides[0].down[a]);
    const double slope = rise < 0 ? rise : std::max(fall, 0.0), curvature = double(diagonal[a]), before = beta[a];
    const double low = rise < 0 ? before : floor(a), high = rise < 0 ? ceiling(a) : before;
    beta[a] = std::clamp(before - slope / std::max(curvature, tiny), low, high);
    const double step = beta[a] - before;
    gradient[a] += R(step * ridge[a]);
    set_masks(a);
    return {step, step * slope + 0.5 * step * step * curvature, curvature < 0};
  }
};

}  // namespace maxmargin
