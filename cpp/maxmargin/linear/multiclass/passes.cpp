#include "maxmargin/linear/multiclass/passes.hpp"

#include <algorithm>
#include <numeric>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr double worth_a_chunk = 1 << 17;  // products: some ten microseconds

}  // namespace

ClassPasses::ClassPasses(const LinearRows& x, Index size, Index width) : x_(x), size_(size), width_(width), all_(x.rows()) {
  std::iota(all_.begin(), all_.end(), 0);
  values_.resize(std::size_t(most_chunks) * std::size_t(block) * std::size_t(width));
}

// Where rows are summed, each chunk adds to a matrix of its own, which must be small beside what it reads.
Index ClassPasses::chunks(std::size_t rows, bool sums) const {
  const double stored = double(std::max<std::int64_t>(x_.stored_values(), x_.rows())) / x_.rows() * double(rows);
  double count = stored * width_ / worth_a_chunk;
  if (sums) count = std::min(count, stored / (4.0 * size_));
  return Index(std::clamp(count, 1.0, double(most_chunks)));
}

void ClassPasses::pass(std::span<const Index> rows, const double* W, const Body& body, double* G) {
  const auto n = std::int64_t(rows.size());
  const Index parts = chunks(rows.size(), G != nullptr), d = x_.columns();
  const std::size_t area = std::size_t(size_) * std::size_t(width_);
  if (G != nullptr) {
    std::fill(G, G + area, 0.0);
    if (sums_.size() < area * std::size_t(parts - 1)) sums_.resize(area * std::size_t(parts - 1));
  }
  const double* const offsets = W != nullptr && size_ > d ? W + std::ptrdiff_t(d) * width_ : nullptr;
  parallel_chunks(parts, [&](std::ptrdiff_t c) {
    double* const own = G == nullptr || c == 0 ? G : sums_.data() + std::size_t(c - 1) * area;
    if (c > 0 && own != nullptr) std::fill(own, own + area, 0.0);
    double* const values = values_.data() + std::size_t(c) * std::size_t(block) * std::size_t(width_);
    const auto end = Index((c + 1) * n / parts);
    for (auto i = Index(c * n / parts); i < end; i += block) {
      const Index count = std::min(block, end - i);
      if (W != nullptr) x_.class_products(rows.data() + i, count, width_, W, offsets, values);
      body({Index(c), i, rows.data() + i, count, values});
      if (own == nullptr) continue;
      x_.add_class_rows(rows.data() + i, count, width_, values, own);
      if (size_ == d) continue;
      double* const last = own + std::ptrdiff_t(d) * width_;
      for (Index r = 0; r < count; ++r) simd().axpy(width_, 1.0, values + std::ptrdiff_t(r) * width_, last);
    }
  });
  if (G != nullptr)
    for (Index c = 1; c < parts; ++c) simd().axpy(std::ptrdiff_t(area), 1.0, sums_.data() + std::size_t(c - 1) * area, G);
}

}  // namespace maxmargin
