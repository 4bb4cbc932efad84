// Which rows a sweep visits: those that have not settled, each as often as its steps have gained beside the others' (adaptive
// coordinate frequencies, Glasmachers and Dogan 2013).
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "maxmargin/platform/shuffle.hpp"

namespace maxmargin {

class Schedule {
 public:
  Schedule(Index rows, std::uint64_t seed) : shuffle_{seed}, rate_(1.0 / rows), rows_(rows), order_(rows), active_(rows) {
    // Credits at random: else all rows that come up in every fifth sweep would do so in the same one.
    for (Row& row : rows_) row = {1.0, double(shuffle_.next() >> 11) * 0x1p-53, false};
    std::iota(order_.begin(), order_.end(), 0);
    visits_.reserve(2 * std::size_t(rows));
  }

  // The rows of the next sweep, about as many as have not settled: each as often as it has credit for, in any order.
  void choose() {
    const auto unsettled = [&](Index i) { return !rows_[i].settled; };
    active_ = std::partition(order_.begin(), order_.begin() + active_, unsettled) - order_.begin();
    double sum = 0;
    for (std::ptrdiff_t k = 0; k < active_; ++k) sum += rows_[order_[k]].frequency;
    visits_.clear();
    for (std::ptrdiff_t k = 0; k < active_; ++k) {
      Row& row = rows_[order_[k]];
      row.frequency *= double(active_) / sum;
      for (row.credit += row.frequency; row.credit >= 1; row.credit -= 1) visits_.push_back(order_[k]);
    }
    shuffle_(visits_, visits_.size());
  }
  const std::vector<Index>& visits() const { return visits_; }
  double frequency(Index i) const { return rows_[i].frequency; }

  void learn(Index i, double gained) {
    const double gain = gained > 0 ? gained : 0.0;  // below it is rounding, and nan comes of rows too long for float64
    if (seen_ < rows_.size()) {                     // the first sweep says what a step gains on average
      mean_ += rate_ * gain;
      ++seen_;
      return;
    }
    if (!(mean_ > 0)) return;
    double& frequency = rows_[i].frequency;
    frequency = std::clamp(frequency * (1 + learning * (std::min(gain / mean_, most) - 1)), 1 / most, most);
    mean_ += rate_ * (gain - mean_);
  }

  // On a bound, and not about to leave it: left out until all come back.
  void settle(Index i) { rows_[i].settled = some_settled_ = true; }
  bool has_settled(Index i) const { return rows_[i].settled; }
  bool some_settled() const { return some_settled_; }
  void all_come_back() {
    for (Row& row : rows_) row.settled = false;
    active_ = std::ptrdiff_t(order_.size());
    some_settled_ = false;
  }

 private:
  static constexpr double learning = 0.2, most = 20;
  struct Row {
    double frequency, credit;
    bool settled;
  };

  Shuffle shuffle_;
  double rate_, mean_ = 0;  // of the gains
  std::size_t seen_ = 0;
  std::vector<Row> rows_;
  std::vector<Index> order_;  // the first `active_` take part
  std::ptrdiff_t active_;
  bool some_settled_ = false;
  std::vector<Index> visits_;
};

}  // namespace maxmargin
