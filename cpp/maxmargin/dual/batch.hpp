// Several duals of one kind, searched and judged in one call.
#pragma once

#include <span>
#include <vector>

#include "maxmargin/dual/engine.hpp"
#include "maxmargin/dual/judge.hpp"
#include "maxmargin/platform/events.hpp"

namespace maxmargin {

// Their vectors stand one problem after the other.
struct DualBatch {
  std::vector<const Gram*> grams;
  std::vector<std::ptrdiff_t> starts;  // of each problem among all rows, and the number of these
  const double* q;
  const double* lower;
  const double* upper;
  const double* ridge;  // or nullptr
  double kink;
  bool offset;
  const double* total;  // of each problem
  const double* mass;   // of each problem, or nullptr
  bool mass_may_fall;

  std::size_t size() const { return grams.size(); }
  std::ptrdiff_t rows() const { return starts.back(); }
  const Gram& gram(std::size_t k) const { return *grams[k]; }
  SignedDual problem(std::size_t k) const;
};

// From points that satisfy the constraints, with their exact gradients. Problems run in parallel, and share kernel values of
// rows that several of them have. Of the options the seconds are not read: `events` has the clock.
std::vector<Outcome> minimise_batch(const DualBatch& batch, const double* beta, const double* gradient, const Options& options,
                                    Events& events);

struct BatchJudgement {
  std::vector<double> scores;    // K beta of all rows; empty if they were given
  std::vector<Judgement> found;  // of each problem
};

// Judges a point of each problem. Without scores they are computed, and offsets are found for rows as they are.
BatchJudgement judge_batch(const DualBatch& batch, const double* beta, const double* scores, const Poll& poll);

}  // namespace maxmargin
