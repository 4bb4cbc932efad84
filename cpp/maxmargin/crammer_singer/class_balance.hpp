// Makes the class sums exactly 0, at the offsets as they are: before a gap is believed, and at the end.
#pragma once

#include "maxmargin/crammer_singer/row_block.hpp"

namespace maxmargin {

template <class R>
class ClassBalance {
 public:
  // The block is used, and left without meaning.
  ClassBalance(ActiveRows<R>& rows, Offsets& offsets, RowBlock<R>& block) : rows_(rows), offsets_(offsets), block_(block) {}

  // In rows where that costs least; gradients follow.
  void restore();
  // Where the search ends and nobody waits for a better point: from class to class directly, and no gradient follows, which for
  // many classes takes kernel rows and many times as long.
  void restore_in_haste();

 private:
  void count();
  bool move(double portion, double some);

  ActiveRows<R>& rows_;
  Offsets& offsets_;
  RowBlock<R>& block_;
};

}  // namespace maxmargin
