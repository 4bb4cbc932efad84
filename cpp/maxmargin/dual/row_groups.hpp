// Which rows of X several problems have in common.
#pragma once

#include <span>
#include <vector>

#include "maxmargin/rows/features.hpp"

namespace maxmargin {

// Rows that are in the same problems.
struct RowGroup {
  // One of these problems, and where the rows stand in it.
  struct Place {
    Index problem = 0, first = 0;
    std::vector<Index> scattered;  // empty where they stand together, from `first` on
    Index at(std::size_t r) const { return scattered.empty() ? first + Index(r) : scattered[r]; }
  };
  std::vector<Index> rows;    // of X, ascending
  std::vector<Place> places;  // ascending by problem, twice for one that has the rows twice
};

// The groups of the rows that any problem has; problem p has the rows used[p] of the first `rows` of X.
std::vector<RowGroup> row_groups(Index rows, std::span<const std::span<const Index>> used);

}  // namespace maxmargin
