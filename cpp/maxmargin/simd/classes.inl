// Rows times the weights of all classes at once, and sums of rows for all classes. The weights of one feature stand together,
// `width` of them, a multiple of 4: every value of x is read once for all classes. In float64 whatever the values are.

// out[r][c] = start[c] + sum over k of x[r][k] W[k][c] for `rows` rows and 4 * vectors classes.
template <class V, int rows, int vectors>
inline void class_dots(Index d, Index width, const V* const* x, const double* W, const double* start, double* out) {
  Vec<double> sum[rows][vectors];
  for (int v = 0; v < vectors; ++v) {
    const Vec<double> first = start == nullptr ? Vec<double>{} : load<Vec<double>>(start + 4 * v);
    for (int r = 0; r < rows; ++r) sum[r][v] = first;
  }
  for (Index k = 0; k < d; ++k) {
    Vec<double> w[vectors];
    for (int v = 0; v < vectors; ++v) w[v] = load<Vec<double>>(W + std::ptrdiff_t(k) * width + 4 * v);
    for (int r = 0; r < rows; ++r) {
      const Vec<double> value = splat(double(x[r][k]));
      for (int v = 0; v < vectors; ++v) sum[r][v] += value * w[v];
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) store(out + std::ptrdiff_t(r) * width + 4 * v, sum[r][v]);
}

// G[k][c] += sum over i of x[i][k] U[i][c] for `features` features from k on and 4 * vectors classes.
template <class V, int features, int vectors>
inline void class_sum(Index rows, Index width, const V* const* x, Index k, const double* U, double* G) {
  Vec<double> sum[features][vectors];
  for (int f = 0; f < features; ++f)
    for (int v = 0; v < vectors; ++v) sum[f][v] = load<Vec<double>>(G + std::ptrdiff_t(f) * width + 4 * v);
  for (Index i = 0; i < rows; ++i) {
    Vec<double> u[vectors];
    for (int v = 0; v < vectors; ++v) u[v] = load<Vec<double>>(U + std::ptrdiff_t(i) * width + 4 * v);
    const V* const row = x[i] + k;
    for (int f = 0; f < features; ++f) {
      const Vec<double> value = splat(double(row[f]));
      for (int v = 0; v < vectors; ++v) sum[f][v] += value * u[v];
    }
  }
  for (int f = 0; f < features; ++f)
    for (int v = 0; v < vectors; ++v) store(G + std::ptrdiff_t(f) * width + 4 * v, sum[f][v]);
}

// Calls part.template operator()<vectors>(column) for panels of at most 12 classes, all that registers hold of four rows.
template <class Part>
inline void for_panels(Index width, const Part& part) {
  for (Index c = 0; c < width;) {
    const Index left = (width - c) / 4;
    if (left == 1) {
      part.template operator()<1>(c);
      c += 4;
    } else if (left == 2 || left == 4) {
      part.template operator()<2>(c);
      c += 8;
    } else {
      part.template operator()<3>(c);
      c += 12;
    }
  }
}

template <class V>
void class_products(Index rows, Index d, Index width, const V* const* x, const double* W, const double* start, double* out) {
  for_panels(width, [&]<int vectors>(Index c) {
    constexpr int high = vectors == 1 ? 8 : 4;
    const double* const first = start == nullptr ? nullptr : start + c;
    Index r = 0;
    for (; r + high <= rows; r += high)
      class_dots<V, high, vectors>(d, width, x + r, W + c, first, out + std::ptrdiff_t(r) * width + c);
    for (; r < rows; ++r) class_dots<V, 1, vectors>(d, width, x + r, W + c, first, out + std::ptrdiff_t(r) * width + c);
  });
}

template <class V>
void class_sums(Index rows, Index d, Index width, const V* const* x, const double* U, double* G) {
  for_panels(width, [&]<int vectors>(Index c) {
    constexpr int high = vectors == 1 ? 8 : 4;
    Index k = 0;
    for (; k + high <= d; k += high) class_sum<V, high, vectors>(rows, width, x, k, U + c, G + std::ptrdiff_t(k) * width + c);
    for (; k < d; ++k) class_sum<V, 1, vectors>(rows, width, x, k, U + c, G + std::ptrdiff_t(k) * width + c);
  });
}

void sparse_class_products(SparseRow<double> x, Index width, const double* W, const double* start, double* out) {
  for_panels(width, [&]<int vectors>(Index c) {
    Vec<double> sum[vectors];
    for (int v = 0; v < vectors; ++v) sum[v] = start == nullptr ? Vec<double>{} : load<Vec<double>>(start + c + 4 * v);
    for (std::ptrdiff_t k = 0; k < x.count; ++k) {
      const double* const w = W + std::ptrdiff_t(x.columns[k]) * width + c;
      for (int v = 0; v < vectors; ++v) sum[v] += x.values[k] * load<Vec<double>>(w + 4 * v);
    }
    for (int v = 0; v < vectors; ++v) store(out + c + 4 * v, sum[v]);
  });
}

void sparse_class_sums(SparseRow<double> x, Index width, const double* u, double* G) {
  for (std::ptrdiff_t k = 0; k < x.count; ++k) {
    double* const g = G + std::ptrdiff_t(x.columns[k]) * width;
    for (Index c = 0; c < width; c += 4) store(g + c, load<Vec<double>>(g + c) + x.values[k] * load<Vec<double>>(u + c));
  }
}

// Of each row of scores, f: top = max f, e = exp(f - top) with 0 beyond the classes, rest = their sum but for one that is 1.
void exponentials(Index rows, Index classes, Index width, const double* scores, double* e, double* top, double* rest) {
  for (Index i = 0; i < rows; ++i) {
    const double* const f = scores + std::ptrdiff_t(i) * width;
    double* const out = e + std::ptrdiff_t(i) * width;
    Index best = 0;
    for (Index k = 1; k < classes; ++k)
      if (f[k] > f[best]) best = k;
    const double highest = f[best];
    for_panels(width, [&]<int vectors>(Index c) {
      Vec<double> x[vectors];
      for (int v = 0; v < vectors; ++v) x[v] = (load<Vec<double>>(f + c + 4 * v) - highest) * log2_e;
      exp2_all<double, vectors>(x);
      for (int v = 0; v < vectors; ++v) store(out + c + 4 * v, x[v]);
    });
    for (Index k = classes; k < width; ++k) out[k] = 0;
    out[best] = 0;
    Vec<double> sum{};
    for (Index c = 0; c < width; c += 4) sum += load<Vec<double>>(out + c);
    rest[i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    out[best] = 1;
    top[i] = highest;
  }
}
