// Dual coordinate descent over rows for Crammer and Singer's loss of linear models of all classes.
#pragma once

#include <vector>

#include "maxmargin/linear/multiclass/record.hpp"

namespace maxmargin {

struct ClassPoint {
  std::vector<double> W, alpha;  // weights [size][width] with the offsets last, and multipliers [n][width]
};

// From 0 until the record stops it: false. True if somebody else shall go on from the point `last`: after `fair_try` sweeps the
// gap must fall to a half whenever their number doubles (-1: never mind), and small problems want more digits than rows give.
bool descend_by_rows(const ClassProblem& problem, std::int64_t fair_try, ClassRecord& record, ClassPoint& last);

}  // namespace maxmargin
