// Pair steps on an active set, with rows of one precision. Used by the engine only.
#pragma once

#include <memory>
#include <vector>

#include "maxmargin/engine.hpp"
#include "maxmargin/row_store.hpp"

namespace maxmargin {

// What a run keeps when the active set or the precision of its rows changes.
struct State {
  std::vector<double> beta, gradient, diagonal;  // over all n variables; gradients of inactive ones are not kept up
  std::vector<Index> active;
  double objective = 0;
  double diagonal_scale = 0;
  Outcome outcome;
  std::chrono::steady_clock::time_point start, last_report;
  std::int64_t next_checkpoint = 0;
};

// Active sets up to this size get float64 rows and the exact finish.
constexpr Index exact_limit = 6000;
// Newton systems up to this size are factored.
constexpr Index face_limit = 1500;

template <class R>
class PairSearch {
 public:
  PairSearch(const SignedDual& problem, const Gram& gram, const Options& options, const Monitor& monitor, State& state);

  // Runs to an ending, which is put into the state; returns false if instead the active set has become small enough for
  // float64 rows: the caller then goes on with those.
  bool run();

 private:
  enum class Newton { done, nothing_free, unfit };

  PairView<R> view();
  void load_active();
  void store_active();
  void set_masks(Index p);
  void select();
  double violation() const;
  const R* row(Index p, Index pinned);
  void fill_queue();
  bool step_pair();
  bool step_single();
  void note_curvature(double curvature, double scale);
  bool checkpoint(double violation);
  bool shrink();
  double noise() const;
  bool stagnates();

  Newton newton();
  void refresh_gradient();

  const SignedDual& problem_;
  const Gram& gram_;
  const Options& options_;
  const Monitor& monitor_;
  State& state_;

  Index n_ = 0;  // how many variables are active
  // Compact copies over the active set; those that passes read are padded to whole vectors.
  std::vector<double> gradient_, up_, down_, beta_, lower_, upper_, ridge_;
  std::vector<R> diagonal_, zeros_;
  // Where this active set began: a fresh gradient is this one plus the change.
  std::vector<double> first_beta_, first_gradient_;
  double first_objective_ = 0;

  std::unique_ptr<RowStore<R>> rows_;
  std::unique_ptr<RowMaker<R>> maker_;
  std::vector<Index> queue_;  // rows worth making together with a missing one

  bool due_ = false;  // time may have passed: rows were made

  Selection pair_{};
  Candidate single_{};
  double newton_cost_ = 0, window_objective_ = 0;
  std::int64_t window_end_ = 0;
};

}  // namespace maxmargin
