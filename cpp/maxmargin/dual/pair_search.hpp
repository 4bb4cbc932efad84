// The search over an active set with rows of one precision: pair steps, blocks of them, and Newton rounds. Used by the engine
// only.
#pragma once

#include <limits>
#include <vector>

#include "maxmargin/dual/active_set.hpp"
#include "maxmargin/dual/block_steps.hpp"
#include "maxmargin/dual/face_steps.hpp"
#include "maxmargin/dual/pair_steps.hpp"

namespace maxmargin {

// Active sets up to this size get float64 rows, where the tolerance asks for them, and the exact finish.
constexpr Index exact_limit = 6000;
// At smaller tolerances float32 rows only lead up to that.
constexpr double float_tol = 1e-4;
// Active sets up to this size get float64 rows at any tolerance: they cost next to nothing there.
constexpr Index float_floor = 200;

template <class R>
class PairSearch {
 public:
  PairSearch(const SignedDual& problem, const Gram& gram, const Options& options, const Monitor& monitor, SearchState& state);

  // Runs to its end, which is put into the state; returns false if instead the active set has become small enough for
  // float64 rows: the caller then goes on with those.
  bool run();

 private:
  using Newton = typename FaceSteps<R>::Result;

  bool search();
  bool step(double violation);
  bool step_pairs();
  Newton newton();
  bool checkpoint(double violation);
  bool shrinking_pays();
  void shrink();
  std::int64_t shrink_interval() const { return std::max<std::int64_t>(200, active_.size() / 8); }
  double quick_steps() const;
  bool wants_float64() const;
  bool gap_is_small() const;
  bool stagnates();

  const Options& options_;
  const Monitor& monitor_;
  SearchState& state_;
  ActiveSet<R> active_;
  PairSteps<R> pairs_;
  BlockSteps<R> blocks_;
  FaceSteps<R> face_;

  double target_ = 0;
  double work_ = 0;  // multiply-adds since the last Newton round
  std::int64_t next_shrink_ = 0;
  std::vector<Index> near_;  // what shrinking would keep, if it pays
  // At the ends of windows of steps; the lowest violation at any time.
  double lowest_objective_ = std::numeric_limits<double>::infinity(), lowest_violation_ = lowest_objective_;
  double window_violation_ = lowest_objective_, window_gap_ = lowest_objective_;
  std::int64_t window_end_ = 0;
};

}  // namespace maxmargin
