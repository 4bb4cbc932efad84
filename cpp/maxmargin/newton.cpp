#include "maxmargin/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "maxmargin/cpu.hpp"

namespace maxmargin {

FaceNewton::FaceNewton(Index m, std::vector<double> K) : m_(m), alive_(m), variable_(m) {
  std::iota(variable_.begin(), variable_.end(), 0);
  double scale = 0;
  for (Index i = 0; i < m; ++i) scale = std::max(scale, std::abs(K[std::ptrdiff_t(i) * (m + 1)]));
  // A ridge of 1e-12 is above the rounding of a Cholesky; kernels computed by others may need more. What even 1e-7 does not
  // make positive has negative eigenvalues of its own.
  for (const double relative : {1e-12, 1e-10, 1e-7}) {
    ridge_ = std::max(relative * scale, std::numeric_limits<double>::min());
    L_ = K;
    for (Index i = 0; i < m; ++i) L_[std::ptrdiff_t(i) * (m + 1)] += ridge_;
    if (hot().cholesky(m, L_.data(), m, 0.0) < 0) return;
  }
  positive_ = false;
}

// L L' x = b in place.
void FaceNewton::solve(std::vector<double>& x) const {
  const Hot& h = hot();
  for (Index i = 0; i < alive_; ++i) {
    const double* row = L_.data() + std::ptrdiff_t(i) * m_;
    x[i] = (x[i] - h.dot(i, row, x.data())) / row[i];
  }
  for (Index i = alive_; i-- > 0;) {
    const double* row = L_.data() + std::ptrdiff_t(i) * m_;
    x[i] /= row[i];
    h.axpy(i, -x[i], row, x.data());
  }
}

// Strikes one row and column: the rows below keep a factor of the same product once the struck column is rotated into them.
void FaceNewton::remove(Index position) {
  std::vector<double> cosine(alive_), sine(alive_);
  for (Index i = position + 1; i < alive_; ++i) {
    const double* from = L_.data() + std::ptrdiff_t(i) * m_;
    double* into = L_.data() + std::ptrdiff_t(i - 1) * m_;
    double carried = from[position];
    std::copy(from, from + position, into);
    for (Index j = position; j < i - 1; ++j) {
      const double c = cosine[j], s = sine[j], value = from[j + 1];
      into[j] = c * value + s * carried;
      carried = c * carried - s * value;
    }
    const double value = from[i], length = std::hypot(value, carried);
    cosine[i - 1] = value / length;
    sine[i - 1] = carried / length;
    into[i - 1] = length;
  }
  variable_.erase(variable_.begin() + position);
  --alive_;
}

std::vector<double> FaceNewton::minimise(std::vector<double> g, const std::vector<double>& lower,
                                         const std::vector<double>& upper, bool keep_total) {
  std::vector<double> total(m_, 0.0), toward, ones, step;
  const Index rounds = std::max<Index>(8, m_ / 12);  // beyond that the pair steps know better which variables are free
  for (Index round = 0; round < rounds && alive_ > (keep_total ? 1 : 0); ++round) {
    const Index n = alive_;
    toward.resize(n);
    for (Index k = 0; k < n; ++k) toward[k] = -g[variable_[k]];
    solve(toward);
    double multiplier = 0;
    if (keep_total) {
      ones.assign(n, 1.0);
      solve(ones);
      multiplier = std::accumulate(toward.begin(), toward.end(), 0.0) / std::accumulate(ones.begin(), ones.end(), 0.0);
      for (Index k = 0; k < n; ++k) toward[k] -= multiplier * ones[k];
    }
    double slope = 0, square = 0;
    for (Index k = 0; k < n; ++k) {
      slope += g[variable_[k]] * toward[k];
      square += toward[k] * toward[k];
    }
    if (!(slope < 0)) break;
    // d'Kd = -slope - ridge |d|^2, so the exact step along d is a little more than 1, and unbounded where K is flat.
    const double curvature = -slope - ridge_ * square;
    double length = curvature > 1e-3 * -slope ? -slope / curvature : std::numeric_limits<double>::infinity();
    Index blocking = -1;
    for (Index k = 0; k < n; ++k) {
      const Index v = variable_[k];
      const double room = toward[k] > 0 ? upper[v] - total[v] : lower[v] - total[v];
      if (toward[k] == 0 || room / toward[k] >= length) continue;
      length = std::max(0.0, room / toward[k]);
      blocking = k;
    }
    if (!std::isfinite(length)) break;  // flat and no bound in the way: unbounded, left to the pair steps
    for (Index k = 0; k < n; ++k) {
      const Index v = variable_[k];
      total[v] = std::clamp(total[v] + length * toward[k], lower[v], upper[v]);
      // K d = -g - multiplier - ridge d on the free variables
      g[v] += length * (-g[v] - multiplier - ridge_ * toward[k]);
    }
    if (blocking < 0) break;
    const Index v = variable_[blocking];
    total[v] = toward[blocking] > 0 ? upper[v] : lower[v];
    fixed_any_ = true;
    remove(blocking);
  }
  return total;
}

}  // namespace maxmargin
