// The kernel of feature vectors by packed tiles: dense input, and sparse input of moderate width, whose rows become dense as
// they are packed. Wide sparse input goes to kernels/sparse_gram.cpp.
#include <utility>

#include "maxmargin/kernels/feature_gram.hpp"
#include "maxmargin/platform/thread_pool.hpp"
#include "maxmargin/platform/threads.hpp"
#include "maxmargin/rows/packing.hpp"

namespace maxmargin {

namespace {

constexpr Index tile_rows = 240;                                 // rows of one block handed to a sink
constexpr std::ptrdiff_t left_values = std::ptrdiff_t(1) << 21;  // values of the rows packed at a time
constexpr Index few_rows = 2;                                    // to predict: a panel would be mostly empty
constexpr std::ptrdiff_t most_copied = std::ptrdiff_t(1) << 25;  // values of X

// Columns that one chunk of work packs for itself: some 30 microseconds of multiply-adds, so that small blocks stay on one
// thread.
Index chunk_columns(Index depth, std::size_t rows) {
  const auto work = std::ptrdiff_t(depth + 32) * std::ptrdiff_t(std::min<std::size_t>(rows, tile_rows));
  return Index(std::max<std::ptrdiff_t>(16, (std::ptrdiff_t(1) << 19) / work) * TileShape<double>::panel);
}

template <class R>
class PackedRowMaker final : public RowMaker<R> {
 public:
  PackedRowMaker(const KernelFunction& kernel, std::shared_ptr<const TileRows> features, const OrderedRows<R>& source,
                 std::vector<Index> rows)
      : kernel_(kernel), features_(std::move(features)), source_(source), rows_(std::move(rows)) {
    panels_.pack(kernel_, source_, rows_);
  }

  void make(std::span<const Index> positions, R* const* out) override {
    wanted_.clear();
    for (const Index p : positions) wanted_.push_back(rows_[p]);
    left_.pack(kernel_, source_, wanted_);
    constexpr Index width = TileShape<R>::panel;
    const Index panels = panels_.groups();
    // A chunk is some 30 microseconds of multiply-adds; of a small request 8, which a thread that still looks for work is
    // worth. Less stays on one thread.
    const std::ptrdiff_t work = std::ptrdiff_t(width) * (features_->columns() + 32) * std::ptrdiff_t(positions.size());
    const auto of_a_chunk = std::clamp<std::ptrdiff_t>(work * panels / 4, std::ptrdiff_t(1) << 18, std::ptrdiff_t(1) << 20);
    const Index per_chunk = Index(std::clamp<std::ptrdiff_t>(of_a_chunk / work, 1, panels));
    parallel_chunks((panels + per_chunk - 1) / per_chunk, [&](std::ptrdiff_t chunk) {
      const Index first = Index(chunk) * per_chunk, last = std::min(first + per_chunk, panels);
      std::vector<R*> from(out, out + positions.size());
      for (R*& row : from) row += std::ptrdiff_t(first) * width;
      left_.meet(kernel_, 0, left_.count(), panels_, first, last, from.data());
    });
  }

 private:
  KernelFunction kernel_;
  std::shared_ptr<const TileRows> features_;  // what the source reads from
  OrderedRows<R> source_;
  std::vector<Index> rows_, wanted_;
  Panels<R> panels_;
  LeftRows<R> left_;
};

// What a thread keeps from chunk to chunk and from call to call: new memory costs more than what is put into it.
template <class R, class T>
struct Workplace {
  Panels<T> panels;
  Buffer<R> tile;
};
constexpr std::size_t most_kept = std::size_t(4) << 20;

// Calls sink(first column, columns, first row, rows, pointers to the rows of a tile) for every block of the kernel, in the
// precision of R; those of one column come in the order of the rows and on one thread.
template <class R, class T, class Sink>
void for_each_block(const KernelFunction& kernel, const OrderedRows<T>& left, std::span<const Index> rows,
                    const OrderedRows<T>& right, std::span<const Index> columns, const Poll& poll, const Sink& sink) {
  if (rows.empty()) return;
  const Index depth = left.layout().depth(), n = Index(columns.size());
  const Index block_columns = chunk_columns(depth, rows.size());
  const auto caller = this_thread();
  LeftRows<T> packed;
  const auto at_once = std::size_t(std::max<std::ptrdiff_t>(left_values / depth / tile_rows, 1)) * tile_rows;
  for (std::size_t block = 0; block < rows.size(); block += at_once) {
    packed.pack(kernel, left, rows.subspan(block, std::min(at_once, rows.size() - block)));
    parallel_chunks((n + block_columns - 1) / block_columns, [&](std::ptrdiff_t chunk) {
      const Index first = Index(chunk) * block_columns, width = std::min(block_columns, n - first);
      thread_local Workplace<R, T> kept;
      Workplace<R, T> place = std::exchange(kept, Workplace<R, T>());  // a poll may come back here
      Panels<T>& panels = place.panels;
      panels.pack(kernel, right, columns.subspan(std::size_t(first), std::size_t(width)));
      const std::ptrdiff_t stride = std::ptrdiff_t(panels.groups()) * Panels<T>::width;
      const Index height = std::min(tile_rows, packed.count());
      place.tile.reserve(std::size_t(height) * std::size_t(stride));
      std::vector<R*> at(height);
      for (Index r = 0; r < height; ++r) at[r] = place.tile.data() + r * stride;
      for (Index begin = 0; begin < packed.count(); begin += tile_rows) {
        if (this_thread() == caller) poll();
        const Index end = std::min(begin + tile_rows, packed.count());
        packed.meet(kernel, begin, end, panels, 0, panels.groups(), at.data());
        sink(first, width, Index(block) + begin, end - begin, at.data());
      }
      if (panels.bytes() <= most_kept) kept = std::move(place);
    });
  }
}

// What a sink does that keeps the values: out[row][column] of a matrix with n columns.
void copy_block(Index first, Index width, Index begin, Index count, const double* const* tile, double* out, std::ptrdiff_t n) {
  for (Index r = 0; r < count; ++r) std::copy(tile[r], tile[r] + width, out + (begin + r) * n + first);
}

}  // namespace

std::vector<const DenseGram*> of_one_kernel(std::span<const Gram* const> grams) {
  std::vector<const DenseGram*> dense;
  for (const Gram* gram : grams) {
    const auto* const same = dynamic_cast<const DenseGram*>(gram);
    if (same == nullptr || (!dense.empty() && !same->shares_kernel_with(*dense[0]))) return {};
    dense.push_back(same);
  }
  return dense;
}

std::vector<RowGroup> row_groups(std::span<const DenseGram* const> grams) {
  std::vector<std::span<const Index>> used(grams.size());
  for (std::size_t p = 0; p < grams.size(); ++p) used[p] = grams[p]->used();
  return row_groups(grams[0]->features().rows(), used);
}

bool DenseGram::shares_a_copy() const {
  return size() < features().rows() && std::ptrdiff_t(features().rows()) * features().columns() <= most_copied;
}

void DenseGram::prepare() const {
  layout();
  if (shares_a_copy()) features().ordered(reading());
}

std::unique_ptr<RowMaker<float>> DenseGram::rows_f32(std::span<const Index> active) const {
  return std::make_unique<PackedRowMaker<float>>(kernel(), shared_features(), shared_rows_of_x<float>(), global(active));
}
std::unique_ptr<RowMaker<double>> DenseGram::rows_f64(std::span<const Index> active) const {
  return std::make_unique<PackedRowMaker<double>>(kernel(), shared_features(), rows_of_x<double>(), global(active));
}

void DenseGram::own_diagonal(double* out) const {
  const Index depth = layout().depth(), per_chunk = std::max<Index>(1, (1 << 16) / std::max<Index>(depth, 1));
  parallel_chunks((size() + per_chunk - 1) / per_chunk, [&](std::ptrdiff_t chunk) {
    std::vector<double> room(2 * std::size_t(depth));
    const auto x = rows_of_x<double>();
    for (Index r = Index(chunk) * per_chunk; r < std::min(Index(chunk + 1) * per_chunk, size()); ++r) {
      double own[KernelFunction::most_own];
      simd().own_of_row_f64(kernel(), x.row(used()[r], room.data()), own);
      simd().own_values_f64(kernel(), 1, 1, own, out + r);
    }
  });
}

void DenseGram::block(std::span<const Index> rows, std::span<const Index> columns, double* out) const {
  const auto left = global(rows), right = global(columns);
  const auto sink = [&](Index first, Index width, Index begin, Index count, const double* const* tile) {
    copy_block(first, width, begin, count, tile, out, std::ptrdiff_t(columns.size()));
  };
  const auto from = [&](const auto& x) { for_each_block<double>(kernel(), x, left, x, right, [] {}, sink); };
  is_whole() ? from(rows_of_x<float>()) : from(rows_of_x<double>());
}

void DenseGram::kernel_product(std::span<const Index> support, const double* coefficients, double* out,
                               const Poll& poll) const {
  std::fill(out, out + size(), 0.0);
  const WeightedRun all{0, Index(support.size()), 0, {coefficients, coefficients + support.size()}};
  const auto from = [&](const auto& x) { add_sums(x, global(support), {&all, 1}, x, used(), out, poll); };
  is_whole() ? from(rows_of_x<float>()) : from(rows_of_x<double>());
}

void DenseGram::rough_product(const double* beta, double* out, const Poll& poll) const {
  if (is_linear(kernel())) return product(beta, out, poll);  // which makes no kernel values
  std::vector<Index> support;
  std::vector<double> coefficients;
  for (Index i = 0; i < size(); ++i)
    if (beta[i] != 0.0) {
      support.push_back(used()[i]);
      coefficients.push_back(beta[i]);
    }
  std::fill(out, out + size(), 0.0);
  const OrderedRows<float> source(features(), layout());
  for_each_block<float>(kernel(), source, support, source, used(), poll,
                        [&](Index first, Index width, Index begin, Index count, const float* const* tile) {
                          simd().accumulate_f32(0, width, count, coefficients.data() + begin, tile, out + first);
                        });
}

template <class T>
void DenseGram::add_sums(const OrderedRows<T>& source, std::span<const Index> support, std::span<const WeightedRun> runs,
                         const OrderedRows<T>& x, std::span<const Index> columns, double* out, const Poll& poll) const {
  const auto n = std::ptrdiff_t(columns.size());
  for_each_block<double>(kernel(), source, support, x, columns, poll,
                         [&](Index first, Index width, Index begin, Index count, const double* const* tile) {
                           for (const WeightedRun& run : runs) {
                             const Index low = std::max(run.begin, begin), high = std::min(run.end, begin + count);
                             if (low < high)
                               simd().accumulate_f64(0, width, high - low, run.coefficients.data() + (low - run.begin),
                                                     tile + (low - begin), out + run.target * n + first);
                           }
                         });
}

template void DenseGram::add_sums(const OrderedRows<float>&, std::span<const Index>, std::span<const WeightedRun>,
                                  const OrderedRows<float>&, std::span<const Index>, double*, const Poll&) const;
template void DenseGram::add_sums(const OrderedRows<double>&, std::span<const Index>, std::span<const WeightedRun>,
                                  const OrderedRows<double>&, std::span<const Index>, double*, const Poll&) const;

void dense_weighted_sums(const KernelFunction& kernel, const TileRows& rows, const TileRows& support,
                         const double* coefficients, Index coefficient_rows, std::span<const Index> bounds, double* out,
                         const Poll& poll) {
  const auto left = numbers(support.rows()), right = numbers(rows.rows());
  const Layout& layout = support.layout(reading_of(kernel, false));
  const OrderedRows<double> of_support(support, layout), of_rows(rows, layout);
  const auto add = [&](Index first, Index width, Index begin, Index count, const double* const* tile) {
    for (std::size_t g = 0; g + 1 < bounds.size(); ++g) {
      const Index low = std::max(bounds[g], begin), high = std::min(bounds[g + 1], begin + count);
      for (Index j = 0; j < coefficient_rows && low < high; ++j)
        simd().accumulate_f64(0, width, high - low, coefficients + std::ptrdiff_t(j) * support.rows() + low,
                              tile + (low - begin), out + (std::ptrdiff_t(g) * coefficient_rows + j) * rows.rows() + first);
    }
  };
  if (rows.rows() > few_rows || kernel.is_combined())
    return for_each_block<double>(kernel, of_support, left, of_rows, right, poll, add);
  // A panel of one row is computed as if it were full: support vectors fill theirs. The sums have the same terms in one order.
  const Index n = support.rows();
  std::vector<double> values(std::size_t(n) * std::size_t(rows.rows()));
  for_each_block<double>(kernel, of_rows, right, of_support, left, poll,
                         [&](Index first, Index width, Index begin, Index count, const double* const* tile) {
                           copy_block(first, width, begin, count, tile, values.data(), n);
                         });
  std::vector<const double*> tile(std::size_t(std::min(tile_rows, n)));
  for (Index row = 0; row < rows.rows(); ++row)
    for (Index begin = 0; begin < n; begin += tile_rows) {
      const Index count = std::min(tile_rows, n - begin);
      for (Index r = 0; r < count; ++r) tile[r] = values.data() + std::ptrdiff_t(row) * n + begin + r;
      add(row, 1, begin, count, tile.data());
    }
}

void dense_cross_kernel(const KernelFunction& kernel, const TileRows& left, const TileRows& right, double* out,
                        const Poll& poll) {
  const auto rows = numbers(left.rows()), columns = numbers(right.rows());
  const Layout& layout = right.layout(reading_of(kernel, false));
  const OrderedRows<double> of_left(left, layout), of_right(right, layout);
  for_each_block<double>(kernel, of_left, rows, of_right, columns, poll,
                         [&](Index first, Index width, Index begin, Index count, const double* const* tile) {
                           copy_block(first, width, begin, count, tile, out, right.rows());
                         });
}

}  // namespace maxmargin
