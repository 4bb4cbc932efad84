// Kernels that count features both objects have: k(u, v) = sum over features f of weight_f count_f(u) count_f(v), in whole
// numbers, so that no order of summation shows.
//
// Features are held by an inverted index: a row walks, for each of its features, the list of columns that have it too. Features
// of one row alone are counted in its own value and forgotten.
#pragma once

#include <cstdint>
#include <vector>

#include "maxmargin/objects/objects.hpp"

namespace maxmargin {

// Features of one sort: `keys` from 0 to `range` - 1, of rows that ascend; counts, or none where all are 1.
struct Occurrences {
  std::vector<std::uint64_t> keys;
  std::vector<Index> rows;
  std::vector<std::uint32_t> counts;
  std::uint64_t range = 0;
  std::int64_t weight = 1;
};

// What the rows have in common of one sort of features: feature f is in the columns from starts[f] to starts[f + 1], and in the
// rows that ask. A count above 255 is several entries.
struct FeatureLists {
  FeatureLists(Occurrences found, Index size, Index first_column);
  std::vector<std::uint32_t> column_starts, row_starts;
  std::vector<Index> columns, rows;  // rows only where they are others than the columns
  std::vector<std::uint8_t> column_counts, row_counts;
  std::vector<std::int64_t> own;  // sum of squared counts of each row, times the weight
  std::int64_t weight;
};

class CountedFeatures final : public Objects {
 public:
  CountedFeatures(Index size, Index first_column) : size_(size), first_column_(first_column), own_(std::size_t(size)) {}
  // Sorts of features, one after the other; then `finish`.
  void add(FeatureLists lists);
  void finish();
  Index size() const override { return size_; }
  void values(std::span<const Index> rows, std::span<const Index> columns, double* out) const override;
  double own(Index row) const override { return double(own_[row]); }
  Index columns_at_once() const override { return 0; }

 private:
  template <class Whole>
  void sum_up(std::span<const Index> rows, std::span<const Index> columns, double* out) const;

  Index size_, first_column_;
  bool small_ = false;  // 32 bits suffice
  std::vector<FeatureLists> lists_;
  std::vector<std::int64_t> own_;
  // The features of each row that asks, by list and number.
  std::vector<std::vector<std::uint64_t>> entry_starts_;  // [list][row]
  std::vector<std::vector<std::uint32_t>> entry_features_;
  std::vector<std::vector<std::uint8_t>> entry_counts_;
};

}  // namespace maxmargin
