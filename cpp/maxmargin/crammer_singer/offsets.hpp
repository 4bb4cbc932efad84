// Offsets of the classes as multipliers of the class sums, sum over rows of beta_ik.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

// The method of multipliers: a constant added to the kernel, the pull, draws the class sums to 0, and the offsets learn what it
// has to pull.
class Offsets {
 public:
  Offsets(Index classes, const double* bias)
      : classes_(classes), shift_(padded(classes), -1e300), bias_(padded(classes), 0.0), class_sum_(padded(classes), 0.0) {
    std::copy(bias, bias + classes, bias_.begin());
    set_shift();
  }

  static Index padded(Index classes) { return (classes + 7) / 8 * 8; }  // to whole vectors

  // What offset and pull add to the gradient of a class.
  double shift(Index k) const { return shift_[k]; }
  const double* shifts() const { return shift_.data(); }
  double pull() const { return pull_; }  // the constant added to K/2
  double class_sum(Index k) const { return class_sum_[k]; }
  std::vector<double>& class_sums() { return class_sum_; }

  // After the class sums have changed.
  void set_shift() {
    for (Index k = 0; k < classes_; ++k) shift_[k] = bias_[k] + pull_ * class_sum_[k];
  }
  void pull_by(double pull) {
    pull_ = pull;
    set_shift();
  }
  // The largest of the class sums.
  double imbalance() const {
    double most = 0;
    for (Index k = 0; k < classes_; ++k) most = std::max(most, std::abs(class_sum_[k]));
    return most;
  }
  // What the pull has to hold is the offsets' from now on.
  void take_over() { bias_ = shift_; }
  // The same; and if class sums have not fallen, the pull is twice as strong, up to the largest.
  void learn(double largest_pull) {
    take_over();
    const double most = imbalance();
    if (most > 0.5 * last_imbalance_) pull_ = std::min(2 * pull_, largest_pull);
    last_imbalance_ = most;
    set_shift();
  }

 private:
  Index classes_;
  double pull_ = 0;
  std::vector<double> shift_, bias_, class_sum_;
  double last_imbalance_ = 0;
};

}  // namespace maxmargin
