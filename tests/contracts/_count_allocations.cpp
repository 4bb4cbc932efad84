// Counts allocations of a whole process: loaded before the C library (LD_PRELOAD), whose own functions it calls.

#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* at, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {
std::atomic<long> made{0};
}

extern "C" {
long allocations_made() { return made.load(); }

void* malloc(std::size_t size) {
  ++made;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) {
  ++made;
  return __libc_calloc(count, size);
}

void* realloc(void* at, std::size_t size) {
  ++made;
  return __libc_realloc(at, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  ++made;
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }

int posix_memalign(void** at, std::size_t alignment, std::size_t size) {
  *at = memalign(alignment, size);
  return *at == nullptr ? ENOMEM : 0;
}
}
