#include "maxmargin/newton/face_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "maxmargin/newton/triangular.hpp"
#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/poll.hpp"

namespace maxmargin {

FaceNewton::FaceNewton(std::vector<double> K, Index m, std::vector<int> part, double rounding)
    : m_(m), alive_(m), part_(std::move(part)), variable_(m), scale_(m) {
  std::iota(variable_.begin(), variable_.end(), 0);
  for (Index i = 0; i < m; ++i) {
    const double diagonal = K[std::ptrdiff_t(i) * (m + 1)];
    scale_[i] = diagonal > 0 ? 1.0 / std::sqrt(diagonal) : 1.0;
  }
  // Steps that keep a sum do not see a constant added to its part of K, but a K that is singular only across them does: it
  // becomes regular, and the system loses no digits. The constant is that of the smallest diagonal, 1 after scaling.
  const double constant = !part_.empty() ? 1.0 / std::pow(*std::max_element(scale_.begin(), scale_.end()), 2) : 0.0;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j <= i; ++j) {
      double& value = K[std::ptrdiff_t(i) * m + j];
      const bool together = !part_.empty() && part_[i] == part_[j];
      value = (together ? value + constant : value) * scale_[i] * scale_[j];
    }
  // A ridge of some thousand roundings is above the errors of a Cholesky; kernels computed by others may need more. What a
  // ridge 1e5 times larger does not make positive has negative eigenvalues of its own.
  for (const double factor : {1.0, 1e2, 1e5}) {
    ridge_ = 4e3 * rounding * factor;
    poll_now();
    L_ = K;
    for (Index i = 0; i < m; ++i) L_[std::ptrdiff_t(i) * (m + 1)] += ridge_;
    if (simd().cholesky(m, L_.data(), m, 0.0) < 0) return;
  }
  positive_ = false;
}

void FaceNewton::solve(std::vector<double>& x) const { solve_factored(L_.data(), alive_, m_, x.data()); }

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

Index FaceNewton::alive_in(int part) const {
  Index count = 0;
  for (Index k = 0; k < alive_ && !part_.empty(); ++k) count += part_[variable_[k]] == part;
  return count;
}

// The change of a part's sum that scaled variables x make.
double FaceNewton::part_dot(int part, const std::vector<double>& x) const {
  double sum = 0;
  for (Index k = 0; k < alive_; ++k)
    if (part_[variable_[k]] == part) sum += scale_[variable_[k]] * x[k];
  return sum;
}

// Takes the multiples of L^-T L^-1 (scale on a part) out of a solution that make the sums stay.
void FaceNewton::project(std::vector<double>& toward, double multiplier[2]) {
  bool held[2];
  for (const int p : {0, 1}) {
    multiplier[p] = 0;
    held[p] = alive_in(p) > 0;
    if (!held[p]) continue;
    across_[p].resize(alive_);
    for (Index k = 0; k < alive_; ++k) across_[p][k] = part_[variable_[k]] == p ? scale_[variable_[k]] : 0.0;
    solve(across_[p]);
  }
  if (held[0] && held[1]) {
    const double a = part_dot(0, across_[0]), b = part_dot(0, across_[1]), c = part_dot(1, across_[1]);
    const double x = part_dot(0, toward), y = part_dot(1, toward), determinant = a * c - b * b;
    multiplier[0] = (c * x - b * y) / determinant;
    multiplier[1] = (a * y - b * x) / determinant;
  } else {
    const int p = held[0] ? 0 : 1;
    multiplier[p] = part_dot(p, toward) / part_dot(p, across_[p]);
  }
  for (const int p : {0, 1})
    for (Index k = 0; k < alive_ && held[p]; ++k) toward[k] -= multiplier[p] * across_[p][k];
  keep_level(toward);
}

// Takes out what is left of a change of a sum. Along flat directions the system's solution is long, and the rounding of its
// two parts, which should cancel, is as long as a step that counts.
void FaceNewton::keep_level(std::vector<double>& d) const {
  for (const int p : {0, 1}) {
    double square = 0;
    for (Index k = 0; k < alive_; ++k)
      if (part_[variable_[k]] == p) square += scale_[variable_[k]] * scale_[variable_[k]];
    for (int pass = 0; pass < 2 && square > 0; ++pass) {
      const double sum = part_dot(p, d);
      for (Index k = 0; k < alive_; ++k)
        if (part_[variable_[k]] == p) d[k] -= sum / square * scale_[variable_[k]];
    }
  }
}

std::vector<double> FaceNewton::minimise(std::vector<double> g, const std::vector<double>& lower,
                                         const std::vector<double>& upper, Index most_rounds,
                                         const std::function<bool()>& stop) {
  std::vector<double> total(m_, 0.0), toward;
  for (Index v = 0; v < m_; ++v) g[v] *= scale_[v];
  const Index rounds = most_rounds > 0 ? most_rounds : std::max<Index>(8, m_ / 12);
  for (Index round = 0; round < rounds && alive_ > (part_.empty() ? 0 : 1); ++round) {
    if (stop && stop()) break;
    // In scaled variables a sum is kept if scale' d = 0 over its part.
    poll_now();
    toward.resize(alive_);
    for (Index k = 0; k < alive_; ++k) toward[k] = -g[variable_[k]];
    solve(toward);
    double multiplier[2] = {0, 0};
    if (!part_.empty()) project(toward, multiplier);
    double slope = 0, square = 0;
    for (Index k = 0; k < alive_; ++k) {
      slope += g[variable_[k]] * toward[k];
      square += toward[k] * toward[k];
    }
    if (!(slope < 0)) break;
    // d'Kd = -slope - ridge |d|^2, so the exact step along d is a little more than 1, and unbounded where K is flat.
    const double curvature = -slope - ridge_ * square;
    double length = curvature > 1e-3 * -slope ? -slope / curvature : std::numeric_limits<double>::infinity();
    Index blocking = -1;
    for (Index k = 0; k < alive_; ++k) {
      const Index v = variable_[k];
      const double direction = toward[k] * scale_[v];
      if (direction == 0) continue;
      const double room = ((direction > 0 ? upper[v] : lower[v]) - total[v]) / direction;
      if (room >= length) continue;
      length = std::max(0.0, room);
      blocking = k;
    }
    if (!std::isfinite(length)) break;  // flat and no bound in the way: unbounded, left to the pair steps
    for (Index k = 0; k < alive_; ++k) {
      const Index v = variable_[k];
      total[v] = std::clamp(total[v] + length * toward[k] * scale_[v], lower[v], upper[v]);
      // K d = -g - multiplier scale - ridge d on the free variables
      const double level = part_.empty() ? 0.0 : multiplier[part_[v]];
      g[v] += length * (-g[v] - level * scale_[v] - ridge_ * toward[k]);
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
