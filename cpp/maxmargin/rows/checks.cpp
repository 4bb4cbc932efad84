#include "maxmargin/rows/checks.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t values_of_a_chunk = 1 << 17;  // some 30 microseconds
constexpr std::int64_t rows_of_a_chunk = 1 << 12;
constexpr Index tile = 64;  // of a square: two of them stay in the cache
constexpr int strip = 8;    // rows of a tile

// The sum of all x - x is 0 if all are finite, else NaN; lanes do not wait for each other.
template <class V>
bool finite_block(const V* x, std::int64_t count) {
  constexpr int lanes = 16;
  V sums[lanes] = {};
  std::int64_t k = 0;
  for (; k + lanes <= count; k += lanes)
    for (int l = 0; l < lanes; ++l) sums[l] += x[k + l] - x[k + l];
  for (; k < count; ++k) sums[0] += x[k] - x[k];
  return std::accumulate(sums, sums + lanes, V(0)) == V(0);
}

struct Columns {
  bool inside = true;
  std::int64_t descents = 0;  // columns that are not above the one before
};

// Both in one pass without branches: the top bit of `column | (last - column)` is that of one outside 0 ... last.
template <class I>
Columns scan_columns(const I* indices, std::int64_t count, std::int64_t columns) {
  using Unsigned = std::make_unsigned_t<I>;
  constexpr std::int64_t block = 1 << 12;  // their descents can be counted in any type
  const auto last = Unsigned(std::min<std::int64_t>(columns - 1, std::numeric_limits<I>::max()));
  Columns found;
  Unsigned outside = Unsigned(indices[0]) | (last - Unsigned(indices[0]));
  for (std::int64_t begin = 1; begin < count; begin += block) {
    const std::int64_t end = std::min(begin + block, count);
    Unsigned descents = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      const auto column = Unsigned(indices[k]);
      outside |= column | (last - column);
      descents += indices[k - 1] >= indices[k] ? 1 : 0;
    }
    found.descents += std::int64_t(descents);
  }
  found.inside = (outside >> std::numeric_limits<I>::digits) == 0;
  return found;
}

// What is found in a square, a lane for each row of a strip. A maximum does not see NaN, a sum of differences does.
template <class V>
struct Lanes {
  V most[strip] = {}, off[strip] = {}, nothing[strip] = {};

  void see(int lane, V value, V across) {
    const V difference = value - across, size = std::max(std::abs(value), std::abs(across));
    most[lane] = size > most[lane] ? size : most[lane];
    off[lane] = std::abs(difference) > off[lane] ? std::abs(difference) : off[lane];
    nothing[lane] += difference - difference;
  }
};

// Of a tile and the one across the diagonal: a strip of rows at a time is turned, which then lies as its columns do.
template <class V>
void check_tile(const V* matrix, std::ptrdiff_t n, Index row, Index column, Lanes<V>& found) {
  const auto rows = Index(std::min<std::ptrdiff_t>(tile, n - row)), columns = Index(std::min<std::ptrdiff_t>(tile, n - column));
  Index first = 0;
  for (; first + strip <= rows; first += strip) {
    V turned[tile][strip];
    for (int r = 0; r < strip; ++r) {
      const V* const own = matrix + (row + first + r) * n + column;
      for (Index c = 0; c < columns; ++c) turned[c][r] = own[c];
    }
    for (Index c = 0; c < columns; ++c) {
      const V* const across = matrix + (column + c) * n + row + first;
      for (int r = 0; r < strip; ++r) found.see(r, turned[c][r], across[r]);
    }
  }
  for (; first < rows; ++first)
    for (Index c = 0; c < columns; ++c)
      found.see(0, matrix[(row + first) * n + column + c], matrix[(column + c) * n + row + first]);
}

// Tiles that are read soon, but so far apart that the processor does not guess it.
template <class V>
void fetch_tile(const V* matrix, std::ptrdiff_t n, Index row, Index column) {
  constexpr Index line = Index(64 / sizeof(V));
  for (Index r = row; r < std::min<std::ptrdiff_t>(row + tile, n); ++r)
    for (Index c = column; c < std::min<std::ptrdiff_t>(column + tile, n); c += line) __builtin_prefetch(matrix + r * n + c);
}

}  // namespace

template <class V>
bool are_finite(const V* values, std::int64_t count) {
  std::atomic<bool> finite{true};
  parallel_chunks((count + values_of_a_chunk - 1) / values_of_a_chunk, [&](std::ptrdiff_t chunk) {
    const std::int64_t first = chunk * values_of_a_chunk;
    if (!finite_block(values + first, std::min(values_of_a_chunk, count - first))) finite.store(false);
  });
  return finite.load();
}

template <class V>
bool are_same_rows(const V* matrix, std::span<const Index> rows, std::int64_t columns, const V* others) {
  std::atomic<bool> equal{true};
  const auto count = std::int64_t(rows.size()), of_a_chunk = std::max<std::int64_t>(1, values_of_a_chunk / (columns + 1));
  parallel_chunks((count + of_a_chunk - 1) / of_a_chunk, [&](std::ptrdiff_t chunk) {
    for (std::int64_t r = chunk * of_a_chunk; r < std::min((chunk + 1) * of_a_chunk, count); ++r) {
      const V* const row = matrix + rows[r] * columns;
      if (!std::equal(row, row + columns, others + r * columns)) return equal.store(false);
    }
  });
  return equal.load();
}

template <class S, class I>
CsrCheck check_csr(const S* starts, std::int64_t rows, const I* indices, std::int64_t held, std::int64_t columns) {
  if (rows < 0 || starts[0] != 0) return {CsrFault::starts, false};
  for (std::int64_t row = 0; row < rows; ++row) {
    if (row % rows_of_a_chunk == 0) poll_now();
    if (starts[row + 1] < starts[row]) return {CsrFault::starts, false};
  }
  if (std::int64_t(starts[rows]) > held) return {CsrFault::starts, false};
  std::atomic<bool> inside{true}, ascends{true};
  // Chunks of rows with about so many values: the starts are known to be good.
  const std::int64_t stored = starts[rows], chunks = std::min(rows, stored / values_of_a_chunk + 1);
  const auto first_row = [&](std::ptrdiff_t chunk) {
    return chunk == chunks ? rows : std::lower_bound(starts, starts + rows, S(stored / chunks * chunk)) - starts;
  };
  parallel_chunks(chunks, [&](std::ptrdiff_t chunk) {
    const auto begin = first_row(chunk), end = first_row(chunk + 1);
    if (begin >= end || starts[begin] == starts[end]) return;
    const auto found = scan_columns(indices + starts[begin], std::int64_t(starts[end] - starts[begin]), columns);
    std::int64_t between_rows = 0;  // where the next row begins, columns need not ascend
    for (std::int64_t row = begin + 1; row < end; ++row) {
      const S k = starts[row];
      between_rows += k > starts[begin] && k < starts[row + 1] && indices[k - 1] >= indices[k];
    }
    if (!found.inside) inside.store(false);
    if (found.descents != between_rows) ascends.store(false);
  });
  return {inside.load() ? CsrFault::none : CsrFault::columns, ascends.load()};
}

template <class V>
SquareCheck check_square(const V* matrix, Index n) {
  const Index bands = (n + tile - 1) / tile;
  std::vector<double> largest(bands, 0.0), asymmetry(bands, 0.0);
  parallel_chunks(bands, [&](std::ptrdiff_t band) {
    const Index row = Index(band) * tile;
    Lanes<V> seen;
    for (Index column = 0; column <= row; column += tile) {
      if (column < row) fetch_tile(matrix, n, column + tile, row);
      check_tile(matrix, n, row, column, seen);
    }
    const bool whole = std::accumulate(seen.nothing, seen.nothing + strip, V(0)) == V(0);
    largest[band] = whole ? double(*std::max_element(seen.most, seen.most + strip)) : std::nan("");
    asymmetry[band] = whole ? double(*std::max_element(seen.off, seen.off + strip)) : std::nan("");
  });
  SquareCheck found{0, 0};
  for (Index band = 0; band < bands; ++band) {
    found.largest = std::isnan(largest[band]) || largest[band] > found.largest ? largest[band] : found.largest;
    found.asymmetry = std::isnan(asymmetry[band]) || asymmetry[band] > found.asymmetry ? asymmetry[band] : found.asymmetry;
    if (std::isnan(found.largest)) break;
  }
  return found;
}

template bool are_finite(const float*, std::int64_t);
template bool are_finite(const double*, std::int64_t);
template bool are_same_rows(const float*, std::span<const Index>, std::int64_t, const float*);
template bool are_same_rows(const double*, std::span<const Index>, std::int64_t, const double*);
template CsrCheck check_csr(const std::int32_t*, std::int64_t, const std::int32_t*, std::int64_t, std::int64_t);
template CsrCheck check_csr(const std::int32_t*, std::int64_t, const std::int64_t*, std::int64_t, std::int64_t);
template CsrCheck check_csr(const std::int64_t*, std::int64_t, const std::int32_t*, std::int64_t, std::int64_t);
template CsrCheck check_csr(const std::int64_t*, std::int64_t, const std::int64_t*, std::int64_t, std::int64_t);
template SquareCheck check_square(const float*, Index);
template SquareCheck check_square(const double*, Index);

}  // namespace maxmargin
