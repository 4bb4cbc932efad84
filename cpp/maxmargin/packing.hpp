// Packed copies of rows: panels (the columns of a tile) and strips (its rows), with their squared norms. See simd/hot.hpp.
#pragma once

#include <span>
#include <vector>

#include "maxmargin/cpu.hpp"
#include "maxmargin/features.hpp"

namespace maxmargin {

inline void tile_with(const Hot& h, const KernelFunction& f, Index depth, PackedRows<float> strip, Index rows,
                      PackedRows<float> panel, float* out, std::ptrdiff_t stride) {
  h.tile_f32(f, depth, strip, rows, panel, out, stride);
}
inline void tile_with(const Hot& h, const KernelFunction& f, Index depth, PackedRows<double> strip, Index rows,
                      PackedRows<double> panel, double* out, std::ptrdiff_t stride) {
  h.tile_f64(f, depth, strip, rows, panel, out, stride);
}
inline void norms_with(const Hot& h, Index depth, Index width, const float* packed, float* out) {
  h.norms_f32(depth, width, packed, out);
}
inline void norms_with(const Hot& h, Index depth, Index width, const double* packed, double* out) {
  h.norms_f64(depth, width, packed, out);
}

// Groups of `width` rows, depth-major; the last group is filled up with zero rows.
template <class T>
class Packed {
 public:
  Packed(Index width, Index depth) : width_(width), depth_(depth) {}

  void pack(const Features& features, const double* centre, std::span<const Index> rows) {
    count_ = Index(rows.size());
    values_.resize(std::size_t(groups()) * std::size_t(width_) * std::size_t(depth_));
    norms_.resize(std::size_t(groups()) * std::size_t(width_));
    for (Index g = 0; g < groups(); ++g) pack_group(features, centre, rows, g);
  }
  void pack_group(const Features& features, const double* centre, std::span<const Index> rows, Index group) {
    T* const out = values_.data() + offset(group);
    for (Index w = 0; w < width_; ++w) {
      const Index r = group * width_ + w;
      if (r < count_)
        features.read(rows[r], centre, out + w, width_);
      else
        for (Index k = 0; k < depth_; ++k) out[std::ptrdiff_t(k) * width_ + w] = T(0);
    }
    norms_with(hot(), depth_, width_, out, norms_.data() + std::ptrdiff_t(group) * width_);
  }
  Index count() const { return count_; }
  Index groups() const { return (count_ + width_ - 1) / width_; }
  PackedRows<T> group(Index g) const { return {values_.data() + offset(g), norms_.data() + std::ptrdiff_t(g) * width_}; }
  // The rows of a group that are not padding.
  Index rows_in(Index g) const { return std::min(width_, count_ - g * width_); }

 private:
  std::ptrdiff_t offset(Index group) const { return std::ptrdiff_t(group) * width_ * depth_; }
  Index width_, depth_, count_ = 0;
  std::vector<T> values_, norms_;
};

}  // namespace maxmargin
