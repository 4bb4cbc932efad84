// Kernel tiles. Element (i, j) is one chain of multiply-adds over the depth, cut every `run` steps to keep float32 sums short:
// the same operations in the same order whatever the tile it stands in, so k(i, j) has the same bits everywhere and
// k(i, j) = k(j, i).

constexpr Index run = 256;

// Inner products become kernel values: `count` vectors, of rows with squared norms `norm` and columns with `norms`.
template <class T, int count>
inline void kernel_of(const KernelFunction& function, Vec<T>* dots, const Vec<T>* norm, const Vec<T>* norms) {
  const T gamma = T(function.gamma), coef0 = T(function.coef0);
  switch (function.kind) {
    case KernelKind::linear: return;
    case KernelKind::polynomial:
      for (int v = 0; v < count; ++v) dots[v] = power_of<T>(gamma * dots[v] + coef0, function.degree);
      return;
    case KernelKind::rbf:
      for (int v = 0; v < count; ++v) {
        const Vec<T> distance = (norms[v] + norm[v]) - T(2) * dots[v];
        dots[v] = -gamma * (distance > T(0) ? distance : Vec<T>{});
      }
      return exp_all<count>(dots);
    case KernelKind::sigmoid:  // tanh x = 1 - 2 / (e^2x + 1)
      for (int v = 0; v < count; ++v) dots[v] = T(2) * (gamma * dots[v] + coef0);
      exp_all<count>(dots);
      for (int v = 0; v < count; ++v) dots[v] = T(1) - T(2) / (dots[v] + T(1));
      return;
  }
}

// total[r][v] += the inner products over a run of the depth.
template <class T, int rows, int vectors>
inline void add_run(Index depth, const T* a, const T* b, Vec<T> (&total)[rows][vectors]) {
  constexpr int lanes = VectorOf<T>::width;
  Vec<T> sum[rows][vectors] = {};
  for (Index k = 0; k < depth; ++k, a += TileShape<T>::strip, b += TileShape<T>::panel) {
    Vec<T> column[vectors];
    for (int v = 0; v < vectors; ++v) column[v] = load<Vec<T>>(b + v * lanes);
    for (int r = 0; r < rows; ++r)
      for (int v = 0; v < vectors; ++v) sum[r][v] += a[r] * column[v];
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) total[r][v] += sum[r][v];
}

template <class T, int rows>
inline void tile_of(const KernelFunction& function, Index depth, PackedRows<T> strip, PackedRows<T> panel, T* out,
                    std::ptrdiff_t stride) {
  constexpr int lanes = VectorOf<T>::width, vectors = TileShape<T>::panel / lanes;
  Vec<T> total[rows][vectors];
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) total[r][v] = Vec<T>{};
  for (Index begin = 0; begin < depth; begin += run)
    add_run<T, rows, vectors>(begin + run < depth ? run : depth - begin,
                              strip.values + std::ptrdiff_t(begin) * TileShape<T>::strip,
                              panel.values + std::ptrdiff_t(begin) * TileShape<T>::panel, total);
  for (int r = 0; r < rows; r += 2) {  // two rows are four vectors; an odd last row is taken with itself
    const int other = r + 1 < rows ? r + 1 : r;
    Vec<T> values[2 * vectors], norm[2 * vectors], norms[2 * vectors];
    for (int v = 0; v < vectors; ++v) {
      values[v] = total[r][v];
      values[vectors + v] = total[other][v];
      norm[v] = splat(strip.norms[r]);
      norm[vectors + v] = splat(strip.norms[other]);
      norms[v] = norms[vectors + v] = load<Vec<T>>(panel.norms + v * lanes);
    }
    kernel_of<T, 2 * vectors>(function, values, norm, norms);
    for (int v = 0; v < vectors; ++v) {
      store(out + r * stride + v * lanes, values[v]);
      store(out + other * stride + v * lanes, values[vectors + v]);
    }
  }
}

template <class T>
void tile(const KernelFunction& function, Index depth, PackedRows<T> strip, Index rows, PackedRows<T> panel, T* out,
          std::ptrdiff_t stride) {
  switch (rows) {
    case 1: return tile_of<T, 1>(function, depth, strip, panel, out, stride);
    case 2: return tile_of<T, 2>(function, depth, strip, panel, out, stride);
    case 3: return tile_of<T, 3>(function, depth, strip, panel, out, stride);
    case 4: return tile_of<T, 4>(function, depth, strip, panel, out, stride);
    case 5: return tile_of<T, 5>(function, depth, strip, panel, out, stride);
    default: return tile_of<T, 6>(function, depth, strip, panel, out, stride);
  }
}

// norms[w] = sum over k of packed[k][w]^2. Widths are those of strips and panels; the lanes beyond a short strip are zero.
template <class T>
void norms(Index depth, Index width, const T* packed, T* out) {
  for (Index w = 0; w < width; ++w) {
    T total = 0;
    for (Index begin = 0; begin < depth; begin += run) {
      const Index end = begin + run < depth ? begin + run : depth;
      T sum = 0;
      for (Index k = begin; k < end; ++k) {
        const T value = packed[std::ptrdiff_t(k) * width + w];
        sum += value * value;
      }
      total += sum;
    }
    out[w] = total;
  }
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
    kernel_of<T, 1>(function, &value, &row, &column);
    store(some, value);
    __builtin_memcpy(values + k, some, sizeof(T) * std::size_t(count));
  }
}
