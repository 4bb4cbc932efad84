#include "maxmargin/dual/class_pairs.hpp"

#include <algorithm>

namespace maxmargin {

ClassPairs class_pairs(std::span<const std::int64_t> codes, Index classes) {
  std::vector<std::vector<Index>> of(classes);
  for (std::size_t row = 0; row < codes.size(); ++row) of[codes[row]].push_back(Index(row));
  const std::size_t total = codes.size() * std::size_t(classes - 1);
  ClassPairs pairs{std::vector<Index>(total), std::vector<double>(total), {0}};
  Index* row = pairs.rows.data();
  double* sign = pairs.signs.data();
  const auto append = [&](const std::vector<Index>& of_class, double its_sign) {
    row = std::copy(of_class.begin(), of_class.end(), row);
    sign = std::fill_n(sign, of_class.size(), its_sign);
  };
  for (Index i = 0; i < classes; ++i)
    for (Index j = i + 1; j < classes; ++j) {
      append(of[i], 1.0);
      append(of[j], -1.0);
      pairs.starts.push_back(row - pairs.rows.data());
    }
  return pairs;
}

MarginBox margin_box(std::span<const double> signs, const Index* rows, std::span<const double> C) {
  const std::size_t n = signs.size();
  MarginBox box{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t k = 0; k < n; ++k) {
    const double end = signs[k] * C[rows != nullptr ? std::size_t(rows[k]) : k % C.size()];
    box.q[k] = -signs[k];
    box.lower[k] = std::min(end, 0.0);
    box.upper[k] = std::max(end, 0.0);
  }
  return box;
}

}  // namespace maxmargin
