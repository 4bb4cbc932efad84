// Memory for packed values: whole cache lines, not filled with zeros first.
#pragma once

#include <cstddef>
#include <memory>

#include "maxmargin/platform/mapping.hpp"

namespace maxmargin {

template <class T>
class Buffer {
 public:
  // Room for `count` values; what was there is lost when it has to grow.
  void reserve(std::size_t count) {
    if (count <= room_) return;
    room_ = 0;
    memory_.reset();
    memory_ = std::make_unique<Mapping>(count * sizeof(T));
    room_ = count;
  }
  T* data() { return static_cast<T*>(memory_ ? memory_->address() : nullptr); }
  const T* data() const { return static_cast<const T*>(memory_ ? memory_->address() : nullptr); }
  std::size_t bytes() const { return room_ * sizeof(T); }

 private:
  std::unique_ptr<Mapping> memory_;
  std::size_t room_ = 0;
};

}  // namespace maxmargin
