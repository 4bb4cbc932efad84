// Pair steps on an active set, with rows of one precision. Used by the engine only.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "maxmargin/dual/engine.hpp"
#include "maxmargin/dual/pair_passes.hpp"
#include "maxmargin/dual/row_store.hpp"

namespace maxmargin {

// What a run keeps when the active set or the precision of its rows changes.
struct State {
  std::vector<double> beta, gradient, diagonal;  // over all n variables; gradients of inactive ones are not kept up
  std::vector<Index> active;
  double objective = 0;
  double diagonal_scale = 0;
  double known_violation = 0;  // of all variables when last known, where the active ones cannot tell it
  Outcome outcome;
  std::chrono::steady_clock::time_point start, last_report;
  std::int64_t next_checkpoint = 0, next_note = 0;
  double violation = std::numeric_limits<double>::infinity();  // when last known, for reports from the middle of something,
  Index n_support = 0;
  const Monitor* monitor = nullptr;  // and who gets them

  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }
  // In the middle of something: throws `Stopped` if the run must end here.
  void poll(const Deadline& deadline);
};

// Active sets up to this size get float64 rows, where the tolerance asks for them, and the exact finish.
constexpr Index exact_limit = 6000;
// At smaller tolerances float32 rows only lead up to that.
constexpr double float_tol = 1e-4;
// Active sets up to this size get float64 rows at any tolerance: they cost next to nothing there.
constexpr Index float_floor = 200;
// Blocks from this size on: below it, a step over all active variables costs less than to gather them. Threads share the work
// of a block, so it pays earlier for a problem that has them to itself.
constexpr Index block_floor = 10000, block_floor_alone = 5000;
// Newton systems up to this size are factored.
constexpr Index face_limit = 1500;

template <class R>
class PairSearch {
 public:
  PairSearch(const SignedDual& problem, const Gram& gram, const Options& options, const Monitor& monitor, State& state);

  // Runs to its end, which is put into the state; returns false if instead the active set has become small enough for
  // float64 rows: the caller then goes on with those.
  bool run();

 private:
  bool search();
  enum class Newton { done, nothing_free, unfit };

  void load_active();
  void store_active();
  void select();
  double violation() const;
  const R* row(Index p, Index pinned);
  void fill_queue();
  bool step(double violation);
  bool step_pairs();
  bool step_pair();
  bool step_single();
  bool note(const Move& move);
  bool checkpoint(double violation);
  void note_progress(std::int64_t steps);
  std::int64_t steps_to_checkpoint(std::int64_t steps) const;
  bool shrinking_pays();
  void shrink();
  std::int64_t shrink_interval() const { return std::max<std::int64_t>(200, v_.n / 8); }
  double noise() const;
  bool wants_float64() const;
  struct Levels {
    double lowest, highest, middle;
  };
  Levels levels(std::size_t side) const;
  double gap() const;
  bool gap_is_small() const;
  bool stagnates();

  Newton newton();
  double newton_work() const;
  void refresh_gradient();
  void add_rows(const std::vector<double>& changes);
  void take_gradient();
  void catch_up();
  void follow(Index a, double step);
  // Rows may be thrown out before the float64 gradient catches up: it must go along with every step.
  bool is_tight() const { return sizeof(R) == 4 && rows_->capacity() < v_.n; }

  bool blocks_pay(double violation);
  bool step_block(double violation);
  void choose_block();
  void load_block();

  const SignedDual& problem_;
  const Gram& gram_;
  const Options& options_;
  const Monitor& monitor_;
  State& state_;

  Variables<R> v_;  // the active ones; steps are chosen by their gradient
  // The gradient in float64, and the point where it is exact: that of the last time it caught up.
  std::vector<double> gradient_, caught_up_;
  std::vector<double> changes_;
  // Where this active set began: a fresh gradient is this one plus the change.
  std::vector<double> first_beta_, first_gradient_;
  double first_objective_ = 0;

  std::unique_ptr<RowStore<R>> rows_;
  std::unique_ptr<RowMaker<R>> maker_;
  std::vector<Index> queue_, wanted_;  // rows worth making together with a missing one

  std::vector<Index> block_;  // positions of the last block
  std::vector<char> taken_;
  std::vector<std::pair<R, Index>> candidates_;
  Variables<R> inner_;         // their copies
  std::vector<R> inner_rows_;  // their part of K
  Index block_size_ = 0;
  double halved_violation_ = 0;  // the violation when it last halved,
  int rounds_since_ = 0;         // and the blocks since

  PairChoice pairs_;
  Candidate single_{};
  double target_ = 0;
  double work_ = 0, newton_cost_ = 0;  // multiply-adds since the last Newton round, and what the next one would take
  std::int64_t next_shrink_ = 0;
  std::vector<Index> near_;  // what shrinking would keep, if it pays
  double window_objective_ = 0;
  std::int64_t window_end_ = 0;
  Index support_elsewhere_ = 0;  // inactive variables that are not 0
};

}  // namespace maxmargin
