// The table of hot functions. One table is compiled per instruction-set level from the same source (table.inl);
// platform/cpu.cpp picks one at load. Every other file of the core is compiled for the baseline only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "maxmargin/kernels/kernel_traits.hpp"

namespace maxmargin {

using Index = std::int32_t;

// A micro-tile is `strip` rows by `panel` columns. Packed data is depth-major: element k of the packed rows stands together,
// so that the inner loop reads both operands in order.
template <class T>
struct TileShape;
template <>
struct TileShape<float> {
  static constexpr Index strip = 6, panel = 16;
};
template <>
struct TileShape<double> {
  static constexpr Index strip = 6, panel = 8;
};

template <class T>
struct PackedRows {  // one strip or one panel
  const T* values;   // [depth][width]
  const T* norms;    // squared norms, [width]
};

// The coordinates of a row that are not 0, in the order of their columns.
template <class T>
struct SparseRow {
  std::ptrdiff_t count;
  const Index* columns;
  const T* values;
};

// The rows of a tile: a strip over the first `dense` columns, and what each row has beyond them (or nullptr: nothing).
template <class T>
struct LeftStrip {
  Index dense, rows;  // rows <= strip
  PackedRows<T> strip;
  const SparseRow<T>* rest;
};

// Sparse rows meet rows that stand interleaved, [column][lanes]. Lanes come in steps of 32 bytes.
template <class T>
inline constexpr Index lanes_of = Index(32 / sizeof(T));
inline constexpr Index most_spread_steps = 4;

struct Extreme {
  double value;
  Index index;
};

struct Selection {
  Extreme lowest_up;    // argmin of gradient + up
  double highest_down;  // max of gradient + down
};

struct Candidate {
  Index index;       // the variable whose step gains most, or -1
  double violation;  // the largest of all
};

// The state of a pair search over `n` active variables. Bounds and kinks are additive masks, so that the loops have no
// branches: gradient + up is the slope of the objective where beta_k rises, +inf if it cannot; gradient + down where it falls,
// or -inf.
template <class R>
struct PairView {
  Index n;
  R* gradient;
  const R* up;
  const R* down;
  const R* diagonal;
};

// Variables that violate much, the worst first.
template <class R>
struct Leaders {
  static constexpr Index room = 8;
  Index most;  // at most `room`
  Index count = 0;
  Index who[room] = {};
  R violation[room] = {};  // 0 where there is none
};

// A sparse matrix as its owner stores it. Indices are 32 or 64 bit and sorted in each row.
template <class V, class I>
struct CsrView {
  const I* indptr;
  const I* indices;
  const V* data;
};

// What the cells of an antidiagonal of an alignment are.
struct AlignmentRange {
  double most, least, least_local;
};

struct SimdTable {
  const char* level;

  // out[r][offset + c] = k(row r of the strip, column c of the panel)
  void (*tile_f32)(const KernelFunction&, const LeftStrip<float>& left, PackedRows<float> panel, float* const* out,
                   std::ptrdiff_t offset);
  void (*tile_f64)(const KernelFunction&, const LeftStrip<double>& left, PackedRows<double> panel, double* const* out,
                   std::ptrdiff_t offset);
  // The same as tile_f64, in down to half the time, of rows whose inner products are exact in float32: see Layout::whole.
  void (*tile_whole)(const KernelFunction&, const LeftStrip<float>& left, PackedRows<float> panel, double* const* out,
                     std::ptrdiff_t offset);
  // Squared norms with the summation order of the tiles, so that |u|^2 + |u|^2 - 2<u,u> is exactly 0: of a panel, and of rows
  // one after the other.
  void (*norms_f32)(Index dense, Index depth, const float* panel, float* norms);
  void (*norms_f64)(Index dense, Index depth, const double* panel, double* norms);
  void (*row_norms_f32)(Index dense, Index depth, Index count, const float* rows, float* norms);
  void (*row_norms_f64)(Index dense, Index depth, Index count, const double* rows, double* norms);
  // panel[k][w] = rows[w][k]
  void (*interleave_f32)(Index depth, const float* const* rows, float* panel);
  void (*interleave_f64)(Index depth, const double* const* rows, double* panel);
  // kernel values from inner products: value[k] = k(dot[k]; norm, norms[k])
  void (*apply_f32)(const KernelFunction&, Index n, float norm, const float* norms, float* values);
  void (*apply_f64)(const KernelFunction&, Index n, double norm, const double* norms, double* values);

  // The tiles of combined kernels. All columns are dense, and a row has several own values in place of its norm:
  // norms[value][width], where `own_of_panel` and `own_of_row` put them.
  void (*combined_f32)(const KernelFunction&, const LeftStrip<float>& left, PackedRows<float> panel, float* const* out,
                       std::ptrdiff_t offset);
  void (*combined_f64)(const KernelFunction&, const LeftStrip<double>& left, PackedRows<double> panel, double* const* out,
                       std::ptrdiff_t offset);
  void (*combined_whole)(const KernelFunction&, const LeftStrip<float>& left, PackedRows<float> panel, double* const* out,
                         std::ptrdiff_t offset);
  void (*own_of_panel_f32)(const KernelFunction&, const float* panel, float* own);
  void (*own_of_panel_f64)(const KernelFunction&, const double* panel, double* own);
  void (*own_of_row_f32)(const KernelFunction&, const float* row, float* own);
  void (*own_of_row_f64)(const KernelFunction&, const double* row, double* own);
  // own[s * stride + k] of rows k: from those of the accumulators to those that normalise, and to k(u, u), or null.
  void (*own_values_f32)(const KernelFunction&, Index n, std::ptrdiff_t stride, float* own, float* values);
  void (*own_values_f64)(const KernelFunction&, Index n, std::ptrdiff_t stride, double* own, double* values);
  // values[k] from sums[accumulator * n + k] and the own values own[s] of a row and others[s * stride + k]
  void (*combined_values_f32)(const KernelFunction&, Index n, const float* sums, const float* own, const float* others,
                              std::ptrdiff_t stride, float* values);
  void (*combined_values_f64)(const KernelFunction&, Index n, const double* sums, const double* own, const double* others,
                              std::ptrdiff_t stride, double* values);

  // The pair that violates most, to first order.
  Selection (*select_f32)(const PairView<float>&);
  Selection (*select_f64)(const PairView<double>&);
  // gradient += step * (row_i - row_j), fused with the next search.
  Selection (*update_f32)(const PairView<float>&, double step, const float* row_i, const float* row_j);
  Selection (*update_f64)(const PairView<double>&, double step, const double* row_i, const double* row_j);
  // argmax over k of (gradient_k + down_k - level)^2 / (K_ii + K_kk - 2 K_ik) where the difference is positive; a curvature
  // below `tau` (K_ii + K_kk) is rounding and counts as that.
  Extreme (*partner_f32)(const PairView<float>&, double level, double diagonal_i, double tau, const float* row_i);
  Extreme (*partner_f64)(const PairView<double>&, double level, double diagonal_i, double tau, const double* row_i);
  // gradient += step * row, then argmax over k of the gain violation_k^2 / K_kk of a step in one variable.
  Candidate (*update_single_f32)(const PairView<float>&, double step, const float* row);
  Candidate (*update_single_f64)(const PairView<double>&, double step, const double* row);

  // Adds variables that have no slot (-1) and violate more than those found so far: by highest - (gradient + up) or by
  // (gradient + down) - lowest. The worst of all is among them; of the others some may be missing.
  void (*leaders_f32)(const PairView<float>&, double lowest, double highest, const Index* slots, Leaders<float>&);
  void (*leaders_f64)(const PairView<double>&, double lowest, double highest, const Index* slots, Leaders<double>&);

  double (*dot)(std::ptrdiff_t n, const double* x, const double* y);
  void (*axpy)(std::ptrdiff_t n, double a, const double* x, double* y);
  // y[k] += sum over r of a[r] rows[r][k] for k in [begin, end), in the order of r.
  void (*accumulate_f32)(Index begin, Index end, Index count, const double* a, const float* const* rows, double* y);
  void (*accumulate_f64)(Index begin, Index end, Index count, const double* a, const double* const* rows, double* y);
  // gradient[j][k] += row[j] change[k]; then the row j with the largest max over k of (gradient + shift) - min over k of
  // (gradient + shift + up), and that. All have `width` columns, a multiple of 4.
  Extreme (*follow_row)(Index count, Index width, const double* row, const double* change, const double* shift,
                        const double* up, double* gradient);
  // Rows as they are stored, in float64: out[i] = <w, x_i>; sum += sum over i of a_i x_i. CSR takes rows [begin, end), dense
  // rows begin at x.
  void (*products_f32)(Index rows, Index d, const float* x, const double* w, double* out);
  void (*products_f64)(Index rows, Index d, const double* x, const double* w, double* out);
  void (*sum_f32)(Index rows, Index d, const float* x, const double* a, double* sum);
  void (*sum_f64)(Index rows, Index d, const double* x, const double* a, double* sum);
  // out[l] = sum over k of spread[k][l] x_k in the order of k, for the first `steps` of the lanes.
  void (*spread_dots_f32)(const SparseRow<float>& x, const float* spread, Index lanes, Index steps, float* out);
  void (*spread_dots_f64)(const SparseRow<double>& x, const double* spread, Index lanes, Index steps, double* out);
  // H += sum over r of a_r b_r', lower triangle, a_r a multiple of b_r, all rows `stride` long, a multiple of 8.
  void (*outer_sum)(Index rows, Index stride, const double* b, const double* a, double* H);
  // In-place Cholesky of the lower triangle of a row-major matrix; returns the index of the first pivot <= floor, or -1.
  Index (*cholesky)(Index n, double* a, std::ptrdiff_t stride, double floor);
  // Its parts, for threads that share one: a panel of columns from j, whose corner is factored, gives its rows [begin, end)
  // below it, and is taken from the columns [begin, end) right of it. Any cut into such ranges gives the same bits.
  void (*cholesky_rows_f32)(Index j, Index width, Index begin, Index end, float* a, std::ptrdiff_t stride);
  void (*cholesky_rows_f64)(Index j, Index width, Index begin, Index end, double* a, std::ptrdiff_t stride);
  void (*cholesky_columns_f32)(Index j, Index width, Index begin, Index end, Index n, float* a, std::ptrdiff_t stride);
  void (*cholesky_columns_f64)(Index j, Index width, Index begin, Index end, Index n, double* a, std::ptrdiff_t stride);
  // Of the hinge, its square or the logistic loss at margins z: alpha, which is the slope times -1, curvature, and the loss, or
  // null; each times C. The hinge has the curvature of its proximal term, and its loss is without that.
  void (*smoothed_hinge)(Index n, const double* z, const double* C, const double* centre, const double* rate,
                         double penalty_parameter, double* alpha, double* curvature, double* loss);
  void (*squared_hinge)(Index n, const double* z, const double* C, double* alpha, double* curvature, double* loss);
  void (*logistic)(Index n, const double* z, const double* C, double* alpha, double* curvature, double* loss);
  // All classes at once, `width` of them, a multiple of 4: out[i][c] = start[c] + sum over k of x[i][k] W[k][c] (or no start);
  // G[k][c] += sum over i of x[i][k] U[i][c]; the same of a row that is sparse.
  void (*class_products_f32)(Index rows, Index d, Index width, const float* const* x, const double* W, const double* start,
                             double* out);
  void (*class_products_f64)(Index rows, Index d, Index width, const double* const* x, const double* W, const double* start,
                             double* out);
  void (*class_sums_f32)(Index rows, Index d, Index width, const float* const* x, const double* U, double* G);
  void (*class_sums_f64)(Index rows, Index d, Index width, const double* const* x, const double* U, double* G);
  void (*sparse_class_products)(SparseRow<double> x, Index width, const double* W, const double* start, double* out);
  void (*sparse_class_sums)(SparseRow<double> x, Index width, const double* u, double* G);
  // Of each row f of scores: its highest, e = exp(f - highest), and the rest of their sum beside the one that is 1.
  void (*exponentials)(Index rows, Index classes, Index width, const double* scores, double* e, double* top, double* rest);

  // Antidiagonals of dynamic programmes: see diagonals.inl.
  void (*diagonal_distances)(Index n, Index dimensions, const double* x, std::ptrdiff_t x_stride, const double* y,
                             std::ptrdiff_t y_stride, double* out);
  AlignmentRange (*alignment_cells)(Index n, double rate, double* local, const double* above, const double* left,
                                    const double* corner, double* out);
  void (*subsequence_cells)(Index n, double decay, const std::int32_t* s, const std::int32_t* t, const double* shorter,
                            const double* above, const double* left, const double* corner, double* ends, double* out);
};

const SimdTable& simd_baseline();
#if defined(__x86_64__)
const SimdTable& simd_x86_64_v3();
const SimdTable& simd_x86_64_v4();
#endif

}  // namespace maxmargin
