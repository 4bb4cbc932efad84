// Kernel tiles. Element (i, j) is one chain of multiply-adds over the depth, cut every `run` steps to keep float32 sums short:
// the same operations in the same order whatever the tile it stands in, so k(i, j) has the same bits everywhere and
// k(i, j) = k(j, i).

constexpr Index run = 256;

template <class T>
struct Kernel {
  KernelKind kind;
  T gamma, coef0;
  int degree;
  explicit Kernel(const KernelFunction& f) : kind(f.kind), gamma(T(f.gamma)), coef0(T(f.coef0)), degree(f.degree) {}

  Vec<T> operator()(Vec<T> dot, T norm, Vec<T> norms) const {
    switch (kind) {
      case KernelKind::rbf: {
        Vec<T> distance = (norms + norm) - T(2) * dot;
        distance = distance > T(0) ? distance : Vec<T>{};
        return exp_of(-gamma * distance);
      }
      case KernelKind::polynomial: return power_of<T>(gamma * dot + coef0, degree);
      case KernelKind::sigmoid: return tanh_of<T>(gamma * dot + coef0);
      case KernelKind::linear: break;
    }
    return dot;
  }
};

template <class T, int rows>
inline void tile_of(const KernelFunction& function, Index depth, PackedRows<T> strip, PackedRows<T> panel, T* out,
                    std::ptrdiff_t stride) {
  constexpr int lanes = VectorOf<T>::width, vectors = TileShape<T>::panel / lanes, strip_width = TileShape<T>::strip;
  Vec<T> total[rows][vectors] = {};
  for (Index begin = 0; begin < depth; begin += run) {
    const Index end = begin + run < depth ? begin + run : depth;
    Vec<T> sum[rows][vectors] = {};
    for (Index k = begin; k < end; ++k) {
      const T* b = panel.values + std::ptrdiff_t(k) * TileShape<T>::panel;
      const T* a = strip.values + std::ptrdiff_t(k) * strip_width;
      Vec<T> column[vectors];
      for (int v = 0; v < vectors; ++v) column[v] = load<Vec<T>>(b + v * lanes);
      for (int r = 0; r < rows; ++r)
        for (int v = 0; v < vectors; ++v) sum[r][v] += a[r] * column[v];
    }
    for (int r = 0; r < rows; ++r)
      for (int v = 0; v < vectors; ++v) total[r][v] += sum[r][v];
  }
  const Kernel<T> kernel(function);
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v)
      store(out + r * stride + v * lanes, kernel(total[r][v], strip.norms[r], load<Vec<T>>(panel.norms + v * lanes)));
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
  const Kernel<T> kernel(function);
  Index k = 0;
  for (; k + lanes <= n; k += lanes) store(values + k, kernel(load<Vec<T>>(values + k), norm, load<Vec<T>>(norms + k)));
  if (k == n) return;
  T last[lanes] = {}, last_norms[lanes] = {};
  for (Index l = k; l < n; ++l) last[l - k] = values[l], last_norms[l - k] = norms[l];
  store(last, kernel(load<Vec<T>>(last), norm, load<Vec<T>>(last_norms)));
  for (Index l = k; l < n; ++l) values[l] = last[l - k];
}
