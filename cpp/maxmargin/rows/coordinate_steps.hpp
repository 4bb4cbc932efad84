// Steps of a sweep of dual coordinate descent over stored rows. One loop for each kind of storage: on short rows a call for
// each would cost as much as the row.
#pragma once

#include <algorithm>
#include <cmath>

#include "maxmargin/rows/coordinate_sweep.hpp"

namespace maxmargin {

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

inline void prefetch_up_to(const void* from, std::ptrdiff_t bytes) {
  constexpr std::ptrdiff_t line = 64, most_ahead = 8 * line;
  const char* const start = static_cast<const char*>(from);
  for (std::ptrdiff_t at = 0; at < std::min(bytes, most_ahead); at += line) prefetch(start + at);
}

}  // namespace maxmargin
