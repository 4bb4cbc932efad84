// From the support vectors of several subproblems to one set of them, grouped by class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/dual/batch.hpp"
#include "maxmargin/simd/table.hpp"

namespace maxmargin {

struct Assembly {
  std::vector<std::int64_t> rows;  // that support some subproblem: by class, ascending in each
  std::vector<Index> counts;       // how many of each class
  std::vector<double> dual;        // [coefficients][rows]
};

// `codes` has the class of each row; `support` the rows that support one subproblem after the other, `counts` of each, with
// their coefficients `beta`; `coefficient_rows`, [subproblem][class], where these stand among the `coefficients` of a row of
// that class.
Assembly assemble(std::span<const std::int64_t> codes, Index classes, std::span<const std::int64_t> support,
                  std::span<const std::int64_t> counts, std::span<const double> beta,
                  std::span<const std::int64_t> coefficient_rows, Index coefficients);

// What is kept of soft margins with a free offset and linear slack, one subproblem after the other.
struct MarginColumns {
  std::vector<double> beta, scores;    // of support vectors: coefficients, and scores with the offset
  std::vector<double> deficit, sides;  // of the other rows on the margin or beyond it: by how much, and their labels
  std::vector<double> costs;           // largest coefficient of each support vector, then of each of the others
  // Of each subproblem: offsets for rows as they are, and what its certificate has.
  std::vector<double> bias, bias_low, bias_high, primal, dual, violation;
};

MarginColumns margin_columns(const DualBatch& batch, const double* beta, const double* scores,
                             std::span<const Evaluation> evaluations);

}  // namespace maxmargin
