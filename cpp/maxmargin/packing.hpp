// Packed copies of rows: panels (the columns of a tile) and left rows (its rows), with their squared norms. See simd/hot.hpp.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "maxmargin/buffer.hpp"
#include "maxmargin/cpu.hpp"
#include "maxmargin/features.hpp"

namespace maxmargin {

// The hot functions by precision.
template <class T>
struct HotOf;
template <>
struct HotOf<float> {
  static constexpr auto tile = &Hot::tile_f32;
  static constexpr auto norms = &Hot::norms_f32;
};
template <>
struct HotOf<double> {
  static constexpr auto tile = &Hot::tile_f64;
  static constexpr auto norms = &Hot::norms_f64;
};

// Panels: groups of rows, depth-major, in the order of the layout; the last one is filled up with zero rows.
template <class T>
class Panels {
 public:
  static constexpr Index width = TileShape<T>::panel;

  void pack(const Features& features, const Layout& layout, std::span<const Index> rows) {
    count_ = Index(rows.size());
    depth_ = layout.depth();
    values_.reserve(std::size_t(groups()) * std::size_t(width) * std::size_t(depth_));
    norms_.reserve(std::size_t(groups()) * std::size_t(width));
    room_.reserve(std::size_t(width) * std::size_t(depth_));
    for (Index g = 0; g < groups(); ++g) pack_group(features, layout, rows, g);
  }
  Index groups() const { return (count_ + width - 1) / width; }
  std::size_t bytes() const { return values_.bytes(); }
  PackedRows<T> group(Index g) const { return {values_.data() + offset(g), norms_.data() + std::ptrdiff_t(g) * width}; }

 private:
  std::ptrdiff_t offset(Index group) const { return std::ptrdiff_t(group) * width * depth_; }

  void pack_group(const Features& features, const Layout& layout, std::span<const Index> rows, Index group) {
    const Index held = std::min(width, count_ - group * width);
    for (Index w = 0; w < held; ++w)
      features.read(rows[group * width + w], layout.origin(), room_.data() + std::ptrdiff_t(w) * depth_);
    std::fill(room_.data() + std::ptrdiff_t(held) * depth_, room_.data() + std::ptrdiff_t(width) * depth_, T(0));
    const T* const from = room_.data();
    T* const out = values_.data() + offset(group);
    constexpr Index few = 16;  // columns at a time, so that what is written stays near
    for (Index begin = 0; begin < depth_; begin += few) {
      const Index end = std::min(begin + few, depth_);
      for (Index w = 0; w < width; ++w)
        for (Index k = begin; k < end; ++k)
          out[std::ptrdiff_t(k) * width + w] = from[std::ptrdiff_t(w) * depth_ + layout.order[k]];
    }
    (hot().*HotOf<T>::norms)(layout.dense, depth_, width, out, norms_.data() + std::ptrdiff_t(group) * width);
  }

  Index depth_ = 0, count_ = 0;
  Buffer<T> values_, norms_, room_;
};

// The rows of tiles: strips of the dense columns, and of the others what is not 0.
template <class T>
class LeftRows {
 public:
  void pack(const Features& features, const Layout& layout, std::span<const Index> rows) {
    count_ = Index(rows.size());
    dense_ = layout.dense;
    has_rest_ = dense_ < layout.depth();
    const auto strips = std::size_t((count_ + strip - 1) / strip);
    values_.reserve(strips * std::size_t(strip) * std::size_t(dense_));
    norms_.reserve(strips * std::size_t(strip));
    room_.reserve(2 * std::size_t(layout.depth()));
    std::vector<std::ptrdiff_t> starts(1, 0);
    columns_.clear();
    others_.clear();
    for (Index r = 0; r < count_; ++r) {
      pack_row(features, layout, rows[r], r);
      starts.push_back(std::ptrdiff_t(others_.size()));
    }
    rest_.resize(has_rest_ ? rows.size() : 0);
    for (std::size_t r = 0; r < rest_.size(); ++r)
      rest_[r] = {starts[r + 1] - starts[r], columns_.data() + starts[r], others_.data() + starts[r]};
  }
  Index count() const { return count_; }

  // out[r - begin][c] = k(row r, column c of the panels first, ..., last - 1) for rows begin <= r < end, of which the first
  // begins a strip. Whole panels are written.
  void meet(const KernelFunction& kernel, Index begin, Index end, const Panels<T>& panels, Index first, Index last,
            T* const* out) const {
    const auto tile = hot().*HotOf<T>::tile;
    // Some strips stay in the second cache while the panels pass by.
    const Index some = std::max<Index>(1, Index(near_values / (std::ptrdiff_t(strip) * (dense_ + 1)))) * strip;
    for (Index from = begin; from < end; from += some)
      for (Index g = first; g < last; ++g)
        for (Index r = from; r < std::min(from + some, end); r += strip)
          tile(kernel, left(r, std::min(strip, end - r)), panels.group(g), out + (r - begin),
               std::ptrdiff_t(g - first) * Panels<T>::width);
  }

 private:
  static constexpr Index strip = TileShape<T>::strip;
  static constexpr std::ptrdiff_t near_values = (128 << 10) / sizeof(T);

  LeftStrip<T> left(Index r, Index rows) const {
    return {dense_, rows, {values_.data() + std::ptrdiff_t(r) * dense_, norms_.data() + r}, has_rest_ ? &rest_[r] : nullptr};
  }
  void pack_row(const Features& features, const Layout& layout, Index row, Index r) {
    T* const read = room_.data();
    T* const ordered = read + layout.depth();
    features.read(row, layout.origin(), read);
    for (Index k = 0; k < layout.depth(); ++k) ordered[k] = read[layout.order[k]];
    (hot().*HotOf<T>::norms)(dense_, layout.depth(), 1, ordered, norms_.data() + r);
    T* const out = values_.data() + std::ptrdiff_t(r / strip * strip) * dense_ + r % strip;
    for (Index k = 0; k < dense_; ++k) out[std::ptrdiff_t(k) * strip] = ordered[k];
    for (Index k = dense_; k < layout.depth(); ++k)
      if (ordered[k] != T(0)) {
        columns_.push_back(k);
        others_.push_back(ordered[k]);
      }
  }

  Index dense_ = 0, count_ = 0;
  bool has_rest_ = false;
  Buffer<T> values_, norms_, room_;
  std::vector<SparseRow<T>> rest_;
  std::vector<Index> columns_;
  std::vector<T> others_;
};

}  // namespace maxmargin
