// Tiles of combined kernels, and of those that are not made of inner products alone. Each accumulator goes over the columns by
// itself, by terms that are the same whichever row is on the left: k(i, j) has the same bits everywhere, as in tiles.inl.

template <class T, Accumulates what>
inline Vec<T> plus_term(Vec<T> sum, T a, Vec<T> b) {
  if constexpr (what == Accumulates::inner_product) {
    return sum + a * b;
  } else if constexpr (what == Accumulates::minimum) {
    return sum + smaller(splat(a), b);
  } else {
    const Vec<T> difference = a - b;
    if constexpr (what == Accumulates::squared_distance) return sum + difference * difference;
    if constexpr (what == Accumulates::manhattan) return sum + absolute(difference);
    if constexpr (what == Accumulates::chi_squared)  // 0 where both are 0
      return sum + difference * difference / larger(a + b, splat(Smallest<T>::normal));
  }
}

inline bool of_difference(Accumulates what) { return what != Accumulates::inner_product && what != Accumulates::minimum; }

// Few enough rows at a time that the sums stay in registers beside what a term needs.
constexpr int few = 3;

// out[r][v] = the sums of `rows` rows against a panel.
template <class T, Accumulates what, int rows>
inline void add_terms(Index depth, const T* a, const T* b, Vec<T>* out) {
  constexpr int lanes = VectorOf<T>::width, vectors = TileShape<T>::panel / lanes;
  Vec<T> total[rows][vectors] = {};
  for (Index begin = 0; begin < depth; begin += run) {
    const Index end = begin + run < depth ? begin + run : depth;
    Vec<T> sum[rows][vectors] = {};
    for (Index k = begin; k < end; ++k, a += TileShape<T>::strip, b += TileShape<T>::panel) {
      Vec<T> column[vectors];
      for (int v = 0; v < vectors; ++v) column[v] = load<Vec<T>>(b + v * lanes);
      for (int r = 0; r < rows; ++r)
        for (int v = 0; v < vectors; ++v) sum[r][v] = plus_term<T, what>(sum[r][v], a[r], column[v]);
    }
    for (int r = 0; r < rows; ++r)
      for (int v = 0; v < vectors; ++v) total[r][v] += sum[r][v];
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) out[r * vectors + v] = total[r][v];
}

template <class T, Accumulates what>
void add_rows_of(Index rows, Index depth, const T* a, const T* b, Vec<T>* out) {
  constexpr int vectors = TileShape<T>::panel / VectorOf<T>::width;
  for (Index r = 0; r < rows; r += few, a += few, out += few * vectors) switch (rows - r) {
      case 1: add_terms<T, what, 1>(depth, a, b, out); break;
      case 2: add_terms<T, what, 2>(depth, a, b, out); break;
      default: add_terms<T, what, few>(depth, a, b, out); break;
    }
}

template <class T>
void accumulate_rows(const Accumulator& accumulator, Index rows, const T* strip, const T* panel, Vec<T>* out) {
  const Index depth = accumulator.end - accumulator.begin;
  const T* const a = strip + std::ptrdiff_t(accumulator.begin) * TileShape<T>::strip;
  const T* const b = panel + std::ptrdiff_t(accumulator.begin) * TileShape<T>::panel;
  switch (accumulator.what) {
    case Accumulates::inner_product: return add_rows_of<T, Accumulates::inner_product>(rows, depth, a, b, out);
    case Accumulates::squared_distance: return add_rows_of<T, Accumulates::squared_distance>(rows, depth, a, b, out);
    case Accumulates::manhattan: return add_rows_of<T, Accumulates::manhattan>(rows, depth, a, b, out);
    case Accumulates::minimum: return add_rows_of<T, Accumulates::minimum>(rows, depth, a, b, out);
    case Accumulates::chi_squared: return add_rows_of<T, Accumulates::chi_squared>(rows, depth, a, b, out);
  }
}

template <class T, class R>
void combined_tile(const KernelFunction& function, const LeftStrip<T>& left, PackedRows<T> panel, R* const* out,
                   std::ptrdiff_t offset) {
  constexpr int lanes = VectorOf<T>::width, vectors = TileShape<T>::panel / lanes, most_rows = TileShape<T>::strip;
  constexpr int wide = VectorOf<R>::width, parts = TileShape<T>::panel / wide, together = 4 / parts;
  const int count = function.accumulator_count, own_count = count + function.normalised_count;
  Vec<T> sums[KernelFunction::most_accumulators][most_rows * vectors];
  for (int s = 0; s < count; ++s)
    accumulate_rows<T>(function.accumulators[s], left.rows, left.strip.values, panel.values, sums[s]);
  Vec<T> norms[KernelFunction::most_own][vectors];
  for (int s = 0; s < own_count; ++s)
    for (int v = 0; v < vectors; ++v) norms[s][v] = load<Vec<T>>(panel.norms + s * TileShape<T>::panel + v * lanes);
  // Four vectors of results at a time: of one row or of two, where an odd last row is taken with itself.
  for (int r = 0; r < left.rows; r += together) {
    Vec<R> of_sums[KernelFunction::most_accumulators * 4], own[KernelFunction::most_own * 4],
        other[KernelFunction::most_own * 4];
    for (int v = 0; v < 4; ++v) {
      const int row = r + v / parts < left.rows ? r + v / parts : r;
      for (int s = 0; s < count; ++s) of_sums[s * 4 + v] = part_of<R, T>(sums[s] + row * vectors, v % parts);
      for (int s = 0; s < own_count; ++s) {
        own[s * 4 + v] = splat(R(left.strip.norms[s * most_rows + row]));
        other[s * 4 + v] = part_of<R, T>(norms[s], v % parts);
      }
    }
    Vec<R> values[4];
    combine<R, 4>(function, function.operation_count, of_sums, own, other, values);
    for (int v = 0; v < 4; ++v) {
      const int row = r + v / parts < left.rows ? r + v / parts : r;
      store(out[row] + offset + v % parts * wide, values[v]);
    }
  }
}

// sums[w] = sum over k of x[w * across + k * along], in the order of the tiles.
template <class T, int width>
inline void sums_of(Index depth, std::ptrdiff_t across, std::ptrdiff_t along, const T* x, T* out) {
  T total[width] = {};
  for (Index begin = 0; begin < depth; begin += run) {
    const Index end = begin + run < depth ? begin + run : depth;
    T sum[width] = {};
    for (Index k = begin; k < end; ++k)
      for (int w = 0; w < width; ++w) sum[w] += x[w * across + k * along];
    for (int w = 0; w < width; ++w) total[w] += sum[w];
  }
  for (int w = 0; w < width; ++w) out[w] = total[w];
}

// own[s * stride + k] of row k: what accumulator s makes of the row and itself is known; k(u, u) to normalise by follow, and
// the kernel's own in `values`, unless that is null. A distance of a row from itself is 0, whatever stands there.
template <class T>
void own_values(const KernelFunction& function, Index n, std::ptrdiff_t stride, T* own, T* values) {
  constexpr int lanes = VectorOf<T>::width;
  const int count = function.accumulator_count;
  for (Index k = 0; k < n; k += lanes) {
    const auto bytes = sizeof(T) * std::size_t(n - k < lanes ? n - k : lanes);
    Vec<T> sums[KernelFunction::most_accumulators], some[KernelFunction::most_own];
    for (int s = 0; s < count; ++s) {
      some[s] = Vec<T>{};
      __builtin_memcpy(&some[s], own + s * stride + k, bytes);
      sums[s] = of_difference(function.accumulators[s].what) ? Vec<T>{} : some[s];
    }
    Vec<T> value;
    for (int operation = 0; operation < function.operation_count; ++operation) {
      if (function.operations[operation].op != Operator::normalise) continue;
      const int place = count + function.operations[operation].place;
      combine<T, 1>(function, operation, sums, some, some, &value);
      some[place] = value;
      __builtin_memcpy(own + place * stride + k, &value, bytes);
    }
    if (values == nullptr) continue;
    combine<T, 1>(function, function.operation_count, sums, some, some, &value);
    __builtin_memcpy(values + k, &value, bytes);
  }
}

// own[s * width + w] of packed rows, as above.
template <class T, int width>
inline void own_of(const KernelFunction& function, std::ptrdiff_t across, std::ptrdiff_t along, const T* x, T* own) {
  for (int s = 0; s < function.accumulator_count; ++s) {
    const Accumulator& each = function.accumulators[s];
    const Index depth = each.end - each.begin;
    const T* const from = x + each.begin * along;
    if (each.what == Accumulates::inner_product)
      norms_of<T, width>(depth, depth, across, along, from, own + s * width);
    else if (each.what == Accumulates::minimum)
      sums_of<T, width>(depth, across, along, from, own + s * width);
    else
      for (int w = 0; w < width; ++w) own[s * width + w] = T(0);
  }
  if (function.normalised_count > 0) own_values<T>(function, width, width, own, nullptr);
}

template <class T>
void own_of_panel(const KernelFunction& function, const T* panel, T* own) {
  own_of<T, TileShape<T>::panel>(function, 1, TileShape<T>::panel, panel, own);
}

template <class T>
void own_of_row(const KernelFunction& function, const T* row, T* own) {
  own_of<T, 1>(function, 0, 1, row, own);
}

// values[k] of sums[s * n + k] and of own values own[s] and others[s * stride + k].
template <class T>
void combined_values(const KernelFunction& function, Index n, const T* sums, const T* own, const T* others,
                     std::ptrdiff_t stride, T* values) {
  constexpr int lanes = VectorOf<T>::width;
  const int count = function.accumulator_count, own_count = count + function.normalised_count;
  for (Index k = 0; k < n; k += lanes) {
    const auto bytes = sizeof(T) * std::size_t(n - k < lanes ? n - k : lanes);
    Vec<T> some[KernelFunction::most_accumulators], row[KernelFunction::most_own], column[KernelFunction::most_own];
    for (int s = 0; s < count; ++s) {
      some[s] = Vec<T>{};
      __builtin_memcpy(&some[s], sums + std::ptrdiff_t(s) * n + k, bytes);
    }
    for (int s = 0; s < own_count; ++s) {
      row[s] = splat(own[s]);
      column[s] = Vec<T>{};
      __builtin_memcpy(&column[s], others + s * stride + k, bytes);
    }
    Vec<T> value;
    combine<T, 1>(function, function.operation_count, some, row, column, &value);
    __builtin_memcpy(values + k, &value, bytes);
  }
}
