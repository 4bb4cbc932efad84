// A sum that keeps what each addition was rounded by.
#pragma once

#include <cmath>

namespace maxmargin {

// Its error is a last place of the result, and not one of each addition (Neumaier 1974, with Knuth's two-sum). Plain sums of
// many equal terms lose the same part again and again: of 10 000 some ten last places.
class CompensatedSum {
 public:
  CompensatedSum& operator+=(double term) {
    const double sum = sum_ + term, moved = sum - sum_;
    lost_ += (sum_ - (sum - moved)) + (term - moved);
    sum_ = sum;
    return *this;
  }
  // An infinite sum has lost nothing that can be told.
  double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0, lost_ = 0;
};

}  // namespace maxmargin
