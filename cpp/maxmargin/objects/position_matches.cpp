#include "maxmargin/objects/position_matches.hpp"

#include <algorithm>
#include <bit>

namespace maxmargin {

namespace {

std::size_t words_for(std::int64_t length) { return std::size_t(length + 63) / 64; }

}  // namespace

PositionMatches::PositionMatches(const SymbolRuns& runs, std::vector<double> weights) : weights_(std::move(weights)) {
  planes_ = int(std::bit_width(std::uint64_t(std::max<std::int64_t>(runs.alphabet - 1, 0))));
  const std::size_t n = std::size_t(runs.size);
  for (std::size_t s = 0; s < n; ++s) {
    const std::int64_t length = runs.starts[s + 1] - runs.starts[s];
    lengths_.push_back(length);
    begins_.push_back(words_.size());
    longest_ = std::max(longest_, words_for(length));
    words_.resize(words_.size() + words_for(length) * std::size_t(planes_), 0);
    for (std::int64_t i = 0; i < length; ++i)
      for (int b = 0; b < planes_; ++b)
        if ((std::uint64_t(runs.symbols[runs.starts[s] + i]) >> b & 1U) != 0)
          words_[begins_[s] + std::size_t(b) * words_for(length) + std::size_t(i / 64)] |= std::uint64_t(1) << (i % 64);
  }
}

void PositionMatches::values(std::span<const Index> rows, std::span<const Index> columns, double* out) const {
  static thread_local std::vector<std::uint64_t> agree;
  agree.resize(longest_ + 1);
  for (const Index row : rows)
    for (const Index column : columns) *out++ = value(row, column, agree.data());
}

double PositionMatches::own(Index row) const {
  double sum = 0;
  for (std::size_t d = 0; d < weights_.size(); ++d)
    sum += weights_[d] * double(std::max<std::int64_t>(0, lengths_[row] - std::int64_t(d)));
  return sum;
}

double PositionMatches::value(Index a, Index b, std::uint64_t* agree) const {
  const std::int64_t length = std::min(lengths_[a], lengths_[b]);
  const std::size_t words = words_for(length), stride_a = words_for(lengths_[a]), stride_b = words_for(lengths_[b]);
  const std::uint64_t* const u = words_.data() + begins_[a];
  const std::uint64_t* const v = words_.data() + begins_[b];
  for (std::size_t w = 0; w < words; ++w) {
    std::uint64_t differ = 0;
    for (int p = 0; p < planes_; ++p) differ |= u[std::size_t(p) * stride_a + w] ^ v[std::size_t(p) * stride_b + w];
    agree[w] = ~differ;
  }
  if (length % 64 != 0) agree[words - 1] &= (std::uint64_t(1) << (length % 64)) - 1;
  agree[words] = 0;
  // Bit i: do d symbols from i on agree?
  double sum = 0;
  for (std::size_t d = 0; d < weights_.size(); ++d) {
    std::int64_t count = 0;
    for (std::size_t w = 0; w < words; ++w) {
      count += std::popcount(agree[w]);
      agree[w] &= agree[w] >> 1 | agree[w + 1] << 63;
    }
    if (count == 0) break;
    sum += weights_[d] * double(count);
  }
  return sum;
}

}  // namespace maxmargin
