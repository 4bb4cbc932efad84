// Class sums of the search: what offsets learn from them, and how they are made exactly 0.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/crammer_singer/search.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest_pull = 8;  // beside the diagonal
constexpr int portions = 16;        // in which class sums are moved, so that no row takes too much

}  // namespace

// The largest of the class sums.
template <class R>
double CrammerSingerSearch<R>::imbalance() const {
  double most = 0;
  for (Index k = 0; k < problem_.classes; ++k) most = std::max(most, std::abs(class_sum_[k]));
  return most;
}

// The method of multipliers: what the pull has to hold is the offsets' from now on. If class sums do not fall, it pulls harder.
template <class R>
void CrammerSingerSearch<R>::learn_offsets() {
  bias_ = shift_;
  const double most = imbalance();
  if (most > 0.5 * last_imbalance_) pull_ = std::min(2 * pull_, largest_pull * scale_);
  last_imbalance_ = most;
  set_shift();
}

// Makes the class sums exactly 0, at the offsets as they are.
template <class R>
void CrammerSingerSearch<R>::balance() {
  if (!problem_.offsets) return;
  bias_ = shift_;
  for (Index k = 0; k < problem_.classes; ++k)
    class_sum_[k] = std::accumulate(beta_.data() + at(0, k), beta_.data() + at(0, k) + n_, 0.0);
  const double portion = imbalance() / portions;
  for (Index turn = 0; turn < 4 * portions + n_ && imbalance() > 0; ++turn)
    if (!move_class_sums(portion, portion / 8) && !move_class_sums(portion, 0)) break;
  set_shift();
}

// The same where the search ends and nobody waits for a better point: from class to class directly, and no gradient follows,
// which for many classes takes kernel rows and many times as long. A row with much room where that costs least, else one with
// the most room.
template <class R>
void CrammerSingerSearch<R>::balance_in_haste() {
  if (!problem_.offsets) return;
  bias_ = shift_;
  const auto first = class_sum_.begin(), last = first + problem_.classes;
  for (Index k = 0; k < problem_.classes; ++k)
    class_sum_[k] = std::accumulate(beta_.data() + at(0, k), beta_.data() + at(0, k) + n_, 0.0);
  while (true) {
    const auto high = Index(std::max_element(first, last) - first), low = Index(std::min_element(first, last) - first);
    const double wanted = std::min(class_sum_[high], -class_sum_[low]);
    if (!(wanted > 0)) break;
    Index row = 0;
    double cheapest = infinity, most = 0;
    for (Index i = 0; i < n_; ++i) {
      if (beta_[at(i, label_[i])] == 0) continue;
      const double free = room(i, low) - beta_[at(i, low)], cost = gradient_[at(i, low)] - gradient_[at(i, high)];
      if (free >= wanted / 8 ? cost < cheapest : cheapest == infinity && free > most) {
        row = i, most = free;
        if (free >= wanted / 8) cheapest = cost;
      }
    }
    const double amount = std::min(wanted, most);
    if (!(amount > 0)) break;
    beta_[at(row, high)] -= amount;
    beta_[at(row, low)] += amount;
    class_sum_[high] -= amount;
    class_sum_[low] += amount;
  }
  set_shift();
}

// Moves a portion from classes that have too much to classes that have too little, in rows with some room where that costs
// least: from k to l a row costs the slope of l minus that of k, and the way may lead by other classes. Some row always has
// room: a class sum below 0 has coefficients below 0.
template <class R>
bool CrammerSingerSearch<R>::move_class_sums(double portion, double some) {
  const Index K = problem_.classes;
  const auto pair = [K](Index k, Index l) { return std::size_t(k) * std::size_t(K) + std::size_t(l); };
  std::vector<double> price(pair(K, 0), infinity), slope(K);
  std::vector<Index> row(pair(K, 0), 0), next(pair(K, 0));
  for (Index i = 0; i < n_; ++i) {
    if (beta_[at(i, label_[i])] == 0) continue;
    for (Index k = 0; k < K; ++k) slope[k] = gradient_[at(i, k)] + shift_[k];
    for (Index l = 0; l < K; ++l) {
      if (!(room(i, l) - beta_[at(i, l)] > some)) continue;
      for (Index k = 0; k < K; ++k) {
        const double cost = std::max(0.0, slope[l] - slope[k]);
        if (k != l && cost < price[pair(k, l)]) price[pair(k, l)] = cost, row[pair(k, l)] = i;
      }
    }
  }
  for (Index k = 0; k < K; ++k)
    for (Index l = 0; l < K; ++l) next[pair(k, l)] = l;
  for (Index by = 0; by < K; ++by)  // the cheapest ways (Floyd and Warshall)
    for (Index k = 0; k < K; ++k)
      for (Index l = 0; l < K; ++l)
        if (const double cost = price[pair(k, by)] + price[pair(by, l)]; cost < price[pair(k, l)])
          price[pair(k, l)] = cost, next[pair(k, l)] = next[pair(k, by)];
  block_.clear();
  before_.clear();
  now_.clear();
  std::vector<Index> way;  // places in the block
  for (Index move = 0; move < K; ++move) {
    const auto first = class_sum_.begin(), last = first + K;
    const auto high = Index(std::max_element(first, last) - first), low = Index(std::min_element(first, last) - first);
    double amount = std::min({class_sum_[high], -class_sum_[low], portion});
    Index edges = 0;
    for (Index k = high; price[pair(high, low)] < infinity && k != low; k = next[pair(k, low)]) ++edges;
    if (edges == 0 || Index(block_.size()) + edges > rows_.capacity()) break;
    way.clear();
    for (Index k = high; k != low; k = next[pair(k, low)]) {
      const Index l = next[pair(k, low)], a = place_in_block(row[pair(k, l)]);
      way.push_back(a);
      amount = std::min(amount, room(block_[a], l) - now_[in_block(a) + l]);
    }
    if (!(amount > 0)) break;
    for (Index k = high, edge = 0; k != low; k = next[pair(k, low)], ++edge) {
      now_[in_block(way[edge]) + k] -= amount;
      now_[in_block(way[edge]) + next[pair(k, low)]] += amount;
    }
    class_sum_[high] -= amount;
    class_sum_[low] += amount;
  }
  rows_.fetch(*maker_, block_, -1);
  spread_block();
  return now_ != before_;
}

template <class R>
Index CrammerSingerSearch<R>::place_in_block(Index row) {
  const auto found = Index(std::find(block_.begin(), block_.end(), row) - block_.begin());
  if (found == Index(block_.size())) {
    block_.push_back(row);
    now_.resize(block_.size() * std::size_t(width_), 0.0);
    for (Index k = 0; k < problem_.classes; ++k) now_[in_block(found) + k] = beta_[at(row, k)];
    before_.insert(before_.end(), now_.begin() + in_block(found), now_.end());
  }
  return found;
}

template double CrammerSingerSearch<float>::imbalance() const;
template double CrammerSingerSearch<double>::imbalance() const;
template void CrammerSingerSearch<float>::learn_offsets();
template void CrammerSingerSearch<double>::learn_offsets();
template void CrammerSingerSearch<float>::balance();
template void CrammerSingerSearch<double>::balance();
template void CrammerSingerSearch<float>::balance_in_haste();
template void CrammerSingerSearch<double>::balance_in_haste();

}  // namespace maxmargin
