// Paths: the same rows fitted again and again while a cost grows, as a grid search does, each fit from the one before.
#pragma once

#include <vector>

#include "maxmargin/dual/batch.hpp"

namespace maxmargin {

// Batches of the same problems, stage after stage: rows, kernel and q stay, bounds and the weight of |beta| do not. Every
// problem is a path of its own. Where its sum of |beta| is kept each stage needs a point to begin at.
struct Path {
  std::vector<const DualBatch*> stages;
  std::vector<const double*> starts;  // of each stage a point of all problems, or nullptr: the stage before, or 0
};

// Where a stage has ended.
struct PathPoint {
  std::vector<double> beta;
  Evaluation evaluation;
  Termination termination = Termination::converged;
  bool optimal = false;
  bool negative_curvature = false;
  std::int64_t steps = 0;
};

// What counts as small, as a part of the primal objective but for the violation.
struct Allowed {
  double violation, gap, rounding, infeasibility;
};
bool is_clear(const Evaluation& at, const Allowed& allowed);
bool is_stationary(const Evaluation& at, const Allowed& allowed);
bool is_optimal(const Evaluation& at, const Allowed& allowed);

// found[path][stage][problem]. Paths run in parallel, and each keeps the kernel values of its rows if there is room for them.
// Scores are from these values, which are float32 where that suffices: they end a search, and are not a certificate. What is
// not reached because the run ends has no point.
std::vector<std::vector<std::vector<PathPoint>>> minimise_paths(const std::vector<Path>& paths, const Allowed& allowed,
                                                                const Options& options, Events& events);

}  // namespace maxmargin
