// Passes over stored rows for linear models of all classes at once.
#include <type_traits>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/rows/features.hpp"

namespace maxmargin {

namespace {

constexpr Index most_rows = 64;
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

void add_value(double x, std::span<const Index> classes, const double* u, double* G) {
  for (std::size_t c = 0; c < classes.size(); ++c) G[classes[c]] += x * u[c];
}

}  // namespace

template <class V>
void DenseFeatures<V>::class_products(const Index* rows, Index count, Index width, const double* W, const double* start,
                                      double* out) const {
  const V* x[most_rows];
  for (Index r = 0; r < count; ++r) x[r] = at(rows[r]);
  if constexpr (std::is_same_v<V, float>)
    hot().class_products_f32(count, columns(), width, x, W, start, out);
  else
    hot().class_products_f64(count, columns(), width, x, W, start, out);
}

template <class V>
void DenseFeatures<V>::add_class_rows(const Index* rows, Index count, Index width, const double* U, double* G) const {
  const V* x[most_rows];
  for (Index r = 0; r < count; ++r) x[r] = at(rows[r]);
  if constexpr (std::is_same_v<V, float>)
    hot().class_sums_f32(count, columns(), width, x, U, G);
  else
    hot().class_sums_f64(count, columns(), width, x, U, G);
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
    for_pieces(csr_, rows[r], [&](SparseRow<double> x) { hot().sparse_class_products(x, width, W, own, own); });
  }
}

template <class V, class I>
void CsrFeatures<V, I>::add_class_rows(const Index* rows, Index count, Index width, const double* U, double* G) const {
  for (Index r = 0; r < count; ++r)
    for_pieces(csr_, rows[r],
               [&](SparseRow<double> x) { hot().sparse_class_sums(x, width, U + std::ptrdiff_t(r) * width, G); });
}

template <class V>
void DenseFeatures<V>::add_some_classes(Index row, Index width, std::span<const Index> classes, const double* u,
                                        double* G) const {
  const V* const x = at(row);
  for (Index k = 0; k < columns(); ++k) add_value(double(x[k]), classes, u, G + std::ptrdiff_t(k) * width);
}

template <class V, class I>
void CsrFeatures<V, I>::add_some_classes(Index row, Index width, std::span<const Index> classes, const double* u,
                                         double* G) const {
  for (I k = csr_.indptr[row]; k < csr_.indptr[row + 1]; ++k)
    add_value(double(csr_.data[k]), classes, u, G + std::ptrdiff_t(csr_.indices[k]) * width);
}

template void DenseFeatures<float>::class_products(const Index*, Index, Index, const double*, const double*, double*) const;
template void DenseFeatures<double>::class_products(const Index*, Index, Index, const double*, const double*, double*) const;
template void DenseFeatures<float>::add_class_rows(const Index*, Index, Index, const double*, double*) const;
template void DenseFeatures<double>::add_class_rows(const Index*, Index, Index, const double*, double*) const;
template void CsrFeatures<float, std::int32_t>::class_products(const Index*, Index, Index, const double*, const double*,
                                                               double*) const;
template void CsrFeatures<double, std::int32_t>::class_products(const Index*, Index, Index, const double*, const double*,
                                                                double*) const;
template void CsrFeatures<float, std::int64_t>::class_products(const Index*, Index, Index, const double*, const double*,
                                                               double*) const;
template void CsrFeatures<double, std::int64_t>::class_products(const Index*, Index, Index, const double*, const double*,
                                                                double*) const;
template void CsrFeatures<float, std::int32_t>::add_class_rows(const Index*, Index, Index, const double*, double*) const;
template void CsrFeatures<double, std::int32_t>::add_class_rows(const Index*, Index, Index, const double*, double*) const;
template void CsrFeatures<float, std::int64_t>::add_class_rows(const Index*, Index, Index, const double*, double*) const;
template void CsrFeatures<double, std::int64_t>::add_class_rows(const Index*, Index, Index, const double*, double*) const;
template void DenseFeatures<float>::add_some_classes(Index, Index, std::span<const Index>, const double*, double*) const;
template void DenseFeatures<double>::add_some_classes(Index, Index, std::span<const Index>, const double*, double*) const;
template void CsrFeatures<float, std::int32_t>::add_some_classes(Index, Index, std::span<const Index>, const double*,
                                                                 double*) const;
template void CsrFeatures<double, std::int32_t>::add_some_classes(Index, Index, std::span<const Index>, const double*,
                                                                  double*) const;
template void CsrFeatures<float, std::int64_t>::add_some_classes(Index, Index, std::span<const Index>, const double*,
                                                                 double*) const;
template void CsrFeatures<double, std::int64_t>::add_some_classes(Index, Index, std::span<const Index>, const double*,
                                                                  double*) const;

}  // namespace maxmargin
