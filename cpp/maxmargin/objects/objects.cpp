#include "maxmargin/objects/objects.hpp"

#include <algorithm>

#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

void object_block(const Objects& objects, std::span<const Index> rows, std::span<const Index> columns, double* out) {
  if (rows.empty() || columns.empty()) return;
  constexpr std::size_t rows_together = 32;
  const bool whole_rows = objects.columns_at_once() == 0;
  const std::size_t n = columns.size(), width = whole_rows ? n : std::size_t(objects.columns_at_once());
  const std::size_t height = whole_rows ? rows_together : 1, pieces = (n + width - 1) / width;
  const auto work = [&](std::ptrdiff_t task) {
    const std::size_t top = std::size_t(task) / pieces * height, left = std::size_t(task) % pieces * width;
    objects.values(rows.subspan(top, std::min(height, rows.size() - top)), columns.subspan(left, std::min(width, n - left)),
                   out + top * n + left);
  };
  const auto tasks = std::ptrdiff_t((rows.size() + height - 1) / height * pieces);
  if (!objects.is_opaque()) return parallel_chunks(tasks, work);
  for (std::ptrdiff_t task = 0; task < tasks; ++task) {
    poll_now();
    work(task);
  }
}

}  // namespace maxmargin
