#include "maxmargin/platform/mapping.hpp"

#include <sys/mman.h>

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
#if defined(MADV_FREE)
  madvise(piece.address, piece.bytes, MADV_FREE);
  Shelf& kept = shelf();
  const std::unique_lock<std::mutex> hold(kept.lock, std::try_to_lock);
  if (hold.owns_lock()) {
    kept.pieces.push_back(piece);
    if (kept.pieces.size() <= most_kept) return;
    piece = kept.pieces.front();
    kept.pieces.erase(kept.pieces.begin());
  }
#endif
  munmap(piece.address, piece.bytes);
}

}  // namespace

Mapping::Mapping(std::size_t bytes) : bytes_(bytes) {
  if (bytes_ < large) {
    address_ = ::operator new(bytes_, line);
    return;
  }
  // Address space costs nothing, and a piece that is a little too small is of no use to the next one.
  if (bytes_ > huge / 4) bytes_ = (bytes_ + huge - 1) / huge * huge;
  if (const Piece found = from_shelf(bytes_); found.address != nullptr) {
    address_ = found.address;
    bytes_ = found.bytes;
    return;
  }
  address_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address_ == MAP_FAILED) throw OutOfMemory(double(bytes_), "packed rows or kernel values");
#if defined(MADV_HUGEPAGE)
  madvise(address_, bytes_, MADV_HUGEPAGE);
#endif
}

Mapping::~Mapping() {
  if (bytes_ < large)
    ::operator delete(address_, line);
  else
    to_shelf({address_, bytes_});
}

}  // namespace maxmargin
