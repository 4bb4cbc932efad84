// The hot passes by the precision of their rows.
#pragma once

#include <memory>
#include <span>

#include "maxmargin/cpu.hpp"
#include "maxmargin/gram.hpp"

namespace maxmargin {

inline Selection select_with(const PairView<float>& v) { return hot().select_f32(v); }
inline Selection select_with(const PairView<double>& v) { return hot().select_f64(v); }
inline Selection update_with(const PairView<float>& v, double step, const float* i, const float* j) {
  return hot().update_f32(v, step, i, j);
}
inline Selection update_with(const PairView<double>& v, double step, const double* i, const double* j) {
  return hot().update_f64(v, step, i, j);
}
inline Extreme partner_with(const PairView<float>& v, double level, double diagonal, double tau, const float* row) {
  return hot().partner_f32(v, level, diagonal, tau, row);
}
inline Extreme partner_with(const PairView<double>& v, double level, double diagonal, double tau, const double* row) {
  return hot().partner_f64(v, level, diagonal, tau, row);
}
inline Candidate single_with(const PairView<float>& v, double step, const float* row) {
  return hot().update_single_f32(v, step, row);
}
inline Candidate single_with(const PairView<double>& v, double step, const double* row) {
  return hot().update_single_f64(v, step, row);
}
inline void accumulate_with(Index begin, Index end, Index count, const double* a, const float* const* rows, double* y) {
  hot().accumulate_f32(begin, end, count, a, rows, y);
}
inline void accumulate_with(Index begin, Index end, Index count, const double* a, const double* const* rows, double* y) {
  hot().accumulate_f64(begin, end, count, a, rows, y);
}
inline std::unique_ptr<RowMaker<float>> maker_for(const Gram& gram, std::span<const Index> active, float) {
  return gram.rows_f32(active);
}
inline std::unique_ptr<RowMaker<double>> maker_for(const Gram& gram, std::span<const Index> active, double) {
  return gram.rows_f64(active);
}

}  // namespace maxmargin
