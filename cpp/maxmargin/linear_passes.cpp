#include "maxmargin/linear_passes.hpp"

#include <algorithm>

#include "maxmargin/cpu.hpp"
#include "maxmargin/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t worth_a_chunk = 1 << 15;  // stored values: some ten microseconds of work
constexpr std::int64_t most_chunks = 16;

}  // namespace

LinearPasses::LinearPasses(const Features& x) : x_(x) {
  const std::int64_t n = x.rows(), stored = std::max<std::int64_t>(x.stored_values(), n);
  // Each chunk adds to a vector of its own, which must be short beside what it reads.
  const std::int64_t by_width = stored / (4 * std::max<std::int64_t>(x.columns(), 1));
  const auto count = std::clamp<std::int64_t>(std::min(stored / worth_a_chunk, by_width), 1, most_chunks);
  for (std::int64_t c = 0; c <= count; ++c) bounds_.push_back(Index(c * n / count));
}

void LinearPasses::for_rows(const std::function<void(Index, Index, Index)>& body) const {
  parallel_chunks(chunks(), [&](std::ptrdiff_t c) { body(Index(c), bounds_[c], bounds_[c + 1]); });
}

void LinearPasses::products(const double* w, double* out) const {
  for_rows([&](Index, Index begin, Index end) { x_.products(begin, end, w, out + begin); });
}

void LinearPasses::reduce(std::size_t width, double* sum, const std::function<void(Index, Index, double*)>& body) {
  room_.resize(std::size_t(chunks() - 1) * width);
  for_rows([&](Index c, Index begin, Index end) {
    double* const own = c == 0 ? sum : room_.data() + std::size_t(c - 1) * width;
    if (c > 0) std::fill(own, own + width, 0.0);
    body(begin, end, own);
  });
  for (Index c = 1; c < chunks(); ++c) hot().axpy(std::ptrdiff_t(width), 1.0, room_.data() + std::size_t(c - 1) * width, sum);
}

void LinearPasses::combine(const double* a, double* sum) {
  std::fill(sum, sum + x_.columns(), 0.0);
  reduce(x_.columns(), sum, [&](Index begin, Index end, double* own) { x_.add_rows(begin, end, a + begin, own); });
}

void LinearPasses::squares(const double* a, double* sum) {
  std::fill(sum, sum + x_.columns(), 0.0);
  reduce(x_.columns(), sum, [&](Index begin, Index end, double* own) { x_.add_squares(begin, end, a + begin, own); });
}

void LinearPasses::add_outer(const double* a, double* H, Index stride) {
  const std::size_t size = std::size_t(stride) * std::size_t(stride);
  reduce(size, H, [&](Index begin, Index end, double* own) { x_.add_outer(begin, end, a + begin, own, stride); });
}

void LinearPasses::add_outer(const double* a, const SomeColumns& some, double* H, Index stride) {
  const std::size_t size = std::size_t(stride) * std::size_t(stride);
  reduce(size, H, [&](Index begin, Index end, double* own) { x_.add_outer(begin, end, a + begin, some, own, stride); });
}

}  // namespace maxmargin
