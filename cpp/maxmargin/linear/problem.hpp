// Linear models in the primal, for losses of the margin and of the distance from a target.
#pragma once

#include <cstdint>
#include <vector>

#include "maxmargin/dual/engine.hpp"
#include "maxmargin/rows/features.hpp"

namespace maxmargin {

// The tubes are of the margin's distance from a target: beyond epsilon it costs, or its square does.
enum class MarginLoss : int { hinge = 0, squared_hinge = 1, logistic = 2, exponential = 3, tube = 4, squared_tube = 5 };
enum class LinearOffset : int { none = 0, free = 1, penalised = 2 };

// minimise  1/2 |w|^2 (+ 1/2 (b / scale)^2 if penalised) + sum_i price_i loss(y_i (<w, x_i> + b))
//
// Its dual:  maximise  -1/2 |sum_i alpha_i y_i x_i|^2 (- 1/2 (scale y'alpha)^2) - sum_i price_i loss*(-alpha_i / price_i), with
// y'alpha = 0 where the offset is free, and sum_i alpha_i y_i x_i = 0 where there is no penalty.
struct LinearProblem {
  const Features* x;
  const double* y;  // -1 and +1; for regression +1
  const double* price;
  MarginLoss loss;
  LinearOffset offset;
  double offset_scale;             // a penalised offset costs 1/2 (b / scale)^2
  bool penalty;                    // else the loss alone: not for losses with kinks
  const double* target = nullptr;  // of the tubes
  double epsilon = 0;              // half their width
};

struct LinearOptions {
  double tol = 1e-4;  // gap <= tol * primal
  std::int64_t max_rounds = 0;
  Deadline deadline;
  std::int64_t fair_try = -1;   // sweeps after which the gap must fall to a half whenever their number doubles; -1: never
  bool stand_for_more = false;  // the rows: Newton ends where they tell no more about the others
};

struct LinearOutcome {
  std::vector<double> w, alpha;
  double b = 0;
  Ending ending = Ending::stalled;
  std::int64_t rounds = 0;  // Newton systems, or sweeps
  bool separates = false;   // without a penalty: w has every row on its side, and there is no minimum
  std::vector<Progress> trace;
};

// Newton's method, for the hinge on its proximal smoothings; from w, b and alpha of a start, if there is one.
LinearOutcome minimise_by_newton(const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor,
                                 const LinearOutcome* start = nullptr);

// Coordinate descent in the dual, for hinge, squared hinge and tubes with a penalised offset or none.
LinearOutcome minimise_by_coordinates(const LinearProblem& problem, std::uint64_t seed, const LinearOptions& options,
                                      const Monitor& monitor);

LinearOutcome minimise_tube_by_coordinates(const LinearProblem& problem, std::uint64_t seed, const LinearOptions& options,
                                           const Monitor& monitor);

}  // namespace maxmargin
