// Newton's method for linear models.
//
// Smooth losses have the curvature that it needs. The hinge gets it from a proximal term in the dual,
//
//     max over 0 <= alpha <= C of  alpha (1 - z) - (alpha - centre)^2 / (2 penalty_parameter C),
//
// whose alpha = clip(centre + penalty_parameter C (1 - z)) becomes the next centre once the smoothed problem is nearly solved:
// the method of multipliers (Rockafellar 1976). With centre = C/2 at first this is Huber's hinge. It comes to the exact
// solution at a finite penalty parameter, so that the systems stay well conditioned however large C is. The tube has the same
// with -C <= alpha <= C, epsilon |alpha| less, and centre = 0 at first.
#pragma once

#include <memory>
#include <vector>

#include "maxmargin/linear/conjugate_gradients.hpp"
#include "maxmargin/linear/dual_sums.hpp"
#include "maxmargin/linear/face_polish.hpp"
#include "maxmargin/linear/record.hpp"
#include "maxmargin/linear/row_losses.hpp"
#include "maxmargin/linear/system.hpp"

namespace maxmargin {

class LinearNewton {
 public:
  LinearNewton(const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor);
  void begin_at(const LinearOutcome& start);  // else at 0
  void begin_with_some_rows(const LinearOptions& options, const Monitor& monitor);
  LinearOutcome run();

  static constexpr Index widest_factor = 1024;  // beyond that, conjugate gradients

 private:
  void place(const LinearOutcome& start);
  void evaluate_losses();  // alpha, curvature and the primal objective at w
  void combine_slopes();   // and its gradient
  void evaluate();         // both
  bool find_direction();   // false: stopped
  bool gains_little() const;
  double find_length();  // along the direction
  void step(double length);
  void begin_at_the_median();
  double unsolved() const;
  double offset_floor() const;
  void update_multipliers(std::int64_t round);
  bool relax(std::int64_t round);
  bool see(const ScaledDual& dual, const std::vector<double>& alpha, std::int64_t round);  // true: stop
  bool see_dual(const std::vector<double>& alpha, std::int64_t round);
  bool is_near() const;
  void look_ahead();
  bool see_ahead(std::int64_t round);
  bool polish(std::int64_t round);
  bool without_penalty(std::int64_t round);

  const LinearProblem& problem_;
  RowPasses passes_;
  LinearRecord record_;
  Index n_, d_, size_;                     // size_: weights and offset
  bool stand_for_more_, explicit_, wide_;  // wide: not many more rows than features
  RowLosses losses_;
  bool warm_ = false;  // begun at a given point
  bool best_ahead_ = false;
  std::vector<double> w_, z_, alpha_, curvature_, gradient_, direction_, along_, ridge_, change_, longer_;
  std::int64_t centred_ = 0;  // the round of the last centre, or of the last penalty_parameter
  int short_steps_ = 0;       // since then
  bool relaxed_ = false;
  double spread_ = 1, mean_C_;  // spread_: how far margins or targets are apart
  double decrement_ = 0, primal_ = 0;
  DualSums sums_, ahead_;
  std::vector<double> signed_[2];
  std::unique_ptr<LinearSystem> system_;  // or, with many features,
  std::unique_ptr<ConjugateGradients> gradients_;
  std::unique_ptr<FacePolish> polish_;
};

}  // namespace maxmargin
