#include "maxmargin/linear/l1/model.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

constexpr int sweeps_between_gradients = 10;
constexpr int most_sweeps = 60;
constexpr int sweeps_of_growth = 8;
constexpr int fewest_gradients = 32, most_gradients = 1024;
constexpr double most_residual = 0.01;

constexpr int most_halves = 10;
constexpr double negligible = 1e-12;  // below that, rounding decides

template <RowLoss loss>
double outside(const double* error, const double* width, std::size_t i) {
  const double e = error[i];
  if constexpr (loss == RowLoss::square) return e;
  if constexpr (loss == RowLoss::above) return std::max(e, 0.0);
  return std::max(e, 0.0) + std::min(e + width[i], 0.0);
}

template <RowLoss loss>
bool curves(const double* error, const double* width, std::size_t i) {
  const double e = error[i];
  if constexpr (loss == RowLoss::square) return true;
  if constexpr (loss == RowLoss::above) return e >= 0;
  return e >= 0 || e <= -width[i];
}

}  // namespace

// The lower triangle of H by passes over the rows.
void GramModel::fill(const L1Model& model, const std::vector<double>& curvature) {
  const Index size = model.size(), m = Index(model.set.columns.size());
  quadratic_.begin(size);
  if (m > 0) passes_.add_outer(curvature.data(), model.set, quadratic_.row(0), quadratic_.stride());
  if (size == m) return;
  sum_.resize(passes_.x().columns());
  passes_.combine(curvature.data(), sum_.data());
  double* const last = quadratic_.row(m);
  for (Index k = 0; k < m; ++k) last[k] = model.constant * sum_[model.set.columns[k]];
  last[m] = model.constant * model.constant * std::accumulate(curvature.begin(), curvature.end(), 0.0);
}

template <class Visit>
void ColumnModel::for_entries(Index k, const RowTerms& rows, const Visit& visit) const {
  if (k + 1 == Index(columns_.start.size())) {
    for (std::size_t i = 0; i < rows.factor.size(); ++i) visit(i, constant_ * rows.factor[i]);
    return;
  }
  const Index* const row = columns_.row.data();
  const double* const a = columns_.value.data();
  for (std::int64_t at = columns_.start[k], end = columns_.start[k + 1]; at < end; ++at) visit(std::size_t(row[at]), a[at]);
}

template <RowLoss loss>
ColumnModel::Local ColumnModel::look(const L1Model& model, const RowTerms& rows, Index k) const {
  const double ridge = model.ridge[k];
  double slope = model.g[k] + ridge * (model.u[k] - model.w[k]);
  double curvature = loss == RowLoss::square ? curvature_[k] : floor_ + ridge;
  const double *const error = rows.error.data(), *const width = rows.width.data();
  for_entries(k, rows, [&](std::size_t i, double a) {
    slope += a * outside<loss>(error, width, i);
    if constexpr (loss != RowLoss::square) curvature += a * a * double(curves<loss>(error, width, i));
  });
  return {slope, curvature};
}

// To the least point along one coordinate, half as far as often as rows that come to curve ask for it.
template <RowLoss loss>
void ColumnModel::move(L1Model& model, RowTerms& rows, Index k, const Local& here) {
  const double from = model.u[k], cost = model.cost[k];
  double to = L1Model::least(from, here.slope, here.curvature, cost), at = from, change = 0;
  double* const error = rows.error.data();
  const double* const width = rows.width.data();
  for (int halves = 0; halves < most_halves && to != at; ++halves) {
    const double step = to - at;
    at = to;
    if constexpr (loss == RowLoss::square) {
      for_entries(k, rows, [&](std::size_t i, double a) { error[i] += step * a; });
      break;
    }
    for_entries(k, rows, [&](std::size_t i, double a) {
      const double before = outside<loss>(error, width, i);
      error[i] += step * a;
      const double after = outside<loss>(error, width, i);
      change += 0.5 * (after - before) * (after + before);
    });
    const double whole = at - from, promised = here.slope * whole + cost * (std::abs(at) - std::abs(from));
    const double smooth = model.g[k] + model.ridge[k] * (0.5 * (at + from) - model.w[k]);
    const double paid = smooth * whole + cost * (std::abs(at) - std::abs(from));
    if (change + paid <= 0.01 * promised || promised > -negligible * (std::abs(change) + std::abs(paid))) break;
    to = from + 0.5 * whole;
  }
  model.u[k] = at;
}

template <RowLoss loss>
double ColumnModel::value(const L1Model& model, const RowTerms& rows, const std::vector<double>& u,
                          const std::vector<double>& error) const {
  double sum = 0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const double v = outside<loss>(error.data(), rows.width.data(), i);
    sum += 0.5 * v * v;
  }
  for (std::size_t k = 0; k < u.size(); ++k) {
    const double off = u[k] - model.w[k];
    sum += (model.g[k] + 0.5 * model.ridge[k] * off) * off + model.cost[k] * std::abs(u[k]);
  }
  return sum;
}

// H toward = residual over the face, preconditioned by the diagonal.
void ColumnModel::conjugate_gradients(std::size_t rows, int most, LinearRecord& record) {
  const std::size_t m = residual_.size();
  toward_.assign(m, 0.0);
  search_.resize(m);
  double energy = 0;
  for (std::size_t a = 0; a < m; ++a) {
    search_[a] = residual_[a] / diagonal_[a];
    energy += residual_[a] * search_[a];
  }
  const double enough = most_residual * most_residual * energy;
  const Index* const row = face_.row.data();
  const double* const value = face_.value.data();
  for (int step = 0; step < most && energy > enough && !record.poll(); ++step) {
    image_.assign(rows, 0.0);
    double* const image = image_.data();
    for (std::size_t a = 0; a < m; ++a)
      for (std::int64_t at = face_.start[a], end = face_.start[a + 1]; at < end; ++at) image[row[at]] += search_[a] * value[at];
    double curve = simd().dot(std::ptrdiff_t(rows), image, image);
    for (std::size_t a = 0; a < m; ++a) curve += ridge_[a] * search_[a] * search_[a];
    const double length = energy / curve;
    double next = 0;
    for (std::size_t a = 0; a < m; ++a) {
      double even = ridge_[a] * search_[a], odd = 0;
      std::int64_t at = face_.start[a];
      const std::int64_t end = face_.start[a + 1];
      for (; at + 2 <= end; at += 2) {
        even += value[at] * image[row[at]];
        odd += value[at + 1] * image[row[at + 1]];
      }
      if (at < end) even += value[at] * image[row[at]];
      toward_[a] += length * search_[a];
      residual_[a] -= length * (even + odd);
      next += residual_[a] * residual_[a] / diagonal_[a];
    }
    for (std::size_t a = 0; a < m; ++a) search_[a] = residual_[a] / diagonal_[a] + next / energy * search_[a];
    energy = next;
  }
}

// A Newton step over the coordinates that are not 0; those that would change their sign stop at 0. Half as far as often as the
// objective asks for it: returns how far.
template <RowLoss loss>
double ColumnModel::on_the_face(L1Model& model, RowTerms& rows, int gradients, LinearRecord& record) {
  std::vector<Index> free;
  residual_.clear();
  diagonal_.clear();
  ridge_.clear();
  face_.start.assign(1, 0);
  face_.row.clear();
  face_.value.clear();
  for (Index k = 0; k < model.size(); ++k) {
    if ((k & 63) == 63 && record.poll()) return 0;
    if (model.u[k] == 0 && model.cost[k] > 0) continue;
    ridge_.push_back(floor_ + model.ridge[k]);
    double slope = model.g[k] + model.ridge[k] * (model.u[k] - model.w[k]), curvature = ridge_.back();
    for_entries(k, rows, [&](std::size_t i, double a) {
      if (!curves<loss>(rows.error.data(), rows.width.data(), i)) return;
      slope += a * outside<loss>(rows.error.data(), rows.width.data(), i);
      curvature += a * a;
      face_.row.push_back(Index(i));
      face_.value.push_back(a);
    });
    face_.start.push_back(std::int64_t(face_.row.size()));
    free.push_back(k);
    residual_.push_back(-slope - (model.u[k] > 0 ? model.cost[k] : -model.cost[k]));
    diagonal_.push_back(curvature);
  }
  conjugate_gradients(rows.error.size(), gradients, record);
  const double before = value<loss>(model, rows, model.u, rows.error);
  std::vector<double> u(model.u);
  double t = 1;
  for (int halves = 0; halves < most_halves; ++halves, t *= 0.5) {
    next_ = rows.error;
    for (std::size_t a = 0; a < free.size(); ++a) {
      if ((a & 63) == 63 && record.poll()) return 0;
      const Index k = free[a];
      u[k] = model.u[k] + t * toward_[a];
      if (model.cost[k] > 0 && u[k] * model.u[k] < 0) u[k] = 0;
      const double step = u[k] - model.u[k];
      double* const next = next_.data();
      for_entries(k, rows, [&](std::size_t i, double value) { next[i] += step * value; });
    }
    if (value<loss>(model, rows, u, next_) < before) {
      model.u.swap(u);
      rows.error.swap(next_);
      return t;
    }
  }
  return 0;
}

// Sweeps and faces until the violation is a part of what it was. Coordinates that are at 0 with room to spare are left out
// until the others have settled.
template <RowLoss loss>
bool ColumnModel::descend(L1Model& model, RowTerms& rows, LinearRecord& record) {
  const Index size = model.size();
  std::vector<Index> active(size);
  std::iota(active.begin(), active.end(), 0);
  Index count = size;
  const double close = 0.1 * model.worst;
  double spare = 0.1;
  // While the set still grows its optimum is of little interest.
  const int sweeps = model.settled ? most_sweeps : sweeps_of_growth;
  for (int sweep = 1; sweep <= sweeps; ++sweep) {
    double worst = 0;
    for (Index a = 0; a < count; ++a) {
      const Index k = active[a];
      const Local here = look<loss>(model, rows, k);
      if (model.u[k] == 0 && std::abs(here.slope) < model.cost[k] - spare) {
        std::swap(active[a--], active[--count]);
        continue;
      }
      const double away = L1Model::violation(model.u[k], here.slope, model.cost[k]);
      worst = std::max(worst, away);
      if (away > 0) move<loss>(model, rows, k, here);
      if ((a & 255) == 255 && record.poll()) return false;
    }
    if (worst <= close) {
      if (count == size) break;
      count = size;
      spare = std::numeric_limits<double>::infinity();  // nothing is left out again
    } else if (sweep % sweeps_between_gradients == 0) {
      // Where whole steps fit, more precise ones are worth what they cost.
      const bool fits = on_the_face<loss>(model, rows, gradients_, record) == 1.0 && loss != RowLoss::square;
      gradients_ = std::clamp(fits ? 2 * gradients_ : gradients_ / 2, fewest_gradients, most_gradients);
      if (record.poll()) return false;
    }
  }
  return true;
}

bool ColumnModel::solve(L1Model& model, RowTerms& rows, LinearRecord& record) {
  if (!x_.gather(model.set, rows.factor.data(), columns_, [&] { return record.poll(); })) return false;
  constant_ = model.constant;
  double squares = 0;
  for (const double a : columns_.value) squares += a * a;
  floor_ = 1e-14 * squares / model.size() + 1e-300;
  curvature_ = model.ridge;
  for (double& value : curvature_) value += floor_;
  for (Index k = 0; k < model.size() && rows.loss == RowLoss::square; ++k)
    for_entries(k, rows, [&](std::size_t, double a) { curvature_[k] += a * a; });
  model.u = model.w;
  switch (rows.loss) {
    case RowLoss::above: return descend<RowLoss::above>(model, rows, record);
    case RowLoss::outside: return descend<RowLoss::outside>(model, rows, record);
    case RowLoss::square: break;
  }
  return descend<RowLoss::square>(model, rows, record);
}

}  // namespace maxmargin
