// The kernel of feature vectors by packed tiles: dense input, and sparse input of moderate width, whose rows become dense as
// they are packed. Wide sparse input goes to sparse_gram.cpp.
#include "maxmargin/feature_gram.hpp"
#include "maxmargin/packing.hpp"
#include "maxmargin/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr Index block_rows = 240;  // rows packed at a time in float64

// Columns that one chunk of work packs for itself: some 30 microseconds of multiply-adds, so that small blocks stay on one
// thread.
Index chunk_columns(Index depth, std::size_t rows) {
  const auto work = std::ptrdiff_t(depth + 32) * std::ptrdiff_t(std::min<std::size_t>(rows, block_rows));
  return Index(std::max<std::ptrdiff_t>(16, (std::ptrdiff_t(1) << 19) / work) * TileShape<double>::panel);
}

template <class R>
class PackedRowMaker final : public RowMaker<R> {
 public:
  PackedRowMaker(const KernelFunction& kernel, std::shared_ptr<const Features> features, const double* centre,
                 std::vector<Index> rows)
      : kernel_(kernel),
        features_(std::move(features)),
        centre_(centre),
        rows_(std::move(rows)),
        panels_(TileShape<R>::panel, features_->columns()),
        strips_(TileShape<R>::strip, features_->columns()) {
    panels_.pack(*features_, centre_, rows_);
  }

  void make(std::span<const Index> positions, R* const* out) override {
    std::vector<Index> wanted(positions.size());
    for (std::size_t p = 0; p < positions.size(); ++p) wanted[p] = rows_[positions[p]];
    strips_.pack(*features_, centre_, wanted);
    constexpr Index width = TileShape<R>::panel;
    const Hot& h = hot();
    const Index depth = features_->columns();
    const Index panels = panels_.groups();
    // A chunk is some 30 microseconds of multiply-adds, so that small requests stay on one thread.
    const std::ptrdiff_t work = std::ptrdiff_t(width) * (depth + 32) * std::ptrdiff_t(positions.size());
    const Index per_chunk = Index(std::clamp<std::ptrdiff_t>((std::ptrdiff_t(1) << 20) / work, 1, panels));
    parallel_chunks((panels + per_chunk - 1) / per_chunk, [&](std::ptrdiff_t chunk) {
      const Index first = Index(chunk) * per_chunk, last = std::min(first + per_chunk, panels);
      R tile[TileShape<R>::strip * TileShape<R>::panel];
      for (Index g = first; g < last; ++g) {
        const Index columns = panels_.rows_in(g);
        for (Index s = 0; s < strips_.groups(); ++s) {
          const Index rows = strips_.rows_in(s);
          tile_with(h, kernel_, depth, strips_.group(s), rows, panels_.group(g), tile, width);
          for (Index r = 0; r < rows; ++r)
            std::copy(tile + r * width, tile + r * width + columns, out[s * TileShape<R>::strip + r] + g * width);
        }
      }
    });
  }

 private:
  KernelFunction kernel_;
  std::shared_ptr<const Features> features_;
  const double* centre_;  // owned by the features
  std::vector<Index> rows_;
  Packed<R> panels_, strips_;
};

// Calls sink(chunk's first column, rows, first row, tile buffer, its stride) for every float64 block of the kernel.
template <class Sink>
void for_each_block(const KernelFunction& kernel, const double* centre, const Features& left, std::span<const Index> rows,
                    const Features& right, std::span<const Index> columns, const Poll& poll, const Sink& sink) {
  if (rows.empty()) return;
  const Index depth = left.columns(), n = Index(columns.size());
  const Index block_columns = chunk_columns(depth, rows.size());
  const Hot& h = hot();
  Packed<double> strips(TileShape<double>::strip, depth);
  for (std::size_t begin = 0; begin < rows.size(); begin += block_rows) {
    const auto some = rows.subspan(begin, std::min<std::size_t>(block_rows, rows.size() - begin));
    poll();
    strips.pack(left, centre, some);
    parallel_chunks((n + block_columns - 1) / block_columns, [&](std::ptrdiff_t chunk) {
      const Index first = Index(chunk) * block_columns, width = std::min(block_columns, n - first);
      Packed<double> panels(TileShape<double>::panel, depth);
      panels.pack(right, centre, columns.subspan(std::size_t(first), std::size_t(width)));
      const Index stride = panels.groups() * TileShape<double>::panel;
      std::vector<double> tile(std::size_t(strips.groups() * TileShape<double>::strip) * std::size_t(stride));
      for (Index s = 0; s < strips.groups(); ++s)
        for (Index g = 0; g < panels.groups(); ++g)
          tile_with(h, kernel, depth, strips.group(s), strips.rows_in(s), panels.group(g),
                    tile.data() + std::ptrdiff_t(s) * TileShape<double>::strip * stride + g * TileShape<double>::panel, stride);
      sink(first, width, Index(begin), Index(some.size()), tile.data(), stride);
    });
  }
}

}  // namespace

std::unique_ptr<RowMaker<float>> DenseGram::rows_f32(std::span<const Index> active) const {
  return std::make_unique<PackedRowMaker<float>>(kernel(), shared_features(), centre(), global(active));
}
std::unique_ptr<RowMaker<double>> DenseGram::rows_f64(std::span<const Index> active) const {
  return std::make_unique<PackedRowMaker<double>>(kernel(), shared_features(), centre(), global(active));
}

void DenseGram::block(std::span<const Index> rows, std::span<const Index> columns, double* out) const {
  const Poll poll = [] {};
  const auto left = global(rows), right = global(columns);
  for_each_block(kernel(), centre(), features(), left, features(), right, poll,
                 [&](Index first, Index width, Index begin, Index count, const double* tile, Index stride) {
                   for (Index r = 0; r < count; ++r)
                     std::copy(tile + std::ptrdiff_t(r) * stride, tile + std::ptrdiff_t(r) * stride + width,
                               out + std::ptrdiff_t(begin + r) * std::ptrdiff_t(columns.size()) + first);
                 });
}

void DenseGram::kernel_product(std::span<const Index> support, const double* coefficients, double* out,
                               const Poll& poll) const {
  const auto left = global(support), right = used();
  std::fill(out, out + size(), 0.0);
  for_each_block(kernel(), centre(), features(), left, features(), right, poll,
                 [&](Index first, Index width, Index begin, Index count, const double* tile, Index stride) {
                   for (Index r = 0; r < count; ++r)
                     hot().axpy(width, coefficients[begin + r], tile + std::ptrdiff_t(r) * stride, out + first);
                 });
}

void dense_weighted_sums(const KernelFunction& kernel, const Features& rows, const Features& support,
                         const double* coefficients, Index height, std::span<const Index> bounds, double* out,
                         const Poll& poll) {
  const auto left = numbers(support.rows()), right = numbers(rows.rows());
  const double* const centre = kernel.kind == KernelKind::rbf ? support.centre().data() : nullptr;
  for_each_block(kernel, centre, support, left, rows, right, poll,
                 [&](Index first, Index width, Index begin, Index count, const double* tile, Index stride) {
                   std::vector<const double*> from(count);
                   for (Index r = 0; r < count; ++r) from[r] = tile + std::ptrdiff_t(r) * stride;
                   for (std::size_t g = 0; g + 1 < bounds.size(); ++g) {
                     const Index low = std::max(bounds[g], begin), high = std::min(bounds[g + 1], begin + count);
                     for (Index j = 0; j < height && low < high; ++j)
                       hot().accumulate_f64(0, width, high - low, coefficients + std::ptrdiff_t(j) * support.rows() + low,
                                            from.data() + (low - begin),
                                            out + (std::ptrdiff_t(g) * height + j) * rows.rows() + first);
                   }
                 });
}

void dense_cross_kernel(const KernelFunction& kernel, const Features& left, const Features& right, double* out,
                        const Poll& poll) {
  const auto rows = numbers(left.rows()), columns = numbers(right.rows());
  const double* const centre = kernel.kind == KernelKind::rbf ? right.centre().data() : nullptr;
  for_each_block(kernel, centre, left, rows, right, columns, poll,
                 [&](Index first, Index width, Index begin, Index count, const double* tile, Index stride) {
                   for (Index r = 0; r < count; ++r)
                     std::copy(tile + std::ptrdiff_t(r) * stride, tile + std::ptrdiff_t(r) * stride + width,
                               out + std::ptrdiff_t(begin + r) * std::ptrdiff_t(columns.size()) + first);
                 });
}

}  // namespace maxmargin
