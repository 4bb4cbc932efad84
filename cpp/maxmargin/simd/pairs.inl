// The passes of sequential minimal optimisation over all active variables. The gradient is float64, rows are R. Arrays are
// padded to whole vectors: up = +inf and down = -inf in the padding, so that it is never selected. Ties go to the lower index.

constexpr double infinity = __builtin_inf(), tiny = 1e-300;

struct Best {  // a running extreme with its index, lane by lane
  Vec<double> value;
  Bits<double> index;
};

inline Extreme first_of(const Best& best, bool lowest) {
  Extreme result{best.value[0], Index(best.index[0])};
  for (int l = 1; l < 4; ++l) {
    const double v = best.value[l];
    const bool better = lowest ? v < result.value : v > result.value;
    if (better || (v == result.value && Index(best.index[l]) < result.index)) result = {v, Index(best.index[l])};
  }
  return result;
}

template <class R>
Selection update(const PairView<R>& view, double step, const R* row_i, const R* row_j) {
  Best low{splat(infinity), Bits<double>{}};
  Vec<double> high = splat(-infinity);
  Bits<double> index = {0, 1, 2, 3};
  for (Index k = 0; k < view.n; k += 4, index += 4) {
    const Vec<double> g = load<Vec<double>>(view.gradient + k) + step * (widen(row_i + k) - widen(row_j + k));
    store(view.gradient + k, g);
    const Vec<double> rise = g + widen(view.up + k), fall = g + widen(view.down + k);
    const auto better = rise < low.value;
    low.value = better ? rise : low.value;
    low.index = better ? index : low.index;
    high = fall > high ? fall : high;
  }
  double highest = high[0];
  for (int l = 1; l < 4; ++l) highest = high[l] > highest ? high[l] : highest;
  return {first_of(low, true), highest};
}

// The largest of fractions gain / curvature, lane by lane. Fractions are compared across, since a division takes longer than
// all the rest of the loop.
struct BestFraction {
  Vec<double> above = splat(0.0), below = splat(1.0);
  Bits<double> index = Bits<double>{} - 1;

  void meet(Vec<double> gain, Vec<double> curvature, Bits<double> at) {
    const auto better = gain * below > above * curvature;
    above = better ? gain : above;
    below = better ? curvature : below;
    index = better ? at : index;
  }
  Extreme first() const { return first_of({above / below, index}, false); }
};

template <class R>
Extreme partner(const PairView<R>& view, double level, double diagonal_i, double tau, const R* row_i) {
  BestFraction best;
  Bits<double> index = {0, 1, 2, 3};
  for (Index k = 0; k < view.n; k += 4, index += 4) {
    const Vec<double> fall = load<Vec<double>>(view.gradient + k) + widen(view.down + k) - level;
    const Vec<double> sum = diagonal_i + widen(view.diagonal + k), floor = tau * (sum > 0.0 ? sum : -sum) + tiny;
    const Vec<double> curvature = sum - 2.0 * widen(row_i + k);
    best.meet(fall > 0.0 ? fall * fall : splat(-1.0), curvature > floor ? curvature : floor, index);
  }
  return best.first();
}

template <class R>
Candidate update_single(const PairView<R>& view, double step, const R* row) {
  BestFraction best;
  Vec<double> worst = splat(0.0);
  Bits<double> index = {0, 1, 2, 3};
  for (Index k = 0; k < view.n; k += 4, index += 4) {
    const Vec<double> g = load<Vec<double>>(view.gradient + k) + step * widen(row + k);
    store(view.gradient + k, g);
    const Vec<double> rise = -(g + widen(view.up + k)), fall = g + widen(view.down + k);
    const Vec<double> violation = rise > fall ? rise : fall;
    worst = violation > worst ? violation : worst;
    const Vec<double> curvature = widen(view.diagonal + k);
    best.meet(violation > 0.0 ? violation * violation : splat(-1.0), curvature > tiny ? curvature : splat(tiny), index);
  }
  double largest = worst[0];
  for (int l = 1; l < 4; ++l) largest = worst[l] > largest ? worst[l] : largest;
  return {best.first().index, largest};
}
