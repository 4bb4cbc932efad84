// Kernel tiles. Element (i, j) is a chain of multiply-adds over the dense columns, cut every `run` steps to keep float32 sums
// short, and one over the others. A product with 0 changes no bit of a sum, so it may be left out: the same operations in the
// same order whatever the tile it stands in and whichever row is on the left, so k(i, j) has the same bits everywhere and
// k(i, j) = k(j, i).

constexpr Index run = 256;

// sum[r][v] = the inner products over a run of the depth.
template <class T, int rows, int vectors>
__attribute__((always_inline)) inline void sum_run(Index depth, const T* a, const T* b, Vec<T> (&sum)[rows][vectors]) {
  constexpr int lanes = VectorOf<T>::width;
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) sum[r][v] = Vec<T>{};
  for (Index k = 0; k < depth; ++k, a += TileShape<T>::strip, b += TileShape<T>::panel) {
    Vec<T> column[vectors];
    for (int v = 0; v < vectors; ++v) column[v] = load<Vec<T>>(b + v * lanes);
    for (int r = 0; r < rows; ++r)
      for (int v = 0; v < vectors; ++v) sum[r][v] += a[r] * column[v];
  }
}

// total[r][v] += those over a later one.
template <class T, int rows, int vectors>
__attribute__((noinline)) void add_run(Index depth, const T* a, const T* b, Vec<T> (&total)[rows][vectors]) {
  Vec<T> sum[rows][vectors];
  sum_run<T, rows, vectors>(depth, a, b, sum);
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) total[r][v] += sum[r][v];
}

template <class T, int vectors>
inline void add_column(T value, const T* column, Vec<T> (&sum)[vectors]) {
  for (int v = 0; v < vectors; ++v) sum[v] += value * load<Vec<T>>(column + v * VectorOf<T>::width);
}

// total += the inner products beyond the dense columns, of two rows together: one alone would wait for its own sums.
template <class T, int vectors>
__attribute__((noinline)) void add_rest(const SparseRow<T>& row, const SparseRow<T>& other, const T* panel,
                                        Vec<T> (&total)[vectors], Vec<T> (&other_total)[vectors]) {
  constexpr std::ptrdiff_t width = TileShape<T>::panel;
  Vec<T> sum[vectors] = {}, other_sum[vectors] = {};
  const std::ptrdiff_t both = row.count < other.count ? row.count : other.count;
  for (std::ptrdiff_t k = 0; k < both; ++k) {
    add_column<T, vectors>(row.values[k], panel + row.columns[k] * width, sum);
    add_column<T, vectors>(other.values[k], panel + other.columns[k] * width, other_sum);
  }
  for (std::ptrdiff_t k = both; k < row.count; ++k) add_column<T, vectors>(row.values[k], panel + row.columns[k] * width, sum);
  for (std::ptrdiff_t k = both; k < other.count; ++k)
    add_column<T, vectors>(other.values[k], panel + other.columns[k] * width, other_sum);
  for (int v = 0; v < vectors; ++v) {
    total[v] += sum[v];
    other_total[v] += other_sum[v];
  }
}

// Some lanes of a row of sums, or of norms, in the precision R of the results.
template <class R, class T>
inline Vec<R> part_of(const Vec<T>* row, int part) {
  if constexpr (sizeof(R) == sizeof(T)) {
    return row[part];
  } else {
    T some[VectorOf<T>::width];
    store(some, row[part / 2]);
    return widen(some + part % 2 * VectorOf<R>::width);
  }
}

template <class T, class R, int rows, bool gaussian>
void tile_of(const KernelFunction& function, const LeftStrip<T>& left, PackedRows<T> panel, R* const* out,
             std::ptrdiff_t offset) {
  constexpr int lanes = VectorOf<T>::width, vectors = TileShape<T>::panel / lanes;
  const PackedRows<T> strip = left.strip;
  Vec<T> total[rows][vectors];
  sum_run<T, rows, vectors>(left.dense < run ? left.dense : run, strip.values, panel.values, total);
  for (Index begin = run; begin < left.dense; begin += run)
    add_run<T, rows, vectors>(begin + run < left.dense ? run : left.dense - begin,
                              strip.values + std::ptrdiff_t(begin) * TileShape<T>::strip,
                              panel.values + std::ptrdiff_t(begin) * TileShape<T>::panel, total);
  if (left.rest != nullptr)
    for (int r = 0; r < rows; r += 2) {
      Vec<T> unused[vectors] = {};
      if (r + 1 < rows)
        add_rest<T, vectors>(left.rest[r], left.rest[r + 1], panel.values, total[r], total[r + 1]);
      else
        add_rest<T, vectors>(left.rest[r], {}, panel.values, total[r], unused);
    }
  // Four vectors of results at a time, or three where one holds a row: of one row, of two, where an odd last row is taken with
  // itself, or of three.
  constexpr int wide = VectorOf<R>::width, parts = TileShape<T>::panel / wide, some = parts == 1 ? 3 : 4,
                together = some / parts;
  const R rate = gaussian ? gaussian_rate<R>(function) : R(0);
  const bool maps = !gaussian && function.kind != KernelKind::linear;
  Vec<T> panel_norms[vectors];
  for (int v = 0; v < vectors; ++v) panel_norms[v] = load<Vec<T>>(panel.norms + v * lanes);
  for (int r = 0; r < rows; r += together) {
    Vec<R> values[some], norm[some], norms[some];
    for (int v = 0; v < some; ++v) {
      const int row = r + v / parts < rows ? r + v / parts : r;
      values[v] = part_of<R, T>(total[row], v % parts);
      norm[v] = splat(R(strip.norms[row]));
      norms[v] = part_of<R, T>(panel_norms, v % parts);
    }
    if constexpr (gaussian)
      gaussian_of<R, some>(rate, values, norm, norms);
    else if (maps)
      kernel_of<R, some>(function, values, norm, norms);
    for (int v = 0; v < some; ++v) {
      const int row = r + v / parts < rows ? r + v / parts : r;
      store(out[row] + offset + v % parts * wide, values[v]);
    }
  }
}

template <class T, class R, bool gaussian>
void tile_by_rows(const KernelFunction& function, const LeftStrip<T>& left, PackedRows<T> panel, R* const* out,
                  std::ptrdiff_t offset) {
  switch (left.rows) {
    case 1: return tile_of<T, R, 1, gaussian>(function, left, panel, out, offset);
    case 2: return tile_of<T, R, 2, gaussian>(function, left, panel, out, offset);
    case 3: return tile_of<T, R, 3, gaussian>(function, left, panel, out, offset);
    case 4: return tile_of<T, R, 4, gaussian>(function, left, panel, out, offset);
    case 5: return tile_of<T, R, 5, gaussian>(function, left, panel, out, offset);
    default: return tile_of<T, R, 6, gaussian>(function, left, panel, out, offset);
  }
}

template <class T, class R>
void tile(const KernelFunction& function, const LeftStrip<T>& left, PackedRows<T> panel, R* const* out, std::ptrdiff_t offset) {
  if (function.kind == KernelKind::rbf) return tile_by_rows<T, R, true>(function, left, panel, out, offset);
  return tile_by_rows<T, R, false>(function, left, panel, out, offset);
}

// What the tiles' multiply-adds are. Of scalars it must be said: compilers multiply several at once and add one by one.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline float multiply_add(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double multiply_add(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
template <class T>
inline T multiply_add(T a, T b, T c) {
  return a * b + c;
}
#endif

// norms[w] = sum over k of x[w * across + k * along]^2, `width` of them at a time: one would wait for its own sum.
template <class T, int width>
inline void norms_of(Index dense, Index depth, std::ptrdiff_t across, std::ptrdiff_t along, const T* x, T* out) {
  T total[width] = {};
  for (Index begin = 0; begin < depth;) {
    const Index end = begin >= dense ? depth : begin + run < dense ? begin + run : dense;
    T sum[width] = {};
    for (Index k = begin; k < end; ++k)
      for (int w = 0; w < width; ++w) {
        const T value = x[w * across + k * along];
        sum[w] = multiply_add(value, value, sum[w]);
      }
    for (int w = 0; w < width; ++w) total[w] += sum[w];
    begin = end;
  }
  for (int w = 0; w < width; ++w) out[w] = total[w];
}

template <class T>
void norms(Index dense, Index depth, const T* panel, T* out) {
  norms_of<T, TileShape<T>::panel>(dense, depth, 1, TileShape<T>::panel, panel, out);
}

template <class T>
void row_norms(Index dense, Index depth, Index count, const T* rows, T* out) {
  constexpr Index some = 8;
  Index r = 0;
  for (; r + some <= count; r += some) norms_of<T, some>(dense, depth, depth, 1, rows + std::ptrdiff_t(r) * depth, out + r);
  for (; r < count; ++r) norms_of<T, 1>(dense, depth, depth, 1, rows + std::ptrdiff_t(r) * depth, out + r);
}

// Four rows of four become four columns.
template <class T>
inline void turn(const T* const* rows, Index k, T* out) {
  typedef T four __attribute__((vector_size(4 * sizeof(T))));
  constexpr std::ptrdiff_t width = TileShape<T>::panel;
  const four a = load<four>(rows[0] + k), b = load<four>(rows[1] + k), c = load<four>(rows[2] + k), d = load<four>(rows[3] + k);
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
  const four low = __builtin_shufflevector(a, b, 0, 4, 1, 5), high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const four other_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), other_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store(out, __builtin_shufflevector(low, other_low, 0, 1, 4, 5));
  store(out + width, __builtin_shufflevector(low, other_low, 2, 3, 6, 7));
  store(out + 2 * width, __builtin_shufflevector(high, other_high, 0, 1, 4, 5));
  store(out + 3 * width, __builtin_shufflevector(high, other_high, 2, 3, 6, 7));
#else
  for (int i = 0; i < 4; ++i) store(out + i * width, four{a[i], b[i], c[i], d[i]});
#endif
}

template <class T>
void interleave(Index depth, const T* const* rows, T* panel) {
  constexpr Index width = TileShape<T>::panel;
  Index k = 0;
  for (; k + 4 <= depth; k += 4)
    for (Index w = 0; w < width; w += 4) turn(rows + w, k, panel + std::ptrdiff_t(k) * width + w);
  for (; k < depth; ++k)
    for (Index w = 0; w < width; ++w) panel[std::ptrdiff_t(k) * width + w] = rows[w][k];
}

template <class T>
void apply(const KernelFunction& function, Index n, T norm, const T* norms, T* values) {
  constexpr int lanes = VectorOf<T>::width;
  const Vec<T> row = splat(norm);
  for (Index k = 0; k < n; k += lanes) {
    const Index count = n - k < lanes ? n - k : lanes;
    T some[lanes] = {}, some_norms[lanes] = {};
    __builtin_memcpy(some, values + k, sizeof(T) * std::size_t(count));
    __builtin_memcpy(some_norms, norms + k, sizeof(T) * std::size_t(count));
    Vec<T> value = load<Vec<T>>(some);
    const Vec<T> column = load<Vec<T>>(some_norms);
    if (function.kind == KernelKind::rbf)
      gaussian_of<T, 1>(gaussian_rate<T>(function), &value, &row, &column);
    else
      kernel_of<T, 1>(function, &value, &row, &column);
    store(some, value);
    __builtin_memcpy(values + k, some, sizeof(T) * std::size_t(count));
  }
}
