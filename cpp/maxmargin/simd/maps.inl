// From what is accumulated over the columns of two rows to kernel values.

// The maps of the formulas that stand alone: `count` vectors of accumulated values become kernel values.
template <class T, int count>
inline void map_alone(const Formula& formula, KernelMap map, Vec<T>* a) {
  const T gamma = T(formula.gamma), coef0 = T(formula.coef0);
  switch (map) {
    case KernelMap::identity: return;
    case KernelMap::power:
      for (int v = 0; v < count; ++v) a[v] = power_of<T>(gamma * a[v] + coef0, formula.degree);
      return;
    case KernelMap::exponential: {
      const T rate = T(-log2_e * formula.gamma);
      for (int v = 0; v < count; ++v) a[v] = rate * a[v];
      exp2_all<T, count>(a);
      return;
    }
    case KernelMap::tanh: {  // tanh x = e / (e + 2) with e = e^2x - 1, which keeps its digits where x is small
      const T most = -PowerOfTwo<T>::least;
      for (int v = 0; v < count; ++v) {
        const Vec<T> x = T(2 * log2_e) * (gamma * a[v] + coef0);
        a[v] = x < most ? x : splat(most);
      }
      exp2_less_1_all<T, count>(a);
      for (int v = 0; v < count; ++v) a[v] = a[v] / (a[v] + T(2));
      return;
    }
    default: return;
  }
}

// All maps, of rows with own values `norm` and columns with `norms`: see KernelMap.
template <class T, int count>
inline void map_all(const Formula& formula, KernelMap map, Vec<T>* a, const Vec<T>* norm, const Vec<T>* norms) {
  switch (map) {
    case KernelMap::identity:
    case KernelMap::power:
    case KernelMap::exponential:
    case KernelMap::tanh: map_alone<T, count>(formula, map, a); return;
    case KernelMap::quadratic:
      for (int v = 0; v < count; ++v) a[v] = T(1) + a[v] * (T(1) + a[v]);
      return;
    case KernelMap::cosine:
      for (int v = 0; v < count; ++v) a[v] = normalised<T>(a[v], norm[v], norms[v]);
      return;
    case KernelMap::ratio:
      for (int v = 0; v < count; ++v) {
        const Vec<T> whole = (norms[v] + norm[v]) - a[v];
        a[v] = whole > T(0) ? a[v] / whole : splat(T(1));
      }
      return;
    case KernelMap::matern: {
      Vec<T> r[count];
      for (int v = 0; v < count; ++v) {
        r[v] = T(formula.gamma) * square_root(a[v]);
        a[v] = T(-log2_e) * r[v];
      }
      exp2_all<T, count>(a);
      if (formula.degree == 1)
        for (int v = 0; v < count; ++v) a[v] = (T(1) + r[v]) * a[v];
      if (formula.degree == 2)
        for (int v = 0; v < count; ++v) a[v] = (T(1) + r[v] * (T(1) + r[v] * T(1.0 / 3.0))) * a[v];
      return;
    }
    case KernelMap::rational:
      for (int v = 0; v < count; ++v) a[v] = T(-formula.coef0) * log2_of_1_plus<T>(T(formula.gamma) * a[v]);
      return exp2_all<T, count>(a);
  }
}

// exp(-gamma |u - v|^2) from inner products, in one go: its values stay in registers. `rate` is that of 2^x.
template <class T>
inline T gaussian_rate(const KernelFunction& function) {
  return T(-log2_e * function.gamma);
}
template <class T, int count>
__attribute__((always_inline)) inline void gaussian_of(T rate, Vec<T>* dots, const Vec<T>* norm, const Vec<T>* norms) {
  for (int v = 0; v < count; ++v) dots[v] = rate * larger((norms[v] + norm[v]) - T(2) * dots[v], Vec<T>{});
  exp2_all<T, count>(dots);
}

// Inner products become kernel values of a formula alone that is not the Gaussian kernel. Not inlined: tiles stay short.
template <class T, int count>
__attribute__((noinline)) void kernel_of(const KernelFunction& function, Vec<T>* dots, const Vec<T>* norm,
                                         const Vec<T>* norms) {
  const KernelTraits& traits = kernel_traits[int(function.kind)];
  if (traits.accumulates == Accumulates::squared_distance)
    for (int v = 0; v < count; ++v) dots[v] = larger((norms[v] + norm[v]) - T(2) * dots[v], Vec<T>{});
  map_alone<T, count>(function, traits.map, dots);
}

// The first `length` operations of a combined kernel. What the accumulators have, [accumulator][count], and the own values of
// the rows and the columns, [own value][count], become kernel values. Not inlined: the same bits for every tile.
template <class T, int count>
__attribute__((noinline)) void combine(const KernelFunction& function, int length, const Vec<T>* sums, const Vec<T>* own,
                                       const Vec<T>* other, Vec<T>* out) {
  Vec<T> stack[KernelFunction::deepest][count];
  int top = 0;
  for (int k = 0; k < length; ++k) {
    const Operation& each = function.operations[k];
    Vec<T>* const b = stack[top > 0 ? top - 1 : 0];
    Vec<T>* const a = stack[top > 1 ? top - 2 : 0];
    switch (each.op) {
      case Operator::formula: {
        Vec<T>* const next = stack[top++];
        const int from = each.place * count;
        for (int v = 0; v < count; ++v) next[v] = sums[from + v];
        map_all<T, count>(each.formula, kernel_traits[int(each.formula.kind)].map, next, own + from, other + from);
        break;
      }
      case Operator::add:
        for (int v = 0; v < count; ++v) a[v] += b[v];
        --top;
        break;
      case Operator::multiply:
        for (int v = 0; v < count; ++v) a[v] *= b[v];
        --top;
        break;
      case Operator::scale:
        for (int v = 0; v < count; ++v) b[v] *= T(each.formula.gamma);
        break;
      case Operator::power:
        for (int v = 0; v < count; ++v) b[v] = power_of<T>(b[v], each.formula.degree);
        break;
      case Operator::normalise: {
        const int from = (function.accumulator_count + each.place) * count;
        for (int v = 0; v < count; ++v) b[v] = normalised<T>(b[v], own[from + v], other[from + v]);
        break;
      }
    }
  }
  for (int v = 0; v < count; ++v) out[v] = stack[top - 1][v];  // where not all is done, the value that is normalised next
}
