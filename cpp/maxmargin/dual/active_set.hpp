// The variables that a pair search moves now, their two gradients, and the kernel rows over them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "maxmargin/dual/pair_passes.hpp"
#include "maxmargin/dual/row_store.hpp"
#include "maxmargin/dual/search_state.hpp"

namespace maxmargin {

// Steps go by a gradient with the precision of the rows, in `variables`. A float64 gradient is brought after them from time to
// time, from the changes of the variables: it tells how near the end is.
template <class R>
class ActiveSet {
 public:
  // Slopes of a side: the lowest that would rise, the highest that would fall, and between them the level that free variables
  // have at the optimum.
  struct Levels {
    double lowest, highest, middle;
  };

  // Of the variables that are active in the state.
  ActiveSet(const SignedDual& problem, const Gram& gram, std::size_t cache_bytes, SearchState& state);

  Index size() const { return variables.n; }
  const SignedDual& problem() const { return problem_; }
  bool keeps_nothing() const { return problem_.keep == Keep::nothing; }  // variables then move one at a time
  bool is_of_float32() const { return gram_.is_of_float32(); }
  double gradient(Index k) const { return gradient_[k]; }
  bool has_moved(Index k) const { return variables.beta[k] != first_beta_[k]; }
  RowStore<R>& rows() { return rows_; }
  const RowStore<R>& rows() const { return rows_; }
  // Makes the rows that are missing; `pinned` (or -1) is not thrown out for them.
  void fetch(std::span<const Index> positions, Index pinned) { rows_.fetch(*maker_, positions, pinned); }

  // Chooses what to step in next, by the gradient of the steps.
  void select();
  double violation() const { return keeps_nothing() ? single.violation : pairs.violation(); }

  // Rows may be thrown out before the float64 gradient catches up: it must go along with every step.
  bool is_tight() const { return sizeof(R) == 4 && rows_.capacity() < size(); }
  // The float64 gradient's own part of a step in one variable, and the part of the rows.
  void follow(Index a, double step) {
    gradient_[a] += step * variables.ridge[a];
    caught_up_[a] = variables.beta[a];
  }
  void follow_rows(Index count, const double* steps, const R* const* rows) {
    accumulate_with(0, size(), count, steps, rows, gradient_.data());
  }

  // Brings the float64 gradient to where the steps have led. They go on from it.
  void catch_up();
  // The float64 gradient from where this active set began, so that the errors of thousands of steps do not add up; the
  // objective of the state too.
  void refresh_gradient();
  // The steps go on from the float64 gradient.
  void take_gradient();

  // About the error of a component of the gradient that the rounding of the rows' values makes.
  double noise() const;
  // The duality gap at the offset of the free variables. Inactive variables add nothing to it.
  double gap() const;
  // The same as it may be told: float32 rows know the objective up to their rounding, however well the search solves them.
  double told_gap() const;
  // And what of a violation float32 rows cannot tell.
  double untold_violation() const { return sizeof(R) == 4 ? noise() : 0.0; }
  double abs_sum() const;
  // Variables that are not 0, of the inactive ones too.
  Index support() const;

  // To the state.
  void store() const;
  // Leaves out all variables but these (ascending).
  void keep(std::span<const Index> positions);

  Variables<R> variables;
  PairChoice pairs;    // chosen,
  Candidate single{};  // where no sum is kept

 private:
  void load();
  void add_rows();
  Levels levels(std::size_t side) const;

  const SignedDual& problem_;
  const Gram& gram_;
  SearchState& state_;
  RowStore<R> rows_;
  std::unique_ptr<RowMaker<R>> maker_;
  std::vector<double> gradient_, caught_up_;  // in float64, and the point where it is exact: of the last time it caught up
  std::vector<double> changes_;               // of the variables, since then or since the beginning
  std::vector<double> first_beta_, first_gradient_;  // where this active set began
  double first_objective_ = 0;
  Index support_elsewhere_ = 0;  // inactive variables that are not 0
};

}  // namespace maxmargin
