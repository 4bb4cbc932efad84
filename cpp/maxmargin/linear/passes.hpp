// Passes over all rows of X for linear models, shared by threads. Rows are cut into chunks by the data alone, and sums of
// chunks are added in their order: the same bits for any number of threads.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "maxmargin/rows/features.hpp"

namespace maxmargin {

class LinearPasses {
 public:
  explicit LinearPasses(const Features& x);
  const Features& x() const { return x_; }

  // Asked about every millisecond of a pass, on the thread that calls this; once it says true, this pass and all others end at
  // once, and their results mean nothing.
  void watch(std::function<bool()> stop);
  bool stopped() const { return stopped_; }

  // out[i] = <w, x_i>
  void products(const double* w, double* out) const;
  // sum = sum over i of a_i x_i
  void combine(const double* a, double* sum);
  // out = sum over i of a_i (<p, x_i> + p_offset) (x_i, 1); without an offset the last is not written
  void curve(const double* a, const double* p, const double* p_offset, double* out);
  // sum = sum over i of a_i x_i^2, by coordinates
  void squares(const double* a, double* sum);
  // By columns the mean of x_i - origin and its variance (`Features::add_moments`).
  void moments(double* mean, double* variance);
  // Lower triangle of H += sum over i of a_i x_i x_i'; H has rows of `stride`, a multiple of 8.
  void add_outer(const double* a, double* H, Index stride);
  void add_outer(const double* a, const SomeColumns& some, double* H, Index stride);
  // Calls body(chunk, begin, end) for all chunks of rows.
  void for_rows(const std::function<void(Index, Index, Index)>& body) const;
  Index chunks() const { return Index(bounds_.size()) - 1; }
  Index parts() const { return parts_; }  // of a sum over all rows

 private:
  void reduce(Index parts, std::size_t width, double* sum, const std::function<void(Index, Index, double*)>& body,
              double work_of_a_row);
  Index parts_of_outer(const double* a, Index stride) const;
  double work_of_outer(Index stride) const;
  bool halted() const;
  void in_slices(Index begin, Index end, double work_of_a_row, const std::function<void(Index, Index)>& body) const;

  const Features& x_;
  double filled_;  // stored values of a row, on average
  std::function<bool()> stop_;
  std::thread::id caller_;
  mutable std::atomic<bool> stopped_{false};
  std::vector<Index> bounds_;  // of the chunks, by rows
  Index parts_ = 1;
  std::vector<double> room_;  // what the parts but the first add up
};

}  // namespace maxmargin
