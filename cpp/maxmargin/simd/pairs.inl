// The passes of sequential minimal optimisation over all active variables, in the precision of the rows. Arrays are padded to
// 16 values, which are whole pairs of vectors: up = +inf and down = -inf in the padding, so that it is never selected. Ties go
// to the lower index. Each pass keeps the best of even and of odd vectors: one alone would wait for its own comparisons.

static_assert(16 % (2 * VectorOf<float>::width) == 0 && 16 % (2 * VectorOf<double>::width) == 0);

template <class R>
constexpr R infinity = R(__builtin_inf());
template <class R>
constexpr R tiny = sizeof(R) == 4 ? R(1e-30) : R(1e-300);

constexpr Index no_index = 0x7fffffff;

template <class R>
inline Bits<R> first_indices();
template <>
inline Bits<float> first_indices<float>() {
  return Bits<float>{0, 1, 2, 3, 4, 5, 6, 7};
}
template <>
inline Bits<double> first_indices<double>() {
  return Bits<double>{0, 1, 2, 3};
}

// Lanes trade places with those half a vector, a quarter and so on away, until all have the best one: no branch to guess.
template <class R>
inline R largest_of(Vec<R> v) {
  v = larger(v, other_half(v));
  v = larger(v, other_quarter(v));
  if constexpr (sizeof(R) == 4) v = larger(v, neighbour(v));
  return v[0];
}

template <class R>
inline Bits<R> smaller(Bits<R> a, Bits<R> b) {
  return a < b ? a : b;
}

// The best of the lanes' extremes.
template <class R>
inline Extreme first_of(Vec<R> value, Bits<R> index, bool lowest) {
  const R best = lowest ? -largest_of<R>(-value) : largest_of<R>(value);
  Bits<R> who = value == best ? index : Bits<R>{} + no_index;
  who = smaller<R>(who, other_half(who));
  who = smaller<R>(who, other_quarter(who));
  if constexpr (sizeof(R) == 4) who = smaller<R>(who, neighbour(who));
  return who[0] == no_index ? Extreme{double(value[0]), Index(index[0])} : Extreme{double(best), Index(who[0])};  // no number
}

template <class R>
struct Extremes {
  Vec<R> low = splat(infinity<R>), high = splat(-infinity<R>);
  Bits<R> low_index = {};

  void meet(Vec<R> rise, Vec<R> fall, Bits<R> at) {
    const auto better = rise < low;
    low = better ? rise : low;
    low_index = better ? at : low_index;
    high = larger(fall, high);
  }
  void join(const Extremes& other) {
    const auto better = (other.low < low) | ((other.low == low) & (other.low_index < low_index));
    low = better ? other.low : low;
    low_index = better ? other.low_index : low_index;
    high = larger(other.high, high);
  }
  Selection found() const { return {first_of<R>(low, low_index, true), double(largest_of<R>(high))}; }
};

template <class R>
Selection select(const PairView<R>& view) {
  constexpr int lanes = VectorOf<R>::width;
  Extremes<R> even, odd;
  Bits<R> index = first_indices<R>();
  const auto look = [&](Extremes<R>& extremes, Index k, Bits<R> at) {
    const Vec<R> g = load<Vec<R>>(view.gradient + k);
    extremes.meet(g + load<Vec<R>>(view.up + k), g + load<Vec<R>>(view.down + k), at);
  };
  for (Index k = 0; k < view.n; k += 2 * lanes, index += 2 * lanes) {
    look(even, k, index);
    look(odd, k + lanes, index + lanes);
  }
  even.join(odd);
  return even.found();
}

template <class R>
Selection update(const PairView<R>& view, double step, const R* row_i, const R* row_j) {
  constexpr int lanes = VectorOf<R>::width;
  Extremes<R> even, odd;
  Bits<R> index = first_indices<R>();
  const R by = R(step);
  const auto move = [&](Extremes<R>& extremes, Index k, Bits<R> at) {
    const Vec<R> g = load<Vec<R>>(view.gradient + k) + by * (load<Vec<R>>(row_i + k) - load<Vec<R>>(row_j + k));
    store(view.gradient + k, g);
    extremes.meet(g + load<Vec<R>>(view.up + k), g + load<Vec<R>>(view.down + k), at);
  };
  for (Index k = 0; k < view.n; k += 2 * lanes, index += 2 * lanes) {
    move(even, k, index);
    move(odd, k + lanes, index + lanes);
  }
  even.join(odd);
  return even.found();
}

// The largest of fractions gain / curvature, lane by lane. Fractions are compared across, since a division takes longer than
// all the rest of the loop.
template <class R>
struct BestFraction {
  Vec<R> above = splat(R(0)), below = splat(R(1));
  Bits<R> index = Bits<R>{} - 1;

  void meet(Vec<R> gain, Vec<R> curvature, Bits<R> at) {
    const auto better = gain * below > above * curvature;
    above = better ? gain : above;
    below = better ? curvature : below;
    index = better ? at : index;
  }
  void join(const BestFraction& other) {
    const Vec<R> theirs = other.above * below, ours = above * other.below;
    const auto better = (theirs > ours) | ((theirs == ours) & (other.index >= 0) & (other.index < index));
    above = better ? other.above : above;
    below = better ? other.below : below;
    index = better ? other.index : index;
  }
  Extreme first() const { return first_of<R>(above / below, index, false); }
};

template <class R>
Extreme partner(const PairView<R>& view, double level, double diagonal_i, double tau, const R* row_i) {
  constexpr int lanes = VectorOf<R>::width;
  BestFraction<R> even, odd;
  Bits<R> index = first_indices<R>();
  const R from = R(level), own = R(diagonal_i), part = R(tau);
  const auto look = [&](BestFraction<R>& best, Index k, Bits<R> at) {
    const Vec<R> fall = larger(load<Vec<R>>(view.gradient + k) + load<Vec<R>>(view.down + k) - from, Vec<R>{});
    const Vec<R> sum = own + load<Vec<R>>(view.diagonal + k), floor = part * larger(sum, -sum) + tiny<R>;
    best.meet(fall * fall, larger(sum - R(2) * load<Vec<R>>(row_i + k), floor), at);
  };
  for (Index k = 0; k < view.n; k += 2 * lanes, index += 2 * lanes) {
    look(even, k, index);
    look(odd, k + lanes, index + lanes);
  }
  even.join(odd);
  return even.first();
}

template <class R>
Candidate update_single(const PairView<R>& view, double step, const R* row) {
  constexpr int lanes = VectorOf<R>::width;
  BestFraction<R> even, odd;
  Vec<R> worst = {};
  Bits<R> index = first_indices<R>();
  const R by = R(step);
  const auto move = [&](BestFraction<R>& best, Index k, Bits<R> at) {
    const Vec<R> g = load<Vec<R>>(view.gradient + k) + by * load<Vec<R>>(row + k);
    store(view.gradient + k, g);
    const Vec<R> violation = larger(larger(-(g + load<Vec<R>>(view.up + k)), g + load<Vec<R>>(view.down + k)), Vec<R>{});
    worst = larger(violation, worst);
    best.meet(violation * violation, larger(load<Vec<R>>(view.diagonal + k), splat(tiny<R>)), at);
  };
  for (Index k = 0; k < view.n; k += 2 * lanes, index += 2 * lanes) {
    move(even, k, index);
    move(odd, k + lanes, index + lanes);
  }
  even.join(odd);
  return {even.first().index, double(largest_of<R>(worst))};
}

inline Bits<float> wide_indices(const Index* p, float) { return load<Bits<float>>(p); }
inline Bits<double> wide_indices(const Index* p, double) {
  typedef Index half __attribute__((vector_size(16)));
  return __builtin_convertvector(load<half>(p), Bits<double>);
}

// Each lane keeps its best of the even vectors and its best of the odd ones; the leaders are the best of these. Two of the best
// may meet in a lane, and then one is overlooked: what steps will want next is a guess anyway, and lanes need no branches.
template <class R>
void leaders(const PairView<R>& view, double lowest, double highest, const Index* slots, Leaders<R>& found) {
  constexpr int lanes = VectorOf<R>::width;
  const R low = R(lowest), high = R(highest);
  Vec<R> most[2] = {};
  Bits<R> who[2] = {}, index = first_indices<R>();
  for (Index k = 0; k < view.n; k += 2 * lanes)
    for (int odd = 0; odd < 2; ++odd, index += lanes) {
      const Index at = k + odd * lanes;
      const Vec<R> g = load<Vec<R>>(view.gradient + at);
      const Vec<R> any = larger(high - (g + load<Vec<R>>(view.up + at)), g + load<Vec<R>>(view.down + at) - low);
      const Vec<R> by = wide_indices(slots + at, R()) < 0 ? any : Vec<R>{};  // most that violate have a slot
      const auto better = by > most[odd];
      most[odd] = better ? by : most[odd];
      who[odd] = better ? index : who[odd];
    }
  R violation[2 * lanes];
  store(violation, most[0]);
  store(violation + lanes, most[1]);
  for (int l = 0; l < 2 * lanes; ++l) {
    if (!(violation[l] > found.violation[found.most - 1])) continue;
    found.count += found.count < found.most;
    Index at = found.count - 1;
    for (; at > 0 && found.violation[at - 1] < violation[l]; --at) {
      found.violation[at] = found.violation[at - 1];
      found.who[at] = found.who[at - 1];
    }
    found.violation[at] = violation[l];
    found.who[at] = Index(who[l / lanes][l % lanes]);
  }
}

// The step of a row in a block of rows with a score for each class: their gradients follow, and the row that violates most is
// found on the way. Columns beyond the classes have a shift far below all others and an infinite mask.
Extreme follow_row(Index count, Index width, const double* row, const double* change, const double* shift, const double* up,
                   double* gradient) {
  Extreme worst{-1.0, 0};
  for (Index j = 0; j < count; ++j, up += width, gradient += width) {
    const double by = row[j];
    Vec<double> high = splat(-infinity<double>), low = splat(infinity<double>);
    for (Index k = 0; k < width; k += 4) {
      const Vec<double> g = load<Vec<double>>(gradient + k) + by * load<Vec<double>>(change + k);
      store(gradient + k, g);
      const Vec<double> slope = g + load<Vec<double>>(shift + k), rise = slope + load<Vec<double>>(up + k);
      high = larger(slope, high);
      low = -larger(-rise, -low);
    }
    const double violation = largest_of<double>(high) + largest_of<double>(-low);
    if (violation > worst.value) worst = {violation, j};
  }
  return worst;
}
