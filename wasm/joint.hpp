// All classes at once: Crammer and Singer's problem, searched and evaluated.
#pragma once

#include <memory>
#include <vector>

#include "maxmargin/crammer_singer/problem.hpp"
#include "solving.hpp"

namespace maxmargin::playground {

struct Joint {
  Index classes = 0;
  std::vector<double> beta;    // [row][class]
  std::vector<double> scores;  // [row][class], with offsets
  std::vector<double> bias;    // of rows as they are
  double primal = 0, dual = 0, violation = 0, gap = 0, relative_gap = 0;
  Status status = Status::stalled;
  std::int64_t steps = 0;
};

// `gram` is of centred rows where there are offsets.
Joint solved_jointly(const Gram& gram, const std::vector<Index>& labels, Index classes, double C, bool offsets,
                     const Limits& limits);

}  // namespace maxmargin::playground
