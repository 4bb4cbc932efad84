// Computed kernel rows over the active set, up to a number of bytes; beyond it the row not used for longest goes. Rows that
// stand ready elsewhere are read there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "maxmargin/kernels/gram.hpp"
#include "maxmargin/platform/mapping.hpp"

namespace maxmargin {

template <class R>
class RowStore {
 public:
  static constexpr Index padding = 16;  // whole panels of tiles, and pairs of vectors of the passes

  static Index stride_of(Index n) { return (n + padding - 1) / padding * padding; }

  RowStore(Index n, std::size_t bytes) : bytes_(bytes) { begin(n); }

  // For a new active set, of which no row was made yet: those that stand ready are used where they are.
  void adopt(const HeldRows<R>& held) {
    if (held.values == nullptr) return;
    if (held.stride != stride_) throw std::logic_error("rows that are held have another stride");
    held_ = held.values;
    capacity_ = n_;
    owner_.resize(n_);
    std::iota(owner_.begin(), owner_.end(), 0);
    std::copy(owner_.begin(), owner_.end(), slot_of_.begin());
    last_use_.assign(n_, 0);
  }

  Index capacity() const { return capacity_; }
  Index filled() const { return Index(owner_.size()); }
  std::int64_t rows_made() const { return rows_made_; }
  bool has(Index p) const { return slot_of_[p] >= 0; }
  const Index* slots() const { return slot_of_.data(); }  // of all positions and the padding, -1 where there is none

  // The row of a position that is held.
  const R* row(Index p) {
    const Index slot = slot_of_[p];
    if (slot < 0) throw std::logic_error("a kernel row was read before it was made");
    last_use_[slot] = ++clock_;
    return in(slot);
  }
  // The same without noting its use: for several threads at once.
  const R* at(Index p) const { return in(slot_of_[p]); }

  // Makes the rows that are missing. At most `capacity()` at once; `pinned` (or -1) is not thrown out.
  void fetch(RowMaker<R>& maker, std::span<const Index> positions, Index pinned) {
    missing_.clear();
    targets_.clear();
    if (held_ != nullptr) return;
    if (mapping_ == nullptr) {
      mapping_ = std::make_unique<Mapping>(std::max<std::size_t>(std::size_t(stride_) * sizeof(R) * std::size_t(capacity_), 1));
      data_ = static_cast<R*>(mapping_->address());
    }
    const std::int64_t before = clock_;
    for (const Index p : positions)  // what the request already has must not make room for what it lacks
      if (has(p)) last_use_[slot_of_[p]] = ++clock_;
    for (const Index p : positions) {
      if (has(p)) continue;
      const Index slot = free_slot(pinned, before);
      if (slot < 0) break;
      owner_[slot] = p;
      slot_of_[p] = slot;
      last_use_[slot] = ++clock_;
      missing_.push_back(p);
      targets_.push_back(data_ + std::ptrdiff_t(slot) * stride_);
    }
    if (!missing_.empty()) {
      poll_now();
      maker.make(missing_, targets_.data());
    }
    rows_made_ += std::int64_t(missing_.size());
    for (R* row : targets_) std::fill(row + n_, row + stride_, R(0));
  }

  // Keeps only some positions (ascending), in rows and in columns. Rows that stand ready elsewhere are let go.
  void compact(std::span<const Index> keep) {
    const Index n = Index(keep.size()), stride = stride_of(n);
    if (held_ != nullptr || mapping_ == nullptr) return begin(n);
    Index next = 0;
    std::vector<Index> place(n_, -1);
    for (Index k = 0; k < n; ++k) place[keep[k]] = k;
    for (Index slot = 0; slot < filled(); ++slot) {
      const Index to = place[owner_[slot]];
      if (to < 0) continue;
      if (next % slots_between_polls == 0) poll_now();
      const R* from = in(slot);
      R* const into = data_ + std::ptrdiff_t(next) * stride;  // never beyond `from`: both slots and strides only shrink
      Index k = 0;
      for (; k + 8 <= n; k += 8) {  // several at a time, which need not wait for one another
        R held[8];
        for (Index r = 0; r < 8; ++r) held[r] = from[keep[k + r]];
        std::copy(held, held + 8, into + k);
      }
      for (; k < n; ++k) into[k] = from[keep[k]];
      std::fill(into + n, into + stride, R(0));
      owner_[next] = to;
      last_use_[next] = last_use_[slot];
      ++next;
    }
    owner_.resize(next);
    last_use_.resize(next);
    const std::size_t room = std::size_t(capacity_) * std::size_t(stride_);
    capacity_ = Index(std::min<std::size_t>(std::size_t(n), room / std::size_t(std::max(stride, padding))));
    n_ = n;
    stride_ = stride;
    slot_of_.assign(stride_, -1);
    for (Index slot = 0; slot < next; ++slot) slot_of_[owner_[slot]] = slot;
  }

 private:
  static constexpr Index slots_between_polls = 16;

  // Nothing is held.
  void begin(Index n) {
    n_ = n;
    stride_ = stride_of(n);
    const std::size_t fewest = std::min<std::size_t>(std::size_t(n), 64);
    capacity_ = Index(std::clamp<std::size_t>(bytes_ / (std::size_t(stride_) * sizeof(R)), fewest, std::size_t(n)));
    held_ = nullptr;
    slot_of_.assign(stride_, -1);
    owner_.clear();
    last_use_.clear();
  }
  const R* in(Index slot) const { return (held_ != nullptr ? held_ : data_) + std::ptrdiff_t(slot) * stride_; }

  // An empty slot, or the one unused for longest that was not filled by the present request.
  Index free_slot(Index pinned, std::int64_t before) {
    if (filled() < capacity_) {
      owner_.push_back(-1);
      last_use_.push_back(0);
      return filled() - 1;
    }
    Index oldest = -1;
    for (Index slot = 0; slot < filled(); ++slot) {
      if (owner_[slot] == pinned || last_use_[slot] > before) continue;
      if (oldest < 0 || last_use_[slot] < last_use_[oldest]) oldest = slot;
    }
    if (oldest >= 0) slot_of_[owner_[oldest]] = -1;
    return oldest;
  }

  std::size_t bytes_;
  Index n_ = 0, stride_ = 0, capacity_ = 0;
  std::unique_ptr<Mapping> mapping_;  // of the rows made here, when the first is
  R* data_ = nullptr;
  const R* held_ = nullptr;  // or all rows, elsewhere
  std::vector<Index> slot_of_, owner_;
  std::vector<std::int64_t> last_use_;
  std::vector<Index> missing_;  // of a request
  std::vector<R*> targets_;     // where they go
  std::int64_t clock_ = 0, rows_made_ = 0;
};

}  // namespace maxmargin
