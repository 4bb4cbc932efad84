// Sorting by whole numbers.
#pragma once

#include <cstdint>
#include <vector>

namespace maxmargin {

// The places of keys below `range` in ascending order; equal ones stay in the order in which they are.
std::vector<std::uint32_t> ascending_order(const std::vector<std::uint64_t>& keys, std::uint64_t range);

// Replaces keys below `range` by numbers from 0 in the same order, equal ones by equal ones; how many different there are.
std::uint64_t make_dense(std::vector<std::uint64_t>& keys, std::uint64_t range);

}  // namespace maxmargin
