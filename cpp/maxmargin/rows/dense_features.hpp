// Rows that stand one after the other, every value.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/rows/features.hpp"

namespace maxmargin {

template <class V>
class DenseFeatures final : public Features {
 public:
  DenseFeatures(const V* data, Index rows, Index columns)
      : Features(rows, columns, std::int64_t(rows) * columns), data_(data) {}
  DenseFeatures(std::vector<V> values, Index rows, Index columns)
      : Features(rows, columns, std::int64_t(rows) * columns), own_(std::move(values)), data_(own_.data()) {}
  std::unique_ptr<LinearRows> every(Index step) const override;
  std::unique_ptr<LinearRows> without_zeros() const override;
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
  template <class T>
  void meet_with(const Accumulator& accumulator, Index row, const T* spread, Meeting<T>& out) const {
    const auto for_values = [&](const auto& visit) {
      for (Index k = accumulator.begin; k < accumulator.end; ++k) visit(std::ptrdiff_t(k), T(at(row)[k]));
    };
    meet_by(accumulator.what, for_values, spread, out);
  }
  // What is not 0, in a copy that lasts until the next one of this thread.
  template <class T>
  SparseRow<T> sparse_row(Index row) const {
    static thread_local std::vector<Index> places;
    static thread_local std::vector<T> values;
    places.clear();
    values.clear();
    for (Index k = 0; k < columns(); ++k)
      if (const T value = T(at(row)[k]); value != T(0)) {
        places.push_back(k);
        values.push_back(value);
      }
    return {std::ptrdiff_t(places.size()), places.data(), values.data()};
  }
  std::vector<V> own_;  // or empty: the caller's
  const V* data_;
};

}  // namespace maxmargin
