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
  bool finite = true;              // no coefficient is infinite or NaN
};

// `codes` has the class of each row; `support` the rows that support one subproblem after the other, `counts` of each, with
// their coefficients `beta`; `coefficient_rows`, [subproblem][class], where these stand among the `coefficients` of a row of
// that class.
Assembly assemble(std::span<const std::int64_t> codes, Index classes, std::span<const std::int64_t> support,
                  std::span<const std::int64_t> counts, std::span<const double> beta,
                  std::span<const std::int64_t> coefficient_rows, Index coefficients);

// What a certificate has, and the interval of optimal offsets, for rows as they are.
struct CertificateRecord {
  double primal, dual, violation, scale, bias_low, bias_high;  // the scale is NaN where no optimum is 0
  bool indefinite;
};

// What is kept of soft margins with a free offset and linear slack, one subproblem after the other.
struct MarginColumns {
  std::vector<double> beta, scores;  // of support vectors: coefficients, and scores with the offset
  std::vector<double> deficit;       // of the other rows on the margin or beyond it: by how much,
  std::vector<std::int8_t> sides;    // and their labels
  std::vector<double> costs;         // largest coefficient of each support vector, then of each of the others
  std::vector<double> bias;          // of each subproblem, for rows as they are
  std::vector<CertificateRecord> certificates;
};

MarginColumns margin_columns(const DualBatch& batch, const double* beta, const double* scores,
                             std::span<const Evaluation> evaluations);

}  // namespace maxmargin
