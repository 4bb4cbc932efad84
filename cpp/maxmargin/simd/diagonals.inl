// Dynamic programmes over pairs of positions, an antidiagonal at a time: its cells do not depend on each other. Cell k has the
// neighbours above[k] and left[k] on the antidiagonal before, corner[k] on the one before that. Swapping the two sequences
// reverses antidiagonals, and leaves every sum as it is, to the last bit. Arrays have room for whole vectors; what is written
// beyond their end does not count.

// out[k] = sum over c of (x[c * x_stride + k] - y[c * y_stride + k])^2
inline void diagonal_distances(Index n, Index dimensions, const double* x, std::ptrdiff_t x_stride, const double* y,
                               std::ptrdiff_t y_stride, double* out) {
  for (Index k = 0; k < n; k += VectorOf<double>::width) {
    Vec<double> sum{};
    for (Index c = 0; c < dimensions; ++c) {
      const Vec<double> apart = load<Vec<double>>(x + c * x_stride + k) - load<Vec<double>>(y + c * y_stride + k);
      sum += apart * apart;
    }
    store(out + k, sum);
  }
}

// local[k] = e / (2 - e) with e = exp(-rate distances[k]), and the cells local[k] ((above[k] + left[k]) + corner[k]). Local
// values beyond n are 0. The largest cell, and the smallest local value and cell.
inline AlignmentRange alignment_cells(Index n, double rate, double* local, const double* above, const double* left,
                                      const double* corner, double* out) {
  constexpr Index width = VectorOf<double>::width;
  const Vec<double> factor = splat(-log2_e * rate);
  Vec<double> most{}, least = splat(1e300), least_local = least;
  const auto cells = [&](Index k, Vec<double> e) {
    const Vec<double> sum = (load<Vec<double>>(above + k) + load<Vec<double>>(left + k)) + load<Vec<double>>(corner + k);
    const Vec<double> value = e * sum;
    store(out + k, value);
    most = larger(value, most);
    return value;
  };
  Index k = 0;
  constexpr Index together = 4;  // exponentials, which wait for each other otherwise
  for (; k + together * width <= n; k += together * width) {
    Vec<double> e[together];
    for (Index v = 0; v < together; ++v) e[v] = factor * load<Vec<double>>(local + k + v * width);
    exp2_all<double, together>(e);
    for (Index v = 0; v < together; ++v) {
      e[v] = e[v] / (2.0 - e[v]);
      least_local = smaller(e[v], least_local);
      least = smaller(cells(k + v * width, e[v]), least);
    }
  }
  for (; k + width <= n; k += width) {
    Vec<double> e = factor * load<Vec<double>>(local + k);
    exp2_all<double, 1>(&e);
    e = e / (2.0 - e);
    least_local = smaller(e, least_local);
    least = smaller(cells(k, e), least);
  }
  AlignmentRange range{0, 1e300, 1e300};
  if (k < n) {
    Vec<double> e = factor * load<Vec<double>>(local + k);
    exp2_all<double, 1>(&e);
    e = e / (2.0 - e);
    for (Index l = 0; l < width; ++l)
      if (k + l >= n) e[l] = 0.0;
    const Vec<double> value = cells(k, e);
    for (Index l = 0; k + l < n; ++l) {
      if (e[l] < range.least_local) range.least_local = e[l];
      if (value[l] < range.least) range.least = value[l];
    }
  }
  for (Index l = 0; l < width; ++l) {
    if (most[l] > range.most) range.most = most[l];
    if (least[l] < range.least) range.least = least[l];
    if (least_local[l] < range.least_local) range.least_local = least_local[l];
  }
  return range;
}

// Common subsequences: ends[k] = decay^2 shorter[k] where the symbols agree, else 0; and all that end there or before, with a
// factor for each symbol since: out[k] = ends[k] + decay (above[k] + left[k]) - decay^2 corner[k]. `shorter` null stands for 1.
inline void subsequence_cells(Index n, double decay, const std::int32_t* s, const std::int32_t* t, const double* shorter,
                              const double* above, const double* left, const double* corner, double* ends, double* out) {
  constexpr Index width = VectorOf<double>::width;
  typedef std::int32_t Symbols __attribute__((vector_size(16)));
  const double square = decay * decay;
  for (Index k = 0; k < n; k += width) {
    const Bits<double> agree = __builtin_convertvector(load<Symbols>(s + k) == load<Symbols>(t + k), Bits<double>);
    const Vec<double> inner = shorter == nullptr ? splat(square) : square * load<Vec<double>>(shorter + k);
    const Vec<double> end = agree ? inner : Vec<double>{};
    store(ends + k, end);
    const Vec<double> sides = load<Vec<double>>(above + k) + load<Vec<double>>(left + k);
    store(out + k, end + (decay * sides - square * load<Vec<double>>(corner + k)));
  }
}
