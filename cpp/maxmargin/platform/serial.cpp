// The platform of one thread and of memory that cannot be mapped, such as WebAssembly: in place of thread_pool.cpp and
// mapping.cpp.
#include <new>

#include "maxmargin/platform/mapping.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

int thread_count() { return 1; }

void set_thread_count(int) {}

void parallel_chunks(std::ptrdiff_t chunks, const std::function<void(std::ptrdiff_t)>& body) {
  for (std::ptrdiff_t chunk = 0; chunk < chunks; ++chunk) {
    poll_now();
    body(chunk);
  }
}

namespace {

constexpr std::align_val_t line{64};

}  // namespace

Mapping::Mapping(std::size_t bytes) : address_(::operator new(bytes, line)), bytes_(bytes) {}

Mapping::~Mapping() { ::operator delete(address_, bytes_, line); }

}  // namespace maxmargin
