// The search of Crammer and Singer's problem. Used by search.cpp only.
#pragma once

#include <chrono>
#include <limits>

#include "maxmargin/crammer_singer/active_rows.hpp"
#include "maxmargin/crammer_singer/class_balance.hpp"
#include "maxmargin/crammer_singer/row_block.hpp"

namespace maxmargin {

// Blocks of rows until the gap is small. Before it is believed the class sums are made exactly 0.
template <class R>
class CrammerSingerSearch {
 public:
  CrammerSingerSearch(const CrammerSingerDual& problem, const Gram& gram, const double* beta, const double* bias,
                      const Options& options, const Monitor& monitor)
      : problem_(problem),
        options_(options),
        monitor_(monitor),
        offsets_(problem.classes, bias),
        rows_(problem, gram, beta, options.cache_bytes),
        block_(rows_, offsets_),
        balance_(rows_, offsets_, block_) {}
  CrammerSingerOutcome run();

 private:
  void search();
  bool shrink(double worst);
  bool proven();
  bool checkpoint(double violation);
  void stop_if_over();
  double relative_gap() const { return rows_.objectives(offsets_).relative_gap(); }

  const CrammerSingerDual& problem_;
  const Options& options_;
  const Monitor& monitor_;
  Offsets offsets_;
  ActiveRows<R> rows_;
  RowBlock<R> block_;
  ClassBalance<R> balance_;
  CrammerSingerOutcome outcome_;
  std::chrono::steady_clock::time_point start_, last_report_;
  std::int64_t next_checkpoint_ = 0;
  double last_objective_ = 0, last_violation_ = std::numeric_limits<double>::infinity();  // at the last checkpoint
  Index last_support_ = 0;
};

}  // namespace maxmargin
