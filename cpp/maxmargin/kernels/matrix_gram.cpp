#include "maxmargin/kernels/matrix_gram.hpp"

#include <algorithm>
#include <numeric>

#include "maxmargin/dual/row_store.hpp"
#include "maxmargin/platform/buffer.hpp"
#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

void accumulate(Index n, Index count, const double* a, const float* const* rows, double* y) {
  simd().accumulate_f32(0, n, count, a, rows, y);
}
void accumulate(Index n, Index count, const double* a, const double* const* rows, double* y) {
  simd().accumulate_f64(0, n, count, a, rows, y);
}

std::unique_ptr<RowMaker<float>> maker_of(const Gram& gram, std::span<const Index> active, float) {
  return gram.rows_f32(active);
}
std::unique_ptr<RowMaker<double>> maker_of(const Gram& gram, std::span<const Index> active, double) {
  return gram.rows_f64(active);
}

}  // namespace

// All rows with one precision.
template <class R>
class MatrixGram::Rows {
 public:
  explicit Rows(const Gram& inner)
      : n_(inner.size()), stride_(RowStore<R>::stride_of(n_)), memory_(std::size_t(n_) * std::size_t(stride_) * sizeof(R)) {
    // Float32 kernel values suffice for a search, but to compute them in float32 may not: distances lose digits.
    if (sizeof(R) == 8 || inner.single_precision_suffices())
      fill<R>(inner);
    else
      fill<double>(inner);
  }
  R* row(Index i) const { return static_cast<R*>(memory_.address()) + std::ptrdiff_t(i) * stride_; }
  HeldRows<R> held() const { return {row(0), stride_}; }
  void product(const double* beta, double* out) const {
    std::vector<const R*> support;
    std::vector<double> coefficients;
    for (Index i = 0; i < n_; ++i)
      if (beta[i] != 0.0) {
        support.push_back(row(i));
        coefficients.push_back(beta[i]);
      }
    std::fill(out, out + n_, 0.0);
    constexpr std::size_t batch = 1024;
    for (std::size_t k = 0; k < support.size(); k += batch) {
      poll_now();
      accumulate(n_, Index(std::min(batch, support.size() - k)), &coefficients[k], &support[k], out);
    }
  }

 private:
  // From rows of another precision by way of some room.
  template <class V>
  void fill(const Gram& inner) {
    constexpr Index batch = 96;  // whole strips of tiles
    std::vector<Index> every(n_);
    std::iota(every.begin(), every.end(), 0);
    const auto maker = maker_of(inner, every, V());
    const Index stride = RowStore<V>::stride_of(n_);
    Buffer<V> room;
    if constexpr (sizeof(V) != sizeof(R)) room.reserve(std::size_t(batch) * std::size_t(stride));
    std::vector<V*> targets;
    for (Index first = 0; first < n_; first += batch) {
      poll_now();
      const Index last = std::min(n_, first + batch);
      targets.clear();
      for (Index i = first; i < last; ++i)
        if constexpr (sizeof(V) == sizeof(R))
          targets.push_back(row(i));
        else
          targets.push_back(room.data() + std::ptrdiff_t(i - first) * stride);
      maker->make(std::span(every).subspan(first, std::size_t(last - first)), targets.data());
      for (Index i = first; i < last; ++i) {
        if constexpr (sizeof(V) != sizeof(R))
          std::transform(targets[i - first], targets[i - first] + n_, row(i), [](V value) { return R(value); });
        std::fill(row(i) + n_, row(i) + stride_, R(0));
      }
    }
  }

  Index n_, stride_;
  Mapping memory_;
};

// Rows over an active set: all of them where they stand, of some their columns.
template <class R>
class MatrixGram::Copies final : public RowMaker<R> {
 public:
  Copies(const Rows<R>& rows, std::span<const Index> active, bool whole)
      : rows_(rows), active_(active.begin(), active.end()), whole_(whole) {}
  HeldRows<R> held() const override { return whole_ ? rows_.held() : HeldRows<R>{}; }
  void make(std::span<const Index> positions, R* const* out) override {
    for (std::size_t p = 0; p < positions.size(); ++p) {
      const R* const from = rows_.row(active_[positions[p]]);
      for (std::size_t k = 0; k < active_.size(); ++k) out[p][k] = from[active_[k]];
    }
  }

 private:
  const Rows<R>& rows_;
  std::vector<Index> active_;
  bool whole_;
};

MatrixGram::MatrixGram(const Gram& inner, bool single)
    : inner_(inner), n_(inner.size()), single_(single), diagonal_(std::size_t(n_)) {
  inner_.diagonal(diagonal_.data());
}

MatrixGram::~MatrixGram() = default;

std::size_t MatrixGram::bytes(Index n) {
  return std::size_t(n) * std::size_t(RowStore<float>::stride_of(n)) * (sizeof(float) + sizeof(double));
}

template <>
const MatrixGram::Rows<float>& MatrixGram::rows() const {
  if (float32_ == nullptr) float32_ = std::make_unique<Rows<float>>(inner_);
  return *float32_;
}
template <>
const MatrixGram::Rows<double>& MatrixGram::rows() const {
  if (float64_ == nullptr) float64_ = std::make_unique<Rows<double>>(inner_);
  return *float64_;
}

void MatrixGram::diagonal(double* out) const { std::copy(diagonal_.begin(), diagonal_.end(), out); }

void MatrixGram::block(std::span<const Index> rows, std::span<const Index> columns, double* out) const {
  inner_.block(rows, columns, out);
}

// With few support vectors their rows are computed sooner than all.
void MatrixGram::product(const double* beta, double* out, const Poll& poll) const {
  const auto support = std::count_if(beta, beta + n_, [](double b) { return b != 0.0; });
  if (float64_ == nullptr && 4 * support < n_) return inner_.product(beta, out, poll);
  rows<double>().product(beta, out);
}

void MatrixGram::rough_product(const double* beta, double* out, const Poll&) const {
  single_ ? rows<float>().product(beta, out) : rows<double>().product(beta, out);
}

bool MatrixGram::are_all(std::span<const Index> active) const {
  return Index(active.size()) == n_ && std::is_sorted(active.begin(), active.end());
}

std::unique_ptr<RowMaker<float>> MatrixGram::rows_f32(std::span<const Index> active) const {
  return std::make_unique<Copies<float>>(rows<float>(), active, are_all(active));
}

std::unique_ptr<RowMaker<double>> MatrixGram::rows_f64(std::span<const Index> active) const {
  asked_for_float64_ = true;
  if (float64_ == nullptr && 2 * Index(active.size()) < n_) return inner_.rows_f64(active);  // all would take longer
  return std::make_unique<Copies<double>>(rows<double>(), active, are_all(active));
}

}  // namespace maxmargin
