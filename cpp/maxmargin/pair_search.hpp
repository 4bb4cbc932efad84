// Pair steps on an active set, with rows of one precision. Used by the engine only.
#pragma once

#include <memory>
#include <vector>

#include "maxmargin/engine.hpp"
#include "maxmargin/row_store.hpp"
#include "maxmargin/variables.hpp"

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

  void load_active();
  void store_active();
  void select();
  double violation() const;
  const R* row(Index p, Index pinned);
  void fill_queue();
  bool step(double violation);
  bool step_pair();
  bool step_single();
  bool note(const Move& move);
  bool checkpoint(double violation);
  bool shrink();
  double noise() const;
  bool stagnates();

  Newton newton();
  void refresh_gradient();
  void add_rows(const std::vector<double>& changes);

  bool blocks_pay(double violation);
  bool step_block(double violation);
  void choose_block();
  void load_block();

  const SignedDual& problem_;
  const Gram& gram_;
  const Options& options_;
  const Monitor& monitor_;
  State& state_;

  Variables<R> v_;  // the active ones
  std::vector<R> zeros_;
  // Where this active set began: a fresh gradient is this one plus the change.
  std::vector<double> first_beta_, first_gradient_;
  double first_objective_ = 0;

  std::unique_ptr<RowStore<R>> rows_;
  std::unique_ptr<RowMaker<R>> maker_;
  std::vector<Index> queue_;  // rows worth making together with a missing one

  bool due_ = false;  // time may have passed: rows were made

  std::vector<Index> block_;   // positions of the last block
  Variables<R> inner_;         // their copies
  std::vector<R> inner_rows_;  // their part of K
  Index block_size_ = 0;
  double halved_violation_ = 0;  // the violation when it last halved,
  int rounds_since_ = 0;         // and the blocks since

  Selection pair_{};
  Candidate single_{};
  double work_ = 0, newton_cost_ = 0;  // multiply-adds since the last Newton round, and what the next one would take
  double window_objective_ = 0;
  std::int64_t window_end_ = 0;
};

}  // namespace maxmargin
