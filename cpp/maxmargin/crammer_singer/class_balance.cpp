#include "maxmargin/crammer_singer/class_balance.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int portions = 16;  // in which class sums are moved, so that no row takes too much

}  // namespace

// The class sums as they are, without what rounding added up.
template <class R>
void ClassBalance<R>::count() {
  for (Index k = 0; k < rows_.classes(); ++k) offsets_.class_sums()[k] = rows_.class_sum(k);
}

template <class R>
void ClassBalance<R>::restore() {
  if (!rows_.has_offsets()) return;
  offsets_.take_over();
  count();
  const double portion = offsets_.imbalance() / portions;
  for (Index turn = 0; turn < 4 * portions + rows_.size() && offsets_.imbalance() > 0; ++turn)
    if (!move(portion, portion / 8) && !move(portion, 0)) break;
  offsets_.set_shift();
}

// A row with much room where that costs least, else one with the most room.
template <class R>
void ClassBalance<R>::restore_in_haste() {
  if (!rows_.has_offsets()) return;
  offsets_.take_over();
  count();
  std::vector<double>& class_sum = offsets_.class_sums();
  const auto first = class_sum.begin(), last = first + rows_.classes();
  while (true) {
    const auto high = Index(std::max_element(first, last) - first), low = Index(std::min_element(first, last) - first);
    const double wanted = std::min(class_sum[high], -class_sum[low]);
    if (!(wanted > 0)) break;
    Index row = 0;
    double cheapest = infinity, most = 0;
    for (Index i = 0; i < rows_.size(); ++i) {
      if (rows_.beta(i, rows_.label(i)) == 0) continue;
      const double free = rows_.room(i, low) - rows_.beta(i, low), cost = rows_.gradient(i, low) - rows_.gradient(i, high);
      if (free >= wanted / 8 ? cost < cheapest : cheapest == infinity && free > most) {
        row = i, most = free;
        if (free >= wanted / 8) cheapest = cost;
      }
    }
    const double amount = std::min(wanted, most);
    if (!(amount > 0)) break;
    rows_.set(row, high, rows_.beta(row, high) - amount);
    rows_.set(row, low, rows_.beta(row, low) + amount);
    class_sum[high] -= amount;
    class_sum[low] += amount;
  }
  offsets_.set_shift();
}

// Moves a portion from classes that have too much to classes that have too little, in rows with some room where that costs
// least: from k to l a row costs the slope of l minus that of k, and the way may lead by other classes. Some row always has
// room: a class sum below 0 has coefficients below 0.
template <class R>
bool ClassBalance<R>::move(double portion, double some) {
  const Index K = rows_.classes();
  const auto pair = [K](Index k, Index l) { return std::size_t(k) * std::size_t(K) + std::size_t(l); };
  std::vector<double> costs(pair(K, 0), infinity), slope(K);
  std::vector<Index> row(pair(K, 0), 0), next(pair(K, 0));
  for (Index i = 0; i < rows_.size(); ++i) {
    if (rows_.beta(i, rows_.label(i)) == 0) continue;
    for (Index k = 0; k < K; ++k) slope[k] = rows_.gradient(i, k) + offsets_.shift(k);
    for (Index l = 0; l < K; ++l) {
      if (!(rows_.room(i, l) - rows_.beta(i, l) > some)) continue;
      for (Index k = 0; k < K; ++k) {
        const double cost = std::max(0.0, slope[l] - slope[k]);
        if (k != l && cost < costs[pair(k, l)]) costs[pair(k, l)] = cost, row[pair(k, l)] = i;
      }
    }
  }
  for (Index k = 0; k < K; ++k)
    for (Index l = 0; l < K; ++l) next[pair(k, l)] = l;
  for (Index by = 0; by < K; ++by)  // the cheapest ways (Floyd and Warshall)
    for (Index k = 0; k < K; ++k)
      for (Index l = 0; l < K; ++l)
        if (const double cost = costs[pair(k, by)] + costs[pair(by, l)]; cost < costs[pair(k, l)])
          costs[pair(k, l)] = cost, next[pair(k, l)] = next[pair(k, by)];
  std::vector<double>& class_sum = offsets_.class_sums();
  const auto first = class_sum.begin(), last = first + K;
  block_.clear();
  std::vector<Index> way;  // places in the block
  for (Index turn = 0; turn < K; ++turn) {
    const auto high = Index(std::max_element(first, last) - first), low = Index(std::min_element(first, last) - first);
    double amount = std::min({class_sum[high], -class_sum[low], portion});
    Index edges = 0;
    for (Index k = high; costs[pair(high, low)] < infinity && k != low; k = next[pair(k, low)]) ++edges;
    if (edges == 0 || block_.size() + edges > rows_.capacity()) break;
    way.clear();
    for (Index k = high; k != low; k = next[pair(k, low)]) {
      const Index l = next[pair(k, low)], a = block_.place(row[pair(k, l)]);
      way.push_back(a);
      amount = std::min(amount, rows_.room(block_.row(a), l) - block_.beta(a, l));
    }
    if (!(amount > 0)) break;
    for (Index k = high, edge = 0; k != low; k = next[pair(k, low)], ++edge) {
      block_.beta(way[edge], k) -= amount;
      block_.beta(way[edge], next[pair(k, low)]) += amount;
    }
    class_sum[high] -= amount;
    class_sum[low] += amount;
  }
  block_.fetch();
  block_.spread();
  return block_.has_moved();
}

template class ClassBalance<float>;
template class ClassBalance<double>;

}  // namespace maxmargin
