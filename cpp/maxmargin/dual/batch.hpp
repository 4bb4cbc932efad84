// Several duals of one kind, searched and evaluated in one call.
#pragma once

#include <span>
#include <vector>

#include "maxmargin/dual/engine.hpp"
#include "maxmargin/dual/evaluation.hpp"
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
  double l1_weight;
  bool offset;
  const double* sum;      // of each problem
  const double* abs_sum;  // of each problem, or nullptr
  bool abs_sum_may_fall;

  std::size_t size() const { return grams.size(); }
  std::ptrdiff_t rows() const { return starts.back(); }
  const Gram& gram(std::size_t k) const { return *grams[k]; }
  SignedDual problem(std::size_t k) const;
};

// From points that satisfy the constraints, with their exact gradients. Problems run in parallel, and share kernel values of
// rows that several of them have. The time limit in `options` is ignored: `events` has the clock.
std::vector<Outcome> minimise_batch(const DualBatch& batch, const double* beta, const double* gradient, const Options& options,
                                    Events& events);

struct BatchEvaluation {
  std::vector<double> scores;     // K beta of all rows; empty if they were given
  std::vector<Evaluation> found;  // of each problem
};

// Evaluates a point of each problem. Without scores they are computed, and offsets are found for rows as they are.
BatchEvaluation evaluate_batch(const DualBatch& batch, const double* beta, const double* scores, const Poll& poll);

}  // namespace maxmargin
