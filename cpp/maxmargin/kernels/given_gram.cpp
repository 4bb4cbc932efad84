// Kernel values that somebody else computed: a matrix, or a function that fills blocks on demand.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "maxmargin/kernels/gram.hpp"
#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

double Gram::score_scale() const {
  std::vector<double> values(size());
  diagonal(values.data());
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

namespace {

// All Grams that can only hand out float64 blocks.
class BlockGram : public Gram {
 public:
  void product(const double* beta, double* out, const Poll& poll) const override {
    std::vector<Index> every(size());
    std::iota(every.begin(), every.end(), 0);
    std::fill(out, out + size(), 0.0);
    std::vector<Index> support;
    for (Index i = 0; i < size(); ++i)
      if (beta[i] != 0.0) support.push_back(i);
    constexpr std::size_t batch = 64;
    std::vector<double> values(batch * every.size());
    for (std::size_t begin = 0; begin < support.size(); begin += batch) {
      const auto some = std::span(support).subspan(begin, std::min(batch, support.size() - begin));
      poll();
      block(some, every, values.data());
      for (std::size_t k = 0; k < some.size(); ++k) simd().axpy(size(), beta[some[k]], values.data() + k * every.size(), out);
    }
  }
  std::unique_ptr<RowMaker<float>> rows_f32(std::span<const Index> active) const override {
    return std::make_unique<Maker<float>>(*this, active);
  }
  std::unique_ptr<RowMaker<double>> rows_f64(std::span<const Index> active) const override {
    return std::make_unique<Maker<double>>(*this, active);
  }

 private:
  template <class R>
  class Maker final : public RowMaker<R> {
   public:
    Maker(const Gram& gram, std::span<const Index> active) : gram_(gram), active_(active.begin(), active.end()) {}
    void make(std::span<const Index> positions, R* const* out) override {
      std::vector<Index> wanted(positions.size());
      for (std::size_t p = 0; p < positions.size(); ++p) wanted[p] = active_[positions[p]];
      values_.resize(wanted.size() * active_.size());
      gram_.block(wanted, active_, values_.data());
      for (std::size_t p = 0; p < wanted.size(); ++p)
        for (std::size_t c = 0; c < active_.size(); ++c) out[p][c] = R(values_[p * active_.size() + c]);
    }

   private:
    const Gram& gram_;
    std::vector<Index> active_;
    std::vector<double> values_;
  };
};

template <class V>
class PrecomputedGram final : public BlockGram {
 public:
  PrecomputedGram(const V* matrix, Index n, std::vector<Index> subset) : matrix_(matrix), n_(n), rows_(std::move(subset)) {
    if (rows_.empty()) {
      rows_.resize(std::size_t(n));
      std::iota(rows_.begin(), rows_.end(), 0);
    }
    whole_ = is_run(rows_);
  }
  Index size() const override { return Index(rows_.size()); }
  void diagonal(double* out) const override {
    for (Index i = 0; i < size(); ++i) out[i] = double(row(i)[rows_[i]]);
  }
  void block(std::span<const Index> rows, std::span<const Index> columns, double* out) const override {
    const std::vector<Index> places = places_of(columns);
    const bool run = is_run(places);
    for (const Index r : rows) {
      poll_now();
      copy(row(r), places, run, out);
      out += places.size();
    }
  }
  void product(const double* beta, double* out, const Poll& poll) const override {
    if (!whole_) return BlockGram::product(beta, out, poll);
    std::vector<const V*> rows;
    std::vector<double> coefficients;
    for (Index i = 0; i < size(); ++i)
      if (beta[i] != 0.0) {
        rows.push_back(row(i) + rows_[0]);
        coefficients.push_back(beta[i]);
      }
    constexpr Index width = 512, batch = 1 << 12;  // columns and rows: below a millisecond
    std::fill(out, out + size(), 0.0);
    parallel_chunks((size() + width - 1) / width, [&](std::ptrdiff_t chunk) {
      const Index begin = Index(chunk) * width, end = std::min(size(), begin + width);
      for (std::size_t k = 0; k < rows.size(); k += batch) {
        poll_now();
        accumulate(begin, end, Index(std::min<std::size_t>(batch, rows.size() - k)), &coefficients[k], &rows[k], out);
      }
    });
  }
  std::unique_ptr<RowMaker<float>> rows_f32(std::span<const Index> active) const override {
    return std::make_unique<Copies<float>>(*this, active);
  }
  std::unique_ptr<RowMaker<double>> rows_f64(std::span<const Index> active) const override {
    return std::make_unique<Copies<double>>(*this, active);
  }
  bool single_precision_suffices() const override {
    for (Index i = 0; i < size(); ++i)
      if (!(std::abs(double(row(i)[rows_[i]])) < 1e30)) return false;
    return true;
  }
  bool is_of_float32() const override { return sizeof(V) == 4; }

 private:
  template <class R>
  class Copies final : public RowMaker<R> {
   public:
    Copies(const PrecomputedGram& gram, std::span<const Index> active)
        : gram_(gram), active_(active.begin(), active.end()), places_(gram.places_of(active)), run_(is_run(places_)) {}
    void make(std::span<const Index> positions, R* const* out) override {
      for (std::size_t p = 0; p < positions.size(); ++p) copy(gram_.row(active_[positions[p]]), places_, run_, out[p]);
    }

   private:
    const PrecomputedGram& gram_;
    std::vector<Index> active_, places_;
    bool run_;
  };

  static void accumulate(Index begin, Index end, Index count, const double* a, const float* const* rows, double* out) {
    simd().accumulate_f32(begin, end, count, a, rows, out);
  }
  static void accumulate(Index begin, Index end, Index count, const double* a, const double* const* rows, double* out) {
    simd().accumulate_f64(begin, end, count, a, rows, out);
  }
  // One after the other?
  static bool is_run(const std::vector<Index>& places) {
    for (std::size_t k = 1; k < places.size(); ++k)
      if (places[k] != places[k - 1] + 1) return false;
    return !places.empty();
  }
  template <class R>
  static void copy(const V* row, const std::vector<Index>& places, bool run, R* out) {
    if (run)
      std::transform(row + places.front(), row + places.front() + places.size(), out, [](V value) { return R(value); });
    else
      for (std::size_t k = 0; k < places.size(); ++k) out[k] = R(row[places[k]]);
  }
  const V* row(Index i) const { return matrix_ + std::ptrdiff_t(rows_[i]) * n_; }
  std::vector<Index> places_of(std::span<const Index> some) const {
    std::vector<Index> places(some.size());
    for (std::size_t k = 0; k < some.size(); ++k) places[k] = rows_[some[k]];
    return places;
  }
  const V* matrix_;
  Index n_;
  std::vector<Index> rows_;  // and columns
  bool whole_;               // they are a run
};

class OpaqueGram final : public BlockGram {
 public:
  OpaqueGram(BlockFunction block, DiagonalFunction diagonal, Index n)
      : block_(std::move(block)), diagonal_(std::move(diagonal)), n_(n) {}
  Index size() const override { return n_; }
  void diagonal(double* out) const override { diagonal_(out); }
  void block(std::span<const Index> rows, std::span<const Index> columns, double* out) const override {
    block_(rows, columns, out);
  }
  bool single_precision_suffices() const override { return false; }  // asking again costs a call into Python
  bool is_opaque() const override { return true; }

 private:
  BlockFunction block_;
  DiagonalFunction diagonal_;
  Index n_;
};

}  // namespace

std::unique_ptr<Gram> make_precomputed_gram(const double* matrix, Index n, std::vector<Index> subset) {
  return std::make_unique<PrecomputedGram<double>>(matrix, n, std::move(subset));
}
std::unique_ptr<Gram> make_precomputed_gram(const float* matrix, Index n, std::vector<Index> subset) {
  return std::make_unique<PrecomputedGram<float>>(matrix, n, std::move(subset));
}
std::unique_ptr<Gram> make_opaque_gram(BlockFunction block, DiagonalFunction diagonal, Index n) {
  return std::make_unique<OpaqueGram>(std::move(block), std::move(diagonal), n);
}

}  // namespace maxmargin
