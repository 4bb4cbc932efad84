// Passes over stored rows for linear models.
#include <type_traits>

#include "maxmargin/cpu.hpp"
#include "maxmargin/features.hpp"

namespace maxmargin {

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

template <class V>
void DenseFeatures<V>::add_outer(Index begin, Index end, const double* a, double* H, Index stride) const {
  constexpr Index most = 64;  // rows packed at a time: they stay in the cache while all tiles of H go over them
  std::vector<double> packed(std::size_t(most) * std::size_t(stride), 0.0), factor(most);
  Index count = 0;
  for (Index i = begin; i < end; ++i) {
    if (a[i - begin] != 0) {
      copy(i, nullptr, packed.data() + std::ptrdiff_t(count) * stride);
      factor[count++] = a[i - begin];
    }
    if (count == most || (i + 1 == end && count > 0)) {
      hot().outer_sum(count, stride, packed.data(), factor.data(), H);
      count = 0;
    }
  }
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
void CsrFeatures<V, I>::add_outer(Index first, Index last, const double* a, double* H, Index stride) const {
  for (Index i = first; i < last; ++i) {
    const double factor = a[i - first];
    if (factor == 0) continue;
    for (I k = begin(i); k < end(i); ++k) {
      double* const row = H + std::ptrdiff_t(csr_.indices[k]) * stride;
      const double weighted = factor * double(csr_.data[k]);
      for (I l = begin(i); l <= k; ++l) row[csr_.indices[l]] += weighted * double(csr_.data[l]);
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
