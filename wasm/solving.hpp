// Search and certificate of one dual: what `maxmargin.solve` does, in the core's terms.
#pragma once

#include <string>
#include <vector>

#include "formulations.hpp"
#include "maxmargin/platform/deadline.hpp"

namespace maxmargin::playground {

// Nobody interrupts a call: its deadline ends it.
inline const Poll nobody = [] {};

// How it ended; the names and their order are those of maxmargin.solution.Status, from mildest to most severe.
enum class Status : int { converged, zero_optimum, indefinite, stalled, iteration_limit, time_limit, infeasible };

struct Limits {
  double tol = 1e-3;
  std::int64_t max_steps = 0;
  Deadline deadline;
};

struct Solved {
  Point point;
  Model model;
  Status status = Status::stalled;
  double gap = 0, relative_gap = 0;
  std::int64_t steps = 0;
  std::vector<double> proof;  // weights of two means of rows that are the same point, where no hyperplane separates them
};

// What is known of rows and kernel beside the dual.
struct Background {
  const double* x;  // the rows of the dual, one after the other
  Index columns;
  KernelFunction kernel;
  bool is_mercer;
};

// The evaluation of a point, whose scores are computed anew.
Point evaluated(const Dual& dual, std::vector<double> beta);

// A point as an answer, with the status that its evaluation supports.
Solved judged(const Dual& dual, Point point, double tol, Termination termination, std::int64_t steps);

Solved solved(const Dual& dual, const Background& background, const Limits& limits);

// The largest gap of a converged answer, as a part of its primal objective.
double allowed_gap(double tol);

// The gap as a part of the larger objective.
double relative(double gap, double primal, double dual);

// Calls the engine from a point, without reports.
Outcome searched(const DualBatch& batch, const std::vector<double>& beta, const std::vector<double>& gradient,
                 const Options& options);

}  // namespace maxmargin::playground
