#include "maxmargin/linear/multiclass/system.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "maxmargin/newton/triangular.hpp"
#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

constexpr Index widest_factor = 1024;                // unknowns
constexpr double worth_a_factor = 8;                 // products with the system
constexpr Index rows_shared = 4, rows_by_class = 3;  // for each feature, that a preconditioner is made of
constexpr double light = 0.1;                        // of the mean weight: rows that it need not know
constexpr double coarse_forcing = 0.2;
constexpr Index rows_a_curvature = 50, most_thinned = 8;
constexpr int most_steps = 1000;

}  // namespace

ClassSystem::ClassSystem(const ClassProblem& problem, const ClassRows& rows, ClassPasses& passes,
                         const std::vector<double>& ridge)
    : problem_(problem),
      rows_(rows),
      passes_(passes),
      linear_(*problem.x),
      ridge_(ridge),
      n_(problem.x->rows()),
      d_(problem.x->columns()),
      K_(problem.classes),
      width_(problem.width()),
      size_(Index(ridge.size())),
      stride_((size_ + 7) / 8 * 8),
      counts_(n_),
      weight_(n_),
      column_(stride_),
      mean_C_(std::accumulate(problem.C, problem.C + n_, 0.0) / n_) {
  in_row_ = std::max(double(problem.x->stored_values()) / n_, 1.0);
  kind_ = size_ <= widest_part ? Kind::shared : Kind::diagonal;
  const std::size_t area = std::size_t(size_) * std::size_t(width_);
  for (std::vector<double>* vector : {&r_, &z_, &p_, &Hp_}) vector->assign(area, 0.0);
  if (kind_ == Kind::diagonal) parts_.assign(area, 1.0);
}

double ClassSystem::unsolved(const std::vector<double>& gradient) const {
  double sum = 0;
  for (Index a = 0; a < size_; ++a)
    for (Index k = 0; k < K_; ++k) {
      const double g = gradient[std::size_t(a) * width_ + k];
      sum += ridge_[a] > 0 ? 0.5 * g * g / ridge_[a] : std::abs(g);
    }
  return sum;
}

// Which rows have curvature, and what that costs.
void ClassSystem::look(const std::vector<double>& alpha, bool coarse) {
  live_.clear();
  for (Index i = 0; i < n_; ++i) {
    counts_[i] = rows_.count(row(alpha, i));
    if (counts_[i] > 1) live_.push_back(i);
  }
  // Far from the optimum a part of the rows tells the curvature well enough (Byrd, Chin, Neveitt and Nocedal 2011).
  thinned_ = 1;
  if (coarse && !rows_.smoothed()) {
    const Index every = std::clamp<Index>(Index(live_.size()) / (rows_a_curvature * size_), 1, most_thinned);
    thinned_ = every;
    for (std::size_t at = 0; at * every < live_.size(); ++at) live_[at] = live_[at * every];
    live_.resize((live_.size() + every - 1) / every);
  }
  const double parts = 0.5 * K_ * (K_ + 1);
  part_cost_ = 0.5 * in_row_ * in_row_;
  product_cost_ = 2 * in_row_ * width_ * double(live_.size()) + double(size_) * width_;
  factor_cost_ = K_ * size_ > widest_factor ? std::numeric_limits<double>::infinity()
                                            : parts * part_cost_ * double(live_.size()) + std::pow(double(K_) * size_, 3) / 6;
}

bool ClassSystem::solve(const std::vector<double>& alpha, const std::vector<double>& gradient, double forcing, double goal,
                        std::vector<double>& direction, ClassRecord& record) {
  look(alpha, forcing >= coarse_forcing);
  if (factor_cost_ > std::max<double>(worth_a_factor, steps_) * product_cost_ &&
      descend(alpha, gradient, forcing, goal, direction, record))
    return true;
  if (record.poll()) return false;
  steps_ -= steps_ / 4;  // so that steps are tried again some time
  return factor(alpha, gradient, direction, record);
}

// Where no row curves, a free offset has no curvature. A millionth of what one row has lets it move.
double ClassSystem::held(Index a) const {
  const bool free = a == d_ && problem_.offset == LinearOffset::free;
  return ridge_[a] + (free ? 1e-6 * mean_C_ * rows_.penalty_parameter() : 0.0);
}

// Lower triangle of H = sum of weight_i x_i x_i', with the constant feature.
void ClassSystem::outer(const std::vector<double>& weight, double* H) {
  std::fill(H, H + std::size_t(stride_) * std::size_t(stride_), 0.0);
  linear_.add_outer(weight.data(), H, stride_);
  if (size_ == d_) return;
  double* const last = H + std::ptrdiff_t(d_) * stride_;
  linear_.combine(weight.data(), last);
  last[d_] = std::accumulate(weight.begin(), weight.end(), 0.0);
}

// All classes and features in one matrix. Where nothing is penalised, weights may grow by the same in all classes: a penalty on
// their sum does not change the answer.
bool ClassSystem::factor(const std::vector<double>& alpha, const std::vector<double>& gradient, std::vector<double>& direction,
                         ClassRecord& record) {
  const Index unknowns = K_ * size_, stride = (unknowns + 7) / 8 * 8;
  H_.assign(std::size_t(stride) * std::size_t(stride), 0.0);
  part_.resize(std::size_t(stride_) * std::size_t(stride_));
  for (Index k = 0; k < K_; ++k)
    for (Index l = 0; l <= k; ++l) {
      if (record.poll()) return false;
      std::fill(weight_.begin(), weight_.end(), 0.0);
      for (const Index i : live_) weight_[i] = thinned_ * rows_.curvature(i, counts_[i], row(alpha, i), k, l);
      outer(weight_, part_.data());
      for (Index a = 0; a < size_; ++a) {
        double* const out = H_.data() + std::ptrdiff_t(k * size_ + a) * stride + std::ptrdiff_t(l) * size_;
        for (Index b = 0; b < size_; ++b) out[b] = part_[std::size_t(std::max(a, b)) * stride_ + std::min(a, b)];
      }
    }
  double trace = 0;
  for (Index u = 0; u < unknowns; ++u) trace += H_[std::size_t(u) * stride + u];
  const double mean = trace / unknowns + 1e-300;
  for (Index a = 0; a < size_; ++a)
    for (Index k = 0; k < K_; ++k)
      for (Index l = 0; l <= k; ++l)
        H_[std::size_t(k * size_ + a) * stride + l * size_ + a] += (ridge_[a] > 0 ? 0.0 : mean) + (k == l ? held(a) : 0.0);
  double floor = (problem_.penalty ? 1e-14 : 1e-9) * mean;
  std::vector<double> L, solution(stride);
  for (int attempt = 0; attempt < 8; ++attempt, floor *= 100) {
    L = H_;
    for (Index u = 0; u < unknowns; ++u) L[std::size_t(u) * stride + u] += floor;
    if (simd().cholesky(unknowns, L.data(), stride, 0.0) < 0) break;
  }
  for (Index k = 0; k < K_; ++k)
    for (Index a = 0; a < size_; ++a) solution[k * size_ + a] = -gradient[std::size_t(a) * width_ + k];
  solve_factored(L.data(), unknowns, stride, solution.data());
  for (Index k = 0; k < K_; ++k)
    for (Index a = 0; a < size_; ++a) direction[std::size_t(a) * width_ + k] = solution[k * size_ + a];
  return true;
}

void ClassSystem::times(const std::vector<double>& alpha, const std::vector<double>& v, std::vector<double>& out) {
  passes_.pass(
      live_, v.data(),
      [&](const ClassPasses::Block& block) {
        for (Index r = 0; r < block.count; ++r)
          rows_.curve(block.rows[r], row(alpha, block.rows[r]), block.values + std::ptrdiff_t(r) * width_);
      },
      out.data());
  if (thinned_ != 1)
    for (double& value : out) value *= thinned_;
  for (Index a = 0; a < size_; ++a)
    simd().axpy(width_, held(a), v.data() + std::ptrdiff_t(a) * width_, out.data() + std::ptrdiff_t(a) * width_);
}

// H + ridge becomes its factor: of class k, or of one that all share, k = K.
void ClassSystem::factor_part(Index k, double* H) {
  double trace = 0;
  for (Index a = 0; a < size_; ++a) trace += H[std::size_t(a) * stride_ + a];
  double floor = (problem_.penalty ? 1e-10 : 1e-9) * trace / size_ + 1e-300;
  for (Index a = 0; a < size_; ++a) {
    double& own = H[std::size_t(a) * stride_ + a];
    const double* const all = diagonals_.data() + std::ptrdiff_t(a) * width_;  // a feature may be missing in the sample
    own = std::max(own, k < K_ ? all[k] : std::accumulate(all, all + K_, 0.0) / (K_ - 1));
    own += std::max(held(a), floor);
  }
  H_.assign(H, H + std::size_t(stride_) * std::size_t(stride_));
  for (int attempt = 0; attempt < 8 && simd().cholesky(size_, H, stride_, 0.0) >= 0; ++attempt, floor *= 100) {
    std::copy(H_.begin(), H_.end(), H);
    for (Index a = 0; a < size_; ++a) H[std::size_t(a) * stride_ + a] += 100 * floor;
  }
}

// Leaves out rows of small weight, and of the others all but every so many.
void ClassSystem::sample(Index rows) {
  double sum = 0, square = 0, kept = 0;
  for (const double w : weight_) {
    sum += w;
    square += w * w;
  }
  const double least = light * square / (sum + 1e-300);
  Index count = 0, skipped = 0;
  for (const double w : weight_) count += w >= least;
  const Index every = std::max<Index>(1, count / rows);
  for (double& w : weight_) {
    if (w < least || ++skipped < every) {
      w = 0;
      continue;
    }
    skipped = 0;
    kept += w;
  }
  for (double& w : weight_) w *= sum / (kept + 1e-300);
}

void ClassSystem::weigh(const std::vector<double>& alpha, Index k) {
  std::fill(weight_.begin(), weight_.end(), 0.0);
  for (const Index i : live_) weight_[i] = thinned_ * rows_.curvature(i, counts_[i], row(alpha, i), k, k);
}

// The diagonals of the parts of all classes, in one pass.
void ClassSystem::find_diagonals(const std::vector<double>& alpha) {
  constexpr Index most = ClassPasses::block;
  diagonals_.assign(std::size_t(size_) * std::size_t(width_), 0.0);
  std::vector<double> squares(std::size_t(most) * std::size_t(d_)), weights(std::size_t(most) * std::size_t(width_), 0.0);
  const double* x[most];
  for (Index r = 0; r < most; ++r) x[r] = squares.data() + std::ptrdiff_t(r) * d_;
  for (std::size_t first = 0; first < live_.size(); first += most) {
    const auto count = Index(std::min<std::size_t>(most, live_.size() - first));
    for (Index r = 0; r < count; ++r) {
      const Index i = live_[first + r];
      double* const out = squares.data() + std::ptrdiff_t(r) * d_;
      problem_.x->read(i, nullptr, out);
      for (Index a = 0; a < d_; ++a) out[a] *= out[a];
      for (Index k = 0; k < K_; ++k)
        weights[std::size_t(r) * width_ + k] = thinned_ * rows_.curvature(i, counts_[i], row(alpha, i), k, k);
    }
    simd().class_sums_f64(count, d_, width_, x, weights.data(), diagonals_.data());
  }
}

// Parts of each class cost more than one that all share, and save more: they are made once half as much has been spent on
// steps.
void ClassSystem::prepare(const std::vector<double>& alpha) {
  const std::size_t area = std::size_t(stride_) * std::size_t(stride_);
  if (kind_ == Kind::diagonal) {
    if (prepared_ && spent_ < product_cost_) return;
    for (Index k = 0; k < K_; ++k) {
      weigh(alpha, k);
      linear_.squares(weight_.data(), column_.data());
      if (size_ > d_) column_[d_] = std::accumulate(weight_.begin(), weight_.end(), 0.0);
      const double least = 1e-9 * *std::max_element(column_.begin(), column_.begin() + size_) + 1e-300;
      for (Index a = 0; a < size_; ++a) parts_[std::size_t(a) * width_ + k] = column_[a] + std::max(held(a), least);
    }
  } else {
    const double factored = std::pow(size_, 3) / 6;
    const auto cost = [&](Index rows) { return std::min<double>(double(live_.size()), rows * size_) * part_cost_ + factored; };
    if (prepared_ && spent_ >= 0.5 * K_ * cost(rows_by_class)) {
      kind_ = Kind::by_class;
      find_diagonals(alpha);
      parts_.resize(area * std::size_t(K_));
      for (Index k = 0; k < K_; ++k) {
        weigh(alpha, k);
        sample(rows_by_class * size_);
        outer(weight_, parts_.data() + area * std::size_t(k));
        factor_part(k, parts_.data() + area * std::size_t(k));
      }
    } else if (!prepared_ || (kind_ == Kind::shared && spent_ >= shared_at_ + cost(rows_shared))) {
      parts_.resize(area);
      find_diagonals(alpha);
      std::fill(weight_.begin(), weight_.end(), 0.0);
      for (const Index i : live_) {
        for (Index k = 0; k < K_; ++k) weight_[i] += thinned_ * rows_.curvature(i, counts_[i], row(alpha, i), k, k);
        weight_[i] /= K_ - 1;
      }
      sample(rows_shared * size_);
      outer(weight_, parts_.data());
      factor_part(K_, parts_.data());
      prepared_ = true;
      shared_at_ = spent_;
      return;  // what was spent goes on to count
    } else {
      return;
    }
  }
  prepared_ = true;
  spent_ = 0;
}

// z = P M^-1 r, with P the projection to vectors that sum to 0 over the classes, where gradients are.
void ClassSystem::precondition(const std::vector<double>& r, std::vector<double>& z) {
  z = r;
  if (kind_ == Kind::shared) {
    std::vector<double>& sum = column_;
    sum.assign(std::max(width_, stride_), 0.0);
    solve_factored(parts_.data(), size_, stride_, width_, z.data(), sum.data());
    return;
  }
  if (kind_ == Kind::diagonal)
    for (std::size_t at = 0; at < z.size(); ++at) z[at] /= parts_[at];
  for (Index k = 0; k < K_ && kind_ == Kind::by_class; ++k) {
    const double* const L = parts_.data() + std::size_t(stride_) * std::size_t(stride_) * std::size_t(k);
    for (Index a = 0; a < size_; ++a) column_[a] = z[std::size_t(a) * width_ + k];
    solve_factored(L, size_, stride_, column_.data());
    for (Index a = 0; a < size_; ++a) z[std::size_t(a) * width_ + k] = column_[a];
  }
  for (Index a = 0; a < size_; ++a) {
    double* const own = z.data() + std::ptrdiff_t(a) * width_;
    const double mean = std::accumulate(own, own + K_, 0.0) / K_;
    for (Index k = 0; k < K_; ++k) own[k] -= mean;
  }
}

bool ClassSystem::descend(const std::vector<double>& alpha, const std::vector<double>& gradient, double forcing, double goal,
                          std::vector<double>& direction, ClassRecord& record) {
  const auto area = std::ptrdiff_t(size_) * width_;
  prepare(alpha);
  std::fill(direction.begin(), direction.end(), 0.0);
  for (std::ptrdiff_t a = 0; a < area; ++a) r_[a] = -gradient[a];
  precondition(r_, z_);
  p_ = z_;
  double rz = simd().dot(area, r_.data(), z_.data());
  const double enough = forcing * forcing * rz;
  for (int step = 0; step < most_steps && rz > enough; ++step) {
    times(alpha, p_, Hp_);
    const double curve = simd().dot(area, p_.data(), Hp_.data());
    if (!(curve > 0)) break;
    const double length = rz / curve;
    simd().axpy(area, length, p_.data(), direction.data());
    simd().axpy(area, -length, Hp_.data(), r_.data());
    precondition(r_, z_);
    const double next = simd().dot(area, r_.data(), z_.data());
    const double ratio = next / rz;
    rz = next;
    for (std::ptrdiff_t a = 0; a < area; ++a) p_[a] = z_[a] + ratio * p_[a];
    spent_ += product_cost_;
    if (step * product_cost_ > factor_cost_ || record.poll()) return steps_ = step, false;
    if (unsolved(r_) <= goal) break;
  }
  return true;
}

}  // namespace maxmargin
