#include "maxmargin/class_pairs.hpp"

namespace maxmargin {

ClassPairs class_pairs(std::span<const std::int64_t> codes, Index classes) {
  std::vector<std::vector<Index>> of(classes);
  for (std::size_t row = 0; row < codes.size(); ++row) of[codes[row]].push_back(Index(row));
  const std::size_t total = codes.size() * std::size_t(classes - 1);
  ClassPairs pairs{std::vector<Index>(total), std::vector<double>(total), {0}};
  Index* row = pairs.rows.data();
  double* sign = pairs.signs.data();
  for (Index i = 0; i < classes; ++i)
    for (Index j = i + 1; j < classes; ++j) {
      const Index *a = of[i].data(), *b = of[j].data();
      const Index *const a_end = a + of[i].size(), *const b_end = b + of[j].size();
      while (a != a_end || b != b_end) {  // labels stand in any order: to choose is cheaper than to guess the branch
        const bool first = b == b_end || (a != a_end && *a < *b);
        *row++ = first ? *a : *b;
        *sign++ = first ? 1.0 : -1.0;
        a += first;
        b += !first;
      }
      pairs.starts.push_back(row - pairs.rows.data());
    }
  return pairs;
}

}  // namespace maxmargin
