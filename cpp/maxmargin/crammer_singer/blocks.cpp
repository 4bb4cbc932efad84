// The steps of the search: blocks of rows that violate most.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/crammer_singer/search.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr Index block_size = 128;
constexpr Index piece = 512;  // of all rows, looked at or brought up to date at a time: it stays in the cache
constexpr std::int64_t steps_a_row = 20;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

// The largest of the violations.
template <class R>
double CrammerSingerSearch<R>::look() {
  parallel_chunks((n_ + piece - 1) / piece, [&](std::ptrdiff_t chunk) { look_at(Index(chunk) * piece); });
  return *std::max_element(violations_.begin(), violations_.end());
}

// By how much each row violates the conditions: an amount goes from the class with the highest slope to the lowest that has
// room.
template <class R>
void CrammerSingerSearch<R>::look_at(Index begin) {
  const Index end = std::min(n_, begin + piece);
  double highest[piece], lowest[piece];
  std::fill(highest, highest + piece, -infinity);
  std::fill(lowest, lowest + piece, infinity);
  for (Index k = 0; k < problem_.classes; ++k) {
    const double* const gradient = gradient_.data() + at(0, k);
    const float* const up = up_.data() + at(0, k);
    const double shift = shift_[k];
    for (Index i = begin; i < end; ++i) {
      const double g = gradient[i] + shift, rise = g + double(up[i]);
      highest[i - begin] = g > highest[i - begin] ? g : highest[i - begin];
      lowest[i - begin] = rise < lowest[i - begin] ? rise : lowest[i - begin];
    }
  }
  for (Index i = begin; i < end; ++i) violations_[i] = std::max(0.0, highest[i - begin] - lowest[i - begin]);
}

// The rows that violate most, as far as they violate more than the goal.
template <class R>
void CrammerSingerSearch<R>::choose_block(double goal) {
  block_.clear();
  for (Index i = 0; i < n_; ++i)
    if (violations_[i] > goal) block_.push_back(i);
  const Index size = std::min({Index(block_.size()), block_size, rows_.capacity()});
  if (size == 0) return;
  std::nth_element(block_.begin(), block_.begin() + (size - 1), block_.end(), [&](Index a, Index b) {
    return violations_[a] != violations_[b] ? violations_[a] > violations_[b] : a < b;
  });
  block_.resize(size);
  std::sort(block_.begin(), block_.end());
  const Poll poll = [&] { stop_if_over(); };
  const Watched watched(poll);  // here nothing is half done
  rows_.fetch(*maker_, block_, -1);
}

// Steps in the row of the block that violates most until none violates more than the goal; false if nothing moved.
template <class R>
bool CrammerSingerSearch<R>::solve_block(double goal) {
  const auto size = Index(block_.size());
  if (size == 0) return false;
  const auto values = std::size_t(size) * std::size_t(width_);
  before_.assign(values, 0.0);
  near_.assign(values, 0.0);
  rise_.assign(values, infinity);
  for (Index a = 0; a < size; ++a)
    for (Index k = 0; k < problem_.classes; ++k) {
      before_[in_block(a) + k] = beta_[at(block_[a], k)];
      near_[in_block(a) + k] = gradient_[at(block_[a], k)];
      rise_[in_block(a) + k] = up_[at(block_[a], k)];
    }
  now_ = before_;
  std::vector<double> change(width_, 0.0);
  inner_.resize(size);
  const auto follow = [&](Index a) {
    const R* const row = rows_.at(block_[a]);
    for (Index b = 0; b < size; ++b) inner_[b] = 0.5 * double(row[block_[b]]);
    return simd().follow_row(size, width_, inner_.data(), change.data(), shift_.data(), rise_.data(), near_.data());
  };
  const std::int64_t most = std::min<std::int64_t>(options_.max_steps - outcome_.steps, steps_a_row * std::int64_t(size));
  Extreme worst = follow(0);
  std::int64_t steps = 0;
  for (; steps < most && worst.value > goal; ++steps) {
    const Index a = worst.index;
    double* const beta = now_.data() + in_block(a);
    solve_row(block_[a], beta, near_.data() + in_block(a), change.data());
    for (Index k = 0; k < problem_.classes; ++k) {
      beta[k] += change[k];
      class_sum_[k] += change[k];
      rise_[in_block(a) + k] = beta[k] < room(block_[a], k) ? 0.0 : infinity;
    }
    set_shift();
    worst = follow(a);
  }
  outcome_.steps += steps;
  return steps > 0;
}

// The best coefficients of one row: min(room, z + theta), theta such that they sum to 0.
template <class R>
void CrammerSingerSearch<R>::solve_row(Index row, const double* beta, const double* gradient, double* change) {
  const Index K = problem_.classes;
  const double curvature = std::max(diagonal_[row] + pull_, 1e-6 * scale_ + 1e-300);
  order_.resize(K);
  z_.resize(K);
  double sum = 0;
  for (Index k = 0; k < K; ++k) {
    z_[k] = beta[k] - (gradient[k] + shift_[k]) / curvature;
    sum += z_[k];
    order_[k] = {room(row, k) - z_[k], k};
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
    const double top = room(row, k), value = std::min(top, z_[k] + theta);
    change[k] = value - beta[k];
    total += value;
    if (value < top) free_class = k;
  }
  change[free_class] -= total;  // what rounding left of the sum
}

// Brings all gradients to where the block has led, and looks at them. A row moves in a few classes only.
template <class R>
double CrammerSingerSearch<R>::spread_block() {
  const auto size = Index(block_.size());
  const Index K = problem_.classes;
  moved_.clear();
  moved_by_.clear();
  std::vector<std::size_t> first(K + 1, 0);
  for (Index k = 0; k < K; ++k) {
    for (Index a = 0; a < size; ++a) {
      const double now = now_[in_block(a) + k], change = now - before_[in_block(a) + k];
      if (change == 0) continue;
      moved_.push_back(rows_.at(block_[a]));
      moved_by_.push_back(0.5 * change);
      beta_[at(block_[a], k)] = now;
      set_mask(block_[a], k);
    }
    first[k + 1] = moved_.size();
  }
  parallel_chunks((n_ + piece - 1) / piece, [&](std::ptrdiff_t chunk) {
    const Index begin = Index(chunk) * piece, end = std::min(begin + piece, n_);
    for (Index k = 0; k < K; ++k)
      accumulate_with(begin, end, Index(first[k + 1] - first[k]), moved_by_.data() + first[k], moved_.data() + first[k],
                      gradient_.data() + at(0, k));
    look_at(begin);
  });
  return *std::max_element(violations_.begin(), violations_.end());
}

template double CrammerSingerSearch<float>::look();
template double CrammerSingerSearch<double>::look();
template void CrammerSingerSearch<float>::choose_block(double);
template void CrammerSingerSearch<double>::choose_block(double);
template bool CrammerSingerSearch<float>::solve_block(double);
template bool CrammerSingerSearch<double>::solve_block(double);
template double CrammerSingerSearch<float>::spread_block();
template double CrammerSingerSearch<double>::spread_block();

}  // namespace maxmargin
