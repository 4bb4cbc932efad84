// A fit's view of a kernel matrix that is computed once for many fits.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "maxmargin/kernels/gram.hpp"
#include "maxmargin/kernels/kernel_matrix.hpp"

namespace maxmargin {

// One thread uses it. Which values it takes from the matrix depends on what it was asked for itself, not on what others have
// made there: the bits of a fit do not depend on who runs beside it.
class MatrixGram final : public Gram {
 public:
  // `single`: float32 rows suffice to begin with. The matrix must live as long.
  MatrixGram(const KernelMatrix& matrix, bool single);

  Index size() const override { return n_; }
  void diagonal(double* out) const override;
  void block(std::span<const Index> rows, std::span<const Index> columns, double* out) const override;
  void product(const double* beta, double* out, const Poll& poll) const override;
  void rough_product(const double* beta, double* out, const Poll& poll) const override;
  std::unique_ptr<RowMaker<float>> rows_f32(std::span<const Index> active) const override;
  std::unique_ptr<RowMaker<double>> rows_f64(std::span<const Index> active) const override;
  bool single_precision_suffices() const override { return single_; }
  bool is_of_float32() const override { return inner_.is_of_float32(); }
  double offset_shift(const double* beta) const override { return inner_.offset_shift(beta); }
  double off_sum_scale() const override { return inner_.off_sum_scale(); }
  double score_scale() const override { return inner_.score_scale(); }

  // Were float64 rows asked for since the last call?
  bool used_float64() const { return std::exchange(asked_for_float64_, false); }

 private:
  HeldRows<double> float64_rows() const;
  bool are_all(std::span<const Index> active) const;

  const KernelMatrix& matrix_;
  const Gram& inner_;
  Index n_;
  bool single_;
  std::vector<double> diagonal_;
  mutable bool has_float64_ = false, asked_for_float64_ = false;
};

}  // namespace maxmargin
