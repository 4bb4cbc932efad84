#include "maxmargin/linear/l1/quadratic.hpp"

#include <cmath>
#include <limits>

#include "maxmargin/newton/face_newton.hpp"
#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

constexpr int sweeps_between_faces = 8;
constexpr int most_faces = 60;
constexpr int patience = 6;  // faces in which the violation must fall by a tenth

}  // namespace

double L1Coordinates::violation(double u, double r, double cost) {
  if (u == 0) return std::max(std::abs(r) - cost, 0.0);
  return std::abs(r + (u > 0 ? cost : -cost));
}

double L1Coordinates::least(double u, double r, double h, double cost) {
  const double free = u - r / h, bend = cost / h;
  if (free > bend) return free - bend;
  return free < -bend ? free + bend : 0.0;
}

void QuadraticModel::begin(Index size) {
  stride_ = (size + 7) / 8 * 8;
  H_.assign(std::size_t(stride_) * std::size_t(stride_), 0.0);
  diagonal_.clear();
}

// The upper triangle, so that a coordinate's row is in one piece.
void QuadraticModel::complete(Index size) {
  double trace = 0;
  for (Index k = 0; k < size; ++k) {
    diagonal_.push_back(row(k)[k]);
    trace += diagonal_[k];
    for (Index l = 0; l < k; ++l) row(l)[k] = row(k)[l];
  }
  floor_ = 1e-14 * trace / size + 1e-300;
}

void QuadraticModel::move(L1Coordinates& model, Index k, double to) {
  if (to == model.u[k]) return;
  simd().axpy(model.size(), to - model.u[k], H_.data() + std::ptrdiff_t(k) * stride_, r_.data());
  model.u[k] = to;
}

// Returns the largest violation that it met.
double QuadraticModel::sweep(L1Coordinates& model) {
  double worst = 0;
  for (Index k = 0; k < model.size(); ++k) {
    const double away = L1Coordinates::violation(model.u[k], r_[k], model.cost[k]);
    if (away == 0) continue;
    worst = std::max(worst, away);
    const double h = H_[std::ptrdiff_t(k) * (stride_ + 1)] + floor_;
    move(model, k, L1Coordinates::least(model.u[k], r_[k], h, model.cost[k]));
  }
  return worst;
}

// Newton's steps over the coordinates that are not 0, none of which may change its sign; those that come to 0 stay there. They
// go on until a whole step fits: where columns are nearly alike and more of them are not 0 than there are rows, sweeps would
// bring back at once what an unfinished face has put to 0.
void QuadraticModel::on_the_face(L1Coordinates& model, NewtonRecord& record) {
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
    const std::vector<double> d = face.minimise(g, lower, upper, Index(m) + 1, [&] { return record.poll(); });
    for (std::size_t a = 0; a < m; ++a) {
      const bool at_zero = d[a] == lower[a] || d[a] == upper[a];
      move(model, free[a], at_zero ? 0.0 : model.u[free[a]] + d[a]);
    }
  }
}

bool QuadraticModel::solve(L1Coordinates& model, NewtonRecord& record) {
  if (diagonal_.empty()) complete(model.size());
  for (Index k = 0; k < model.size(); ++k) row(k)[k] = diagonal_[k] + (model.ridge[k] + model.damping[k]);
  model.u = model.w;
  r_ = model.g;
  r_.resize(stride_, 0.0);
  double size = 0;
  for (const double value : model.g) size = std::max(size, std::abs(value));
  const double close = std::max(1e-4 * std::min(model.worst, 1.0) * model.worst, 1e-15 * size);
  double least = std::numeric_limits<double>::infinity();
  for (int face = 0, idle = 0; face < most_faces && idle < patience; ++face) {
    double worst = 0;
    for (int count = 0; count < sweeps_between_faces; ++count) {
      worst = sweep(model);
      if (worst <= close) return true;
      if (record.poll()) return false;
    }
    idle = worst < 0.9 * least ? 0 : idle + 1;
    least = std::min(least, worst);
    on_the_face(model, record);
    if (record.poll()) return false;
  }
  return true;
}

}  // namespace maxmargin
