#include "maxmargin/objects/ranks.hpp"

#include <limits>
#include <numeric>
#include <stdexcept>

namespace maxmargin {

std::vector<std::uint32_t> ascending_order(const std::vector<std::uint64_t>& keys, std::uint64_t range) {
  if (keys.size() > std::numeric_limits<std::uint32_t>::max())
    throw std::length_error(
        "The objects have more than 4294967295 features of one sort. Use fewer or shorter objects at once.");
  constexpr int digit = 12;  // bits sorted by at a time
  std::vector<std::uint32_t> order(keys.size()), next(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::uint32_t> starts((std::size_t(1) << digit) + 1);
  for (int shift = 0; shift < 64 && (range == 0 || (range - 1) >> shift > 0); shift += digit) {
    const auto bucket = [&](std::uint32_t k) { return std::size_t(keys[k] >> shift) & ((std::size_t(1) << digit) - 1); };
    starts.assign(starts.size(), 0);
    for (const std::uint32_t k : order) ++starts[bucket(k) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (const std::uint32_t k : order) next[starts[bucket(k)]++] = k;
    order.swap(next);
  }
  return order;
}

std::uint64_t make_dense(std::vector<std::uint64_t>& keys, std::uint64_t range) {
  const std::vector<std::uint32_t> order = ascending_order(keys, range);
  std::uint64_t count = 0, last = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint64_t key = keys[order[k]];
    if (k == 0 || key != last) ++count;
    last = key;
    keys[order[k]] = count - 1;
  }
  return count;
}

}  // namespace maxmargin
