// Global alignment of series (Cuturi 2011): k(x, y) = sum over all alignments of x and y of the product of the local kernels
// e / (2 - e), e = exp(-rate |x_i - y_j|^2), of the positions they put together.
//
// The sum has some 3^(n + m) terms below 1, so that k itself has no place in a double: its logarithm is computed. Cells are
// doubles with a common power of two for an antidiagonal; where what such a cell cannot hold might be noticed in the sum, all
// cells are computed anew in logarithms.
#pragma once

#include <vector>

#include "maxmargin/objects/objects.hpp"

namespace maxmargin {

// Series s has the moments starts[s] ... starts[s + 1] - 1, each of `dimensions` numbers.
struct SeriesRuns {
  std::vector<double> moments;
  std::vector<std::int64_t> starts;
  Index dimensions = 1;
};

class Alignments final : public Objects {
 public:
  // Normalised, k(x, y) / sqrt(k(x, x) k(y, y)), from the logarithms; two empty series have 1, an empty one and another have 0.
  Alignments(SeriesRuns series, double rate, bool normalised);
  Index size() const override { return Index(lengths_.size()); }
  void values(std::span<const Index> rows, std::span<const Index> columns, double* out) const override;
  double own(Index row) const override;
  Index columns_at_once() const override { return 4; }
  // log k(a, b); -infinity if one is empty.
  double logarithm(Index a, Index b) const;

 private:
  double by_logarithms(Index a, Index b) const;

  double rate_;
  bool normalised_;
  SeriesRuns series_;
  std::vector<Index> lengths_;
  std::vector<std::size_t> begins_;
  std::vector<double> forward_, backward_;  // [dimension][moment] of each, with room for whole vectors
  std::vector<double> own_;                 // logarithms
};

}  // namespace maxmargin
