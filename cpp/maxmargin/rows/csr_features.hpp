// Rows of which only what is not 0 is stored, with its columns.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/rows/features.hpp"

namespace maxmargin {

template <class V, class I>
class CsrFeatures final : public Features {
 public:
  CsrFeatures(CsrView<V, I> csr, Index rows, Index columns)
      : Features(rows, columns, std::int64_t(csr.indptr[rows])), csr_(csr) {}
  struct Own {
    std::vector<V> data;
    std::vector<I> indices, indptr;
  };
  CsrFeatures(Own own, Index rows, Index columns)
      : Features(rows, columns, std::int64_t(own.indptr[rows])), own_(std::move(own)) {
    csr_ = {own_.indptr.data(), own_.indices.data(), own_.data.data()};
  }
  std::unique_ptr<LinearRows> every(Index step) const override;
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
  void dots(Index row, const float* spread, Index lanes, Index steps, float* out) const override {
    simd().spread_dots_f32(sparse_row<float>(row), spread, lanes, steps, out);
  }
  void dots(Index row, const double* spread, Index lanes, Index steps, double* out) const override {
    simd().spread_dots_f64(sparse_row<double>(row), spread, lanes, steps, out);
  }
  void meet(const Accumulator& accumulator, Index row, const float* spread, Meeting<float>& out) const override {
    meet_with(accumulator, row, spread, out);
  }
  void meet(const Accumulator& accumulator, Index row, const double* spread, Meeting<double>& out) const override {
    meet_with(accumulator, row, spread, out);
  }

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
  template <class T>
  void meet_with(const Accumulator& accumulator, Index row, const T* spread, Meeting<T>& out) const {
    const I* const first = std::lower_bound(csr_.indices + begin(row), csr_.indices + end(row), I(accumulator.begin));
    const I* const last = std::lower_bound(first, csr_.indices + end(row), I(accumulator.end));
    const auto for_values = [&](const auto& visit) {
      for (I k = I(first - csr_.indices); k < I(last - csr_.indices); ++k)
        visit(std::ptrdiff_t(csr_.indices[k]), T(csr_.data[k]));
    };
    meet_by(accumulator.what, for_values, spread, out);
  }
  // As it is stored, or a copy that lasts until the next one of this thread.
  template <class T>
  SparseRow<T> sparse_row(Index row) const {
    const std::ptrdiff_t count = end(row) - begin(row);
    SparseRow<T> found{count, nullptr, nullptr};
    if constexpr (std::is_same_v<I, Index>) {
      found.columns = csr_.indices + begin(row);
    } else {
      static thread_local std::vector<Index> columns;
      columns.assign(csr_.indices + begin(row), csr_.indices + end(row));
      found.columns = columns.data();
    }
    if constexpr (std::is_same_v<V, T>) {
      found.values = csr_.data + begin(row);
    } else {
      static thread_local std::vector<T> values;
      values.assign(csr_.data + begin(row), csr_.data + end(row));
      found.values = values.data();
    }
    return found;
  }
  Own own_;  // or empty: the caller's
  CsrView<V, I> csr_;
};

}  // namespace maxmargin
