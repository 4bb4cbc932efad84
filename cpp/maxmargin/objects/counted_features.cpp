#include "maxmargin/objects/counted_features.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "maxmargin/objects/ranks.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr std::uint32_t most_counted = 255;  // by one entry

void put(Index row, std::uint32_t count, std::vector<Index>& rows, std::vector<std::uint8_t>& counts) {
  for (; count > 0; count -= std::min(count, most_counted)) {
    rows.push_back(row);
    counts.push_back(std::uint8_t(std::min(count, most_counted)));
  }
}

}  // namespace

FeatureLists::FeatureLists(Occurrences found, Index size, Index first_column) : own(std::size_t(size)), weight(found.weight) {
  const std::vector<std::uint32_t> order = ascending_order(found.keys, found.range);
  const std::size_t n = order.size();
  std::vector<Index> members;  // rows of one feature, each once, with their counts
  std::vector<std::uint32_t> counts;
  column_starts.push_back(0);
  row_starts.push_back(0);
  for (std::size_t begin = 0; begin < n;) {
    if ((begin & 0xfff) == 0) poll_now();
    members.clear();
    counts.clear();
    std::size_t end = begin;
    for (; end < n && found.keys[order[end]] == found.keys[order[begin]]; ++end) {
      const Index row = found.rows[order[end]];
      const std::uint32_t count = found.counts.empty() ? 1 : found.counts[order[end]];
      if (!members.empty() && members.back() == row)
        counts.back() += count;
      else {
        members.push_back(row);
        counts.push_back(count);
      }
    }
    begin = end;
    for (std::size_t k = 0; k < members.size(); ++k)
      own[members[k]] += weight * std::int64_t(counts[k]) * std::int64_t(counts[k]);
    // Rows ascend: of two sides the first are those that ask, the last are columns.
    const auto split = std::size_t(std::lower_bound(members.begin(), members.end(), first_column) - members.begin());
    if (split == members.size() || (first_column > 0 ? split == 0 : members.size() < 2)) continue;
    for (std::size_t k = 0; k < split; ++k) put(members[k], counts[k], rows, row_counts);
    for (std::size_t k = split; k < members.size(); ++k) put(members[k], counts[k], columns, column_counts);
    if (std::max(rows.size(), columns.size()) > std::numeric_limits<std::uint32_t>::max())
      throw std::length_error(
          "The objects have more than 4294967295 features of one sort in common. Use fewer objects at once.");
    row_starts.push_back(std::uint32_t(rows.size()));
    column_starts.push_back(std::uint32_t(columns.size()));
  }
}

void CountedFeatures::add(FeatureLists lists) {
  for (Index i = 0; i < size_; ++i) own_[i] += lists.own[i];
  lists.own = {};
  lists_.push_back(std::move(lists));
}

void CountedFeatures::finish() {
  // Without negative weights no sum on the way is larger than the values, and these than the largest own value.
  small_ =
      std::all_of(lists_.begin(), lists_.end(), [](const FeatureLists& list) { return list.weight > 0; }) &&
      std::all_of(own_.begin(), own_.end(), [](std::int64_t own) { return own < std::numeric_limits<std::int32_t>::max(); });
  const Index asking = first_column_ > 0 ? first_column_ : size_;
  entry_starts_.resize(lists_.size());
  entry_features_.resize(lists_.size());
  entry_counts_.resize(lists_.size());
  parallel_chunks(std::ptrdiff_t(lists_.size()), [&](std::ptrdiff_t l) {
    FeatureLists& list = lists_[l];
    const bool both = first_column_ == 0;  // columns ask
    const std::vector<Index>& rows = both ? list.columns : list.rows;
    const std::vector<std::uint8_t>& counts = both ? list.column_counts : list.row_counts;
    const std::vector<std::uint32_t>& starts = both ? list.column_starts : list.row_starts;
    std::vector<std::uint64_t>& ends = entry_starts_[l];
    ends.assign(std::size_t(asking) + 1, 0);
    for (const Index row : rows) ++ends[row + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<std::uint64_t> next(ends.begin(), ends.end() - 1);
    entry_features_[l].resize(rows.size());
    entry_counts_[l].resize(rows.size());
    for (std::size_t f = 0; f + 1 < starts.size(); ++f)
      for (std::uint32_t e = starts[f]; e < starts[f + 1]; ++e) {
        const std::uint64_t place = next[rows[e]]++;
        entry_features_[l][place] = std::uint32_t(f);
        entry_counts_[l][place] = counts[e];
      }
    list.rows = {};
    list.row_counts = {};
    list.row_starts = {};
  });
}

void CountedFeatures::values(std::span<const Index> rows, std::span<const Index> columns, double* out) const {
  if (small_)
    sum_up<std::int32_t>(rows, columns, out);
  else
    sum_up<std::int64_t>(rows, columns, out);
}

// List by list for all rows: a list stays in the cache meanwhile.
template <class Whole>
void CountedFeatures::sum_up(std::span<const Index> rows, std::span<const Index> columns, double* out) const {
  static thread_local std::vector<Whole> sums;
  const std::size_t width = std::size_t(size_ - first_column_);
  sums.assign(rows.size() * width, 0);
  for (std::size_t l = 0; l < lists_.size(); ++l) {
    poll_now();
    const FeatureLists& list = lists_[l];
    const std::uint32_t* const starts = list.column_starts.data();
    const std::uint32_t* const features = entry_features_[l].data();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      Whole* const target = sums.data() + r * width;
      const std::uint64_t end = entry_starts_[l][rows[r] + 1];
      for (std::uint64_t e = entry_starts_[l][rows[r]]; e < end; ++e) {
        const Whole factor = Whole(list.weight * entry_counts_[l][e]);
        const std::uint32_t last = starts[features[e] + 1];
        for (std::uint32_t p = starts[features[e]]; p < last; ++p)
          target[list.columns[p] - first_column_] += factor * Whole(list.column_counts[p]);
      }
    }
  }
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const Index column : columns)  // what is in one row alone is in its own value only
      *out++ = column == rows[r] ? own(column) : double(sums[r * width + std::size_t(column - first_column_)]);
}

}  // namespace maxmargin
