#include "maxmargin/l1_model.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/cpu.hpp"
#include "maxmargin/newton.hpp"

namespace maxmargin {

namespace {

constexpr int sweeps_between_faces = 8;
constexpr int most_faces = 60;
constexpr int most_sweeps = 60;

}  // namespace

double L1Model::violation(double u, double r, double cost) {
  if (u == 0) return std::max(std::abs(r) - cost, 0.0);
  return std::abs(r + (u > 0 ? cost : -cost));
}

double L1Model::least(double u, double r, double h, double cost) {
  const double free = u - r / h, bend = cost / h;
  if (free > bend) return free - bend;
  return free < -bend ? free + bend : 0.0;
}

// The lower triangle of H by passes over the rows, then the upper, so that a coordinate's row is in one piece.
void GramModel::fill(const L1Model& model, const std::vector<double>& curvature) {
  const Index size = model.size(), m = Index(model.set.columns.size());
  stride_ = (size + 7) / 8 * 8;
  H_.assign(std::size_t(stride_) * std::size_t(stride_), 0.0);
  if (m > 0) passes_.add_outer(curvature.data(), model.set, H_.data(), stride_);
  if (size > m) {
    sum_.resize(passes_.x().columns());
    passes_.combine(curvature.data(), sum_.data());
    double* const last = H_.data() + std::ptrdiff_t(m) * stride_;
    for (Index k = 0; k < m; ++k) last[k] = model.constant * sum_[model.set.columns[k]];
    last[m] = model.constant * model.constant * std::accumulate(curvature.begin(), curvature.end(), 0.0);
  }
  double trace = 0;
  for (Index k = 0; k < size; ++k) {
    trace += H_[std::ptrdiff_t(k) * (stride_ + 1)];
    for (Index l = 0; l < k; ++l) H_[std::ptrdiff_t(l) * stride_ + k] = H_[std::ptrdiff_t(k) * stride_ + l];
  }
  floor_ = 1e-14 * trace / size + 1e-300;
}

void GramModel::move(L1Model& model, Index k, double to) {
  if (to == model.u[k]) return;
  hot().axpy(model.size(), to - model.u[k], H_.data() + std::ptrdiff_t(k) * stride_, r_.data());
  model.u[k] = to;
}

// Returns the largest violation that it met.
double GramModel::sweep(L1Model& model) {
  double worst = 0;
  for (Index k = 0; k < model.size(); ++k) {
    const double away = L1Model::violation(model.u[k], r_[k], model.cost[k]);
    if (away == 0) continue;
    worst = std::max(worst, away);
    const double h = H_[std::ptrdiff_t(k) * (stride_ + 1)] + floor_;
    move(model, k, L1Model::least(model.u[k], r_[k], h, model.cost[k]));
  }
  return worst;
}

// Newton's steps over the coordinates that are not 0, none of which may change its sign; those that come to 0 stay there.
void GramModel::on_the_face(L1Model& model) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<Index> free;
  for (Index k = 0; k < model.size(); ++k)
    if (model.u[k] != 0 || model.cost[k] == 0) free.push_back(k);
  const std::size_t m = free.size();
  if (m == 0) return;
  std::vector<double> K(m * m), g(m), lower(m), upper(m);
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b <= a; ++b) K[a * m + b] = H_[std::ptrdiff_t(free[a]) * stride_ + free[b]];
  FaceNewton face(std::move(K), Index(m), {}, 2.5e-16);
  if (!face.positive()) return;
  // A second solution with the same factor washes out its ridge.
  for (int refinement = 0; refinement < 2 && !face.fixed_any(); ++refinement) {
    for (std::size_t a = 0; a < m; ++a) {
      const double u = model.u[free[a]], cost = model.cost[free[a]];
      g[a] = r_[free[a]] + (u > 0 ? cost : -cost);
      lower[a] = u > 0 && cost > 0 ? -u : -infinity;
      upper[a] = u < 0 && cost > 0 ? -u : infinity;
    }
    const std::vector<double> d = face.minimise(g, lower, upper);
    for (std::size_t a = 0; a < m; ++a) {
      const bool at_zero = d[a] == lower[a] || d[a] == upper[a];
      move(model, free[a], at_zero ? 0.0 : model.u[free[a]] + d[a]);
    }
  }
}

bool GramModel::solve(L1Model& model, const std::vector<double>& curvature, LinearRecord& record) {
  fill(model, curvature);
  model.u = model.w;
  r_ = model.g;
  r_.resize(stride_, 0.0);
  double size = 0;
  for (const double value : model.g) size = std::max(size, std::abs(value));
  const double close = std::max(1e-4 * std::min(model.worst, 1.0) * model.worst, 1e-15 * size);
  for (int face = 0; face < most_faces; ++face) {
    for (int count = 0; count < sweeps_between_faces; ++count)
      if (sweep(model) <= close) return true;
    if (record.poll()) return false;
    on_the_face(model);
  }
  return true;
}

double ColumnModel::slope(const L1Model& model, Index k) const {
  double even = 0, odd = 0;
  if (k == Index(model.set.columns.size())) {
    for (std::size_t i = 0; i < root_.size(); ++i) even += root_[i] * along_[i];
    return model.g[k] + model.constant * even;
  }
  std::int64_t at = columns_.start[k];
  const std::int64_t end = columns_.start[k + 1];
  for (; at + 2 <= end; at += 2) {
    even += columns_.value[at] * along_[columns_.row[at]];
    odd += columns_.value[at + 1] * along_[columns_.row[at + 1]];
  }
  if (at < end) even += columns_.value[at] * along_[columns_.row[at]];
  return model.g[k] + even + odd;
}

void ColumnModel::move(L1Model& model, Index k, double to) {
  const double step = to - model.u[k];
  if (step == 0) return;
  model.u[k] = to;
  if (k == Index(model.set.columns.size())) {
    hot().axpy(std::ptrdiff_t(root_.size()), step * model.constant, root_.data(), along_.data());
    return;
  }
  for (std::int64_t at = columns_.start[k]; at < columns_.start[k + 1]; ++at)
    along_[columns_.row[at]] += step * columns_.value[at];
}

// Sweeps until the violation is a part of what it was. Coordinates that are at 0 with room to spare are left out until the
// others have settled.
bool ColumnModel::solve(L1Model& model, const std::vector<double>& curvature, LinearRecord& record) {
  const Index size = model.size(), m = Index(model.set.columns.size());
  root_.resize(curvature.size());
  for (std::size_t i = 0; i < root_.size(); ++i) root_[i] = std::sqrt(curvature[i]);
  x_.gather(model.set, root_.data(), columns_);
  along_.assign(root_.size(), 0.0);
  diagonal_.assign(size, 0.0);
  double trace = 0;
  for (Index k = 0; k < size; ++k) {
    if (k == m)
      diagonal_[k] = model.constant * model.constant * std::accumulate(curvature.begin(), curvature.end(), 0.0);
    else
      for (std::int64_t at = columns_.start[k]; at < columns_.start[k + 1]; ++at)
        diagonal_[k] += columns_.value[at] * columns_.value[at];
    trace += diagonal_[k];
  }
  const double floor = 1e-14 * trace / size + 1e-300;
  model.u = model.w;
  std::vector<Index> active(size);
  std::iota(active.begin(), active.end(), 0);
  Index count = size;
  const double close = 0.1 * model.worst;
  double spare = 0.1;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double worst = 0;
    for (Index a = 0; a < count; ++a) {
      const Index k = active[a];
      const double r = slope(model, k);
      if (model.u[k] == 0 && std::abs(r) < model.cost[k] - spare) {
        std::swap(active[a--], active[--count]);
        continue;
      }
      const double away = L1Model::violation(model.u[k], r, model.cost[k]);
      worst = std::max(worst, away);
      if (away > 0) move(model, k, L1Model::least(model.u[k], r, diagonal_[k] + floor, model.cost[k]));
      if ((a & 255) == 255 && record.poll()) return false;
    }
    if (worst > close) continue;
    if (count == size) break;
    count = size;
    spare = std::numeric_limits<double>::infinity();  // nothing is left out again
  }
  return true;
}

}  // namespace maxmargin
