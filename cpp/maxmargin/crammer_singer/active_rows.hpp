// The rows that a search of Crammer and Singer's problem looks at, with their coefficients, gradients and kernel rows.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "maxmargin/crammer_singer/offsets.hpp"
#include "maxmargin/crammer_singer/problem.hpp"
#include "maxmargin/dual/pair_passes.hpp"
#include "maxmargin/dual/row_store.hpp"

namespace maxmargin {

template <class R>
class ActiveRows {
 public:
  static constexpr Index piece = 512;  // of the rows, looked at or brought up to date at a time: it stays in the cache

  struct Objectives {
    double primal, dual;
    double relative_gap() const { return (primal - dual) / std::abs(primal); }
  };

  // All rows, from beta, [row][class].
  ActiveRows(const CrammerSingerDual& problem, const Gram& gram, const double* beta, std::size_t cache_bytes);

  Index size() const { return n_; }
  bool are_all() const { return n_ == problem_.n; }
  Index classes() const { return problem_.classes; }
  bool has_offsets() const { return problem_.offsets; }
  double scale() const { return scale_; }  // mean of the diagonal of K/2
  Index label(Index row) const { return label_[row]; }
  double diagonal(Index row) const { return diagonal_[row]; }  // of K/2
  double beta(Index row, Index k) const { return beta_[at(row, k)]; }
  double gradient(Index row, Index k) const { return gradient_[at(row, k)]; }  // without offsets and pull
  double* gradients(Index k) { return gradient_.data() + at(0, k); }
  double room(Index row, Index k) const { return k == label_[row] ? upper_[row] : 0.0; }  // how far a coefficient can rise
  float up(Index row, Index k) const { return up_[at(row, k)]; }  // 0 where it can still rise, else infinity
  void set(Index row, Index k, double beta) {
    beta_[at(row, k)] = beta;
    up_[at(row, k)] = beta < room(row, k) ? 0.0F : std::numeric_limits<float>::infinity();
  }
  // Sum of the coefficients of a class.
  double class_sum(Index k) const;
  // Rows with coefficients.
  Index support() const;

  // By how much each row violates the conditions, when last looked at.
  double violation(Index row) const { return violations_[row]; }
  // Looks at all rows, and gives the largest violation.
  double look(const Offsets& offsets);
  // At a piece of them, and the largest of all then.
  void look_at(Index begin, const Offsets& offsets);
  double worst() const;

  // At the present offsets. The dual has their part of the class sums too: then the gap is a sum over rows, none negative.
  Objectives objectives(const Offsets& offsets) const;

  // Kernel rows: how many can be held, those that are held, and those to hold.
  Index capacity() const { return rows_.capacity(); }
  std::int64_t rows_made() const { return rows_.rows_made(); }
  const R* kernel_row(Index row) const { return rows_.at(row); }
  void fetch(std::span<const Index> rows) { rows_.fetch(*maker_, rows, -1); }

  // Leaves out all rows but these.
  void keep(std::span<const Index> rows);
  // All rows again, with gradients computed anew.
  void take_all();
  // The coefficients of all rows, [row][class].
  std::vector<double> coefficients();

 private:
  std::ptrdiff_t at(Index row, Index k) const { return std::ptrdiff_t(k) * n_ + row; }
  std::ptrdiff_t in_all(Index row, Index k) const { return std::ptrdiff_t(k) * problem_.n + row; }
  void begin_from_all();
  void load();
  void store();

  const CrammerSingerDual& problem_;
  const Gram& gram_;
  std::size_t cache_bytes_;
  RowStore<R> rows_;
  std::unique_ptr<RowMaker<R>> maker_;
  std::vector<double> all_beta_, all_gradient_, all_diagonal_;  // of all rows; the first two [class][row]
  double scale_ = 0;
  std::vector<Index> active_;
  Index n_ = 0;
  std::vector<double> beta_, gradient_, upper_, diagonal_, violations_;  // of the active ones
  std::vector<float> up_;
  std::vector<Index> label_;
};

}  // namespace maxmargin
