#include "maxmargin/kernels/kernel_matrix.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <type_traits>
#include <vector>

#include "maxmargin/dual/row_store.hpp"
#include "maxmargin/platform/buffer.hpp"
#include "maxmargin/platform/threads.hpp"

namespace maxmargin {

namespace {

constexpr Index strip = 96;  // rows at a time: whole strips of tiles

std::unique_ptr<RowMaker<float>> maker_of(const Gram& gram, std::span<const Index> active, float) {
  return gram.rows_f32(active);
}
std::unique_ptr<RowMaker<double>> maker_of(const Gram& gram, std::span<const Index> active, double) {
  return gram.rows_f64(active);
}

}  // namespace

// All rows with one precision.
template <class R>
class KernelMatrix::Rows {
 public:
  explicit Rows(const Gram& gram)
      : gram_(gram),
        n_(gram.size()),
        stride_(RowStore<R>::stride_of(n_)),
        strips_((n_ + strip - 1) / strip),
        memory_(std::max<std::size_t>(std::size_t(n_) * std::size_t(stride_) * sizeof(R), 1)) {}

  HeldRows<R> held() const { return {row(0), stride_}; }

  // Makes strips until all are there. Float32 values suffice for a search, but to compute them in float32 may not: distances
  // lose digits.
  void make() {
    if (done_.load(std::memory_order_acquire) == strips_) return;
    try {
      if (sizeof(R) == 8 || gram_.single_precision_suffices())
        make_strips<R>();
      else
        make_strips<double>();
    } catch (...) {
      const std::lock_guard<Mutex> hold(lock_);
      if (!error_) error_ = std::current_exception();
      throw;
    }
    while (done_.load(std::memory_order_acquire) < strips_) {
      poll_now();
      {
        const std::lock_guard<Mutex> hold(lock_);
        if (error_) std::rethrow_exception(error_);
      }
      yield_thread();
    }
  }

 private:
  R* row(Index i) const { return static_cast<R*>(memory_.address()) + std::ptrdiff_t(i) * stride_; }

  // From rows of another precision by way of some room.
  template <class V>
  void make_strips() {
    constexpr bool direct = std::is_same_v<V, R>;
    std::unique_ptr<RowMaker<V>> maker;
    std::vector<Index> every(n_);
    std::iota(every.begin(), every.end(), 0);
    const Index stride = RowStore<V>::stride_of(n_);
    Buffer<V> room;
    std::vector<V*> targets;
    for (Index s = next_++; s < strips_; s = next_++) {
      poll_now();
      if (maker == nullptr) {
        maker = maker_of(gram_, every, V());
        if constexpr (!direct) room.reserve(std::size_t(strip) * std::size_t(stride));
      }
      const Index first = s * strip, last = std::min(n_, first + strip);
      targets.clear();
      for (Index i = first; i < last; ++i)
        if constexpr (direct)
          targets.push_back(row(i));
        else
          targets.push_back(room.data() + std::ptrdiff_t(i - first) * stride);
      maker->make(std::span(every).subspan(first, std::size_t(last - first)), targets.data());
      for (Index i = first; i < last; ++i) {
        if constexpr (!direct)
          std::transform(targets[i - first], targets[i - first] + n_, row(i), [](V value) { return R(value); });
        std::fill(row(i) + n_, row(i) + stride_, R(0));
      }
      done_.fetch_add(1, std::memory_order_release);
    }
  }

  const Gram& gram_;
  Index n_, stride_, strips_;
  Mapping memory_;
  std::atomic<Index> next_{0}, done_{0};
  Mutex lock_;
  std::exception_ptr error_;
};

KernelMatrix::KernelMatrix(const Gram& gram) : gram_(gram) {}

KernelMatrix::~KernelMatrix() = default;

std::size_t KernelMatrix::bytes(Index n) {
  return std::size_t(n) * std::size_t(RowStore<float>::stride_of(n)) * (sizeof(float) + sizeof(double));
}

template <>
const std::unique_ptr<KernelMatrix::Rows<float>>& KernelMatrix::room() const {
  const std::lock_guard<Mutex> hold(lock_);
  if (float32_ == nullptr) float32_ = std::make_unique<Rows<float>>(gram_);
  return float32_;
}
template <>
const std::unique_ptr<KernelMatrix::Rows<double>>& KernelMatrix::room() const {
  const std::lock_guard<Mutex> hold(lock_);
  if (float64_ == nullptr) float64_ = std::make_unique<Rows<double>>(gram_);
  return float64_;
}

template <class R>
HeldRows<R> KernelMatrix::rows() const {
  Rows<R>& own = *room<R>();
  own.make();
  return own.held();
}

template HeldRows<float> KernelMatrix::rows() const;
template HeldRows<double> KernelMatrix::rows() const;

}  // namespace maxmargin
