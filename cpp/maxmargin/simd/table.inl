// Compiled once per instruction-set level, inside a namespace of its own. See table.hpp.
namespace {

#include "maxmargin/simd/vectors.inl"
// (order matters)
#include "maxmargin/simd/maps.inl"
// (order matters)
#include "maxmargin/simd/tiles.inl"
// (order matters)
#include "maxmargin/simd/combined.inl"
#include "maxmargin/simd/algebra.inl"
#include "maxmargin/simd/pairs.inl"
#include "maxmargin/simd/rows.inl"
#include "maxmargin/simd/losses.inl"
#include "maxmargin/simd/classes.inl"
#include "maxmargin/simd/diagonals.inl"

constexpr SimdTable table{
    MAXMARGIN_LEVEL,
    tile<float, float>,
    tile<double, double>,
    tile<float, double>,
    norms<float>,
    norms<double>,
    row_norms<float>,
    row_norms<double>,
    interleave<float>,
    interleave<double>,
    apply<float>,
    apply<double>,
    combined_tile<float, float>,
    combined_tile<double, double>,
    combined_tile<float, double>,
    own_of_panel<float>,
    own_of_panel<double>,
    own_of_row<float>,
    own_of_row<double>,
    own_values<float>,
    own_values<double>,
    combined_values<float>,
    combined_values<double>,
    select<float>,
    select<double>,
    update<float>,
    update<double>,
    partner<float>,
    partner<double>,
    update_single<float>,
    update_single<double>,
    leaders<float>,
    leaders<double>,
    dot,
    axpy,
    accumulate<float>,
    accumulate<double>,
    follow_row,
    dense_products<float>,
    dense_products<double>,
    dense_sum<float>,
    dense_sum<double>,
    spread_dots<float>,
    spread_dots<double>,
    outer_sum,
    cholesky,
    cholesky_rows<float>,
    cholesky_rows<double>,
    cholesky_columns<float>,
    cholesky_columns<double>,
    smoothed_hinge,
    squared_hinge,
    logistic,
    class_products<float>,
    class_products<double>,
    class_sums<float>,
    class_sums<double>,
    sparse_class_products,
    sparse_class_sums,
    exponentials,
    diagonal_distances,
    alignment_cells,
    subsequence_cells,
};

}  // namespace
