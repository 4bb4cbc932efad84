#include "maxmargin/kernels/matrix_gram.hpp"

#include <algorithm>
#include <memory>

#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

void accumulate(Index n, Index count, const double* a, const float* const* rows, double* y) {
  simd().accumulate_f32(0, n, count, a, rows, y);
}
void accumulate(Index n, Index count, const double* a, const double* const* rows, double* y) {
  simd().accumulate_f64(0, n, count, a, rows, y);
}

// out = K beta
template <class R>
void multiply(const HeldRows<R>& rows, Index n, const double* beta, double* out) {
  std::vector<const R*> support;
  std::vector<double> coefficients;
  for (Index i = 0; i < n; ++i)
    if (beta[i] != 0.0) {
      support.push_back(rows.values + std::ptrdiff_t(i) * rows.stride);
      coefficients.push_back(beta[i]);
    }
  std::fill(out, out + n, 0.0);
  constexpr std::size_t batch = 1024;
  for (std::size_t k = 0; k < support.size(); k += batch) {
    poll_now();
    accumulate(n, Index(std::min(batch, support.size() - k)), &coefficients[k], &support[k], out);
  }
}

// Rows over an active set: all of them where they stand, of some their columns.
template <class R>
class Copies final : public RowMaker<R> {
 public:
  Copies(const HeldRows<R>& rows, std::span<const Index> active, bool whole)
      : rows_(rows), active_(active.begin(), active.end()), whole_(whole) {}
  HeldRows<R> held() const override { return whole_ ? rows_ : HeldRows<R>{}; }
  void make(std::span<const Index> positions, R* const* out) override {
    for (std::size_t p = 0; p < positions.size(); ++p) {
      const R* const from = rows_.values + std::ptrdiff_t(active_[positions[p]]) * rows_.stride;
      for (std::size_t k = 0; k < active_.size(); ++k) out[p][k] = from[active_[k]];
    }
  }

 private:
  HeldRows<R> rows_;
  std::vector<Index> active_;
  bool whole_;
};

}  // namespace

MatrixGram::MatrixGram(const KernelMatrix& matrix, bool single)
    : matrix_(matrix), inner_(matrix.gram()), n_(inner_.size()), single_(single), diagonal_(std::size_t(n_)) {
  inner_.diagonal(diagonal_.data());
}

HeldRows<double> MatrixGram::float64_rows() const {
  has_float64_ = true;
  return matrix_.rows<double>();
}

void MatrixGram::diagonal(double* out) const { std::copy(diagonal_.begin(), diagonal_.end(), out); }

void MatrixGram::block(std::span<const Index> rows, std::span<const Index> columns, double* out) const {
  inner_.block(rows, columns, out);
}

// With few support vectors their rows are computed sooner than all.
void MatrixGram::product(const double* beta, double* out, const Poll& poll) const {
  const auto support = std::count_if(beta, beta + n_, [](double b) { return b != 0.0; });
  if (!has_float64_ && 4 * support < n_) return inner_.product(beta, out, poll);
  multiply(float64_rows(), n_, beta, out);
}

void MatrixGram::rough_product(const double* beta, double* out, const Poll&) const {
  single_ ? multiply(matrix_.rows<float>(), n_, beta, out) : multiply(float64_rows(), n_, beta, out);
}

bool MatrixGram::are_all(std::span<const Index> active) const {
  return Index(active.size()) == n_ && std::is_sorted(active.begin(), active.end());
}

std::unique_ptr<RowMaker<float>> MatrixGram::rows_f32(std::span<const Index> active) const {
  return std::make_unique<Copies<float>>(matrix_.rows<float>(), active, are_all(active));
}

std::unique_ptr<RowMaker<double>> MatrixGram::rows_f64(std::span<const Index> active) const {
  asked_for_float64_ = true;
  if (!has_float64_ && 2 * Index(active.size()) < n_) return inner_.rows_f64(active);  // all would take longer
  return std::make_unique<Copies<double>>(float64_rows(), active, are_all(active));
}

}  // namespace maxmargin
