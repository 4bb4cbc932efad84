// Strings compared position by position: k(s, t) = sum over d of weights[d - 1] times the number of positions from which d
// symbols in a row agree (the weighted degree kernel).
//
// Symbols are held by bits: plane b of a string has bit b of all its symbols, so that a few operations compare 64 positions.
#pragma once

#include <cstdint>
#include <vector>

#include "maxmargin/objects/kmers.hpp"

namespace maxmargin {

class PositionMatches final : public Objects {
 public:
  PositionMatches(const SymbolRuns& runs, std::vector<double> weights);
  Index size() const override { return Index(lengths_.size()); }
  void values(std::span<const Index> rows, std::span<const Index> columns, double* out) const override;
  double own(Index row) const override;
  Index columns_at_once() const override { return 512; }

 private:
  double value(Index a, Index b, std::uint64_t* agree) const;

  std::vector<double> weights_;
  int planes_ = 0;
  std::vector<std::int64_t> lengths_;
  std::vector<std::size_t> begins_;   // of the planes of a string, one after the other
  std::vector<std::uint64_t> words_;  // [string][plane][word]
  std::size_t longest_ = 0;           // words
};

}  // namespace maxmargin
