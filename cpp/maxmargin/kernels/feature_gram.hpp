// What dense and sparse feature Grams share: the rows in use, the centre, the linear short cut.
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "maxmargin/dual/row_groups.hpp"
#include "maxmargin/kernels/gram.hpp"
#include "maxmargin/kernels/kernel_traits.hpp"
#include "maxmargin/rows/packing.hpp"

namespace maxmargin {

// 0, 1, ..., n - 1
std::vector<Index> numbers(Index n);

// Wide sparse rows are not made dense.
bool stays_sparse(const TileRows& features);

// How the tiles of a kernel read rows.
Reading reading_of(const KernelFunction& kernel, bool centred);

class FeatureGram : public Gram {
 public:
  Index size() const final { return Index(rows_.size()); }
  void diagonal(double* out) const final;
  void product(const double* beta, double* out, const Poll& poll) const final;
  bool single_precision_suffices() const final;
  double offset_shift(const double* beta) const final;
  double off_sum_scale() const final;
  double score_scale() const final;
  const std::vector<Index>& used() const { return rows_; }
  const TileRows& features() const { return *features_; }
  const KernelFunction& kernel() const { return kernel_; }

 protected:
  FeatureGram(std::shared_ptr<const TileRows> features, const KernelFunction& kernel, std::vector<Index> subset,
              Reading reading);
  // of a combined kernel, or of rows that stay sparse
  virtual void own_diagonal(double* out) const = 0;
  virtual void kernel_product(std::span<const Index> support, const double* coefficients, double* out,
                              const Poll& poll) const = 0;
  std::vector<Index> global(std::span<const Index> local) const;
  std::shared_ptr<const TileRows> shared_features() const { return features_; }
  const Layout& layout() const { return features_->layout(reading_); }
  Reading reading() const { return reading_; }

 private:
  double square(Index row, std::vector<double>& room) const;
  RowSizes sizes(bool polls) const;
  std::vector<double> weights(const double* beta) const;

  std::shared_ptr<const TileRows> features_;
  KernelFunction kernel_;
  std::vector<Index> rows_;
  Reading reading_;
};

// Neighbouring support rows, and what they add to one row of results.
struct WeightedRun {
  Index begin, end, target;
  std::vector<double> coefficients;
};

class DenseGram final : public FeatureGram {
 public:
  DenseGram(std::shared_ptr<const TileRows> features, const KernelFunction& kernel, std::vector<Index> subset, bool centred)
      : FeatureGram(std::move(features), kernel, std::move(subset), reading_of(kernel, centred)) {}
  void block(std::span<const Index> rows, std::span<const Index> columns, double* out) const override;
  std::unique_ptr<RowMaker<float>> rows_f32(std::span<const Index> active) const override;
  std::unique_ptr<RowMaker<double>> rows_f64(std::span<const Index> active) const override;
  void rough_product(const double* beta, double* out, const Poll& poll) const override;
  void prepare() const override;

  // The same kernel of the same X?
  bool shares_kernel_with(const DenseGram& other) const {
    return &features() == &other.features() && kernel() == other.kernel() && reading() == other.reading();
  }
  // For each run: out[run.target][c] += sum over its support rows s of coefficients[s - begin] k(s, column c), in float64.
  // Support rows are numbers of the source's rows, columns of rows of x. Float32 rows must be whole.
  template <class T>
  void add_sums(const OrderedRows<T>& source, std::span<const Index> support, std::span<const WeightedRun> runs,
                const OrderedRows<T>& x, std::span<const Index> columns, double* out, const Poll& poll) const;
  // Some rows of X, to be used as a source again and again.
  template <class T>
  OrderedCopy<T> copy_of(std::span<const Index> rows) const {
    return copy_in_order<T>(features(), layout(), rows);
  }
  template <class T>
  OrderedRows<T> rows_of(const OrderedCopy<T>& copy) const {
    return {copy, layout()};
  }
  // All rows of X, each read when it is asked for.
  template <class T>
  OrderedRows<T> rows_of_x() const {
    return {features(), layout()};
  }
  // The same for many packings; in float32 from the copy that problems with some of the rows share.
  template <class T>
  OrderedRows<T> shared_rows_of_x() const {
    if constexpr (std::is_same_v<T, float>)
      if (shares_a_copy()) return {features().ordered(reading()), layout()};
    return rows_of_x<T>();
  }
  // Are inner products, or whatever the kernel sums up, exact in float32?
  bool is_whole() const { return layout().whole && is_exact_for_whole_rows(kernel(), layout().largest_square); }

 private:
  void own_diagonal(double* out) const override;
  void kernel_product(std::span<const Index> support, const double* coefficients, double* out, const Poll& poll) const override;
  // Problems with some of the rows, as pairs of classes are, share one copy of all of them.
  bool shares_a_copy() const;
};

// The Grams, if all are dense ones that share kernel and X; else none.
std::vector<const DenseGram*> of_one_kernel(std::span<const Gram* const> grams);
// Which rows of their X they have in common.
std::vector<RowGroup> row_groups(std::span<const DenseGram* const> grams);

class SparseGram final : public FeatureGram {
 public:
  SparseGram(std::shared_ptr<const TileRows> features, const KernelFunction& kernel, std::vector<Index> subset)
      : FeatureGram(std::move(features), kernel, std::move(subset), Reading{}) {}
  void block(std::span<const Index> rows, std::span<const Index> columns, double* out) const override;
  std::unique_ptr<RowMaker<float>> rows_f32(std::span<const Index> active) const override;
  std::unique_ptr<RowMaker<double>> rows_f64(std::span<const Index> active) const override;
  // outs[p] = K betas[p]: each kernel value once for all of them, and the same bits as one by one.
  void products_of(std::span<const double* const> betas, std::span<double* const> outs, const Poll& poll) const;

 private:
  void own_diagonal(double* out) const override;
  void kernel_product(std::span<const Index> support, const double* coefficients, double* out, const Poll& poll) const override;
  // Calls use(those, values) for some of the rows at a time, with the kernel values of each against all rows.
  template <class Use>
  void for_some_rows(std::span<const Index> rows, const Poll& poll, const Use& use) const;
};

void dense_weighted_sums(const KernelFunction& kernel, const TileRows& rows, const TileRows& support,
                         const double* coefficients, Index coefficient_rows, std::span<const Index> bounds, double* out,
                         const Poll& poll);
void sparse_weighted_sums(const KernelFunction& kernel, const TileRows& rows, const TileRows& support,
                          const double* coefficients, Index coefficient_rows, std::span<const Index> bounds, double* out,
                          const Poll& poll);
void dense_cross_kernel(const KernelFunction& kernel, const TileRows& left, const TileRows& right, double* out,
                        const Poll& poll);
void sparse_cross_kernel(const KernelFunction& kernel, const TileRows& left, const TileRows& right, double* out,
                         const Poll& poll);

}  // namespace maxmargin
