// Steps of the search: a block of rows that violate most, and within it one row at a time. All coefficients of a row have a
// closed solution when those of the others are fixed (Crammer and Singer 2001).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "maxmargin/crammer_singer/active_rows.hpp"

namespace maxmargin {

// The block's coefficients move by themselves; `spread` takes them to the active rows, and all gradients along.
template <class R>
class RowBlock {
 public:
  RowBlock(ActiveRows<R>& rows, Offsets& offsets) : rows_(rows), offsets_(offsets), width_(Offsets::padded(rows.classes())) {}

  Index size() const { return Index(block_.size()); }
  Index row(Index a) const { return block_[a]; }
  double& beta(Index a, Index k) { return now_[in_block(a) + k]; }

  // The rows that violate more than the goal; the worst of them, if they are too many.
  void choose(double goal);
  // Without rows; and with one more, unless it is there already: its place.
  void clear();
  Index place(Index row);

  // Makes the kernel rows.
  void fetch() { rows_.fetch(block_); }
  // Steps in the row that violates most until none violates more than the goal; how many.
  std::int64_t solve(double goal, std::int64_t most_steps);
  // Brings all gradients to where the block has led; the largest violation then.
  double spread();
  bool has_moved() const { return now_ != before_; }

 private:
  std::ptrdiff_t in_block(Index a) const { return std::ptrdiff_t(a) * width_; }
  void solve_row(Index row, const double* beta, const double* gradient, double* change);

  ActiveRows<R>& rows_;
  Offsets& offsets_;
  Index width_;  // classes, padded to whole vectors
  std::vector<Index> block_;
  std::vector<double> inner_;                       // the part of a row of K/2 in it
  std::vector<double> before_, now_, near_, rise_;  // [row of the block][class]
  std::vector<double> z_;                           // [class]
  std::vector<std::pair<double, Index>> order_;
  std::vector<const R*> moved_;  // class after class, the rows of the block that moved in it, and by how much
  std::vector<double> moved_by_;
};

}  // namespace maxmargin
