#include "maxmargin/rows/dense_features.hpp"

#include <limits>
#include <numeric>
#include <type_traits>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"
#include "maxmargin/rows/coordinate_steps.hpp"
#include "maxmargin/rows/csr_features.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t worth_a_copy = 1 << 18;
constexpr Index some_rows = 256, rows_of_a_chunk = 1024;
constexpr double mostly = 0.25;  // of the values are not 0: then the copy is a third of the rows, or half of float32
constexpr Index most_rows = 64;

template <class V>
std::int64_t count_of(const V* x, Index columns) {
  std::int64_t count = 0;
  for (Index k = 0; k < columns; ++k) count += x[k] != 0;
  return count;
}

// Packs rows that count, some at a time: they stay in the cache while all tiles of H go over them.
template <class Pack>
void add_packed(Index begin, Index end, const double* a, double* H, Index stride, const Pack& pack) {
  constexpr Index most = 32;
  std::vector<double> packed(std::size_t(most) * std::size_t(stride), 0.0), scaled(packed.size());
  Index count = 0;
  for (Index i = begin; i < end; ++i) {
    if (const double factor = a[i - begin]; factor != 0) {
      double* const row = packed.data() + std::ptrdiff_t(count) * stride;
      pack(i, row);
      for (Index k = 0; k < stride; ++k) scaled[std::size_t(count) * std::size_t(stride) + std::size_t(k)] = factor * row[k];
      ++count;
    }
    if (count == most || (i + 1 == end && count > 0)) {
      poll_now();
      simd().outer_sum(count, stride, packed.data(), scaled.data(), H);
      count = 0;
    }
  }
}

}  // namespace

template <class V>
std::unique_ptr<LinearRows> DenseFeatures<V>::every(Index step) const {
  std::vector<V> values;
  const Index count = (rows() - 1) / step + 1;
  values.reserve(std::size_t(count) * std::size_t(columns()));
  for (Index i = 0; i < count; ++i) values.insert(values.end(), at(i * step), at(i * step) + columns());
  return std::make_unique<DenseFeatures>(std::move(values), count, columns());
}

template <class V>
std::unique_ptr<LinearRows> DenseFeatures<V>::without_zeros() const {
  const std::int64_t all = std::int64_t(rows()) * columns();
  if (all < worth_a_copy) return nullptr;
  const Index step = std::max(1, rows() / some_rows);
  std::int64_t seen = 0, filled = 0;
  for (Index i = 0; i < rows(); i += step, seen += columns()) filled += count_of(at(i), columns());
  if (double(filled) > mostly * double(seen) || mostly * double(all) > std::numeric_limits<std::int32_t>::max()) return nullptr;

  typename CsrFeatures<V, std::int32_t>::Own own;
  own.indptr.assign(std::size_t(rows()) + 1, 0);
  const Index chunks = (rows() - 1) / rows_of_a_chunk + 1;
  const auto for_rows = [&](const auto& body) {
    parallel_chunks(chunks, [&](std::ptrdiff_t c) {
      const auto begin = Index(c) * rows_of_a_chunk;
      for (Index i = begin; i < std::min(begin + rows_of_a_chunk, rows()); ++i) body(i);
    });
  };
  for_rows([&](Index i) { own.indptr[i + 1] = std::int32_t(count_of(at(i), columns())); });
  const std::int64_t stored = std::accumulate(own.indptr.begin(), own.indptr.end(), std::int64_t(0));
  if (double(stored) > mostly * double(all)) return nullptr;  // the rows that were looked at are not like the others
  std::partial_sum(own.indptr.begin(), own.indptr.end(), own.indptr.begin());
  own.data.resize(stored);
  own.indices.resize(stored);
  for_rows([&](Index i) {
    const V* const row = at(i);
    const std::int32_t stop = own.indptr[i + 1];
    std::int32_t to = own.indptr[i];
    for (Index k = 0; to < stop; ++k) {  // no branch that nobody can foretell: a 0 is overwritten by what follows
      own.data[to] = row[k];
      own.indices[to] = k;
      to += row[k] != 0;
    }
  });
  return std::make_unique<CsrFeatures<V, std::int32_t>>(std::move(own), rows(), columns());
}

template <class V>
void DenseFeatures<V>::products(Index begin, Index end, const double* w, double* out) const {
  if constexpr (std::is_same_v<V, float>)
    simd().products_f32(end - begin, columns(), at(begin), w, out);
  else
    simd().products_f64(end - begin, columns(), at(begin), w, out);
}

template <class V>
void DenseFeatures<V>::add_rows(Index begin, Index end, const double* a, double* sum) const {
  if constexpr (std::is_same_v<V, float>)
    simd().sum_f32(end - begin, columns(), at(begin), a, sum);
  else
    simd().sum_f64(end - begin, columns(), at(begin), a, sum);
}

template <class V>
void DenseFeatures<V>::add_squares(Index begin, Index end, const double* a, double* sum) const {
  for (Index i = begin; i < end; ++i) {
    const double factor = a[i - begin];
    if (factor == 0) continue;
    const V* const x = at(i);
    for (Index k = 0; k < columns(); ++k) sum[k] += factor * double(x[k]) * double(x[k]);
  }
}

// A shift to the first row saves the digits of a large mean.
template <class V>
void DenseFeatures<V>::add_moments(Index begin, Index end, double* sum, double* square) const {
  constexpr Index together = 4;  // rows that share a reading of the sums
  const Index d = columns();
  Index i = begin;
  for (; i + together <= end; i += together)
    for (Index k = 0; k < d; ++k) {
      double off[together];
      for (Index r = 0; r < together; ++r) off[r] = double(at(i + r)[k]) - double(at(0)[k]);
      sum[k] += (off[0] + off[1]) + (off[2] + off[3]);
      square[k] += (off[0] * off[0] + off[1] * off[1]) + (off[2] * off[2] + off[3] * off[3]);
    }
  for (; i < end; ++i)
    for (Index k = 0; k < d; ++k) {
      const double off = double(at(i)[k]) - double(at(0)[k]);
      sum[k] += off;
      square[k] += off * off;
    }
}

// Some rows at a time, which stay in the cache for the second reading.
template <class V>
double DenseFeatures<V>::add_curved(Index first, Index last, const double* a, const double* p, double offset,
                                    double* sum) const {
  constexpr Index most = 16;
  double factor[most], total = 0;
  for (Index i = first; i < last; i += most) {
    const Index end = std::min(i + most, last);
    products(i, end, p, factor);
    for (Index r = i; r < end; ++r) {
      factor[r - i] = a[r - first] * (factor[r - i] + offset);
      total += factor[r - i];
    }
    add_rows(i, end, factor, sum);
  }
  return total;
}

template <class V>
void DenseFeatures<V>::add_outer(Index begin, Index end, const double* a, double* H, Index stride) const {
  add_packed(begin, end, a, H, stride, [&](Index i, double* out) { copy(i, nullptr, out); });
}

template <class V>
void DenseFeatures<V>::add_outer(Index begin, Index end, const double* a, const SomeColumns& some, double* H,
                                 Index stride) const {
  add_packed(begin, end, a, H, stride, [&](Index i, double* out) {
    for (std::size_t k = 0; k < some.columns.size(); ++k) out[k] = double(at(i)[some.columns[k]]);
  });
}

template <class V>
void DenseFeatures<V>::class_products(const Index* rows, Index count, Index width, const double* W, const double* start,
                                      double* out) const {
  const V* x[most_rows];
  for (Index r = 0; r < count; ++r) x[r] = at(rows[r]);
  if constexpr (std::is_same_v<V, float>)
    simd().class_products_f32(count, columns(), width, x, W, start, out);
  else
    simd().class_products_f64(count, columns(), width, x, W, start, out);
}

template <class V>
void DenseFeatures<V>::add_class_rows(const Index* rows, Index count, Index width, const double* U, double* G) const {
  const V* x[most_rows];
  for (Index r = 0; r < count; ++r) x[r] = at(rows[r]);
  if constexpr (std::is_same_v<V, float>)
    simd().class_sums_f32(count, columns(), width, x, U, G);
  else
    simd().class_sums_f64(count, columns(), width, x, U, G);
}

template <class V>
void DenseFeatures<V>::add_some_classes(Index row, Index width, std::span<const Index> classes, const double* u,
                                        double* G) const {
  const V* const x = at(row);
  for (Index k = 0; k < columns(); ++k) add_multiples(double(x[k]), classes, u, G + std::ptrdiff_t(k) * width);
}

template <class V>
bool DenseFeatures<V>::gather(const SomeColumns& some, const double* factor, ColumnStore& out,
                              const std::function<bool()>& stop) const {
  const auto for_entries = [&](const auto& visit) {
    for (Index i = 0; i < rows(); ++i) {
      if (i % rows_between_looks == 0 && stop()) return false;
      if (factor[i] == 0) continue;
      for (std::size_t k = 0; k < some.columns.size(); ++k)
        if (const V value = at(i)[some.columns[k]]; value != 0) visit(i, Index(k), factor[i] * double(value));
    }
    return true;
  };
  return gather_by(for_entries, some.columns.size(), out);
}

template <class V>
void DenseFeatures<V>::step_through(CoordinateSweep& sweep, std::size_t count) const {
  double* const w = sweep.w.data();
  const auto product = [&](Index i) {
    double found;
    DenseFeatures::products(i, i + 1, w, &found);
    return found;
  };
  const auto add = [&](Index i, double change) { DenseFeatures::add_rows(i, i + 1, &change, w); };
  const auto nothing = [](Index) {};
  steps_of_loss(
      sweep, count, product, add, [&](Index i) { prefetch_up_to(at(i), columns() * std::ptrdiff_t(sizeof(V))); }, nothing);
}

template class DenseFeatures<float>;
template class DenseFeatures<double>;

}  // namespace maxmargin
