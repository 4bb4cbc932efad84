// What both searches for linear models share: pieces of the objectives, the gap of a pair of points, the best pair so far, and
// when to stop.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "maxmargin/linear/losses.hpp"
#include "maxmargin/linear/passes.hpp"

namespace maxmargin {

// Sums over the rows of a point of the dual, by the sign of alpha_i y_i, for a margin the class; index 1 is +1.
struct DualSums {
  double mass[2] = {0, 0};                                      // sum of |alpha|
  double gain[2] = {0, 0};                                      // sum of its linear gain
  double square[2] = {0, 0};                                    // sum of alpha^2 / (4 price)
  double of_slopes = std::numeric_limits<double>::quiet_NaN();  // where alpha are the losses' slopes: all that they gain
  std::vector<double> combination[2];  // sum of alpha_i y_i x_i; where the offset is not free all of it is in the first
};

// So few stored values that a round costs next to nothing: Newton's go on to what float64 can tell, and two ways to say the
// same problem give the same answer.
bool is_small(const LinearProblem& problem);

// Keeps the best primal and the best dual point: any two of them bound the optimum.
class LinearRecord {
 public:
  // `patience`: rounds in which the gap must become a little smaller. `to_the_end`: rounds are cheap and converge fast, so that
  // on small problems they go on to what float64 can tell.
  LinearRecord(const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor, std::int64_t patience,
               bool to_the_end);

  // True to stop: the gap is small, or a limit is reached.
  bool see(double primal, const std::vector<double>& w, double b, double dual, const std::vector<double>& alpha,
           double factor_minus, double factor_plus, std::int64_t rounds);
  // Takes over the dual point of another search of the same problem.
  void adopt(const LinearOutcome& found);
  // The next dual point counts, whatever its value: it is nearer to what makes it feasible.
  void forget_dual() { dual_ = -std::numeric_limits<double>::infinity(); }
  // Between two points: time and signals.
  bool poll();
  LinearOutcome finish();

  double gap() const { return primal_ - dual_; }
  double primal() const { return primal_; }
  double dual() const { return dual_; }
  double relative_gap() const { return gap() / std::max(std::abs(primal_), 1e-300); }
  void end(Ending ending) { outcome_.ending = ending; }
  LinearOutcome& outcome() { return outcome_; }
  bool to_the_end() const { return aim_ < options_.tol; }

 private:
  double seconds() const;
  Progress progress() const;
  bool spent(std::int64_t rounds);
  bool is_within(double tol) const;

  const LinearProblem& problem_;
  const LinearOptions& options_;
  const Monitor& monitor_;
  std::int64_t patience_, extra_rounds_ = 0;
  double aim_, rounding_ = 0;  // of the objective at 0
  double primal_ = std::numeric_limits<double>::infinity(), dual_ = -std::numeric_limits<double>::infinity();
  double settled_gap_ = std::numeric_limits<double>::infinity();
  std::int64_t settled_round_ = 0;
  LinearOutcome outcome_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_ = start_;
  bool stopped_ = false;
};

// The best of all multiples t w of weights of squared length `square` and the primal objective there, for the hinge and its
// square; of other losses w itself. Multipliers that are nearly right make margins that miss 1 by a little, some on each side:
// what those below it cost, a w that is a little longer saves. At large prices that is most of the gap.
struct Multiple {
  double t, primal;
};
Multiple best_multiple(const LinearProblem& problem, const std::vector<double>& margins, double square);

// The best of the points t w, b for any t and b, near t = 1 and the b that is given, for the hinge and its square: first one,
// then the other. An offset is what all rows see; a little too much of it costs as much as all that sweeps have left of the
// gap. The margins, which have the offset, are overwritten; `first` is how far they may be off.
struct Plane {
  double t, b, primal;
};
Plane best_in_plane(const LinearProblem& problem, std::vector<double>& margins, double square, double b, double first);

// The dual objective of alpha with the classes scaled so that it is feasible, and where it pays all of it: the factors.
struct ScaledDual {
  double value, minus, plus;
};
ScaledDual scaled_dual(const LinearProblem& problem, const DualSums& sums, const std::vector<double>& alpha,
                       LinearPasses& passes);

}  // namespace maxmargin
