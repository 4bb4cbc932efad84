// Steps in blocks: some hundred variables that violate most are taken out, their part of K is gathered once, pair steps run
// inside it at cache speed, and all gradients are brought up to date by one pass over the rows of those that moved. Rows are
// made for a whole block at once.
#pragma once

#include <utility>
#include <vector>

#include "maxmargin/dual/active_set.hpp"

namespace maxmargin {

template <class R>
class BlockSteps {
 public:
  BlockSteps(ActiveSet<R>& active, const Options& options, SearchState& state)
      : active_(active), options_(options), state_(state) {}

  // Whether to take a block next, from a point with this violation: many variables move, and rows are costly. Blocks that do
  // not halve the violation for long become larger.
  bool pay(double violation);
  // A block; false if nothing moved.
  bool take(double violation);
  // Multiply-adds of the last one.
  double work() const { return work_; }
  // The active variables are others now.
  void forget() { block_.clear(); }

 private:
  void choose();
  void load();

  ActiveSet<R>& active_;
  const Options& options_;
  SearchState& state_;
  std::vector<Index> block_;  // positions of the last block
  std::vector<char> taken_;
  std::vector<std::pair<R, Index>> candidates_;
  Variables<R> inner_;         // their copies
  std::vector<R> inner_rows_;  // their part of K
  Index block_size_ = 512;
  double halved_violation_ = 0;  // the violation when it last halved,
  int rounds_since_ = 0;         // and the blocks since
  double work_ = 0;
};

}  // namespace maxmargin
