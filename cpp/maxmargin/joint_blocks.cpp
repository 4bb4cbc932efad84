// The steps of the joint search: blocks of rows that violate most, and the class totals.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/joint_search.hpp"
#include "maxmargin/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr Index block_size = 256;
constexpr std::int64_t steps_a_row = 20;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

// By how much each row violates the conditions: mass goes from the class with the highest slope to the lowest that has room.
template <class R>
double JointSearch<R>::look() {
  constexpr Index piece = 1024;
  parallel_chunks((n_ + piece - 1) / piece, [&](std::ptrdiff_t chunk) {
    const Index begin = Index(chunk) * piece, end = std::min(n_, begin + piece);
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
  });
  return *std::max_element(violations_.begin(), violations_.end());
}

// The totals of the classes, as the change of the scores that would make up for them.
template <class R>
double JointSearch<R>::imbalance() const {
  if (!problem_.offsets) return 0;
  double most = 0;
  for (Index k = 0; k < problem_.classes; ++k) most = std::max(most, std::abs(total_[k]));
  return 8 * most * scale_;  // a row that takes it all changes its scores by that much, and others follow
}

template <class R>
void JointSearch<R>::choose_block() {
  const Index size = std::min({n_, block_size, rows_.capacity()});
  block_ = every_;
  std::nth_element(block_.begin(), block_.begin() + (size - 1), block_.end(), [&](Index a, Index b) {
    return violations_[a] != violations_[b] ? violations_[a] > violations_[b] : a < b;
  });
  block_.resize(size);
  std::sort(block_.begin(), block_.end());
  rows_.fetch(*maker_, block_, -1);
  inner_.resize(std::size_t(size) * std::size_t(size));
  constexpr Index piece = 32;
  parallel_chunks((size + piece - 1) / piece, [&](std::ptrdiff_t chunk) {
    for (Index a = Index(chunk) * piece; a < std::min(size, Index(chunk + 1) * piece); ++a) {
      const R* const from = rows_.at(block_[a]);
      float* const into = inner_.data() + std::ptrdiff_t(a) * size;
      for (Index b = 0; b < size; ++b) into[b] = 0.5F * float(from[block_[b]]);
    }
  });
}

// Steps in the row of the block that violates most until none violates more than the goal; false if nothing moved.
template <class R>
bool JointSearch<R>::solve_block(double goal) {
  const auto size = Index(block_.size());
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
  const auto follow = [&](Index a) {
    return hot().follow_row(size, width_, inner_.data() + std::ptrdiff_t(a) * size, change.data(), shift_.data(), rise_.data(),
                            near_.data());
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
      total_[k] += change[k];
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
void JointSearch<R>::solve_row(Index row, const double* beta, const double* gradient, double* change) {
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

// Brings all gradients to where the block has led; a row moves in a few classes only.
template <class R>
void JointSearch<R>::spread_block() {
  const auto size = Index(block_.size());
  constexpr Index piece = 4096;
  for (Index k = 0; k < problem_.classes; ++k) {
    std::vector<const R*> from;
    std::vector<double> deltas;
    for (Index a = 0; a < size; ++a) {
      const double now = now_[in_block(a) + k], change = now - before_[in_block(a) + k];
      if (change == 0) continue;
      from.push_back(rows_.at(block_[a]));
      deltas.push_back(0.5 * change);
      beta_[at(block_[a], k)] = now;
      set_mask(block_[a], k);
    }
    if (from.empty()) continue;
    double* const gradient = gradient_.data() + at(0, k);
    parallel_chunks((n_ + piece - 1) / piece, [&](std::ptrdiff_t chunk) {
      const Index begin = Index(chunk) * piece, end = std::min(begin + piece, n_);
      accumulate_with(begin, end, Index(from.size()), deltas.data(), from.data(), gradient);
    });
  }
}

// Makes the totals exactly 0. What one class has too much goes to one that has too little, in a row where both are among
// those with the highest slope: there it costs nothing. A class without such a row passes it on by way of a third.
template <class R>
void JointSearch<R>::balance() {
  if (!problem_.offsets) return;
  const Index K = problem_.classes;
  std::vector<double> left(K, 0.0);
  for (Index k = 0; k < K; ++k)
    for (Index i = 0; i < n_; ++i) left[k] += beta_[at(i, k)];
  for (int turn = 0; turn < 8 * K; ++turn) {
    const auto high = Index(std::max_element(left.begin(), left.end()) - left.begin());
    const auto low = Index(std::min_element(left.begin(), left.end()) - left.begin());
    const double amount = std::min(left[high], -left[low]);
    if (!(amount > 0)) break;
    Transfer best = cheapest(high, low, amount);
    for (Index by = 0; by < K && best.cost > target_; ++by) {
      if (by == high || by == low) continue;
      const Transfer first = cheapest(high, by, amount), second = cheapest(by, low, amount);
      if (std::max(first.cost, second.cost) < best.cost && first.row != second.row) {
        best = first;
        best.to = by;
        best.cost = std::max(first.cost, second.cost);
      }
    }
    const double moved = std::min(amount, room(best.row, best.to) - beta_[at(best.row, best.to)]);
    if (!(moved > 0)) break;
    beta_[at(best.row, high)] -= moved;
    beta_[at(best.row, best.to)] += moved;
    left[high] -= moved;
    left[best.to] += moved;
  }
}

template <class R>
auto JointSearch<R>::cheapest(Index from, Index to, double amount) const -> Transfer {
  Transfer best{0, to, infinity};
  for (Index i = 0; i < n_; ++i) {
    if (room(i, to) - beta_[at(i, to)] < amount) continue;
    double highest = -infinity;
    for (Index k = 0; k < problem_.classes; ++k) highest = std::max(highest, gradient_[at(i, k)] + shift_[k]);
    const double cost = highest - std::min(gradient_[at(i, from)] + shift_[from], gradient_[at(i, to)] + shift_[to]);
    if (cost < best.cost) best = {i, to, cost};
  }
  return best;
}

template double JointSearch<float>::look();
template double JointSearch<double>::look();
template double JointSearch<float>::imbalance() const;
template double JointSearch<double>::imbalance() const;
template void JointSearch<float>::choose_block();
template void JointSearch<double>::choose_block();
template bool JointSearch<float>::solve_block(double);
template bool JointSearch<double>::solve_block(double);
template void JointSearch<float>::spread_block();
template void JointSearch<double>::spread_block();
template void JointSearch<float>::balance();
template void JointSearch<double>::balance();

}  // namespace maxmargin
