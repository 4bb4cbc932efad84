// A Gram seen through signs and a constant: s_i s_j (K_ij + c). With c = 1 its model has a constant feature that is penalised
// like the others; with the labels as signs its variables are the unsigned ones.
#include <cmath>

#include "maxmargin/kernels/gram.hpp"

namespace maxmargin {

namespace {

class AdjustedGram final : public Gram {
 public:
  AdjustedGram(std::shared_ptr<const Gram> inner, std::vector<double> signs, double constant)
      : inner_(std::move(inner)), signs_(std::move(signs)), constant_(constant) {}

  Index size() const override { return inner_->size(); }
  void diagonal(double* out) const override {
    inner_->diagonal(out);
    for (Index i = 0; i < size(); ++i) out[i] += constant_;
  }
  void block(std::span<const Index> rows, std::span<const Index> columns, double* out) const override {
    inner_->block(rows, columns, out);
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c = 0; c < columns.size(); ++c, ++out) *out = signs_[rows[r]] * signs_[columns[c]] * (*out + constant_);
  }
  void product(const double* beta, double* out, const Poll& poll) const override {
    std::vector<double> turned(size());
    double total = 0;
    for (Index i = 0; i < size(); ++i) total += turned[i] = signs_[i] * beta[i];
    inner_->product(turned.data(), out, poll);
    for (Index i = 0; i < size(); ++i) out[i] = signs_[i] * (out[i] + constant_ * total);
  }
  std::unique_ptr<RowMaker<float>> rows_f32(std::span<const Index> active) const override {
    return std::make_unique<Maker<float>>(*this, inner_->rows_f32(active), active);
  }
  std::unique_ptr<RowMaker<double>> rows_f64(std::span<const Index> active) const override {
    return std::make_unique<Maker<double>>(*this, inner_->rows_f64(active), active);
  }
  bool single_precision_suffices() const override { return inner_->single_precision_suffices(); }
  bool is_of_float32() const override { return inner_->is_of_float32(); }
  double score_scale() const override { return inner_->score_scale() + std::abs(constant_); }
  bool is_opaque() const override { return inner_->is_opaque(); }

 private:
  template <class R>
  class Maker final : public RowMaker<R> {
   public:
    Maker(const AdjustedGram& gram, std::unique_ptr<RowMaker<R>> inner, std::span<const Index> active)
        : inner_(std::move(inner)), constant_(R(gram.constant_)) {
      for (const Index i : active) signs_.push_back(R(gram.signs_[i]));
    }
    void make(std::span<const Index> positions, R* const* out) override {
      inner_->make(positions, out);
      for (std::size_t p = 0; p < positions.size(); ++p)
        for (std::size_t c = 0; c < signs_.size(); ++c) out[p][c] = signs_[positions[p]] * signs_[c] * (out[p][c] + constant_);
    }

   private:
    std::unique_ptr<RowMaker<R>> inner_;
    std::vector<R> signs_;
    R constant_;
  };

  std::shared_ptr<const Gram> inner_;
  std::vector<double> signs_;
  double constant_;
};

}  // namespace

std::unique_ptr<Gram> make_adjusted_gram(std::shared_ptr<const Gram> inner, std::vector<double> signs, double constant) {
  return std::make_unique<AdjustedGram>(std::move(inner), std::move(signs), constant);
}

}  // namespace maxmargin
