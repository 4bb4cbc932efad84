// Common subsequences, with gaps: k(s, t) = sum over the subsequences of `length` symbols that both have, for each pair of
// places, of decay^(what it spans in s + what it spans in t) (Lodhi et al. 2002).
#pragma once

#include <vector>

#include "maxmargin/objects/kmers.hpp"

namespace maxmargin {

class Subsequences final : public Objects {
 public:
  Subsequences(const SymbolRuns& runs, int length, double decay);
  Index size() const override { return Index(lengths_.size()); }
  void values(std::span<const Index> rows, std::span<const Index> columns, double* out) const override;
  double own(Index row) const override { return own_[row]; }
  bool vanishes(Index row) const override { return lengths_[row] < length_; }
  Index columns_at_once() const override { return 8; }

 private:
  double value(Index a, Index b, std::vector<double>& room) const;

  int length_;
  double decay_;
  std::vector<Index> lengths_;
  std::vector<std::size_t> begins_;
  std::vector<std::int32_t> forward_, backward_;  // with room for whole vectors between, where no symbols agree
  std::vector<double> own_;
};

}  // namespace maxmargin
