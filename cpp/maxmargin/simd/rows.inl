// Inner products and sums of rows as their owner stores them, in float64 whatever the values are. The order of summation
// depends on the row alone: a product has the same bits in any batch.

template <class V>
inline double dense_dot(Index d, const V* x, const double* w) {
  Vec<double> sum[4] = {};
  Index k = 0;
  for (; k + 16 <= d; k += 16)
    for (int v = 0; v < 4; ++v) sum[v] += widen(x + k + 4 * v) * load<Vec<double>>(w + k + 4 * v);
  for (; k + 4 <= d; k += 4) sum[0] += widen(x + k) * load<Vec<double>>(w + k);
  const Vec<double> all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  double total = (all[0] + all[1]) + (all[2] + all[3]);
  for (; k < d; ++k) total += double(x[k]) * w[k];
  return total;
}

// out[i] = <w, x_i> for rows [0, rows)
template <class V>
void dense_products(Index rows, Index d, const V* x, const double* w, double* out) {
  for (Index i = 0; i < rows; ++i) out[i] = dense_dot(d, x + std::ptrdiff_t(i) * d, w);
}

// sum += sum over i of a[i] x_i; four rows that count at a time, so that the sum is read and written once for them.
template <class V>
void dense_sum(Index rows, Index d, const V* x, const double* a, double* sum) {
  const V* some[4];
  double factor[4];
  Index count = 0;
  const auto flush = [&] {
    Index k = 0;
    if (count == 4) {
      for (; k + 4 <= d; k += 4) {
        Vec<double> total = factor[0] * widen(some[0] + k);
        for (int r = 1; r < 4; ++r) total += factor[r] * widen(some[r] + k);
        store(sum + k, load<Vec<double>>(sum + k) + total);
      }
      for (; k < d; ++k) {
        double total = factor[0] * double(some[0][k]);
        for (int r = 1; r < 4; ++r) total += factor[r] * double(some[r][k]);
        sum[k] += total;
      }
    } else {
      for (Index r = 0; r < count; ++r)
        for (k = 0; k < d; ++k) sum[k] += factor[r] * double(some[r][k]);
    }
    count = 0;
  };
  for (Index i = 0; i < rows; ++i) {
    if (a[i] == 0) continue;
    some[count] = x + std::ptrdiff_t(i) * d;
    factor[count] = a[i];
    if (++count == 4) flush();
  }
  flush();
}

template <int steps, class T>
inline void spread_dots_of(const SparseRow<T>& x, const T* spread, Index lanes, T* out) {
  constexpr int width = VectorOf<T>::width;
  Vec<T> sum[steps] = {};
  for (std::ptrdiff_t k = 0; k < x.count; ++k) {
    const T* const others = spread + std::ptrdiff_t(x.columns[k]) * lanes;
    for (int s = 0; s < steps; ++s) sum[s] += x.values[k] * load<Vec<T>>(others + s * width);
  }
  for (int s = 0; s < steps; ++s) store(out + s * width, sum[s]);
}

// A product has the same bits in any lane, beside any others.
template <class T>
void spread_dots(const SparseRow<T>& x, const T* spread, Index lanes, Index steps, T* out) {
  switch (steps) {
    case 1: return spread_dots_of<1>(x, spread, lanes, out);
    case 2: return spread_dots_of<2>(x, spread, lanes, out);
    case 3: return spread_dots_of<3>(x, spread, lanes, out);
    default: return spread_dots_of<most_spread_steps>(x, spread, lanes, out);
  }
}

// H += sum over r of a_r b_r' in the lower triangle, tile by tile, a_r a multiple of b_r; both have `rows` rows of `stride`
// values, zeros beyond d. stride is a multiple of 8, and so is the width of H.
void outer_sum(Index rows, Index stride, const double* b, const double* a, double* H) {
  constexpr Index high = 4, wide = 8;
  for (Index i = 0; i < stride; i += high)
    for (Index j = 0; j <= i; j += wide) {
      Vec<double> sum[high][2] = {};
      for (Index r = 0; r < rows; ++r) {
        const double* const row = b + std::ptrdiff_t(r) * stride;
        const Vec<double> left = load<Vec<double>>(row + j), right = load<Vec<double>>(row + j + 4);
        for (Index h = 0; h < high; ++h) {
          const double factor = a[std::ptrdiff_t(r) * stride + i + h];
          sum[h][0] += factor * left;
          sum[h][1] += factor * right;
        }
      }
      for (Index h = 0; h < high; ++h) {
        double* const out = H + std::ptrdiff_t(i + h) * stride + j;
        store(out, load<Vec<double>>(out) + sum[h][0]);
        store(out + 4, load<Vec<double>>(out + 4) + sum[h][1]);
      }
    }
}
