// Labels that are whole numbers in a narrow range: which there are, and which of them each row has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace maxmargin {

struct LabelCodes {
  std::vector<std::int64_t> classes;  // ascending
  std::vector<std::int64_t> codes;    // place of each label among them
};

// Nothing where the labels need another way: fractions, or a range of `widest` or more.
template <class V>
std::optional<LabelCodes> label_codes(std::span<const V> labels, std::int64_t widest);

}  // namespace maxmargin
