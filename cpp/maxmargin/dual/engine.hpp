// The engine: sequential minimal optimisation with an exact finish, for every dual that is a box with at most two sums to keep.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "maxmargin/kernels/gram.hpp"
#include "maxmargin/platform/deadline.hpp"
#include "maxmargin/platform/progress.hpp"

namespace maxmargin {

// What steps must leave as it is: nothing; the sum of all variables; or the sums of the positive and of the negative ones,
// each by itself, and with them the sum of |beta|.
enum class Keep { nothing, sum, sides };

// minimise  1/2 beta'(K + diag(ridge)) beta + q' beta + l1_weight sum |beta|   subject to  lower <= beta <= upper  and `keep`
//
// The canonical dual in signed variables beta_i = s_i alpha_i: in these, labels leave the loops, and f = K beta.
struct SignedDual {
  Index n;
  const double* q;
  const double* lower;
  const double* upper;
  const double* ridge;  // or nullptr
  double l1_weight = 0;
  Keep keep = Keep::sum;
  double sum = 0;                 // 1' beta, where it is kept
  double abs_sum = 0;             // sum |beta|, where the sides are kept
  bool abs_sum_may_fall = false;  // it is a limit, not a demand

  double ridge_at(Index i) const { return ridge == nullptr ? 0.0 : ridge[i]; }
  // Is there something at 0 that a step across it does not see?
  bool stops_at_zero() const { return l1_weight != 0 || keep == Keep::sides; }
};

// Where a run begins: anywhere, mostly at 0; at the optimum of a problem like this one, so that it is known which variables are
// free, but for some; or at a point that was evaluated, where what is left is small and wants precision.
enum class Origin { cold, warm, resumed };

struct Options {
  double tol = 1e-3;
  std::int64_t max_steps = 0;
  Deadline deadline;
  std::size_t cache_bytes = 0;
  bool shrinking = true;
  bool alone = true;  // no other problem runs beside: all threads are there for this one
  Origin origin = Origin::cold;
  bool in_place = false;  // rows stand ready: variables without room stay among the active, so that none need be copied
  bool finish = true;     // with float64 rows on to rounding accuracy, not only to `tol`
};

struct Outcome {
  std::vector<double> beta;
  Termination termination = Termination::converged;
  std::int64_t steps = 0, rows_made = 0, newton_rounds = 0;
  bool negative_curvature = false;  // K is not positive semidefinite: seen, not guessed
  std::vector<Progress> trace;
  std::optional<Progress> end;  // where it ended; nothing if it never began
};

// Grams for problems that run together, in place of their own: float32 kernel values among rows of X that several of them have
// are computed once, and kept. Empty where nothing would be gained. They take `bytes` of the options' cache, at most a quarter,
// and do not outlive the Grams given.
struct SharedGrams {
  std::vector<std::unique_ptr<Gram>> grams;
  std::size_t bytes = 0;
};
SharedGrams share_rows(std::span<const Gram* const> grams, const Options& options);

// From beta, which satisfies the constraints, with its exact gradient q + (K + ridge) beta.
Outcome minimise(const SignedDual& problem, const Gram& gram, const double* beta, const double* gradient,
                 const Options& options, const Monitor& monitor);

}  // namespace maxmargin
