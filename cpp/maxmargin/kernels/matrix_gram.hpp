// All kernel values of some rows, computed once: for one fit after the other that differ in everything but these.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/kernels/gram.hpp"
#include "maxmargin/platform/mapping.hpp"

namespace maxmargin {

// The values are those of another Gram, which must live as long. Float32 rows are made with the matrix, float64 rows when they
// are first asked for. One thread uses it.
class MatrixGram final : public Gram {
 public:
  // `single`: float32 rows suffice to begin with.
  MatrixGram(const Gram& inner, bool single);
  ~MatrixGram() override;
  MatrixGram(const MatrixGram&) = delete;
  MatrixGram& operator=(const MatrixGram&) = delete;
  static std::size_t bytes(Index n);  // at most

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
  template <class R>
  class Rows;
  template <class R>
  class Copies;

  template <class R>
  const Rows<R>& rows() const;
  bool are_all(std::span<const Index> active) const;

  const Gram& inner_;
  Index n_;
  bool single_;
  std::vector<double> diagonal_;
  mutable std::unique_ptr<Rows<float>> float32_;
  mutable std::unique_ptr<Rows<double>> float64_;
  mutable bool asked_for_float64_ = false;
};

}  // namespace maxmargin
