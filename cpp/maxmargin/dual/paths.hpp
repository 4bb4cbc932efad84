// Paths: the same rows fitted again and again while a cost grows, as a grid search does, each fit from the one before.
#pragma once

#include <vector>

#include "maxmargin/dual/batch.hpp"

namespace maxmargin {

// Batches of the same problems, stage after stage: rows, kernel and q stay, bounds and the weight of |beta| do not. Every
// problem is a path of its own. Where its sum of |beta| is kept each stage needs a point to begin at.
//
// The rows may be some of those of a larger Gram that several paths have, as folds do: the others are held out, with beta = 0.
// Then all of them share its kernel values, and the scores of held-out rows come with the search.
struct Path {
  std::vector<const DualBatch*> stages;
  std::vector<const double*> starts;  // of each stage a point of all problems, or nullptr: the stage before, or 0
  std::vector<const Gram*> around;    // of each problem the larger Gram; or empty
  std::vector<const Index*> members;  // which of its rows the problem has, ascending

  const Gram& gram(std::size_t k) const { return around.empty() ? stages[0]->gram(k) : *around[k]; }
};

// Where a stage has ended.
struct PathPoint {
  std::vector<double> beta;
  std::vector<double> held_out;  // decision values of the rows that are held out
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

// found[path][stage][problem]. Paths run in parallel, and kernel values of a Gram are kept for all that have it, if there is
// room for them.
// Scores are from these values, which are float32 where that suffices: they end a search, and are not a certificate. What is
// not reached because the run ends has no point.
std::vector<std::vector<std::vector<PathPoint>>> minimise_paths(const std::vector<Path>& paths, const Allowed& allowed,
                                                                const Options& options, Events& events);

}  // namespace maxmargin
