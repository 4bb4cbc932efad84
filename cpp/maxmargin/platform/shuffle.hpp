// splitmix64: the same order of rows everywhere.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

struct Shuffle {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  void operator()(std::vector<Index>& order, std::size_t count) {
    for (std::size_t k = count; k > 1; --k) std::swap(order[k - 1], order[next() % k]);
  }
};

}  // namespace maxmargin
