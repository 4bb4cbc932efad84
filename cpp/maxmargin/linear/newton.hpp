// Newton's method for linear models.
//
// Smooth losses have the curvature that it needs. The hinge gets it from a proximal term in the dual,
//
//     max over 0 <= alpha <= price of  alpha (1 - z) - (alpha - centre)^2 / (2 sharpness price),
//
// whose alpha = clip(centre + sharpness price (1 - z)) becomes the next centre once the smoothed problem is nearly solved: the
// method of multipliers (Rockafellar 1976). With centre = price/2 at first this is Huber's hinge. It comes to the exact
// solution at a finite sharpness, so that the systems stay well conditioned however large the prices are. The tube has the same
// with -price <= alpha <= price, epsilon |alpha| less, and centre = 0 at first.
#pragma once

#include <memory>
#include <vector>

#include "maxmargin/linear/conjugate_gradients.hpp"
#include "maxmargin/linear/record.hpp"
#include "maxmargin/linear/state.hpp"

namespace maxmargin {

class LinearNewton {
 public:
  LinearNewton(const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor);
  void begin_at(const LinearOutcome& start);  // else at 0
  void begin_with_some_rows(const LinearOptions& options, const Monitor& monitor);
  LinearOutcome run();

 private:
  struct Slope {
    double first = 0, second = 0;
  };

  // Of the rows from `begin` on at margins z: alpha, curvature, and the loss where that is asked for (linear/rows.cpp).
  void rows_at(Index begin, Index count, const double* z, double* alpha, double* curvature, double* loss) const;
  Slope slope_at(Index begin, Index end, double length) const;  // of their losses along the direction

  void place(const LinearOutcome& start);
  void evaluate();             // alpha, curvature, gradient and the two objectives at w
  bool find_direction();       // false: stopped
  void solve(double forcing);  // with up to some hundred features: linear/system.cpp
  bool solve_by_iterations(double forcing);
  void factor(Index step);
  void precondition(const std::vector<double>& residual, std::vector<double>& out) const;
  bool iterate(double forcing, std::int64_t most);
  bool gains_little() const;
  double find_length();  // along the direction
  void step(double length);
  void begin_at_the_median();
  double unsolved() const;
  double offset_floor() const;
  void sharpen(std::int64_t round);
  bool soften(std::int64_t round);
  bool see(const ScaledDual& dual, const std::vector<double>& alpha, std::int64_t round);  // true: stop
  bool see_dual(const std::vector<double>& alpha, std::int64_t round);
  bool see_ahead(std::int64_t round);
  bool polish(std::int64_t round);
  bool without_penalty(std::int64_t round);

  const LinearProblem& problem_;
  RowPasses passes_;
  LinearRecord record_;
  Index n_, d_, size_, stride_;            // size_: weights and offset; stride_: of the Hessian
  bool stand_for_more_, explicit_, wide_;  // wide: not many more rows than features
  bool proximal_ = false, best_ahead_ = false;
  std::vector<double> rate_, base_, moved_, longer_;  // of the proximal term; where the last polish came to
  Face face_;
  std::vector<double> w_, z_, alpha_, curvature_, centre_, gradient_, direction_, along_, ridge_;
  std::int64_t centred_ = 0;  // the round of the last centre, or of the last sharpness
  int short_steps_ = 0;       // since then
  bool softened_ = false;
  double spread_ = 1, sharpness_ = 0.3, mean_price_ = 0, mean_rate_ = 0;  // spread_: how far margins or targets are apart
  double decrement_ = 0;
  DualSums sums_, ahead_;
  std::vector<double> signed_[2];
  double primal_ = 0;
  std::vector<double> H_, L_, in_H_, some_, change_, offset_row_;  // in_H_: curvatures that are in H
  double offset_corner_ = 0;
  Index step_of_H_ = 0;     // every how manyth row is in H; 0: none
  std::int64_t tried_ = 0;  // iterations since H has had all rows
  std::vector<double> residual_, fitted_, search_, image_, diagonal_;
  std::unique_ptr<ConjugateGradients> gradients_;
};

}  // namespace maxmargin
