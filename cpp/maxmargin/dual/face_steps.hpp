// Newton rounds: to the minimum on the face of the box where the free variables live.
#pragma once

#include "maxmargin/dual/active_set.hpp"

namespace maxmargin {

template <class R>
class FaceSteps {
 public:
  enum class Result { done, nothing_free, unfit };

  // Before 2n pair steps the free set has not settled: until a round has been tried, that is what it costs.
  FaceSteps(ActiveSet<R>& active, SearchState& state)
      : active_(active), state_(state), cost_(24.0 * active.size() * active.size()) {}

  Result take();
  // Computes gradient and objective anew from where the active set began; false if there is no room for the rows.
  bool refresh();
  // Multiply-adds that a round takes, by the last one.
  double cost() const { return cost_; }
  // Multiply-adds to factor the system of the variables that are free now.
  double factor_work() const;

 private:
  ActiveSet<R>& active_;
  SearchState& state_;
  double cost_;
};

}  // namespace maxmargin
