// A Gram that keeps the float64 rows it has made, for fits that come one after the other on the same rows and kernel.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "maxmargin/kernels/gram.hpp"
#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/mapping.hpp"
#include "maxmargin/platform/thread_pool.hpp"
#include "maxmargin/platform/threads.hpp"

namespace maxmargin {

namespace {

class KeptGram final : public Gram {
 public:
  KeptGram(std::shared_ptr<const Gram> inner, std::size_t bytes)
      : inner_(std::move(inner)), n_(inner_->size()), slot_(std::size_t(n_), -1), every_(std::size_t(n_)) {
    const std::size_t row = std::size_t(n_) * sizeof(double);
    capacity_ = Index(std::min(std::size_t(n_), bytes / std::max<std::size_t>(row, 1)));
    mapping_ = std::make_unique<Mapping>(std::max<std::size_t>(row * std::size_t(capacity_), 1));
    data_ = static_cast<double*>(mapping_->address());
    for (Index i = 0; i < n_; ++i) every_[i] = i;
  }
  Index size() const override { return n_; }
  void diagonal(double* out) const override { inner_->diagonal(out); }
  void block(std::span<const Index> rows, std::span<const Index> columns, double* out) const override {
    inner_->block(rows, columns, out);
  }
  void prepare() const override { inner_->prepare(); }
  bool single_precision_suffices() const override { return inner_->single_precision_suffices(); }
  bool is_of_float32() const override { return inner_->is_of_float32(); }
  double offset_shift(const double* beta) const override { return inner_->offset_shift(beta); }
  double off_sum_scale() const override { return inner_->off_sum_scale(); }
  double score_scale() const override { return inner_->score_scale(); }

  void product(const double* beta, double* out, const Poll& poll) const override {
    std::fill(out, out + n_, 0.0);
    if (!add_product(beta, out)) inner_->product(beta, out, poll);
    const std::lock_guard<Mutex> lock(mutex_);
    last_beta_.assign(beta, beta + n_);
    last_product_.assign(out, out + n_);
  }

  // From the last product, where the point is a multiple of that one but for a few variables.
  void start_product(const double* beta, double* out, const Poll& poll) const override {
    std::vector<double> rest(beta, beta + n_);
    double factor = 0;
    {
      const std::lock_guard<Mutex> lock(mutex_);
      if (!last_beta_.empty()) {
        const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
        const auto at = std::max_element(last_beta_.begin(), last_beta_.end(), larger) - last_beta_.begin();
        factor = last_beta_[at] != 0 ? beta[at] / last_beta_[at] : 0.0;
        for (Index i = 0; i < n_; ++i) {  // what rounding leaves of a multiple is not worth a row
          rest[i] = beta[i] - factor * last_beta_[i];
          if (std::abs(rest[i]) <= 1e-15 * std::abs(beta[i])) rest[i] = 0;
        }
      }
      const auto count = [&](const double* x) { return std::count_if(x, x + n_, [](double b) { return b != 0.0; }); };
      if (factor == 0 || 2 * count(rest.data()) > count(beta)) {
        factor = 0;
        rest.assign(beta, beta + n_);
      }
      for (Index i = 0; i < n_; ++i) out[i] = factor == 0 ? 0.0 : factor * last_product_[i];
    }
    if (!add_product(rest.data(), out)) inner_->product(beta, out, poll);
  }

  std::unique_ptr<RowMaker<float>> rows_f32(std::span<const Index> active) const override {
    return std::make_unique<Copies<float>>(*this, active);
  }
  std::unique_ptr<RowMaker<double>> rows_f64(std::span<const Index> active) const override {
    return std::make_unique<Copies<double>>(*this, active);
  }

 private:
  // Rows as they are asked for: of what is kept, or from the inner Gram when there is no room left.
  template <class R>
  class Copies final : public RowMaker<R> {
   public:
    Copies(const KeptGram& gram, std::span<const Index> active)
        : gram_(gram), active_(active.begin(), active.end()), whole_(std::ranges::equal(active_, gram.every_)) {}
    void make(std::span<const Index> positions, R* const* out) override {
      std::vector<Index> rows(positions.size());
      for (std::size_t p = 0; p < rows.size(); ++p) rows[p] = active_[positions[p]];
      if (inner_ == nullptr && !gram_.keep(rows)) {
        if constexpr (sizeof(R) == 4)
          inner_ = gram_.inner_->rows_f32(active_);
        else
          inner_ = gram_.inner_->rows_f64(active_);
      }
      if (inner_ != nullptr) return inner_->make(positions, out);
      for (std::size_t p = 0; p < rows.size(); ++p) {
        const double* const from = gram_.row(rows[p]);
        if (whole_)
          for (Index k = 0; k < gram_.n_; ++k) out[p][k] = R(from[k]);
        else
          for (std::size_t k = 0; k < active_.size(); ++k) out[p][k] = R(from[active_[k]]);
      }
    }

   private:
    const KeptGram& gram_;
    std::vector<Index> active_;
    bool whole_;
    std::unique_ptr<RowMaker<R>> inner_;
  };

  const double* row(Index i) const { return data_ + std::ptrdiff_t(slot_[i]) * n_; }

  // Makes the rows that are missing; false, and none is made, if there is no room for all of them.
  bool keep(std::span<const Index> rows) const {
    const std::lock_guard<Mutex> lock(mutex_);
    std::vector<Index> missing;
    for (const Index i : rows)
      if (slot_[i] < 0) missing.push_back(i);
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    if (filled_ + Index(missing.size()) > capacity_) return false;
    constexpr std::size_t batch = 960;  // whole tiles of rows; what they meet is packed once for all of them
    for (std::size_t begin = 0; begin < missing.size(); begin += batch) {
      const auto some = std::span(missing).subspan(begin, std::min(batch, missing.size() - begin));
      poll_now();
      inner_->block(some, every_, data_ + std::ptrdiff_t(filled_) * n_);
      for (const Index i : some) slot_[i] = filled_++;
    }
    return true;
  }

  // out += K beta, in fixed pieces; false if there is no room for the rows.
  bool add_product(const double* beta, double* out) const {
    std::vector<Index> support;
    std::vector<double> coefficients;
    for (Index i = 0; i < n_; ++i)
      if (beta[i] != 0.0) {
        support.push_back(i);
        coefficients.push_back(beta[i]);
      }
    if (support.empty()) return true;  // threads need not wake up for nothing
    if (!keep(support)) return false;
    std::vector<const double*> rows;
    rows.reserve(support.size());
    for (const Index i : support) rows.push_back(row(i));
    constexpr Index width = 512;
    parallel_chunks((n_ + width - 1) / width, [&](std::ptrdiff_t chunk) {
      const Index begin = Index(chunk) * width, end = std::min(n_, begin + width);
      poll_now();
      simd().accumulate_f64(begin, end, Index(rows.size()), coefficients.data(), rows.data(), out);
    });
    return true;
  }

  std::shared_ptr<const Gram> inner_;
  Index n_, capacity_;
  std::unique_ptr<Mapping> mapping_;
  double* data_;
  mutable Mutex mutex_;
  mutable std::vector<Index> slot_;  // where a row stands, or -1
  std::vector<Index> every_;
  mutable Index filled_ = 0;
  mutable std::vector<double> last_beta_, last_product_;
};

}  // namespace

std::unique_ptr<Gram> make_kept_gram(std::shared_ptr<const Gram> inner, std::size_t bytes) {
  return std::make_unique<KeptGram>(std::move(inner), bytes);
}

}  // namespace maxmargin
