// A sweep of dual coordinate descent, as rows of any kind of storage do it.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "maxmargin/rows/schedule.hpp"

namespace maxmargin {

// What a step needs of a row: half a cache line.
struct SweepRow {
  double alpha, y;
  double own;      // hinge: C, alpha's upper bound; squared hinge: 1 / (2 C), what the diagonal has more
  double inverse;  // of the diagonal
};

struct CoordinateSweep {
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  bool squared;
  double constant;  // value of the feature that an offset is the weight of
  double last = 0;  // its weight
  std::vector<double> w;
  std::vector<SweepRow> rows;
  Schedule schedule;
  std::size_t position = 0;                       // among its visits
  double highest = infinity, lowest = -infinity;  // projected slopes of the sweep before: what is beyond is settled
  double most = -infinity, least = infinity;      // of this one
  double gap = 0;                                 // about the sum over the rows of their shares, each before its own step

  CoordinateSweep(Index n, std::uint64_t seed) : rows(n), schedule(n, seed) {}
  double upper(Index i) const { return squared ? infinity : rows[i].own; }
  double ridge(Index i) const { return squared ? rows[i].own : 0.0; }
  void all_come_back() {
    schedule.all_come_back();
    highest = infinity;
    lowest = -infinity;
  }
  void begin() {
    schedule.choose();
    position = 0;
    most = -infinity;
    least = infinity;
    gap = 0;
  }
};

}  // namespace maxmargin
