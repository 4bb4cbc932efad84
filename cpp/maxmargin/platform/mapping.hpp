// Large memory for kernel rows, which is not touched until it is used.
#pragma once

#include <cstddef>

namespace maxmargin {

// Aligned to cache lines. Small pieces come from the heap. Large ones are mappings that ask for huge pages, since touching
// memory page by page costs more than filling it; and the last ones given back are kept for the next fit, marked as free for
// the system to take: a page that is still there need not be cleared again.
class Mapping {
 public:
  explicit Mapping(std::size_t bytes);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  void* address() const { return address_; }

 private:
  void* address_ = nullptr;
  std::size_t bytes_;
};

}  // namespace maxmargin
