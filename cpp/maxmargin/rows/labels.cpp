#include "maxmargin/rows/labels.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace maxmargin {

namespace {

constexpr double exact_below = 0x1p53;  // whole numbers of a double

}  // namespace

template <class V>
std::optional<LabelCodes> label_codes(std::span<const V> labels, std::int64_t widest) {
  if (labels.empty()) return LabelCodes{};
  const auto [least, most] = std::minmax_element(labels.begin(), labels.end());
  if constexpr (std::is_floating_point_v<V>) {
    const auto is_whole = [](V label) { return std::abs(label) < exact_below && label == std::nearbyint(label); };
    if (!std::all_of(labels.begin(), labels.end(), is_whole)) return std::nullopt;
  }
  const auto low = std::int64_t(*least), high = std::int64_t(*most);
  if (std::uint64_t(high) - std::uint64_t(low) >= std::uint64_t(widest)) return std::nullopt;
  std::vector<std::int64_t> place(std::size_t(high - low) + 1, -1);
  for (const V label : labels) place[std::size_t(std::int64_t(label) - low)] = 0;
  LabelCodes found;
  for (std::size_t k = 0; k < place.size(); ++k)
    if (place[k] == 0) {
      place[k] = std::int64_t(found.classes.size());
      found.classes.push_back(low + std::int64_t(k));
    }
  found.codes.reserve(labels.size());
  for (const V label : labels) found.codes.push_back(place[std::size_t(std::int64_t(label) - low)]);
  return found;
}

template std::optional<LabelCodes> label_codes(std::span<const double>, std::int64_t);
template std::optional<LabelCodes> label_codes(std::span<const std::int64_t>, std::int64_t);

}  // namespace maxmargin
