// The hot passes by the precision of their rows.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "maxmargin/dual/variables.hpp"
#include "maxmargin/kernels/gram.hpp"
#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

inline Selection select_with(const PairView<float>& v) { return simd().select_f32(v); }
inline Selection select_with(const PairView<double>& v) { return simd().select_f64(v); }
inline Selection update_with(const PairView<float>& v, double step, const float* i, const float* j) {
  return simd().update_f32(v, step, i, j);
}
inline Selection update_with(const PairView<double>& v, double step, const double* i, const double* j) {
  return simd().update_f64(v, step, i, j);
}
inline Extreme partner_with(const PairView<float>& v, double level, double diagonal, double tau, const float* row) {
  return simd().partner_f32(v, level, diagonal, tau, row);
}
inline Extreme partner_with(const PairView<double>& v, double level, double diagonal, double tau, const double* row) {
  return simd().partner_f64(v, level, diagonal, tau, row);
}
inline Candidate single_with(const PairView<float>& v, double step, const float* row) {
  return simd().update_single_f32(v, step, row);
}
inline Candidate single_with(const PairView<double>& v, double step, const double* row) {
  return simd().update_single_f64(v, step, row);
}
inline void leaders_with(const PairView<float>& v, double lowest, double highest, const Index* slots, Leaders<float>& found) {
  simd().leaders_f32(v, lowest, highest, slots, found);
}
inline void leaders_with(const PairView<double>& v, double lowest, double highest, const Index* slots, Leaders<double>& found) {
  simd().leaders_f64(v, lowest, highest, slots, found);
}
inline void accumulate_with(Index begin, Index end, Index count, const double* a, const float* const* rows, double* y) {
  simd().accumulate_f32(begin, end, count, a, rows, y);
}
inline void accumulate_with(Index begin, Index end, Index count, const double* a, const double* const* rows, double* y) {
  simd().accumulate_f64(begin, end, count, a, rows, y);
}
inline std::unique_ptr<RowMaker<float>> maker_for(const Gram& gram, std::span<const Index> active, float) {
  return gram.rows_f32(active);
}
inline std::unique_ptr<RowMaker<double>> maker_for(const Gram& gram, std::span<const Index> active, double) {
  return gram.rows_f64(active);
}

// The pairs that violate most: of all variables, or of each side.
struct PairChoice {
  Selection of[2] = {};
  std::size_t sides = 1;

  double crossed(std::size_t side) const { return of[side].highest_down - of[side].lowest_up.value; }
  std::size_t worst() const { return sides == 2 && crossed(1) > crossed(0) ? 1 : 0; }
  double violation() const { return std::max(0.0, crossed(worst())); }
};

template <class R>
PairChoice choose_pairs(Variables<R>& v) {
  PairChoice found{.sides = v.sides.size()};
  for (std::size_t side = 0; side < found.sides; ++side) found.of[side] = select_with(v.view(side));
  return found;
}

// The pass over two rows after a step, with the search for the next pairs.
template <class R>
PairChoice advance(Variables<R>& v, double step, const R* row_a, const R* row_b) {
  PairChoice found{.sides = v.sides.size()};
  found.of[0] = update_with(v.view(0), step, row_a, row_b);
  if (found.sides == 2) found.of[1] = select_with(v.view(1));
  return found;
}

}  // namespace maxmargin
