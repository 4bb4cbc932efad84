// Dense float64 algebra for the Newton phase: own code, because a threaded LAPACK gives other bits for another thread count.

double dot(std::ptrdiff_t n, const double* x, const double* y) {
  Vec<double> sum[4] = {};
  std::ptrdiff_t k = 0;
  for (; k + 16 <= n; k += 16)
    for (int v = 0; v < 4; ++v) sum[v] += load<Vec<double>>(x + k + 4 * v) * load<Vec<double>>(y + k + 4 * v);
  const Vec<double> all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  double total = (all[0] + all[1]) + (all[2] + all[3]);
  for (; k < n; ++k) total += x[k] * y[k];
  return total;
}

void axpy(std::ptrdiff_t n, double a, const double* x, double* y) {
  std::ptrdiff_t k = 0;
  for (; k + 4 <= n; k += 4) store(y + k, load<Vec<double>>(y + k) + a * load<Vec<double>>(x + k));
  for (; k < n; ++k) y[k] += a * x[k];
}

// Eight rows at a time, so that y is read and written once for eight; their own sum comes first, which rounds less.
template <class R, int rows_at_once>
inline void accumulate_some(Index begin, Index end, const double* a, const R* const* rows, double* y) {
  Index k = begin;
  for (; k + 4 <= end; k += 4) {
    Vec<double> sum = a[0] * widen(rows[0] + k);
    for (int r = 1; r < rows_at_once; ++r) sum += a[r] * widen(rows[r] + k);
    store(y + k, load<Vec<double>>(y + k) + sum);
  }
  for (; k < end; ++k) {
    double sum = a[0] * double(rows[0][k]);
    for (int r = 1; r < rows_at_once; ++r) sum += a[r] * double(rows[r][k]);
    y[k] += sum;
  }
}

template <class R>
void accumulate(Index begin, Index end, Index count, const double* a, const R* const* rows, double* y) {
  Index r = 0;
  for (; r + 8 <= count; r += 8) accumulate_some<R, 8>(begin, end, a + r, rows + r, y);
  for (; r < count; ++r) accumulate_some<R, 1>(begin, end, a + r, rows + r, y);
}

// out[r][c] = sum over k < depth of a[r][k] b[c][k] for a block of rows of two row-major matrices.
template <int rows, int columns>
inline void dots(Index depth, const double* a, const double* b, std::ptrdiff_t stride, double out[rows][columns]) {
  Vec<double> sum[rows][columns] = {};
  Index k = 0;
  for (; k + 4 <= depth; k += 4) {
    Vec<double> right[columns];
    for (int c = 0; c < columns; ++c) right[c] = load<Vec<double>>(b + c * stride + k);
    for (int r = 0; r < rows; ++r) {
      const Vec<double> left = load<Vec<double>>(a + r * stride + k);
      for (int c = 0; c < columns; ++c) sum[r][c] += left * right[c];
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const Vec<double> s = sum[r][c];
      double total = (s[0] + s[1]) + (s[2] + s[3]);
      for (Index l = k; l < depth; ++l) total += a[r * stride + l] * b[c * stride + l];
      out[r][c] = total;
    }
}

// Row-oriented Cholesky: L_ij = (A_ij - <L_i, L_j>_{<j}) / L_jj, four columns at a time, so that the work is in `dots`.
inline Index small_cholesky(Index n, double* a, std::ptrdiff_t stride, double floor) {
  constexpr Index block = 4;
  for (Index j = 0; j < n; j += block) {
    const Index width = j + block < n ? block : n - j;
    double* const rows_j = a + std::ptrdiff_t(j) * stride;
    for (Index r = 0; r < width; ++r) {  // the diagonal block
      double* const row = rows_j + r * stride;
      for (Index c = 0; c <= r; ++c) {
        const double value = row[j + c] - dot(j + c, row, rows_j + c * stride);
        if (c < r) {
          row[j + c] = value / rows_j[c * stride + j + c];
        } else {
          if (!(value > floor)) return j + r;
          row[j + c] = __builtin_sqrt(value);
        }
      }
    }
    const auto solve_row = [&](double* row, double* products) {
      for (Index c = 0; c < width; ++c) {
        double value = row[j + c] - products[c];
        for (Index l = 0; l < c; ++l) value -= row[j + l] * rows_j[c * stride + j + l];
        row[j + c] = value / rows_j[c * stride + j + c];
      }
    };
    Index i = j + width;
    if (width == block) {
      for (; i + 3 <= n; i += 3) {
        double products[3][block];
        double* const rows_i = a + std::ptrdiff_t(i) * stride;
        dots<3, block>(j, rows_i, rows_j, stride, products);
        for (Index r = 0; r < 3; ++r) solve_row(rows_i + r * stride, products[r]);
      }
    }
    for (; i < n; ++i) {
      double products[block];
      double* const row = a + std::ptrdiff_t(i) * stride;
      for (Index c = 0; c < width; ++c) products[c] = dot(j, row, rows_j + c * stride);
      solve_row(row, products);
    }
  }
  return -1;
}

constexpr Index panel = 32;
template <class T>
constexpr Index strip = 2 * VectorOf<T>::width;

// A strip of rows of a panel, one beside the other: part[c][r] = rows[r][c], 0 beyond `count`.
template <class T>
inline void lay_beside(Index width, Index count, const T* rows, std::ptrdiff_t stride, T part[panel][strip<T>]) {
  for (Index r = 0; r < strip<T>; ++r)
    for (Index c = 0; c < width; ++c) part[c][r] = r < count ? rows[r * stride + c] : T(0);
}

// out[r][k] -= sum over c of left[r][c] part[c][k], for k below `count`.
template <class T, int rows>
inline void subtract(Index width, Index count, const T* left, const T part[panel][strip<T>], std::ptrdiff_t stride, T* out) {
  constexpr int half = VectorOf<T>::width;
  Vec<T> sum[rows][2] = {};
  for (Index c = 0; c < width; ++c) {
    const Vec<T> first = load<Vec<T>>(part[c]), second = load<Vec<T>>(part[c] + half);
    for (int r = 0; r < rows; ++r) {
      sum[r][0] += left[r * stride + c] * first;
      sum[r][1] += left[r * stride + c] * second;
    }
  }
#pragma GCC unroll 6  // a sum whose place is not known before would live in memory
  for (int r = 0; r < rows; ++r) {
    T* const to = out + r * stride;
    if (count == strip<T>) {
      store(to, load<Vec<T>>(to) - sum[r][0]);
      store(to + half, load<Vec<T>>(to + half) - sum[r][1]);
    } else {
      T some[strip<T>];
      store(some, sum[r][0]);
      store(some + half, sum[r][1]);
      for (Index k = 0; k < count; ++k) to[k] -= some[k];
    }
  }
}

// One panel of a Cholesky, whose columns begin at j. `a` has what is left after those before it.
// Rows [begin, end) below its corner, which is factored: L_i = A_i L_corner^-T.
template <class T>
void cholesky_rows(Index j, Index width, Index begin, Index end, T* a, std::ptrdiff_t stride) {
  constexpr int half = VectorOf<T>::width;
  T part[panel][strip<T>], inverse[panel];
  const T* const corner = a + j * (stride + 1);
  for (Index c = 0; c < width; ++c) inverse[c] = 1 / corner[c * (stride + 1)];
  for (Index i = begin; i < end; i += strip<T>) {
    const Index count = i + strip<T> < end ? strip<T> : end - i;
    T* const rows = a + i * stride + j;
    lay_beside(width, count, rows, stride, part);
    for (Index c = 0; c < width; ++c) {
      const T* const line = corner + c * stride;
      Vec<T> even[2] = {}, odd[2] = {};  // one sum would wait for each addition
      Index l = 0;
      for (; l + 2 <= c; l += 2)
        for (int v = 0; v < 2; ++v) {
          even[v] += line[l] * load<Vec<T>>(part[l] + half * v);
          odd[v] += line[l + 1] * load<Vec<T>>(part[l + 1] + half * v);
        }
      for (int v = 0; v < 2; ++v) {
        if (l < c) even[v] += line[l] * load<Vec<T>>(part[l] + half * v);
        store(part[c] + half * v, inverse[c] * (load<Vec<T>>(part[c] + half * v) - (even[v] + odd[v])));
      }
    }
    for (Index r = 0; r < count; ++r)
      for (Index c = 0; c < width; ++c) rows[r * stride + c] = part[c][r];
  }
}

// Takes the panel from the columns [begin, end) right of it: A_ik -= <L_i, L_k> for i >= k.
template <class T>
void cholesky_columns(Index j, Index width, Index begin, Index end, Index n, T* a, std::ptrdiff_t stride) {
  T part[panel][strip<T>];
  for (Index k = begin; k < end; k += strip<T>) {
    const Index count = k + strip<T> < end ? strip<T> : end - k;
    lay_beside(width, count, a + k * stride + j, stride, part);
    Index i = k;
    for (; i + 6 <= n; i += 6) subtract<T, 6>(width, count, a + i * stride + j, part, stride, a + i * stride + k);
    for (; i + 4 <= n; i += 4) subtract<T, 4>(width, count, a + i * stride + j, part, stride, a + i * stride + k);
    for (; i < n; ++i) subtract<T, 1>(width, count, a + i * stride + j, part, stride, a + i * stride + k);
  }
}

// A panel of columns at a time, which is then taken from all that is right of it: a large matrix is read once for so many.
Index cholesky(Index n, double* a, std::ptrdiff_t stride, double floor) {
  for (Index j = 0; j < n; j += panel) {
    const Index width = j + panel < n ? panel : n - j, next = j + width;
    if (const Index failed = small_cholesky(width, a + j * (stride + 1), stride, floor); failed >= 0) return j + failed;
    cholesky_rows(j, width, next, n, a, stride);
    cholesky_columns(j, width, next, n, n, a, stride);
  }
  return -1;
}
