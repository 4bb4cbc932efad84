// Which rows the problems of all pairs of classes have.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "maxmargin/simd/hot.hpp"

namespace maxmargin {

// One pair after the other, (0, 1), (0, 2), ..., (1, 2), ...: its rows, ascending, and +1 for those of the first class, -1 for
// those of the second. Pair p has them from starts[p] to starts[p + 1].
struct ClassPairs {
  std::vector<Index> rows;
  std::vector<double> signs;
  std::vector<std::int64_t> starts;
};

// `codes` are from 0 to `classes` - 1.
ClassPairs class_pairs(std::span<const std::int64_t> codes, Index classes);

}  // namespace maxmargin
