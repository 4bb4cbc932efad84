// Which rows the problems of all pairs of classes have, and what their duals are made of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

// One pair after the other, (0, 1), (0, 2), ..., (1, 2), ...: the rows of the first class, then those of the second, ascending
// in each, with +1 and -1. Pair p has them from starts[p] to starts[p + 1]. The rows of a class stand together in all its
// pairs, so what is computed for them can be shared as a whole.
struct ClassPairs {
  std::vector<Index> rows;
  std::vector<double> signs;
  std::vector<std::int64_t> starts;
};

// `codes` are from 0 to `classes` - 1.
ClassPairs class_pairs(std::span<const std::int64_t> codes, Index classes);

// q, lower and upper of soft margins' duals: q = -sign, and beta from 0 to sign times C of its row. Without `rows`
// each problem has all rows, in their order.
struct MarginBox {
  std::vector<double> q, lower, upper;
};
MarginBox margin_box(std::span<const double> signs, const Index* rows, std::span<const double> C);

}  // namespace maxmargin
