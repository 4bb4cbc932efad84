#include "maxmargin/platform/mapping.hpp"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <sys/mman.h>
#endif

#include <mutex>
#include <new>
#include <vector>

#include "maxmargin/platform/out_of_memory.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t large = std::size_t(1) << 20;
constexpr std::size_t huge = std::size_t(1) << 29;
constexpr std::size_t most_kept = 16;
constexpr std::align_val_t line{64};

struct Piece {
  void* address;
  std::size_t bytes;
};

// What the system offers. `reserved` is null where there is no room; `offer` lets the system take the pages of a piece that is
// kept.
#if defined(_WIN32)
constexpr bool keeps = false;      // an offer has to be taken back, and may fail then
constexpr bool rounds_up = false;  // address space that is committed counts
void* reserved(std::size_t bytes) { return VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE); }
void give_back(const Piece& piece) { VirtualFree(piece.address, 0, MEM_RELEASE); }
void offer(const Piece&) {}
#else
#if defined(MADV_FREE)
constexpr bool keeps = true;
void offer(const Piece& piece) { madvise(piece.address, piece.bytes, MADV_FREE); }
#else
constexpr bool keeps = false;
void offer(const Piece&) {}
#endif
constexpr bool rounds_up = true;
#if !defined(MAP_NORESERVE)
#define MAP_NORESERVE 0
#endif
void* reserved(std::size_t bytes) {
  void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return nullptr;
#if defined(MADV_HUGEPAGE)
  madvise(address, bytes, MADV_HUGEPAGE);
#endif
  return address;
}
void give_back(const Piece& piece) { munmap(piece.address, piece.bytes); }
#endif

// Pieces given back, oldest first. Never destroyed: fits may still run while the process ends. Nobody waits for the lock: after
// a fork it may belong to a thread that the child does not have.
struct Shelf {
  std::mutex lock;
  std::vector<Piece> pieces;
};
Shelf& shelf() {
  static auto* const the_shelf = new Shelf;
  return *the_shelf;
}

// The smallest piece that is large enough, but not one so large that it would be wasted.
Piece from_shelf(std::size_t bytes) {
  Shelf& kept = shelf();
  const std::unique_lock<std::mutex> hold(kept.lock, std::try_to_lock);
  if (!hold.owns_lock()) return {nullptr, 0};
  std::size_t best = kept.pieces.size();
  for (std::size_t k = 0; k < kept.pieces.size(); ++k) {
    const std::size_t size = kept.pieces[k].bytes;
    if (size >= bytes && (best == kept.pieces.size() || size < kept.pieces[best].bytes)) best = k;
  }
  if (best == kept.pieces.size()) return {nullptr, 0};
  const Piece found = kept.pieces[best];
  kept.pieces.erase(kept.pieces.begin() + std::ptrdiff_t(best));
  return found;
}

void to_shelf(Piece piece) {
  if constexpr (keeps) {
    offer(piece);
    Shelf& kept = shelf();
    const std::unique_lock<std::mutex> hold(kept.lock, std::try_to_lock);
    if (hold.owns_lock()) {
      kept.pieces.push_back(piece);
      if (kept.pieces.size() <= most_kept) return;
      piece = kept.pieces.front();
      kept.pieces.erase(kept.pieces.begin());
    }
  }
  give_back(piece);
}

}  // namespace

Mapping::Mapping(std::size_t bytes) : bytes_(bytes) {
  if (bytes_ < large) {
    address_ = ::operator new(bytes_, line);
    return;
  }
  // Address space costs nothing, and a piece that is a little too small is of no use to the next one.
  if (rounds_up && bytes_ > huge / 4) bytes_ = (bytes_ + huge - 1) / huge * huge;
  if (const Piece found = from_shelf(bytes_); found.address != nullptr) {
    address_ = found.address;
    bytes_ = found.bytes;
    return;
  }
  address_ = reserved(bytes_);
  if (address_ == nullptr) throw OutOfMemory(double(bytes_), "packed rows or kernel values");
}

Mapping::~Mapping() {
  if (bytes_ < large)
    ::operator delete(address_, line);
  else
    to_shelf({address_, bytes_});
}

}  // namespace maxmargin
