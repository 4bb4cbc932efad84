// Sums over the columns of two sparse rows, for kernels that are not made of inner products. With the columns that both rows
// have in C, and g(u) the term of u and 0,
//
//   sum of f(u, v) = sum over C of f(u, v) + (sum of g(u) - sum over C of g(u)) + (sum of g(v) - sum over C of g(v)).
//
// The terms come in the order of the columns, whichever row is spread. Where both rows have the same columns, nothing is lost
// in the differences: they are exactly 0.
#pragma once

#include <algorithm>
#include <cmath>

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

template <class T>
struct Meeting {
  T together[lanes_of<T>];  // sum over C of f(u, v)
  T spread[lanes_of<T>];    // sum over C of g of the rows that are spread, for distances
  T walked[lanes_of<T>];    // sum over C of g of the row that walks
};

inline bool is_distance(Accumulates what) { return what != Accumulates::inner_product && what != Accumulates::minimum; }

// The sum that an accumulator has of two rows, with their own sums of g.
template <class T>
T joined(Accumulates what, T together, T own_spread, T shared_spread, T own_walked, T shared_walked) {
  return is_distance(what) ? together + ((own_spread - shared_spread) + (own_walked - shared_walked)) : together;
}

template <Accumulates what, class T>
T term_of(T u, T v) {
  if constexpr (what == Accumulates::inner_product) return u * v;
  if constexpr (what == Accumulates::squared_distance) return (u - v) * (u - v);
  if constexpr (what == Accumulates::manhattan) return std::abs(u - v);
  if constexpr (what == Accumulates::minimum) return std::min(u, v);
  if constexpr (what == Accumulates::chi_squared) return (u - v) * (u - v) / (u + v);
}

template <Accumulates what, class T>
T alone_of(T u) {
  if constexpr (what == Accumulates::squared_distance) return u * u;
  return what == Accumulates::manhattan ? std::abs(u) : u;
}

// for_values calls its argument with (column, value) for the values of a row within the accumulator's columns, in their order.
template <Accumulates what, class T, class ForValues>
void meet_by(const ForValues& for_values, const T* spread, Meeting<T>& out) {
  constexpr Index lanes = lanes_of<T>;
  T together[lanes] = {}, of_spread[lanes] = {}, of_walked[lanes] = {};
  for_values([&](std::ptrdiff_t column, T v) {
    if (v == T(0)) return;
    const T* const u = spread + column * lanes;
    for (Index l = 0; l < lanes; ++l) {
      const bool both = u[l] != T(0);
      together[l] += both ? term_of<what, T>(u[l], v) : T(0);
      of_spread[l] += both ? alone_of<what, T>(u[l]) : T(0);
      of_walked[l] += both ? alone_of<what, T>(v) : T(0);
    }
  });
  std::copy(together, together + lanes, out.together);
  std::copy(of_spread, of_spread + lanes, out.spread);
  std::copy(of_walked, of_walked + lanes, out.walked);
}

template <class T, class ForValues>
void meet_by(Accumulates what, const ForValues& for_values, const T* spread, Meeting<T>& out) {
  switch (what) {
    case Accumulates::inner_product: return meet_by<Accumulates::inner_product>(for_values, spread, out);
    case Accumulates::squared_distance: return meet_by<Accumulates::squared_distance>(for_values, spread, out);
    case Accumulates::manhattan: return meet_by<Accumulates::manhattan>(for_values, spread, out);
    case Accumulates::minimum: return meet_by<Accumulates::minimum>(for_values, spread, out);
    case Accumulates::chi_squared: return meet_by<Accumulates::chi_squared>(for_values, spread, out);
  }
}

}  // namespace maxmargin
