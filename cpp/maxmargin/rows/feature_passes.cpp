// Passes over stored rows for linear models.
#include <limits>
#include <numeric>
#include <type_traits>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"
#include "maxmargin/rows/features.hpp"

namespace maxmargin {

template <class V>
std::unique_ptr<Features> DenseFeatures<V>::every(Index step) const {
  std::vector<V> values;
  const Index count = (rows() - 1) / step + 1;
  values.reserve(std::size_t(count) * std::size_t(columns()));
  for (Index i = 0; i < count; ++i) values.insert(values.end(), at(i * step), at(i * step) + columns());
  return std::make_unique<DenseFeatures>(std::move(values), count, columns());
}

namespace {

constexpr std::int64_t worth_a_copy = 1 << 18;
constexpr Index some_rows = 256, rows_of_a_chunk = 1024;
constexpr Index rows_between_polls = 64;
constexpr double mostly = 0.25;  // of the values are not 0: then the copy is a third of the rows, or half of float32

template <class V>
std::int64_t count_of(const V* x, Index columns) {
  std::int64_t count = 0;
  for (Index k = 0; k < columns; ++k) count += x[k] != 0;
  return count;
}

}  // namespace

template <class V>
std::unique_ptr<Features> DenseFeatures<V>::without_zeros() const {
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

template <class V, class I>
std::unique_ptr<Features> CsrFeatures<V, I>::every(Index step) const {
  Own own;
  const Index count = (rows() - 1) / step + 1;
  own.indptr.assign(std::size_t(count) + 1, I(0));
  for (Index i = 0; i < count; ++i) own.indptr[i + 1] = own.indptr[i] + (end(i * step) - begin(i * step));
  own.data.resize(own.indptr[count]);
  own.indices.resize(own.indptr[count]);
  for (Index i = 0; i < count; ++i) {
    std::copy(csr_.data + begin(i * step), csr_.data + end(i * step), own.data.begin() + own.indptr[i]);
    std::copy(csr_.indices + begin(i * step), csr_.indices + end(i * step), own.indices.begin() + own.indptr[i]);
  }
  return std::make_unique<CsrFeatures>(std::move(own), count, columns());
}

template <class V>
void DenseFeatures<V>::products(Index begin, Index end, const double* w, double* out) const {
  if constexpr (std::is_same_v<V, float>)
    hot().products_f32(end - begin, columns(), at(begin), w, out);
  else
    hot().products_f64(end - begin, columns(), at(begin), w, out);
}

template <class V>
void DenseFeatures<V>::add_rows(Index begin, Index end, const double* a, double* sum) const {
  if constexpr (std::is_same_v<V, float>)
    hot().sum_f32(end - begin, columns(), at(begin), a, sum);
  else
    hot().sum_f64(end - begin, columns(), at(begin), a, sum);
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
      hot().outer_sum(count, stride, packed.data(), scaled.data(), H);
      count = 0;
    }
  }
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

// Sums of a few values at scattered places: nothing for wide registers. Two sums hide the time of an addition.
template <class V, class I>
void CsrFeatures<V, I>::products(Index first, Index last, const double* w, double* out) const {
  for (Index i = first; i < last; ++i) {
    double even = 0, odd = 0;
    I k = begin(i);
    for (; k + 2 <= end(i); k += 2) {
      even += double(csr_.data[k]) * w[csr_.indices[k]];
      odd += double(csr_.data[k + 1]) * w[csr_.indices[k + 1]];
    }
    if (k < end(i)) even += double(csr_.data[k]) * w[csr_.indices[k]];
    out[i - first] = even + odd;
  }
}

template <class V, class I>
void CsrFeatures<V, I>::add_rows(Index first, Index last, const double* a, double* sum) const {
  for (Index i = first; i < last; ++i)
    if (const double factor = a[i - first]; factor != 0)
      for (I k = begin(i); k < end(i); ++k) sum[csr_.indices[k]] += factor * double(csr_.data[k]);
}

template <class V, class I>
void CsrFeatures<V, I>::add_squares(Index first, Index last, const double* a, double* sum) const {
  for (Index i = first; i < last; ++i)
    if (const double factor = a[i - first]; factor != 0)
      for (I k = begin(i); k < end(i); ++k) sum[csr_.indices[k]] += factor * double(csr_.data[k]) * double(csr_.data[k]);
}

template <class V, class I>
double CsrFeatures<V, I>::add_curved(Index first, Index last, const double* a, const double* p, double offset,
                                     double* sum) const {
  double total = 0;
  for (Index i = first; i < last; ++i) {
    if (a[i - first] == 0) continue;
    double factor = 0;
    products(i, i + 1, p, &factor);
    factor = a[i - first] * (factor + offset);
    for (I k = begin(i); k < end(i); ++k) sum[csr_.indices[k]] += factor * double(csr_.data[k]);
    total += factor;
  }
  return total;
}

// Four rows of H at a time: on short rows the end of a loop costs as much as some turns of it.
template <class V, class I>
void CsrFeatures<V, I>::add_outer(Index first, Index last, const double* a, double* H, Index stride) const {
  constexpr I at_once = 4;
  for (Index i = first; i < last; ++i) {
    const double factor = a[i - first];
    if ((i - first) % rows_between_polls == 0) poll_now();
    if (factor == 0) continue;
    const I* const columns = csr_.indices + begin(i);
    const V* const values = csr_.data + begin(i);
    const I length = end(i) - begin(i);
    I k = 0;
    for (; k + at_once <= length; k += at_once) {
      double* row[at_once];
      double weighted[at_once];
      for (I r = 0; r < at_once; ++r) {
        row[r] = H + std::ptrdiff_t(columns[k + r]) * stride;
        weighted[r] = factor * double(values[k + r]);
      }
      for (I l = 0; l < k; ++l) {
        const double value = double(values[l]);
        const I column = columns[l];
        for (I r = 0; r < at_once; ++r) row[r][column] += weighted[r] * value;
      }
      for (I r = 0; r < at_once; ++r)
        for (I l = 0; l <= r; ++l) row[r][columns[k + l]] += weighted[r] * double(values[k + l]);
    }
    for (; k < length; ++k) {
      double* const row = H + std::ptrdiff_t(columns[k]) * stride;
      const double weighted = factor * double(values[k]);
      for (I l = 0; l <= k; ++l) row[columns[l]] += weighted * double(values[l]);
    }
  }
}

template <class V, class I>
void CsrFeatures<V, I>::add_outer(Index first, Index last, const double* a, const SomeColumns& some, double* H,
                                  Index stride) const {
  std::vector<Index> places;
  std::vector<double> values;
  for (Index i = first; i < last; ++i) {
    const double factor = a[i - first];
    if ((i - first) % rows_between_polls == 0) poll_now();
    if (factor == 0) continue;
    places.clear();
    values.clear();
    for (I k = begin(i); k < end(i); ++k)
      if (const Index place = some.place[csr_.indices[k]]; place >= 0) {
        places.push_back(place);
        values.push_back(double(csr_.data[k]));
      }
    for (std::size_t k = 0; k < places.size(); ++k) {
      double* const row = H + std::ptrdiff_t(places[k]) * stride;
      for (std::size_t l = 0; l <= k; ++l) row[places[l]] += factor * values[k] * values[l];
    }
  }
}

template class DenseFeatures<float>;
template class DenseFeatures<double>;
template class CsrFeatures<float, std::int32_t>;
template class CsrFeatures<double, std::int32_t>;
template class CsrFeatures<float, std::int64_t>;
template class CsrFeatures<double, std::int64_t>;

}  // namespace maxmargin
