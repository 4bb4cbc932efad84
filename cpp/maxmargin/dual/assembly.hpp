// From the support vectors of several machines to one set of them, grouped by class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

struct Assembly {
  std::vector<std::int64_t> rows;  // that support some machine: by class, ascending in each
  std::vector<Index> counts;       // how many of each class
  std::vector<double> dual;        // [coefficients][rows]
};

// `codes` has the class of each row; `support` the rows that support one machine after the other, `counts` of each, with their
// coefficients `beta`; `coefficient_rows`, [machine][class], where these stand among the `coefficients` of a row of that class.
Assembly assemble(std::span<const std::int64_t> codes, Index classes, std::span<const std::int64_t> support,
                  std::span<const std::int64_t> counts, std::span<const double> beta,
                  std::span<const std::int64_t> coefficient_rows, Index coefficients);

}  // namespace maxmargin
