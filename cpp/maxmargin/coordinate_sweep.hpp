// A sweep of dual coordinate descent, as rows of any kind of storage do it.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "maxmargin/simd/hot.hpp"

namespace maxmargin {

// What a step needs of a row: half a cache line.
struct SweepRow {
  double alpha, y;
  double own;      // hinge: the price, alpha's upper bound; squared hinge: 1 / (2 price), what the diagonal has more
  double inverse;  // of the diagonal
};

struct CoordinateSweep {
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  bool squared;
  double constant;  // value of the feature that an offset is the weight of
  double last = 0;  // its weight
  std::vector<double> w;
  std::vector<SweepRow> rows;
  std::vector<Index> order;  // the first `active` take part
  std::size_t active, position = 0;
  double highest = infinity, lowest = -infinity;  // projected slopes of the sweep before: what is beyond is settled
  double most = -infinity, least = infinity;      // of this one
  double gap = 0;                                 // sum over the rows of their shares, each before its own step

  double upper(Index i) const { return squared ? infinity : rows[i].own; }
  double ridge(Index i) const { return squared ? rows[i].own : 0.0; }
  void all_come_back() {
    active = order.size();
    highest = infinity;
    lowest = -infinity;
  }
  void begin() {
    position = 0;
    most = -infinity;
    least = infinity;
    gap = 0;
  }
};

}  // namespace maxmargin
