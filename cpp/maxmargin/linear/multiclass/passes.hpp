// Passes over rows of X for all classes at once, shared by threads. Rows are cut into chunks by their number alone, and sums of
// chunks are added in their order: the same bits for any number of threads.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "maxmargin/rows/linear_rows.hpp"

namespace maxmargin {

class ClassPasses {
 public:
  // The last of `size` features is constant, 1, if size is one more than x has.
  ClassPasses(const LinearRows& x, Index size, Index width);

  // Some rows, their place in the list that is passed over, and a value a class of each.
  struct Block {
    Index chunk, first;
    const Index* rows;
    Index count;
    double* values;  // [count][width]
  };
  using Body = std::function<void(const Block&)>;

  // Goes over the rows in blocks. values = rows times W, or what they were where there is no W; then calls the body; then, if
  // there is a G, G = the sum over all rows of x_i values_i'.
  void pass(std::span<const Index> rows, const double* W, const Body& body, double* G);
  // Calls the body for blocks of all rows, whose values it may use as it likes.
  void for_rows(const Body& body) { pass(all_, nullptr, body, nullptr); }

  std::span<const Index> all() const { return all_; }
  static constexpr Index most_chunks = 16, block = 32;

 private:
  Index chunks(std::size_t rows, bool sums) const;

  const LinearRows& x_;
  Index size_, width_;
  std::vector<Index> all_;
  std::vector<double> values_, sums_;
};

// A number from each chunk, added in their order.
class ChunkSums {
 public:
  double& operator[](Index chunk) { return sums_[chunk * apart]; }
  double total() const {
    double sum = 0;
    for (Index c = 0; c < ClassPasses::most_chunks; ++c) sum += sums_[c * apart];
    return sum;
  }

 private:
  static constexpr Index apart = 8;  // a cache line
  double sums_[ClassPasses::most_chunks * apart] = {};
};

}  // namespace maxmargin
