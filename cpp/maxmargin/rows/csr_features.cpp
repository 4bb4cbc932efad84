#include "maxmargin/rows/csr_features.hpp"

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/rows/coordinate_steps.hpp"

namespace maxmargin {

namespace {

constexpr Index rows_between_polls = 64;
constexpr Index most_values = 256;

// The values of a row in pieces, with the types that the hot loops take.
template <class V, class I, class Body>
void for_pieces(const CsrView<V, I>& csr, Index row, const Body& body) {
  Index columns[most_values];
  double values[most_values];
  for (I k = csr.indptr[row]; k < csr.indptr[row + 1];) {
    const I count = std::min<I>(csr.indptr[row + 1] - k, most_values);
    for (I j = 0; j < count; ++j) {
      columns[j] = Index(csr.indices[k + j]);
      values[j] = double(csr.data[k + j]);
    }
    body(SparseRow<double>{std::ptrdiff_t(count), columns, values});
    k += count;
  }
}

}  // namespace

template <class V, class I>
std::unique_ptr<LinearRows> CsrFeatures<V, I>::every(Index step) const {
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
void CsrFeatures<V, I>::add_moments(Index first, Index last, double* sum, double* square) const {
  for (I k = begin(first); k < begin(last); ++k) {
    const auto value = double(csr_.data[k]);
    sum[csr_.indices[k]] += value;
    square[csr_.indices[k]] += value * value;
  }
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

template <class V, class I>
void CsrFeatures<V, I>::class_products(const Index* rows, Index count, Index width, const double* W, const double* start,
                                       double* out) const {
  for (Index r = 0; r < count; ++r) {
    double* const own = out + std::ptrdiff_t(r) * width;
    if (start == nullptr)
      std::fill(own, own + width, 0.0);
    else
      std::copy(start, start + width, own);
    for_pieces(csr_, rows[r], [&](SparseRow<double> x) { simd().sparse_class_products(x, width, W, own, own); });
  }
}

template <class V, class I>
void CsrFeatures<V, I>::add_class_rows(const Index* rows, Index count, Index width, const double* U, double* G) const {
  for (Index r = 0; r < count; ++r)
    for_pieces(csr_, rows[r],
               [&](SparseRow<double> x) { simd().sparse_class_sums(x, width, U + std::ptrdiff_t(r) * width, G); });
}

template <class V, class I>
void CsrFeatures<V, I>::add_some_classes(Index row, Index width, std::span<const Index> classes, const double* u,
                                         double* G) const {
  for (I k = csr_.indptr[row]; k < csr_.indptr[row + 1]; ++k)
    add_multiples(double(csr_.data[k]), classes, u, G + std::ptrdiff_t(csr_.indices[k]) * width);
}

template <class V, class I>
bool CsrFeatures<V, I>::gather(const SomeColumns& some, const double* factor, ColumnStore& out,
                               const std::function<bool()>& stop) const {
  const auto for_entries = [&](const auto& visit) {
    for (Index i = 0; i < rows(); ++i) {
      if (i % rows_between_looks == 0 && stop()) return false;
      if (factor[i] == 0) continue;
      for (I k = begin(i); k < end(i); ++k)
        if (const Index place = some.place[csr_.indices[k]]; place >= 0) visit(i, place, factor[i] * double(csr_.data[k]));
    }
    return true;
  };
  return gather_by(for_entries, some.columns.size(), out);
}

template <class V, class I>
void CsrFeatures<V, I>::step_through(CoordinateSweep& sweep, std::size_t count) const {
  double* const w = sweep.w.data();
  const auto product = [&](Index i) {
    const I length = end(i) - begin(i);
    const V* const values = csr_.data + begin(i);
    const I* const columns = csr_.indices + begin(i);
    double sum[4] = {0, 0, 0, 0};  // hide the time of an addition
    I k = 0;
    for (; k + 4 <= length; k += 4)
      for (I l = 0; l < 4; ++l) sum[l] += double(values[k + l]) * w[columns[k + l]];
    for (; k < length; ++k) sum[0] += double(values[k]) * w[columns[k]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  };
  const auto add = [&](Index i, double change) {
    for (I k = begin(i), last = end(i); k < last; ++k) w[csr_.indices[k]] += change * double(csr_.data[k]);
  };
  const auto fetch = [&](Index i) {
    const auto length = std::ptrdiff_t(end(i) - begin(i));
    prefetch_up_to(csr_.indices + begin(i), length * std::ptrdiff_t(sizeof(I)));
    prefetch_up_to(csr_.data + begin(i), length * std::ptrdiff_t(sizeof(V)));
  };
  steps_of_loss(sweep, count, product, add, fetch, [&](Index i) { prefetch(csr_.indptr + i); });
}

template class CsrFeatures<float, std::int32_t>;
template class CsrFeatures<double, std::int32_t>;
template class CsrFeatures<float, std::int64_t>;
template class CsrFeatures<double, std::int64_t>;

}  // namespace maxmargin
