#include "maxmargin/dual/assembly.hpp"

#include <numeric>

namespace maxmargin {

Assembly assemble(std::span<const std::int64_t> codes, Index classes, std::span<const std::int64_t> support,
                  std::span<const std::int64_t> counts, std::span<const double> beta,
                  std::span<const std::int64_t> coefficient_rows, Index coefficients) {
  Assembly found;
  std::vector<std::int64_t> place(codes.size(), -1);  // first a mark
  found.counts.resize(classes);
  for (const std::int64_t row : support)
    if (place[row] < 0) {
      place[row] = 0;
      ++found.counts[codes[row]];
    }
  std::vector<std::int64_t> next(classes);
  std::exclusive_scan(found.counts.begin(), found.counts.end(), next.begin(), std::int64_t(0));
  const auto total = next.back() + found.counts.back();
  found.rows.resize(total);
  for (std::size_t row = 0; row < codes.size(); ++row)
    if (place[row] == 0) {
      place[row] = next[codes[row]]++;
      found.rows[place[row]] = std::int64_t(row);
    }
  found.dual.resize(std::size_t(coefficients) * std::size_t(total));
  std::size_t s = 0;
  for (std::size_t machine = 0; machine < counts.size(); ++machine)
    for (const std::size_t end = s + std::size_t(counts[machine]); s < end; ++s) {
      const std::int64_t row = support[s],
                         coefficient_row = coefficient_rows[machine * std::size_t(classes) + std::size_t(codes[row])];
      found.dual[coefficient_row * total + place[row]] = beta[s];
    }
  return found;
}

}  // namespace maxmargin
