#include "maxmargin/crammer_singer/row_block.hpp"

#include <algorithm>
#include <limits>

#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr Index block_size = 128;
constexpr std::int64_t steps_a_row = 20;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

template <class R>
void RowBlock<R>::choose(double goal) {
  block_.clear();
  for (Index i = 0; i < rows_.size(); ++i)
    if (rows_.violation(i) > goal) block_.push_back(i);
  const Index size = std::min({Index(block_.size()), block_size, rows_.capacity()});
  if (size == 0) return;
  std::nth_element(block_.begin(), block_.begin() + (size - 1), block_.end(), [&](Index a, Index b) {
    return rows_.violation(a) != rows_.violation(b) ? rows_.violation(a) > rows_.violation(b) : a < b;
  });
  block_.resize(size);
  std::sort(block_.begin(), block_.end());
}

template <class R>
void RowBlock<R>::clear() {
  block_.clear();
  before_.clear();
  now_.clear();
}

template <class R>
Index RowBlock<R>::place(Index row) {
  const auto found = Index(std::find(block_.begin(), block_.end(), row) - block_.begin());
  if (found == size()) {
    block_.push_back(row);
    now_.resize(block_.size() * std::size_t(width_), 0.0);
    for (Index k = 0; k < rows_.classes(); ++k) beta(found, k) = rows_.beta(row, k);
    before_.insert(before_.end(), now_.begin() + in_block(found), now_.end());
  }
  return found;
}

template <class R>
std::int64_t RowBlock<R>::solve(double goal, std::int64_t most_steps) {
  const Index size = this->size(), K = rows_.classes();
  if (size == 0) return 0;
  const auto values = std::size_t(size) * std::size_t(width_);
  before_.assign(values, 0.0);
  near_.assign(values, 0.0);
  rise_.assign(values, infinity);
  for (Index a = 0; a < size; ++a)
    for (Index k = 0; k < K; ++k) {
      before_[in_block(a) + k] = rows_.beta(block_[a], k);
      near_[in_block(a) + k] = rows_.gradient(block_[a], k);
      rise_[in_block(a) + k] = rows_.up(block_[a], k);
    }
  now_ = before_;
  std::vector<double> change(width_, 0.0);
  std::vector<double>& class_sum = offsets_.class_sums();
  inner_.resize(size);
  const auto follow = [&](Index a) {
    const R* const row = rows_.kernel_row(block_[a]);
    for (Index b = 0; b < size; ++b) inner_[b] = 0.5 * double(row[block_[b]]);
    return simd().follow_row(size, width_, inner_.data(), change.data(), offsets_.shifts(), rise_.data(), near_.data());
  };
  const std::int64_t most = std::min<std::int64_t>(most_steps, steps_a_row * std::int64_t(size));
  Extreme worst = follow(0);
  std::int64_t steps = 0;
  for (; steps < most && worst.value > goal; ++steps) {
    const Index a = worst.index;
    double* const beta = now_.data() + in_block(a);
    solve_row(block_[a], beta, near_.data() + in_block(a), change.data());
    for (Index k = 0; k < K; ++k) {
      beta[k] += change[k];
      class_sum[k] += change[k];
      rise_[in_block(a) + k] = beta[k] < rows_.room(block_[a], k) ? 0.0 : infinity;
    }
    offsets_.set_shift();
    worst = follow(a);
  }
  return steps;
}

// The best coefficients of one row: min(room, z + theta), theta such that they sum to 0.
template <class R>
void RowBlock<R>::solve_row(Index row, const double* beta, const double* gradient, double* change) {
  const Index K = rows_.classes();
  const double curvature = std::max(rows_.diagonal(row) + offsets_.pull(), 1e-6 * rows_.scale() + 1e-300);
  order_.resize(K);
  z_.resize(K);
  double sum = 0;
  for (Index k = 0; k < K; ++k) {
    z_[k] = beta[k] - (gradient[k] + offsets_.shift(k)) / curvature;
    sum += z_[k];
    order_[k] = {rows_.room(row, k) - z_[k], k};
  }
  std::sort(order_.begin(), order_.end());
  double theta = -sum / K;
  Index left = K;
  for (const auto& [limit, k] : order_) {  // those with least room reach it first
    if (limit >= theta || left == 1) break;
    sum += limit;
    theta = -sum / --left;
  }
  double total = 0;
  Index free_class = 0;
  for (Index k = 0; k < K; ++k) {
    const double top = rows_.room(row, k), value = std::min(top, z_[k] + theta);
    change[k] = value - beta[k];
    total += value;
    if (value < top) free_class = k;
  }
  change[free_class] -= total;  // what rounding left of the sum
}

// A row moves in a few classes only.
template <class R>
double RowBlock<R>::spread() {
  const Index K = rows_.classes(), n = rows_.size();
  moved_.clear();
  moved_by_.clear();
  std::vector<std::size_t> first(K + 1, 0);
  for (Index k = 0; k < K; ++k) {
    for (Index a = 0; a < size(); ++a) {
      const double now = now_[in_block(a) + k], change = now - before_[in_block(a) + k];
      if (change == 0) continue;
      moved_.push_back(rows_.kernel_row(block_[a]));
      moved_by_.push_back(0.5 * change);
      rows_.set(block_[a], k, now);
    }
    first[k + 1] = moved_.size();
  }
  constexpr Index piece = ActiveRows<R>::piece;
  parallel_chunks((n + piece - 1) / piece, [&](std::ptrdiff_t chunk) {
    const Index begin = Index(chunk) * piece, end = std::min(begin + piece, n);
    for (Index k = 0; k < K; ++k)
      accumulate_with(begin, end, Index(first[k + 1] - first[k]), moved_by_.data() + first[k], moved_.data() + first[k],
                      rows_.gradients(k));
    rows_.look_at(begin, offsets_);
  });
  return rows_.worst();
}

template class RowBlock<float>;
template class RowBlock<double>;

}  // namespace maxmargin
