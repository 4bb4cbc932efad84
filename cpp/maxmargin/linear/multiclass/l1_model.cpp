#include "maxmargin/linear/multiclass/l1_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace maxmargin {

namespace {

constexpr int sweeps_between_gradients = 10;
constexpr int most_sweeps = 60;
constexpr int sweeps_of_growth = 8;
constexpr int gradients = 64;
constexpr double most_residual = 0.01;
constexpr int most_halves = 10;

}  // namespace

// The matrix of each two classes over the features that are in the set for any class, of which it has a part.
bool ClassGramModel::fill(const ClassWorkingSet& model, const std::vector<double>& alpha, NewtonRecord& record) {
  const Index n = problem_.x->rows(), m = Index(model.set.columns.size()), width = problem_.width();
  const Index stride = (m + 8) / 8 * 8;
  std::vector<std::vector<Index>> of(problem_.classes);
  bool offsets = false;
  for (Index p = 0; p < model.size(); ++p) {
    of[model.klass[p]].push_back(p);
    offsets = offsets || model.is_offset(p);
  }
  quadratic_.begin(model.size());
  weight_.resize(n);
  part_.resize(std::size_t(stride) * std::size_t(stride));
  for (Index k = 0; k < problem_.classes; ++k)
    for (Index l = 0; l <= k; ++l) {
      if (of[k].empty() || of[l].empty()) continue;
      if (record.poll()) return false;
      for (Index i = 0; i < n; ++i) {
        const double* const a = alpha.data() + std::ptrdiff_t(i) * width;
        weight_[i] = a[k] * ((k == l) - a[l] / problem_.C[i]);
      }
      std::fill(part_.begin(), part_.end(), 0.0);
      if (m > 0) passes_.add_outer(weight_.data(), model.set, part_.data(), stride);
      if (offsets) {
        sum_.resize(passes_.x().columns());
        passes_.combine(weight_.data(), sum_.data());
        double* const last = part_.data() + std::ptrdiff_t(m) * stride;
        for (Index a = 0; a < m; ++a) last[a] = sum_[model.set.columns[a]];
        last[m] = std::accumulate(weight_.begin(), weight_.end(), 0.0);
      }
      for (const Index p : of[k])
        for (const Index q : of[l]) {
          const Index a = std::max(model.place[p], model.place[q]), b = std::min(model.place[p], model.place[q]);
          quadratic_.row(std::max(p, q))[std::min(p, q)] = part_[std::size_t(a) * stride + b];
        }
    }
  if (model.free_offsets)
    for (Index p = 0; p < model.size(); ++p)
      for (Index q = 0; q <= p; ++q)
        if (model.is_offset(p) && model.is_offset(q)) quadratic_.row(p)[q] += model.gauge;
  return true;
}

ClassColumnModel::ClassColumnModel(const ClassProblem& problem, const ColumnAccess& x)
    : problem_(problem), x_(x), n_(std::size_t(problem.x->rows())), ones_(n_, 1.0), inverse_(n_) {
  for (std::size_t i = 0; i < n_; ++i) inverse_[i] = 1.0 / problem.C[i];
}

template <class Visit>
void ClassColumnModel::for_entries(const ClassWorkingSet& model, Index p, const Visit& visit) const {
  if (model.is_offset(p)) {
    for (std::size_t i = 0; i < n_; ++i) visit(i, 1.0);
    return;
  }
  const Index* const row = columns_.row.data();
  const double* const value = columns_.value.data();
  const Index place = model.place[p];
  for (std::int64_t at = columns_.start[place], end = columns_.start[place + 1]; at < end; ++at)
    visit(std::size_t(row[at]), value[at]);
}

double ClassColumnModel::slope(const ClassWorkingSet& model, Index p) const {
  const double* const alpha = alpha_.data() + std::size_t(model.klass[p]) * n_;
  const double* const z = z_.data() + std::size_t(model.klass[p]) * n_;
  const double* const mean = mean_.data();
  double even = model.g[p] + (model.ridge[p] + model.damping[p]) * (model.u[p] - model.w[p]);
  if (model.free_offsets && model.is_offset(p)) even += model.gauge * offset_sum_;
  for_entries(model, p, [&](std::size_t i, double x) { even += x * alpha[i] * (z[i] - mean[i]); });
  return even;
}

void ClassColumnModel::move(ClassWorkingSet& model, Index p, double to) {
  const double step = to - model.u[p];
  if (step == 0) return;
  const double* const alpha = alpha_.data() + std::size_t(model.klass[p]) * n_;
  double* const z = z_.data() + std::size_t(model.klass[p]) * n_;
  double* const mean = mean_.data();
  for_entries(model, p, [&](std::size_t i, double x) {
    const double change = step * x;
    z[i] += change;
    mean[i] += change * alpha[i] * inverse_[i];
  });
  if (model.is_offset(p)) offset_sum_ += step;
  model.u[p] = to;
}

double ClassColumnModel::value(const ClassWorkingSet& model) const {
  double sum = 0;
  for (std::size_t k = 0; k < std::size_t(problem_.classes); ++k)
    for (std::size_t i = 0; i < n_; ++i) {
      const double z = z_[k * n_ + i] - mean_[i];
      sum += alpha_[k * n_ + i] * z * z;
    }
  if (model.free_offsets) sum += model.gauge * offset_sum_ * offset_sum_;
  sum *= 0.5;
  for (Index p = 0; p < model.size(); ++p) {
    const double off = model.u[p] - model.w[p];
    sum += (model.g[p] + 0.5 * (model.ridge[p] + model.damping[p]) * off) * off + model.cost[p] * std::abs(model.u[p]);
  }
  return sum;
}

// H toward = residual over the face, preconditioned by the diagonal.
void ClassColumnModel::conjugate_gradients(const ClassWorkingSet& model, const std::vector<Index>& free, int most,
                                           NewtonRecord& record) {
  const std::size_t m = free.size();
  toward_.assign(m, 0.0);
  search_.resize(m);
  double energy = 0;
  for (std::size_t a = 0; a < m; ++a) {
    search_[a] = residual_[a] / curvature_[free[a]];
    energy += residual_[a] * search_[a];
  }
  const double enough = most_residual * most_residual * energy;
  for (int step = 0; step < most && energy > enough && !record.poll(); ++step) {
    image_.assign(z_.size(), 0.0);
    image_mean_.assign(n_, 0.0);
    double offsets = 0;
    for (std::size_t a = 0; a < m; ++a) {
      double* const image = image_.data() + std::size_t(model.klass[free[a]]) * n_;
      const double along = search_[a];
      for_entries(model, free[a], [&](std::size_t i, double x) { image[i] += along * x; });
      if (model.is_offset(free[a])) offsets += along;
    }
    for (std::size_t k = 0; k < std::size_t(problem_.classes); ++k)
      for (std::size_t i = 0; i < n_; ++i) image_mean_[i] += alpha_[k * n_ + i] * image_[k * n_ + i];
    for (std::size_t i = 0; i < n_; ++i) image_mean_[i] *= inverse_[i];
    for (std::size_t k = 0; k < std::size_t(problem_.classes); ++k)
      for (std::size_t i = 0; i < n_; ++i) image_[k * n_ + i] = alpha_[k * n_ + i] * (image_[k * n_ + i] - image_mean_[i]);
    double curve = 0;
    std::vector<double>& product = image_mean_;  // room
    product.resize(std::max(n_, m));
    for (std::size_t a = 0; a < m; ++a) {
      const Index p = free[a];
      const double* const image = image_.data() + std::size_t(model.klass[p]) * n_;
      double sum = (floor_ + model.ridge[p] + model.damping[p]) * search_[a];
      if (model.free_offsets && model.is_offset(p)) sum += model.gauge * offsets;
      for_entries(model, p, [&](std::size_t i, double x) { sum += x * image[i]; });
      product[a] = sum;
      curve += sum * search_[a];
    }
    if (!(curve > 0)) return;
    const double length = energy / curve;
    double next = 0;
    for (std::size_t a = 0; a < m; ++a) {
      toward_[a] += length * search_[a];
      residual_[a] -= length * product[a];
      next += residual_[a] * residual_[a] / curvature_[free[a]];
    }
    for (std::size_t a = 0; a < m; ++a) search_[a] = residual_[a] / curvature_[free[a]] + next / energy * search_[a];
    energy = next;
  }
}

// A Newton step over the weights that are not 0; those that would change their sign stop at 0. Half as far as often as the
// objective asks for it: returns how far.
double ClassColumnModel::on_the_face(ClassWorkingSet& model, int most, NewtonRecord& record) {
  std::vector<Index> free;
  residual_.clear();
  for (Index p = 0; p < model.size(); ++p) {
    if (model.u[p] == 0 && model.cost[p] > 0) continue;
    if ((p & 255) == 255 && record.poll()) return 0;
    free.push_back(p);
    residual_.push_back(-slope(model, p) - (model.u[p] > 0 ? model.cost[p] : -model.cost[p]));
  }
  conjugate_gradients(model, free, most, record);
  const double before = value(model);
  const std::vector<double> u = model.u, z = z_, mean = mean_;
  const double offsets = offset_sum_;
  double t = 1;
  for (int halves = 0; halves < most_halves; ++halves, t *= 0.5) {
    for (std::size_t a = 0; a < free.size(); ++a) {
      if ((a & 255) == 255 && record.poll()) break;
      const Index p = free[a];
      const double to = u[p] + t * toward_[a];
      move(model, p, model.cost[p] > 0 && to * u[p] < 0 ? 0.0 : to);
    }
    if (value(model) < before) return t;
    model.u = u;
    z_ = z;
    mean_ = mean;
    offset_sum_ = offsets;
    if (record.poll()) return 0;
  }
  return 0;
}

// Sweeps and faces until the violation is a part of what it was. Weights that are at 0 with room to spare are left out until
// the others have settled.
bool ClassColumnModel::descend(ClassWorkingSet& model, NewtonRecord& record) {
  const Index size = model.size();
  std::vector<Index> active(size);
  std::iota(active.begin(), active.end(), 0);
  Index count = size;
  const double close = 0.1 * model.worst;
  double spare = 0.1;
  const int sweeps = model.settled ? most_sweeps : sweeps_of_growth;
  for (int sweep = 1; sweep <= sweeps; ++sweep) {
    double worst = 0;
    for (Index a = 0; a < count; ++a) {
      const Index p = active[a];
      const double r = slope(model, p);
      if (model.u[p] == 0 && std::abs(r) < (1 - spare) * model.cost[p]) {
        std::swap(active[a--], active[--count]);
        continue;
      }
      const double away = L1Coordinates::violation(model.u[p], r, model.cost[p]);
      worst = std::max(worst, away);
      if (away > 0) move(model, p, L1Coordinates::least(model.u[p], r, curvature_[p], model.cost[p]));
      if ((a & 63) == 63 && record.poll()) return false;
    }
    if (worst <= close) {
      if (count == size) break;
      count = size;
      spare = std::numeric_limits<double>::infinity();  // nothing is left out again
    } else if (sweep % sweeps_between_gradients == 0) {
      on_the_face(model, gradients, record);
      if (record.poll()) return false;
    }
  }
  return true;
}

bool ClassColumnModel::solve(ClassWorkingSet& model, const std::vector<double>& alpha, NewtonRecord& record) {
  if (!x_.gather(model.set, ones_.data(), columns_, [&] { return record.poll(); })) return false;
  const Index K = problem_.classes, width = problem_.width();
  alpha_.resize(std::size_t(K) * n_);
  for (std::size_t i = 0; i < n_; ++i)
    for (Index k = 0; k < K; ++k) alpha_[std::size_t(k) * n_ + i] = alpha[i * std::size_t(width) + std::size_t(k)];
  z_.assign(std::size_t(K) * n_, 0.0);
  mean_.assign(n_, 0.0);
  offset_sum_ = 0;
  model.u = model.w;
  curvature_.assign(model.size(), 0.0);
  double trace = 0;
  for (Index p = 0; p < model.size(); ++p) {
    if ((p & 63) == 63 && record.poll()) return false;
    const double* const own = alpha_.data() + std::size_t(model.klass[p]) * n_;
    double sum = 0;
    for_entries(model, p, [&](std::size_t i, double x) { sum += x * x * own[i] * (1 - own[i] * inverse_[i]); });
    curvature_[p] = sum;
    trace += sum;
  }
  floor_ = 1e-14 * trace / model.size() + 1e-300;
  for (Index p = 0; p < model.size(); ++p) {
    curvature_[p] += floor_ + model.ridge[p] + model.damping[p];
    if (model.free_offsets && model.is_offset(p)) curvature_[p] += model.gauge;
  }
  return descend(model, record);
}

}  // namespace maxmargin
