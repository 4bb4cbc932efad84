// The search of the joint problem. Used by joint.cpp and joint_blocks.cpp only.
#pragma once

#include <memory>
#include <vector>

#include "maxmargin/joint.hpp"
#include "maxmargin/passes.hpp"
#include "maxmargin/row_store.hpp"

namespace maxmargin {

// Blocks of rows, and within a block one row at a time: all coefficients of a row have a closed solution when the others are
// fixed (Crammer and Singer 2001). Offsets are multipliers of the class totals; the method of multipliers finds them: a
// constant is added to the kernel, which pulls the totals to 0, and the offsets learn what it has to pull.
template <class R>
class JointSearch {
 public:
  JointSearch(const JointDual& problem, const Gram& gram, const Options& options, const Monitor& monitor);
  JointOutcome run();

 private:
  std::ptrdiff_t at(Index row, Index k) const { return std::ptrdiff_t(k) * n_ + row; }
  std::ptrdiff_t in_block(Index a) const { return std::ptrdiff_t(a) * width_; }
  double room(Index row, Index k) const { return k == label_[row] ? upper_[row] : 0.0; }
  void set_mask(Index row, Index k) {
    up_[at(row, k)] = beta_[at(row, k)] < room(row, k) ? 0.0F : std::numeric_limits<float>::infinity();
  }
  void learn_offsets() {
    for (Index k = 0; k < problem_.classes; ++k) bias_[k] += pull_ * total_[k];
    set_shift();
  }
  void set_shift() {
    for (Index k = 0; k < problem_.classes; ++k) shift_[k] = bias_[k] + pull_ * total_[k];
  }
  struct Objectives {
    double primal, dual;
  };
  struct Transfer {
    Index row, to;
    double cost;  // the violation it makes
  };

  void load();
  void store();
  void shrink(double worst);
  void unshrink();
  Objectives objectives() const;
  bool gap_is_small() const;
  bool checkpoint(double violation);
  double look();
  double imbalance() const;
  void choose_block();
  bool solve_block(double goal);
  void solve_row(Index row, const double* beta, const double* gradient, double* change);
  void spread_block();
  void balance();
  Transfer cheapest(Index from, Index to, double amount) const;

  const JointDual& problem_;
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
  std::vector<Index> label_, every_;
  std::unique_ptr<RowMaker<R>> maker_;
  double scale_ = 0;                          // mean of the diagonal of K/2
  double pull_ = 0;                           // the constant added to K/2
  std::vector<double> shift_, bias_, total_;  // by class; the shift is what offset and pull add to the gradient
  double target_ = 0.7 * options_.tol;
  std::vector<Index> block_;
  std::vector<float> inner_;                            // their part of K/2
  std::vector<double> before_, now_, near_, rise_, z_;  // [row of the block][class]
  std::vector<std::pair<double, Index>> order_;
  JointOutcome outcome_;
  std::chrono::steady_clock::time_point start_, last_report_;
  std::int64_t next_checkpoint_ = 0;
};

}  // namespace maxmargin
