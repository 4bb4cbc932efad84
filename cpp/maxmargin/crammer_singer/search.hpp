// The search of Crammer and Singer's problem. Used by search.cpp, blocks.cpp and class_sums.cpp only.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "maxmargin/crammer_singer/problem.hpp"
#include "maxmargin/dual/pair_passes.hpp"
#include "maxmargin/dual/row_store.hpp"

namespace maxmargin {

// Blocks of rows, and within a block one row at a time: all coefficients of a row have a closed solution when the others are
// fixed (Crammer and Singer 2001). Offsets are multipliers of the class sums; the method of multipliers finds them: a
// constant is added to the kernel, which pulls the class sums to 0, and the offsets learn what it has to pull. Before the gap
// is believed the class sums are made exactly 0.
template <class R>
class CrammerSingerSearch {
 public:
  CrammerSingerSearch(const CrammerSingerDual& problem, const Gram& gram, const double* beta, const double* bias,
                      const Options& options, const Monitor& monitor);
  CrammerSingerOutcome run();

 private:
  std::ptrdiff_t at(Index row, Index k) const { return std::ptrdiff_t(k) * n_ + row; }
  std::ptrdiff_t in_block(Index a) const { return std::ptrdiff_t(a) * width_; }
  double room(Index row, Index k) const { return k == label_[row] ? upper_[row] : 0.0; }
  void set_mask(Index row, Index k) {
    up_[at(row, k)] = beta_[at(row, k)] < room(row, k) ? 0.0F : std::numeric_limits<float>::infinity();
  }
  void set_shift() {
    for (Index k = 0; k < problem_.classes; ++k) shift_[k] = bias_[k] + pull_ * class_sum_[k];
  }
  struct Objectives {
    double primal, dual;
  };

  void load();
  void store();
  bool shrink(double worst);
  void begin_from_all();
  Objectives objectives() const;
  double relative_gap() const;
  bool proven();
  bool checkpoint(double violation);
  void stop_if_over();
  void search();
  double look();
  void look_at(Index begin);
  double imbalance() const;
  void learn_offsets();
  void choose_block(double goal);
  bool solve_block(double goal);
  void solve_row(Index row, const double* beta, const double* gradient, double* change);
  double spread_block();
  void balance();
  void balance_in_haste();
  bool move_class_sums(double portion, double some);
  Index place_in_block(Index row);

  const CrammerSingerDual& problem_;
  const Gram& gram_;
  const Options& options_;
  const Monitor& monitor_;
  Index width_;  // classes, padded to whole vectors
  RowStore<R> rows_;
  std::vector<double> all_beta_, all_gradient_, all_diagonal_;  // of all rows; the first two [class][row]
  std::vector<Index> active_;                                   // the rows that the search looks at
  // Of these: the gradient is without offsets and pull, masks are 0 where a coefficient can rise, else infinity.
  Index n_ = 0;
  std::vector<double> beta_, gradient_, upper_, diagonal_, violations_;
  std::vector<float> up_;
  std::vector<Index> label_;
  std::unique_ptr<RowMaker<R>> maker_;
  double scale_ = 0;                              // mean of the diagonal of K/2
  double pull_ = 0;                               // the constant added to K/2
  std::vector<double> shift_, bias_, class_sum_;  // by class; the shift is what offset and pull add to the gradient
  double last_imbalance_ = 0;
  std::vector<Index> block_;
  std::vector<double> inner_;                           // the part of a row of K/2 in it
  std::vector<double> before_, now_, near_, rise_, z_;  // [row of the block][class]
  std::vector<std::pair<double, Index>> order_;
  std::vector<const R*> moved_;  // class after class, the rows of the block that moved in it, and by how much
  std::vector<double> moved_by_;
  CrammerSingerOutcome outcome_;
  std::chrono::steady_clock::time_point start_, last_report_;
  std::int64_t next_checkpoint_ = 0;
  double last_objective_ = 0, last_violation_ = std::numeric_limits<double>::infinity();  // at the last checkpoint
  Index last_support_ = 0;
};

}  // namespace maxmargin
