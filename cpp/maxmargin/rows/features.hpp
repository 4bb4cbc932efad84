// The user's rows as they are stored: dense or CSR, float32 or float64, 32- or 64-bit indices. Nothing is copied here; a row
// is read when a tile is packed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/platform/once.hpp"
#include "maxmargin/simd/hot.hpp"

namespace maxmargin {

// What kernels of distances subtract from every row (distances do not see it, float32 does), and the order in which tiles take
// the columns: first those that are seldom 0.
struct Layout {
  std::vector<double> centre;  // or empty: nothing
  std::vector<Index> order;
  Index dense = 0;                             // so many are taken as they are; of the others only what is not 0
  double largest_square = 0, mean_square = 0;  // of all rows, as they are read
  // Whether rows are of whole numbers as they are read, so small that float32 has all sums of an inner product exactly: then
  // it need not be formed in float64.
  bool whole = false;
  Index depth() const { return Index(order.size()); }
  const double* origin() const { return centre.empty() ? nullptr : centre.data(); }
};

// Rows in the order of a layout, with what tiles need of them: made once where many packings take the same rows.
template <class T>
struct OrderedCopy {
  std::vector<T> values;               // [row][depth]
  std::vector<T> norms;                // squared, with the summation order of the tiles
  std::vector<std::ptrdiff_t> starts;  // row i has from starts[i] to starts[i + 1] beyond the dense columns that is not 0:
  std::vector<Index> columns;          // in which columns,
  std::vector<T> others;               // and what
};

// Some of the columns, ascending, and where each column of all stands among them, or -1.
struct SomeColumns {
  std::vector<Index> columns, place;
};

struct ColumnStore;      // columns, one after the other: linear/l1/model.hpp
struct CoordinateSweep;  // linear/coordinate_sweep.hpp

class Features {
 public:
  virtual ~Features() = default;
  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  virtual std::int64_t stored_values() const = 0;
  // A copy of rows 0, step, 2 step, ...
  virtual std::unique_ptr<Features> every(Index step) const = 0;
  // A sparse copy of many dense rows that are mostly 0, for searches that go over them many times; else none.
  virtual std::unique_ptr<Features> without_zeros() const { return nullptr; }

  // How tiles read these rows, with or without a centre. Found from all rows when it is first asked for, also where only some
  // are used: so k(i, j) has the same bits in every subset. Takes a pass over rows made dense: not for wide sparse ones.
  const Layout& layout(bool centred) const {
    looked_[centred]([&] { layouts_[centred] = find_layout(centred); });
    return layouts_[centred];
  }

  // All rows in float32, for problems that share them. Made when it is first asked for.
  const OrderedCopy<float>& ordered(bool centred) const;

  // out[k] = x_row,k - centre_k for all columns k; no centre means 0.
  virtual void read(Index row, const double* centre, double* out) const = 0;
  // out[k] = x_row,c - centre_c with c = layout.order[k]; the room is for a row.
  virtual void read_in_order(Index row, const Layout& layout, float* out, float* room) const = 0;
  virtual void read_in_order(Index row, const Layout& layout, double* out, double* room) const = 0;
  // sum[k] += weight * x_row,k
  virtual void add_to(Index row, double weight, double* sum) const = 0;
  // sum over k of w_k x_row,k
  virtual double dot(Index row, const double* w) const = 0;

  // sum over k of x_row,k^2
  virtual double square(Index row) const = 0;

  // For linear models, rows [begin, end) at a time: out[i - begin] = <w, x_i>; sum += sum of a[i - begin] x_i, or of their
  // squared values; the lower triangle of H += sum of a[i - begin] x_i x_i', H with rows of `stride`, a multiple of 8. Rows
  // whose factor is 0 are not read.
  virtual void products(Index begin, Index end, const double* w, double* out) const = 0;
  virtual void add_rows(Index begin, Index end, const double* a, double* sum) const = 0;
  virtual void add_squares(Index begin, Index end, const double* a, double* sum) const = 0;
  // sum += sum of x_i - origin, square += sum of its squares; the origin is the first of all rows, of sparse ones 0.
  virtual void add_moments(Index begin, Index end, double* sum, double* square) const = 0;
  // sum += sum of f_i x_i with f_i = a[i - begin] (<p, x_i> + offset); returns the sum of f_i.
  virtual double add_curved(Index begin, Index end, const double* a, const double* p, double offset, double* sum) const = 0;
  virtual void add_outer(Index begin, Index end, const double* a, double* H, Index stride) const = 0;
  // The same of some columns only.
  virtual void add_outer(Index begin, Index end, const double* a, const SomeColumns& some, double* H, Index stride) const = 0;
  // Goes on with a sweep of dual coordinate descent by at most `count` rows.
  virtual void step_through(CoordinateSweep& sweep, std::size_t count) const = 0;
  // Some columns of all rows, each row times its factor; rows whose factor is 0 are left out. False if it was told to stop.
  virtual bool gather(const SomeColumns& some, const double* factor, ColumnStore& out,
                      const std::function<bool()>& stop) const = 0;

  // For linear models of all classes at once, some rows, at most 64: out[r][c] = start[c] + <x_rows[r], W[.][c]> (or no start);
  // G[k][c] += sum of U[r][c] x_rows[r],k. All have `width` columns, a multiple of 4.
  virtual void class_products(const Index* rows, Index count, Index width, const double* W, const double* start,
                              double* out) const = 0;
  virtual void add_class_rows(const Index* rows, Index count, Index width, const double* U, double* G) const = 0;
  // Of one row, where only some columns of U are not 0: G[k][classes[c]] += u[c] x_row,k.
  virtual void add_some_classes(Index row, Index width, std::span<const Index> classes, const double* u, double* G) const = 0;

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
  Layout find_layout(bool centred) const;

  Index rows_, columns_;
  mutable Once looked_[2], copied_[2];
  mutable Layout layouts_[2];
  mutable OrderedCopy<float> copies_[2];
};

template <class T>
OrderedCopy<T> copy_in_order(const Features& features, const Layout& layout, std::span<const Index> rows);

template <class V>
class DenseFeatures final : public Features {
 public:
  DenseFeatures(const V* data, Index rows, Index columns) : Features(rows, columns), data_(data) {}
  DenseFeatures(std::vector<V> values, Index rows, Index columns)
      : Features(rows, columns), own_(std::move(values)), data_(own_.data()) {}
  std::int64_t stored_values() const override { return std::int64_t(rows()) * columns(); }
  std::unique_ptr<Features> every(Index step) const override;
  std::unique_ptr<Features> without_zeros() const override;
  void read(Index row, const double* centre, double* out) const override { copy(row, centre, out); }
  void read_in_order(Index row, const Layout& layout, float* out, float*) const override { pick(row, layout, out); }
  void read_in_order(Index row, const Layout& layout, double* out, double*) const override { pick(row, layout, out); }
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
  void products(Index begin, Index end, const double* w, double* out) const override;
  void add_rows(Index begin, Index end, const double* a, double* sum) const override;
  void add_squares(Index begin, Index end, const double* a, double* sum) const override;
  void add_moments(Index begin, Index end, double* sum, double* square) const override;
  double add_curved(Index begin, Index end, const double* a, const double* p, double offset, double* sum) const override;
  void add_outer(Index begin, Index end, const double* a, double* H, Index stride) const override;
  void add_outer(Index begin, Index end, const double* a, const SomeColumns& some, double* H, Index stride) const override;
  void step_through(CoordinateSweep& sweep, std::size_t count) const override;
  bool gather(const SomeColumns& some, const double* factor, ColumnStore& out,
              const std::function<bool()>& stop) const override;
  void class_products(const Index* rows, Index count, Index width, const double* W, const double* start,
                      double* out) const override;
  void add_class_rows(const Index* rows, Index count, Index width, const double* U, double* G) const override;
  void add_some_classes(Index row, Index width, std::span<const Index> classes, const double* u, double* G) const override;
  void scatter(Index row, float* spread, Index lanes, Index lane) const override { put(row, spread, lanes, lane); }
  void scatter(Index row, double* spread, Index lanes, Index lane) const override { put(row, spread, lanes, lane); }
  void unscatter(Index, float* spread, Index lanes, Index lane) const override { clear(spread, lanes, lane); }
  void unscatter(Index, double* spread, Index lanes, Index lane) const override { clear(spread, lanes, lane); }
  void dots(Index row, const float* spread, float* out) const override { dots_of<float, 8>(row, spread, out); }
  void dots(Index row, const double* spread, double* out) const override { dots_of<double, 4>(row, spread, out); }

 private:
  const V* at(Index row) const { return data_ + std::ptrdiff_t(row) * columns(); }
  template <class T>
  void copy(Index row, const double* centre, T* out) const {
    const V* x = at(row);
    if (centre == nullptr)
      for (Index k = 0; k < columns(); ++k) out[k] = T(x[k]);
    else
      for (Index k = 0; k < columns(); ++k) out[k] = T(double(x[k]) - centre[k]);
  }
  template <class T>
  void pick(Index row, const Layout& layout, T* out) const {
    const V* x = at(row);
    const Index* const order = layout.order.data();
    const double* const centre = layout.origin();
    if (centre == nullptr)
      for (Index k = 0; k < columns(); ++k) out[k] = T(x[order[k]]);
    else
      for (Index k = 0; k < columns(); ++k) out[k] = T(double(x[order[k]]) - centre[order[k]]);
  }
  template <class T>
  void put(Index row, T* spread, Index lanes, Index lane) const {
    for (Index k = 0; k < columns(); ++k) spread[std::ptrdiff_t(k) * lanes + lane] = T(at(row)[k]);
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
  std::vector<V> own_;  // or empty: the caller's
  const V* data_;
};

template <class V, class I>
class CsrFeatures final : public Features {
 public:
  CsrFeatures(CsrView<V, I> csr, Index rows, Index columns) : Features(rows, columns), csr_(csr) {}
  struct Own {
    std::vector<V> data;
    std::vector<I> indices, indptr;
  };
  CsrFeatures(Own own, Index rows, Index columns) : Features(rows, columns), own_(std::move(own)) {
    csr_ = {own_.indptr.data(), own_.indices.data(), own_.data.data()};
  }
  std::int64_t stored_values() const override { return std::int64_t(csr_.indptr[rows()]); }
  std::unique_ptr<Features> every(Index step) const override;
  void read(Index row, const double* centre, double* out) const override { copy(row, centre, out); }
  void read_in_order(Index row, const Layout& layout, float* out, float* room) const override { pick(row, layout, out, room); }
  void read_in_order(Index row, const Layout& layout, double* out, double* room) const override {
    pick(row, layout, out, room);
  }
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
  void products(Index begin, Index end, const double* w, double* out) const override;
  void add_rows(Index begin, Index end, const double* a, double* sum) const override;
  void add_squares(Index begin, Index end, const double* a, double* sum) const override;
  void add_moments(Index begin, Index end, double* sum, double* square) const override;
  double add_curved(Index begin, Index end, const double* a, const double* p, double offset, double* sum) const override;
  void add_outer(Index begin, Index end, const double* a, double* H, Index stride) const override;
  void add_outer(Index begin, Index end, const double* a, const SomeColumns& some, double* H, Index stride) const override;
  void step_through(CoordinateSweep& sweep, std::size_t count) const override;
  bool gather(const SomeColumns& some, const double* factor, ColumnStore& out,
              const std::function<bool()>& stop) const override;
  void class_products(const Index* rows, Index count, Index width, const double* W, const double* start,
                      double* out) const override;
  void add_class_rows(const Index* rows, Index count, Index width, const double* U, double* G) const override;
  void add_some_classes(Index row, Index width, std::span<const Index> classes, const double* u, double* G) const override;
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
  void copy(Index row, const double* centre, T* out) const {
    for (Index k = 0; k < columns(); ++k) out[k] = centre == nullptr ? T(0) : T(-centre[k]);
    for (I k = begin(row); k < end(row); ++k) {
      const I column = csr_.indices[k];
      out[column] = T(double(csr_.data[k]) - (centre == nullptr ? 0.0 : centre[column]));
    }
  }
  template <class T>
  void pick(Index row, const Layout& layout, T* out, T* room) const {
    copy(row, layout.origin(), room);
    for (Index k = 0; k < columns(); ++k) out[k] = room[layout.order[k]];
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
  Own own_;  // or empty: the caller's
  CsrView<V, I> csr_;
};

}  // namespace maxmargin
