#include "maxmargin/rows/labels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace maxmargin {

namespace {

constexpr double exact_below = 0x1p53;  // whole numbers of a double

}  // namespace

template <class V>
std::optional<LabelCodes> label_codes(std::span<const V> labels, std::int64_t widest) {
  if (labels.empty()) return LabelCodes{};
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = std::numeric_limits<std::int64_t>::min();
  for (const V label : labels) {
    if constexpr (std::is_floating_point_v<V>)
      if (!(std::abs(label) < exact_below && V(std::int64_t(label)) == label)) return std::nullopt;
    low = std::min(low, std::int64_t(label));
    high = std::max(high, std::int64_t(label));
  }
  if (std::uint64_t(high) - std::uint64_t(low) >= std::uint64_t(widest)) return std::nullopt;
  std::vector<std::int64_t> place(std::size_t(high - low) + 1, -1);
  for (const V label : labels) place[std::size_t(std::int64_t(label) - low)] = 0;
  LabelCodes found;
  for (std::size_t k = 0; k < place.size(); ++k)
    if (place[k] == 0) {
      place[k] = std::int64_t(found.classes.size());
      found.classes.push_back(low + std::int64_t(k));
    }
  found.codes.resize(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) found.codes[i] = place[std::size_t(std::int64_t(labels[i]) - low)];
  return found;
}

template std::optional<LabelCodes> label_codes(std::span<const double>, std::int64_t);
template std::optional<LabelCodes> label_codes(std::span<const std::int64_t>, std::int64_t);

}  // namespace maxmargin
