// The user's rows as they are stored: dense or CSR, float32 or float64, 32- or 64-bit indices. Nothing is copied here; a row
// is read when a tile is packed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "maxmargin/simd/hot.hpp"

namespace maxmargin {

class Features {
 public:
  virtual ~Features() = default;
  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  virtual std::int64_t stored_values() const = 0;

  // The mean of all rows, computed when it is first asked for. Kernels of distances read rows relative to it: distances do not
  // see it, float32 does. Of all rows, also where only some are used: so k(i, j) has the same bits in every subset.
  const std::vector<double>& centre() const {
    std::call_once(centred_, [this] {
      centre_.assign(columns_, 0.0);
      for (Index row = 0; row < rows_; ++row) add_to(row, 1.0, centre_.data());
      for (double& value : centre_) value /= rows_;
    });
    return centre_;
  }

  // out[k * step] = x_row,k - centre_k for all columns k; no centre means 0.
  virtual void read(Index row, const double* centre, float* out, std::ptrdiff_t step) const = 0;
  virtual void read(Index row, const double* centre, double* out, std::ptrdiff_t step) const = 0;
  // sum[k] += weight * x_row,k
  virtual void add_to(Index row, double weight, double* sum) const = 0;
  // sum over k of w_k x_row,k
  virtual double dot(Index row, const double* w) const = 0;

  // sum over k of x_row,k^2
  virtual double square(Index row) const = 0;

  // For inner products of sparse rows without making them dense: `lanes` rows stand interleaved in `spread`, [column][lanes].
  virtual void scatter(Index row, float* spread, Index lanes, Index lane) const = 0;
  virtual void scatter(Index row, double* spread, Index lanes, Index lane) const = 0;
  virtual void unscatter(Index row, float* spread, Index lanes, Index lane) const = 0;
  virtual void unscatter(Index row, double* spread, Index lanes, Index lane) const = 0;
  // out[l] = sum over k of spread[k][l] x_row,k in the order of k; 8 lanes of float32 or 4 of float64.
  virtual void dots(Index row, const float* spread, float* out) const = 0;
  virtual void dots(Index row, const double* spread, double* out) const = 0;

 protected:
  Features(Index rows, Index columns) : rows_(rows), columns_(columns) {}

 private:
  Index rows_, columns_;
  mutable std::once_flag centred_;
  mutable std::vector<double> centre_;
};

template <class V>
class DenseFeatures final : public Features {
 public:
  DenseFeatures(const V* data, Index rows, Index columns) : Features(rows, columns), data_(data) {}
  std::int64_t stored_values() const override { return std::int64_t(rows()) * columns(); }
  void read(Index row, const double* centre, float* out, std::ptrdiff_t step) const override { copy(row, centre, out, step); }
  void read(Index row, const double* centre, double* out, std::ptrdiff_t step) const override { copy(row, centre, out, step); }
  void add_to(Index row, double weight, double* sum) const override {
    for (Index k = 0; k < columns(); ++k) sum[k] += weight * double(at(row)[k]);
  }
  double dot(Index row, const double* w) const override {
    double sum = 0;
    for (Index k = 0; k < columns(); ++k) sum += w[k] * double(at(row)[k]);
    return sum;
  }
  double square(Index row) const override {
    double sum = 0;
    for (Index k = 0; k < columns(); ++k) sum += double(at(row)[k]) * double(at(row)[k]);
    return sum;
  }
  void scatter(Index row, float* spread, Index lanes, Index lane) const override { copy(row, nullptr, spread + lane, lanes); }
  void scatter(Index row, double* spread, Index lanes, Index lane) const override { copy(row, nullptr, spread + lane, lanes); }
  void unscatter(Index, float* spread, Index lanes, Index lane) const override { clear(spread, lanes, lane); }
  void unscatter(Index, double* spread, Index lanes, Index lane) const override { clear(spread, lanes, lane); }
  void dots(Index row, const float* spread, float* out) const override { dots_of<float, 8>(row, spread, out); }
  void dots(Index row, const double* spread, double* out) const override { dots_of<double, 4>(row, spread, out); }

 private:
  const V* at(Index row) const { return data_ + std::ptrdiff_t(row) * columns(); }
  template <class T>
  void copy(Index row, const double* centre, T* out, std::ptrdiff_t step) const {
    const V* x = at(row);
    if (centre == nullptr)
      for (Index k = 0; k < columns(); ++k) out[k * step] = T(x[k]);
    else
      for (Index k = 0; k < columns(); ++k) out[k * step] = T(double(x[k]) - centre[k]);
  }
  template <class T>
  void clear(T* spread, Index lanes, Index lane) const {
    for (Index k = 0; k < columns(); ++k) spread[std::ptrdiff_t(k) * lanes + lane] = T(0);
  }
  template <class T, int lanes>
  void dots_of(Index row, const T* spread, T* out) const {
    T sum[lanes] = {};
    for (Index k = 0; k < columns(); ++k)
      for (int l = 0; l < lanes; ++l) sum[l] += spread[std::ptrdiff_t(k) * lanes + l] * T(at(row)[k]);
    std::copy(sum, sum + lanes, out);
  }
  const V* data_;
};

template <class V, class I>
class CsrFeatures final : public Features {
 public:
  CsrFeatures(CsrView<V, I> csr, Index rows, Index columns) : Features(rows, columns), csr_(csr) {}
  std::int64_t stored_values() const override { return std::int64_t(csr_.indptr[rows()]); }
  void read(Index row, const double* centre, float* out, std::ptrdiff_t step) const override { copy(row, centre, out, step); }
  void read(Index row, const double* centre, double* out, std::ptrdiff_t step) const override { copy(row, centre, out, step); }
  void add_to(Index row, double weight, double* sum) const override {
    for (I k = begin(row); k < end(row); ++k) sum[csr_.indices[k]] += weight * double(csr_.data[k]);
  }
  double dot(Index row, const double* w) const override {
    double sum = 0;
    for (I k = begin(row); k < end(row); ++k) sum += w[csr_.indices[k]] * double(csr_.data[k]);
    return sum;
  }
  double square(Index row) const override {
    double sum = 0;
    for (I k = begin(row); k < end(row); ++k) sum += double(csr_.data[k]) * double(csr_.data[k]);
    return sum;
  }
  void scatter(Index row, float* spread, Index lanes, Index lane) const override { put(row, spread, lanes, lane); }
  void scatter(Index row, double* spread, Index lanes, Index lane) const override { put(row, spread, lanes, lane); }
  void unscatter(Index row, float* spread, Index lanes, Index lane) const override { clear(row, spread, lanes, lane); }
  void unscatter(Index row, double* spread, Index lanes, Index lane) const override { clear(row, spread, lanes, lane); }
  void dots(Index row, const float* spread, float* out) const override { dots_of<float, 8>(row, spread, out); }
  void dots(Index row, const double* spread, double* out) const override { dots_of<double, 4>(row, spread, out); }

 private:
  I begin(Index row) const { return csr_.indptr[row]; }
  I end(Index row) const { return csr_.indptr[row + 1]; }
  template <class T>
  void copy(Index row, const double* centre, T* out, std::ptrdiff_t step) const {
    for (Index k = 0; k < columns(); ++k) out[k * step] = centre == nullptr ? T(0) : T(-centre[k]);
    for (I k = begin(row); k < end(row); ++k) {
      const I column = csr_.indices[k];
      out[std::ptrdiff_t(column) * step] = T(double(csr_.data[k]) - (centre == nullptr ? 0.0 : centre[column]));
    }
  }
  template <class T>
  void put(Index row, T* spread, Index lanes, Index lane) const {
    for (I k = begin(row); k < end(row); ++k) spread[std::ptrdiff_t(csr_.indices[k]) * lanes + lane] = T(csr_.data[k]);
  }
  template <class T>
  void clear(Index row, T* spread, Index lanes, Index lane) const {
    for (I k = begin(row); k < end(row); ++k) spread[std::ptrdiff_t(csr_.indices[k]) * lanes + lane] = T(0);
  }
  template <class T, int lanes>
  void dots_of(Index row, const T* spread, T* out) const {
    T sum[lanes] = {};
    for (I k = begin(row); k < end(row); ++k) {
      const T* const other = spread + std::ptrdiff_t(csr_.indices[k]) * lanes;
      for (int l = 0; l < lanes; ++l) sum[l] += other[l] * T(csr_.data[k]);
    }
    std::copy(sum, sum + lanes, out);
  }
  CsrView<V, I> csr_;
};

}  // namespace maxmargin
