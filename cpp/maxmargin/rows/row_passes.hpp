// Passes over all rows of X that are stored here, shared by threads. Rows are cut into chunks by the data alone, and sums of
// chunks are added in their order: the same bits for any number of threads.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "maxmargin/platform/threads.hpp"
#include "maxmargin/rows/linear_rows.hpp"
#include "maxmargin/rows/row_operator.hpp"

namespace maxmargin {

class RowPasses final : public RowOperator {
 public:
  explicit RowPasses(const LinearRows& x);
  const LinearRows& x() const { return x_; }
  Index rows() const override { return x_.rows(); }
  Index columns() const override { return x_.columns(); }

  // Asked about every millisecond of a pass, on the thread that calls this; once it says true, this pass and all others end at
  // once, and their results mean nothing.
  void watch(std::function<bool()> stop);
  bool stopped() const { return stopped_; }

  void scores(const double* w, double* out) override;
  void combine(const double* a, double* sum) override;
  void curvature(const double* a, const double* p, const double* p_offset, double* out) override;
  void squares(const double* a, double* sum) override;
  void moments(double* mean, double* variance) override;
  void add_outer(const double* a, double* H, Index stride) override;
  void add_outer(const double* a, const SomeColumns& some, double* H, Index stride) override;
  // Calls body(chunk, begin, end) for all chunks of rows.
  void for_rows(const std::function<void(Index, Index, Index)>& body) const;
  Index chunks() const { return Index(bounds_.size()) - 1; }
  Index parts() const { return parts_; }  // of a sum over all rows

 private:
  void reduce(Index parts, std::size_t width, double* sum, const std::function<void(Index, Index, double*)>& body,
              double work_of_a_row);
  void reduce_parts(Index parts, std::size_t width, double* sum, const std::function<void(Index, Index, double*)>& body);
  void add_outer_with(const double* a, double* H, Index stride, const std::function<void(Index, Index, double*)>& body);
  Index parts_of_outer(const double* a, Index stride) const;
  bool halted() const;
  bool looks_away() const;
  static Index slice_of(double work_of_a_row);  // rows
  void in_slices(Index begin, Index end, double work_of_a_row, const std::function<void(Index, Index)>& body) const;

  const LinearRows& x_;
  double filled_;  // stored values of a row, on average
  std::function<bool()> stop_;
  ThreadId caller_;
  mutable unsigned passes_ = 0;  // short ones, of the caller
  mutable std::atomic<bool> stopped_{false};
  std::vector<Index> bounds_;  // of the chunks, by rows
  Index parts_ = 1;
  std::vector<double> room_;  // what the parts but the first add up
};

}  // namespace maxmargin
