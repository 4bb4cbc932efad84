#include "maxmargin/objects/subsequences.hpp"

#include <algorithm>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t beyond = 8;  // what whole vectors read and write beyond an antidiagonal

// Adds from both ends: the same for the reversed array.
double symmetric_sum(Index n, const double* x) {
  double sum = 0;
  for (Index k = 0; k < n / 2; ++k) sum += x[k] + x[n - 1 - k];
  return n % 2 == 1 ? sum + x[n / 2] : sum;
}

}  // namespace

Subsequences::Subsequences(const SymbolRuns& runs, int length, double decay)
    : length_(length), decay_(decay), own_(std::size_t(runs.size)) {
  for (Index s = 0; s < runs.size; ++s) {
    const auto* const begin = runs.symbols.data() + runs.starts[s];
    const auto* const end = runs.symbols.data() + runs.starts[s + 1];
    lengths_.push_back(Index(end - begin));
    begins_.push_back(forward_.size());
    forward_.insert(forward_.end(), begin, end);
    forward_.insert(forward_.end(), beyond, -1);
    backward_.insert(backward_.end(), std::make_reverse_iterator(end), std::make_reverse_iterator(begin));
    backward_.insert(backward_.end(), beyond, -2);
  }
  parallel_chunks(runs.size, [&](std::ptrdiff_t s) {
    std::vector<double> room;
    own_[s] = value(Index(s), Index(s), room);
  });
}

void Subsequences::values(std::span<const Index> rows, std::span<const Index> columns, double* out) const {
  static thread_local std::vector<double> room;
  for (const Index row : rows)
    for (const Index column : columns) *out++ = value(row, column, room);
}

double Subsequences::value(Index a, Index b, std::vector<double>& room) const {
  const Index n = lengths_[a], m = lengths_[b];
  if (std::min(n, m) < length_) return 0;
  const std::size_t stride = std::size_t(n) + 2 * beyond;
  // [level][antidiagonal modulo 3][1 + position in s], and what ends at a cell; the cells beside those in use are 0
  room.assign(stride * (3 * std::size_t(length_) + 1), 0.0);
  const auto cells = [&](int level, Index diagonal) {
    return room.data() + stride * (3 * std::size_t(level) + std::size_t((diagonal + 3) % 3));
  };
  double* const ends = room.data() + stride * 3 * std::size_t(length_);
  double sum = 0;
  for (Index d = 0; d < n + m - 1; ++d) {
    const Index first = std::max<Index>(0, d - m + 1), last = std::min<Index>(n - 1, d), count = last - first + 1;
    for (int level = 0; level < length_; ++level) {
      const double* const before = cells(level, d - 1) + first;
      const double* const corner = cells(level, d - 2) + first;
      const double* const shorter = level == 0 ? nullptr : cells(level - 1, d - 2) + first;
      double* const out = cells(level, d) + first + 1;
      simd().subsequence_cells(count, decay_, forward_.data() + begins_[a] + first,
                               backward_.data() + begins_[b] + (m - 1 - d + first), shorter, before, before + 1, corner, ends,
                               out);
      out[-1] = 0;
      out[count] = 0;
    }
    sum += symmetric_sum(count, ends);
  }
  return sum;
}

}  // namespace maxmargin
