// Steps in the pair of variables that gains most; without a sum to keep, in one variable.
#pragma once

#include <vector>

#include "maxmargin/dual/active_set.hpp"

namespace maxmargin {

template <class R>
class PairSteps {
 public:
  PairSteps(ActiveSet<R>& active, SearchState& state) : active_(active), state_(state) {}

  // One step; false when it moves nothing.
  bool take() { return active_.keeps_nothing() ? step_single() : step_pair(); }
  // Multiply-adds of one.
  double work() const { return 12.0 * active_.size(); }

 private:
  bool step_pair();
  bool step_single();
  const R* row(Index p, Index pinned);
  void fill_queue();

  ActiveSet<R>& active_;
  SearchState& state_;
  std::vector<Index> queue_, wanted_;  // rows worth making together with a missing one
};

}  // namespace maxmargin
