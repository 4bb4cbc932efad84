// Work over rows or columns, cut into parts by its size alone.
#pragma once

#include <algorithm>
#include <functional>

#include "maxmargin/platform/thread_pool.hpp"
#include "maxmargin/simd/table.hpp"

namespace maxmargin {

// body(begin, end) for parts of 0, ..., n - 1, `width` each.
inline void in_parts(Index n, Index width, const std::function<void(Index, Index)>& body) {
  parallel_chunks((std::ptrdiff_t(n) + width - 1) / width, [&](std::ptrdiff_t part) {
    const std::ptrdiff_t begin = part * width;
    body(Index(begin), Index(std::min<std::ptrdiff_t>(begin + width, n)));
  });
}

// So many that it is worth waking a thread.
inline Index rows_of_work(Index columns) { return std::max<Index>(1, (1 << 16) / std::max<Index>(columns, 1)); }

}  // namespace maxmargin
