#include "maxmargin/objects/objects.hpp"

#include <algorithm>

#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

void object_block(const Objects& objects, std::span<const Index> rows, std::span<const Index> columns, double* out) {
  if (rows.empty() || columns.empty()) return;
  const std::size_t n = columns.size();
  const std::size_t width = objects.columns_at_once() > 0 ? std::size_t(objects.columns_at_once()) : n;
  const std::size_t pieces = (n + width - 1) / width;
  const auto work = [&](std::ptrdiff_t task) {
    const std::size_t r = std::size_t(task) / pieces, begin = std::size_t(task) % pieces * width;
    const std::size_t count = std::min(width, n - begin);
    objects.values(rows[r], columns.subspan(begin, count), out + r * n + begin);
  };
  const auto tasks = std::ptrdiff_t(rows.size() * pieces);
  if (!objects.is_opaque()) return parallel_chunks(tasks, work);
  for (std::ptrdiff_t task = 0; task < tasks; ++task) {
    poll_now();
    work(task);
  }
}

}  // namespace maxmargin
