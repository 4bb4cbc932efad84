// Sweeps of dual coordinate descent over stored rows. One loop for each kind of storage: on short rows a call for each would
// cost as much as the row.
#include <cmath>
#include <utility>

#include "maxmargin/linear/coordinate_sweep.hpp"
#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/rows/features.hpp"

namespace maxmargin {

namespace {

inline void prefetch([[maybe_unused]] const void* place) {
#if defined(__GNUC__)
  __builtin_prefetch(place);
#endif
}

// `product(i)` and `add(i, change)` are a row's with w; `fetch(i)` says that a row comes next, `announce(i)` the one after.
template <bool squared, class Product, class Add, class Fetch, class Announce>
void steps(CoordinateSweep& sweep, std::size_t count, const Product& product, const Add& add, const Fetch& fetch,
           const Announce& announce) {
  const std::size_t end = sweep.position + count;
  std::size_t k = sweep.position;
  double most = sweep.most, least = sweep.least, gap = sweep.gap, last = sweep.last;
  const std::vector<Index>& visits = sweep.schedule.visits();
  for (; k < visits.size() && k < end; ++k) {
    const Index i = visits[k];
    if (k + 2 < visits.size()) {
      announce(visits[k + 2]);
      prefetch(&sweep.rows[visits[k + 2]]);
      fetch(visits[k + 1]);
    }
    if (sweep.schedule.has_settled(i)) continue;
    SweepRow& row = sweep.rows[i];
    const double before = row.alpha, top = squared ? CoordinateSweep::infinity : row.own;
    const double slack = 1 - row.y * (product(i) + sweep.constant * last);
    const double slope = squared ? before * row.own - slack : -slack;
    double projected = slope;
    if (before == 0) {
      if (slope > sweep.highest) {  // settled at 0: left out until the others have settled too
        sweep.schedule.settle(i);
        continue;
      }
      projected = std::min(slope, 0.0);
    } else if (before == top) {
      if (slope < sweep.lowest) {
        sweep.schedule.settle(i);
        continue;
      }
      projected = std::max(slope, 0.0);
    }
    const double share = squared ? (slack > 0 ? 0.5 * slack * slack / row.own : 0.0) + before * (0.5 * before * row.own - slack)
                                 : row.own * std::max(slack, 0.0) - before * slack;
    gap += share / sweep.schedule.frequency(i);
    most = std::max(most, projected);
    least = std::min(least, projected);
    const double wanted = std::abs(projected) <= 1e-14 ? before : std::clamp(before - slope * row.inverse, 0.0, top);
    const double way = wanted - before;
    sweep.schedule.learn(i, -way * (slope + 0.5 * way / row.inverse));
    if (way == 0) continue;
    row.alpha = wanted;
    add(i, way * row.y);
    last += sweep.constant * way * row.y;
  }
  sweep.position = k;
  sweep.most = most;
  sweep.least = least;
  sweep.gap = gap;
  sweep.last = last;
}

template <class... Parts>
void steps_of_loss(CoordinateSweep& sweep, std::size_t count, const Parts&... parts) {
  if (sweep.squared)
    steps<true>(sweep, count, parts...);
  else
    steps<false>(sweep, count, parts...);
}

constexpr std::ptrdiff_t line = 64, most_ahead = 8 * line;  // bytes

void prefetch_up_to(const void* from, std::ptrdiff_t bytes) {
  const char* const start = static_cast<const char*>(from);
  for (std::ptrdiff_t at = 0; at < std::min(bytes, most_ahead); at += line) prefetch(start + at);
}

}  // namespace

template <class V>
void DenseFeatures<V>::step_through(CoordinateSweep& sweep, std::size_t count) const {
  double* const w = sweep.w.data();
  const auto product = [&](Index i) {
    double found;
    DenseFeatures::products(i, i + 1, w, &found);
    return found;
  };
  const auto add = [&](Index i, double change) { DenseFeatures::add_rows(i, i + 1, &change, w); };
  const auto nothing = [](Index) {};
  steps_of_loss(
      sweep, count, product, add, [&](Index i) { prefetch_up_to(at(i), columns() * std::ptrdiff_t(sizeof(V))); }, nothing);
}

template <class V, class I>
void CsrFeatures<V, I>::step_through(CoordinateSweep& sweep, std::size_t count) const {
  double* const w = sweep.w.data();
  const auto product = [&](Index i) {
    const I length = end(i) - begin(i);
    const V* const values = csr_.data + begin(i);
    const I* const columns = csr_.indices + begin(i);
    double sum[4] = {0, 0, 0, 0};  // hide the time of an addition
    I k = 0;
    for (; k + 4 <= length; k += 4)
      for (I l = 0; l < 4; ++l) sum[l] += double(values[k + l]) * w[columns[k + l]];
    for (; k < length; ++k) sum[0] += double(values[k]) * w[columns[k]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  };
  const auto add = [&](Index i, double change) {
    for (I k = begin(i), last = end(i); k < last; ++k) w[csr_.indices[k]] += change * double(csr_.data[k]);
  };
  const auto fetch = [&](Index i) {
    const auto length = std::ptrdiff_t(end(i) - begin(i));
    prefetch_up_to(csr_.indices + begin(i), length * std::ptrdiff_t(sizeof(I)));
    prefetch_up_to(csr_.data + begin(i), length * std::ptrdiff_t(sizeof(V)));
  };
  steps_of_loss(sweep, count, product, add, fetch, [&](Index i) { prefetch(csr_.indptr + i); });
}

template void DenseFeatures<float>::step_through(CoordinateSweep&, std::size_t) const;
template void DenseFeatures<double>::step_through(CoordinateSweep&, std::size_t) const;
template void CsrFeatures<float, std::int32_t>::step_through(CoordinateSweep&, std::size_t) const;
template void CsrFeatures<double, std::int32_t>::step_through(CoordinateSweep&, std::size_t) const;
template void CsrFeatures<float, std::int64_t>::step_through(CoordinateSweep&, std::size_t) const;
template void CsrFeatures<double, std::int64_t>::step_through(CoordinateSweep&, std::size_t) const;

}  // namespace maxmargin
