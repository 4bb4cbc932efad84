// Packed copies of rows: panels (the columns of a tile) and left rows (its rows), with their squared norms. See simd/table.hpp.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "maxmargin/platform/buffer.hpp"
#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"
#include "maxmargin/rows/tile_rows.hpp"

namespace maxmargin {

// The hot functions by precision.
template <class T>
struct SimdOf;
template <>
struct SimdOf<float> {
  static constexpr auto norms = &SimdTable::norms_f32;
  static constexpr auto row_norms = &SimdTable::row_norms_f32;
  static constexpr auto interleave = &SimdTable::interleave_f32;
  static constexpr auto own_of_panel = &SimdTable::own_of_panel_f32;
  static constexpr auto own_of_row = &SimdTable::own_of_row_f32;
  static constexpr auto own_values = &SimdTable::own_values_f32;
  static constexpr auto combined_values = &SimdTable::combined_values_f32;
};
template <>
struct SimdOf<double> {
  static constexpr auto norms = &SimdTable::norms_f64;
  static constexpr auto row_norms = &SimdTable::row_norms_f64;
  static constexpr auto interleave = &SimdTable::interleave_f64;
  static constexpr auto own_of_panel = &SimdTable::own_of_panel_f64;
  static constexpr auto own_of_row = &SimdTable::own_of_row_f64;
  static constexpr auto own_values = &SimdTable::own_values_f64;
  static constexpr auto combined_values = &SimdTable::combined_values_f64;
};

// The tile function by the precision of rows and of results.
template <class T, class R>
inline constexpr auto tile_of = &SimdTable::tile_f64;
template <>
inline constexpr auto tile_of<float, float> = &SimdTable::tile_f32;
template <>
inline constexpr auto tile_of<float, double> = &SimdTable::tile_whole;

// The same for combined kernels.
template <class T, class R>
inline constexpr auto combined_tile_of = &SimdTable::combined_f64;
template <>
inline constexpr auto combined_tile_of<float, float> = &SimdTable::combined_f32;
template <>
inline constexpr auto combined_tile_of<float, double> = &SimdTable::combined_whole;

// How many numbers stand beside each packed row: its squared norm, or the own values of a combined kernel.
inline Index norms_of_a_row(const KernelFunction& kernel) { return kernel.is_combined() ? kernel.own_count() : 1; }

// Rows in the order of the layout: read from X and put in order, or from a copy, whose rows are then numbered as it has them.
template <class T>
class OrderedRows {
 public:
  OrderedRows(const TileRows& features, const Layout& layout) : features_(&features), layout_(&layout) {}
  OrderedRows(const OrderedCopy<T>& copy, const Layout& layout) : copy_(&copy), layout_(&layout) {}
  const Layout& layout() const { return *layout_; }
  const OrderedCopy<T>* copy() const { return copy_; }
  // A pointer to the row; `room` has space for two, and keeps it where there is no copy.
  const T* row(Index i, T* room) const {
    if (copy_ != nullptr) return copy_->values.data() + std::ptrdiff_t(i) * layout_->depth();
    features_->read_in_order(i, *layout_, room, room + layout_->depth());
    return room;
  }

 private:
  const TileRows* features_ = nullptr;
  const OrderedCopy<T>* copy_ = nullptr;
  const Layout* layout_;
};

// Panels: groups of rows, depth-major; the last one is filled up with zero rows.
template <class T>
class Panels {
 public:
  static constexpr Index width = TileShape<T>::panel;

  void pack(const KernelFunction& kernel, const OrderedRows<T>& source, std::span<const Index> rows) {
    count_ = Index(rows.size());
    depth_ = source.layout().depth();
    norms_of_a_group_ = width * norms_of_a_row(kernel);
    values_.reserve(std::size_t(groups()) * std::size_t(width) * std::size_t(depth_));
    norms_.reserve(std::size_t(groups()) * std::size_t(norms_of_a_group_));
    const auto some =
        Index(std::clamp<std::ptrdiff_t>(worth_a_chunk / (std::ptrdiff_t(width) * std::max(depth_, 1)), 1, groups() + 1));
    parallel_chunks((groups() + some - 1) / some, [&](std::ptrdiff_t chunk) {
      static thread_local std::vector<T> room;  // new memory costs more than what is put into it
      room.resize(std::size_t(width + 1) * std::size_t(depth_));
      for (Index g = Index(chunk) * some; g < std::min(Index(chunk + 1) * some, groups()); ++g)
        pack_group(kernel, source, rows, g, room.data());
    });
  }
  Index groups() const { return (count_ + width - 1) / width; }
  std::size_t bytes() const { return values_.bytes(); }
  PackedRows<T> group(Index g) const {
    return {values_.data() + offset(g), norms_.data() + std::ptrdiff_t(g) * norms_of_a_group_};
  }

 private:
  static constexpr std::ptrdiff_t worth_a_chunk = 1 << 16;  // values: some 50 microseconds

  std::ptrdiff_t offset(Index group) const { return std::ptrdiff_t(group) * width * depth_; }

  void pack_group(const KernelFunction& kernel, const OrderedRows<T>& source, std::span<const Index> rows, Index group,
                  T* space) {
    const Index held = std::min(width, count_ - group * width);
    const T* from[width];
    for (Index w = 0; w < width; ++w) {
      T* const room = space + std::ptrdiff_t(w) * depth_;
      if (w < held)
        from[w] = source.row(rows[group * width + w], room);
      else
        from[w] = (std::fill(room, room + depth_, T(0)), room);
    }
    T* const out = values_.data() + offset(group);
    (simd().*SimdOf<T>::interleave)(depth_, from, out);
    T* const norms = norms_.data() + std::ptrdiff_t(group) * norms_of_a_group_;
    if (kernel.is_combined()) return (simd().*SimdOf<T>::own_of_panel)(kernel, out, norms);
    if (source.copy() == nullptr) return (simd().*SimdOf<T>::norms)(source.layout().dense, depth_, out, norms);
    for (Index w = 0; w < width; ++w) norms[w] = w < held ? source.copy()->norms[rows[group * width + w]] : T(0);
  }

  Index depth_ = 0, count_ = 0, norms_of_a_group_ = 0;
  Buffer<T> values_, norms_;
};

// The rows of tiles: strips of the dense columns, and of the others what is not 0.
template <class T>
class LeftRows {
 public:
  void pack(const KernelFunction& kernel, const OrderedRows<T>& source, std::span<const Index> rows) {
    const Layout& layout = source.layout();
    count_ = Index(rows.size());
    dense_ = layout.dense;
    has_rest_ = dense_ < layout.depth();
    const auto strips = std::size_t((count_ + strip - 1) / strip);
    values_.reserve(strips * std::size_t(strip) * std::size_t(dense_));
    own_ = norms_of_a_row(kernel);
    norms_.reserve(strips * std::size_t(strip) * std::size_t(own_));
    room_.reserve(2 * std::size_t(layout.depth()));
    starts_.assign(1, 0);
    columns_.clear();
    others_.clear();
    for (Index r = 0; r < count_; ++r) {
      pack_row(kernel, source, rows[r], r);
      starts_.push_back(std::ptrdiff_t(others_.size()));
    }
    rest_.resize(has_rest_ ? rows.size() : 0);
    const OrderedCopy<T>* const copy = source.copy();
    for (std::size_t r = 0; r < rest_.size(); ++r)
      rest_[r] = copy == nullptr ? rest_of(starts_, r, columns_, others_)
                                 : rest_of(copy->starts, std::size_t(rows[r]), copy->columns, copy->others);
  }
  Index count() const { return count_; }

  // out[r - begin][c] = k(row r, column c of the panels first, ..., last - 1) for rows begin <= r < end, of which the first
  // begins a strip. Whole panels are written.
  template <class R>
  void meet(const KernelFunction& kernel, Index begin, Index end, const Panels<T>& panels, Index first, Index last,
            R* const* out) const {
    const auto tile = kernel.is_combined() ? simd().*combined_tile_of<T, R> : simd().*tile_of<T, R>;
    // Some strips stay in the second cache while the panels pass by.
    const Index some = std::max<Index>(1, Index(near_values / (std::ptrdiff_t(strip) * (dense_ + 1)))) * strip;
    for (Index from = begin; from < end; from += some)
      for (Index g = first; g < last; ++g) {
        if ((g - first) % panels_between_polls == 0) poll_now();
        for (Index r = from; r < std::min(from + some, end); r += strip)
          tile(kernel, left(r, std::min(strip, end - r)), panels.group(g), out + (r - begin),
               std::ptrdiff_t(g - first) * Panels<T>::width);
      }
  }

 private:
  static constexpr Index strip = TileShape<T>::strip;
  static constexpr std::ptrdiff_t near_values = (128 << 10) / sizeof(T);
  static constexpr Index panels_between_polls = 16;  // some tenths of a millisecond

  LeftStrip<T> left(Index r, Index rows) const {
    return {dense_,
            rows,
            {values_.data() + std::ptrdiff_t(r) * dense_, norms_.data() + std::ptrdiff_t(r) * own_},
            has_rest_ ? &rest_[r] : nullptr};
  }
  static SparseRow<T> rest_of(const std::vector<std::ptrdiff_t>& starts, std::size_t r, const std::vector<Index>& columns,
                              const std::vector<T>& others) {
    return {starts[r + 1] - starts[r], columns.data() + starts[r], others.data() + starts[r]};
  }
  void pack_row(const KernelFunction& kernel, const OrderedRows<T>& source, Index row, Index r) {
    const Layout& layout = source.layout();
    const T* const ordered = source.row(row, room_.data());
    T* const out = values_.data() + std::ptrdiff_t(r / strip * strip) * dense_ + r % strip;
    for (Index k = 0; k < dense_; ++k) out[std::ptrdiff_t(k) * strip] = ordered[k];
    if (kernel.is_combined()) return pack_own(kernel, ordered, r);
    if (source.copy() != nullptr) return void(norms_.data()[r] = source.copy()->norms[row]);
    (simd().*SimdOf<T>::row_norms)(dense_, layout.depth(), 1, ordered, norms_.data() + r);
    for (Index k = dense_; k < layout.depth(); ++k)
      if (ordered[k] != T(0)) {
        columns_.push_back(k);
        others_.push_back(ordered[k]);
      }
  }

  // Own values stand [strip][value][row of the strip].
  void pack_own(const KernelFunction& kernel, const T* row, Index r) {
    T own[KernelFunction::most_own];
    (simd().*SimdOf<T>::own_of_row)(kernel, row, own);
    T* const out = norms_.data() + std::ptrdiff_t(r / strip * strip) * own_ + r % strip;
    for (Index s = 0; s < own_; ++s) out[std::ptrdiff_t(s) * strip] = own[s];
  }

  Index dense_ = 0, count_ = 0, own_ = 1;
  bool has_rest_ = false;
  Buffer<T> values_, norms_, room_;
  std::vector<SparseRow<T>> rest_;
  std::vector<std::ptrdiff_t> starts_;  // row r has from starts_[r] to starts_[r + 1] of what follows, where there is no copy
  std::vector<Index> columns_;
  std::vector<T> others_;
};

}  // namespace maxmargin
