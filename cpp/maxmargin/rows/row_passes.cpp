#include "maxmargin/rows/row_passes.hpp"

#include <algorithm>
#include <utility>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t worth_a_chunk = 1 << 15;  // stored values: some ten microseconds of work
constexpr std::int64_t most_chunks = 16, most_parts = 6;
// A tenth of a millisecond of work, sparse or dense: for less another thread comes too late.
constexpr std::int64_t worth_a_thread = 1 << 18, worth_a_thread_dense = 1 << 19;
// Full rows whose outer products take some times longer than clearing and adding a matrix: dense ones are far faster.
constexpr double worth_a_matrix = 16, worth_a_matrix_dense = 384;
// Between two looks at whether to stop, in multiplications: about a millisecond. It depends on the data alone, and so do bits.
constexpr double work_of_a_slice = 1 << 21;
constexpr Index rows_at_once = 64;
constexpr int few = 8;  // passes that are such a part of a slice: one in as many looks up

// Of the next rows, those that count; without a branch for each.
Index nonzeros(const double* a, Index begin, Index end) {
  Index found = 0;
  for (Index i = begin; i < std::min(begin + rows_at_once, end); ++i) found += a[i] != 0;
  return found;
}

}  // namespace

RowPasses::RowPasses(const LinearRows& x) : x_(x) {
  const std::int64_t n = x.rows(), stored = std::max<std::int64_t>(x.stored_values(), n);
  const bool alone = stored < (stored == n * x.columns() ? worth_a_thread_dense : worth_a_thread);
  const auto count = alone ? 1 : std::min(stored / worth_a_chunk, most_chunks);
  // A part of a sum adds to a vector of its own, which must be short beside what it reads, in time and in memory.
  const std::int64_t by_width = stored / (8 * std::max<std::int64_t>(x.columns(), 1));
  parts_ = Index(std::clamp<std::int64_t>(std::min(count, by_width), 1, most_parts));
  for (std::int64_t c = 0; c <= count; ++c) bounds_.push_back(Index(c * n / count));
  filled_ = double(stored) / double(std::max<std::int64_t>(n, 1));
}

void RowPasses::watch(std::function<bool()> stop) {
  stop_ = std::move(stop);
  caller_ = this_thread();
}

bool RowPasses::halted() const {
  if (stopped_.load(std::memory_order_relaxed)) return true;
  if (!stop_ || this_thread() != caller_ || !stop_()) return false;
  stopped_ = true;
  return true;
}

// A look at the clock takes as long as some rows: of short passes only some do it. The other threads never do.
bool RowPasses::looks_away() const { return this_thread() != caller_ || ++passes_ % few != 0; }

Index RowPasses::slice_of(double work_of_a_row) {
  const double wanted = std::clamp(work_of_a_slice / std::max(work_of_a_row, 1.0), 1.0, double(1 << 24));
  return (Index(wanted) + rows_at_once - 1) / rows_at_once * rows_at_once;
}

void RowPasses::in_slices(Index begin, Index end, double work_of_a_row, const std::function<void(Index, Index)>& body) const {
  const Index step = slice_of(work_of_a_row);
  if (end - begin <= step / few && looks_away()) {
    if (!stopped_.load(std::memory_order_relaxed)) body(begin, end);
    return;
  }
  for (Index at = begin; at < end && !halted(); at += std::min(step, end - at)) {
    poll_now();
    body(at, at + std::min(step, end - at));
  }
}

void RowPasses::for_rows(const std::function<void(Index, Index, Index)>& body) const {
  parallel_chunks(chunks(), [&](std::ptrdiff_t c) { body(Index(c), bounds_[c], bounds_[c + 1]); });
}

void RowPasses::scores(const double* w, double* out) {
  for_rows([&](Index, Index begin, Index end) {
    in_slices(begin, end, filled_, [&](Index from, Index to) { x_.products(from, to, w, out + from); });
  });
}

// Each part adds to a room of its own, the first to the sum itself.
void RowPasses::reduce_parts(Index parts, std::size_t width, double* sum,
                             const std::function<void(Index, Index, double*)>& body) {
  const std::int64_t n = x_.rows();
  room_.resize(std::size_t(parts - 1) * width);
  parallel_chunks(parts, [&](std::ptrdiff_t c) {
    double* const own = c == 0 ? sum : room_.data() + std::size_t(c - 1) * width;
    if (c > 0) std::fill(own, own + width, 0.0);
    body(Index(c * n / parts), Index((c + 1) * n / parts), own);
  });
  for (Index c = 1; c < parts; ++c) simd().axpy(std::ptrdiff_t(width), 1.0, room_.data() + std::size_t(c - 1) * width, sum);
}

void RowPasses::reduce(Index parts, std::size_t width, double* sum, const std::function<void(Index, Index, double*)>& body,
                       double work_of_a_row) {
  reduce_parts(parts, width, sum, [&](Index begin, Index end, double* own) {
    in_slices(begin, end, work_of_a_row, [&](Index from, Index to) { body(from, to, own); });
  });
}

// As many rows that count as are packed together, or a multiple: a slice that ended in the middle of a pack would send the
// products of few rows over the whole matrix.
void RowPasses::add_outer_with(const double* a, double* H, Index stride,
                               const std::function<void(Index, Index, double*)>& body) {
  const double filled = std::min<double>(filled_, stride), work_of_a_row = std::max(filled * filled, filled_);
  const Index count = slice_of(work_of_a_row);
  reduce_parts(parts_of_outer(a, stride), std::size_t(stride) * std::size_t(stride), H,
               [&](Index begin, Index end, double* own) {
                 while (begin < end && !halted()) {
                   poll_now();
                   Index stop = end - begin <= count ? end : begin;
                   Index left = count;
                   for (Index some = nonzeros(a, stop, end); some < left && stop < end; some = nonzeros(a, stop, end)) {
                     left -= some;
                     stop += std::min(rows_at_once, end - stop);
                   }
                   for (; stop < end && left > 0; ++stop) left -= a[stop] != 0;
                   body(begin, stop, own);
                   begin = stop;
                 }
               });
}

// A matrix for each part has to be cleared and added: only as many as there is work for.
Index RowPasses::parts_of_outer(const double* a, Index stride) const {
  const auto rows = double(std::count_if(a, a + x_.rows(), [](double value) { return value != 0; }));
  const auto stored = double(x_.stored_values());
  const double filled = std::min<double>(stored / x_.rows(), stride);
  const double full_rows = rows * filled * filled / (double(stride) * stride);
  const bool dense = stored >= 0.9 * x_.rows() * double(x_.columns());
  const double worth = std::min(full_rows / (dense ? worth_a_matrix_dense : worth_a_matrix), stored / worth_a_chunk);
  return Index(std::clamp(worth, 1.0, double(most_chunks)));
}

void RowPasses::combine(const double* a, double* sum) {
  std::fill(sum, sum + x_.columns(), 0.0);
  const auto body = [&](Index begin, Index end, double* own) { x_.add_rows(begin, end, a + begin, own); };
  reduce(parts_, x_.columns(), sum, body, filled_);
}

void RowPasses::curvature(const double* a, const double* p, const double* p_offset, double* out) {
  const std::size_t width = x_.columns() + (p_offset != nullptr);
  std::fill(out, out + width, 0.0);
  const auto body = [&](Index begin, Index end, double* own) {
    const double total = x_.add_curved(begin, end, a + begin, p, p_offset ? *p_offset : 0.0, own);
    if (p_offset) own[x_.columns()] += total;
  };
  reduce(parts_, width, out, body, 2 * filled_);
}

void RowPasses::squares(const double* a, double* sum) {
  std::fill(sum, sum + x_.columns(), 0.0);
  const auto body = [&](Index begin, Index end, double* own) { x_.add_squares(begin, end, a + begin, own); };
  reduce(parts_, x_.columns(), sum, body, filled_);
}

void RowPasses::moments(double* mean, double* variance) {
  const auto d = std::size_t(x_.columns());
  std::vector<double> sums(2 * d, 0.0);
  const auto body = [&](Index begin, Index end, double* own) { x_.add_moments(begin, end, own, own + d); };
  reduce(parts_, 2 * d, sums.data(), body, 2 * filled_);
  for (std::size_t k = 0; k < d; ++k) {
    const double square = sums[d + k] / x_.rows();
    mean[k] = sums[k] / x_.rows();
    variance[k] = square - mean[k] * mean[k];
    if (variance[k] < 1e-14 * square) variance[k] = 0;  // below the rounding of the difference a column counts as constant
  }
}

void RowPasses::add_outer(const double* a, double* H, Index stride) {
  add_outer_with(a, H, stride, [&](Index begin, Index end, double* own) { x_.add_outer(begin, end, a + begin, own, stride); });
}

void RowPasses::add_outer(const double* a, const SomeColumns& some, double* H, Index stride) {
  add_outer_with(a, H, stride,
                 [&](Index begin, Index end, double* own) { x_.add_outer(begin, end, a + begin, some, own, stride); });
}

}  // namespace maxmargin
