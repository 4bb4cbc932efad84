#include "maxmargin/linear/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/linear/losses.hpp"
#include "maxmargin/linear/nearby_points.hpp"
#include "maxmargin/linear/row_terms.hpp"
#include "maxmargin/linear/rows_for_all.hpp"
#include "maxmargin/newton/line_search.hpp"
#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

constexpr double increase = 4.0, increase_again = 2.0, most_penalty = 1e9;
constexpr std::int64_t few_rounds = 2, many_rounds = 6;  // of one smoothing
constexpr int most_short_steps = 12;
constexpr Index step_of_rows = 4, rows_a_feature = 8;  // of some rows that are solved for
constexpr double enough_of_some = 1e-2;
constexpr int rows_worth_factors = 8;
constexpr double near_enough = 1e-2;  // of the objective, that a step gains

}  // namespace

LinearNewton::LinearNewton(const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor)
    : problem_(problem),
      passes_(*problem.x),
      record_(problem, options, monitor, 60, true),
      n_(problem.x->rows()),
      d_(problem.x->columns()),
      size_(d_ + (problem.offset != LinearOffset::none)),
      stand_for_more_(options.stand_for_more),
      explicit_(size_ <= widest_factor),
      wide_(!explicit_ && n_ <= 2 * std::int64_t(size_) &&
            (problem.loss == MarginLoss::hinge || problem.loss == MarginLoss::squared_hinge)),
      losses_(problem, wide_),
      w_((size_ + 7) / 8 * 8, 0.0),
      z_(n_, 0.0),
      alpha_(n_),
      curvature_(n_),
      gradient_(size_),
      direction_(w_.size()),
      along_(n_),
      ridge_(size_, problem.penalty ? 1.0 : 0.0),
      mean_C_(std::accumulate(problem.C, problem.C + n_, 0.0) / n_) {
  passes_.watch([this] { return record_.poll(); });
  if (problem.offset == LinearOffset::free) ridge_[d_] = 0;
  if (problem.offset == LinearOffset::penalised) ridge_[d_] /= problem.offset_scale * problem.offset_scale;
  if (problem.target) begin_at_the_median();
  for (int side : {0, 1}) {
    sums_.combination[side].resize(d_);
    ahead_.combination[side].resize(d_);
    signed_[side].resize(n_);
  }
  change_.resize(n_);
  if (explicit_) {
    const bool iterates = !losses_.proximal() && problem.penalty;
    const LinearSystem::Rules rules{iterates, record_.is_exact(), stand_for_more_};
    system_ = std::make_unique<LinearSystem>(problem, passes_, ridge_, rules);
  } else {
    gradients_ = std::make_unique<ConjugateGradients>(problem, passes_, size_);
    if (wide_) polish_ = std::make_unique<FacePolish>(problem, passes_, *gradients_, ridge_);
  }
}

void LinearNewton::evaluate_losses() {
  const bool apart = problem_.offset == LinearOffset::free;
  std::vector<RowTerms> parts(passes_.chunks());
  double* const up = signed_[apart ? 1 : 0].data();
  double* const down = apart ? signed_[0].data() : nullptr;
  passes_.for_rows([&](Index c, Index begin, Index end) {
    parts[c] = row_terms(problem_, losses_, begin, end, z_.data(), alpha_.data(), curvature_.data(), up, down);
  });
  RowTerms all;
  for (const RowTerms& part : parts) all += part;
  primal_ = all.loss;
  sums_.of_slopes = all.of_slopes;  // C (loss(z) + loss*(-alpha / C)) = -alpha z
  for (int side : {0, 1}) {
    const RowTerms::Side& own = side ? all.plus : all.minus;
    sums_.abs_sum[side] = own.abs_sum;
    sums_.gain[side] = own.gain;
    sums_.square[side] = own.square;
  }
  for (Index k = 0; k < size_; ++k) primal_ += 0.5 * ridge_[k] * w_[k] * w_[k];
}

void LinearNewton::combine_slopes() {
  passes_.combine(signed_[0].data(), sums_.combination[0].data());
  if (problem_.offset == LinearOffset::free) passes_.combine(signed_[1].data(), sums_.combination[1].data());
  for (Index k = 0; k < d_; ++k) gradient_[k] = ridge_[k] * w_[k] - (sums_.combination[0][k] + sums_.combination[1][k]);
  if (size_ > d_) gradient_[d_] = ridge_[d_] * w_[d_] - (sums_.abs_sum[1] - sums_.abs_sum[0]);
}

void LinearNewton::evaluate() {
  evaluate_losses();
  combine_slopes();
}

// Far from all targets no row of a smoothed tube curves. The median of equal targets is exact.
void LinearNewton::begin_at_the_median() {
  std::vector<double> sorted(problem_.target, problem_.target + n_);
  std::nth_element(sorted.begin(), sorted.begin() + n_ / 2, sorted.end());
  const double median = sorted[n_ / 2];
  double apart = 0;
  for (Index i = 0; i < n_; ++i) apart += std::abs(problem_.target[i] - median);
  spread_ = apart > 0 ? apart / n_ : 1.0;
  losses_.penalty_parameter /= spread_;
  const bool all_up = std::all_of(problem_.y, problem_.y + n_, [](double y) { return y > 0; });
  if (size_ == d_ || !all_up) return;
  w_[d_] = median;
  std::fill(z_.begin(), z_.end(), median);
}

// Where no row curves, a free offset has no curvature. A millionth of what one row has lets it move.
double LinearNewton::offset_floor() const {
  if (!losses_.proximal()) return 1e-6 * mean_C_;
  const double curvature = losses_.mean_curvature();
  return 1e-6 * (has_kinks(problem_.loss) ? curvature : std::min(curvature, mean_C_));
}

bool LinearNewton::find_direction() {
  const double forcing = problem_.penalty ? std::clamp(0.5 * std::sqrt(record_.relative_gap()), 1e-4, 0.1) : 1e-10;
  if (explicit_) {
    system_->solve(curvature_, gradient_, offset_floor(), forcing, direction_);
  } else {
    const double least = size_ > d_ ? offset_floor() : 0.0;
    if (!gradients_->solve(curvature_, ridge_, least, gradient_, forcing, direction_, record_)) return false;
  }
  decrement_ = -simd().dot(size_, gradient_.data(), direction_.data());
  if (!explicit_) return gradients_->margins(direction_, along_), true;
  const double offset = size_ > d_ ? direction_[d_] : 0.0;
  passes_.scores(direction_.data(), along_.data());
  passes_.for_rows([&](Index, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) along_[i] = problem_.y[i] * (along_[i] + offset);
  });
  return true;
}

double LinearNewton::find_length() {
  // What is left is rounding, of which the slope along directions without curvature is all there is.
  if (!problem_.penalty && decrement_ <= 1e-14 * primal_) return 1.0;
  double slope_w = 0, curve_w = 0;
  for (Index k = 0; k < size_; ++k) {
    slope_w += ridge_[k] * w_[k] * direction_[k];
    curve_w += ridge_[k] * direction_[k] * direction_[k];
  }
  std::vector<RowLosses::Slope> parts(passes_.chunks());
  const double close = is_quadratic(problem_.loss) ? 1e-2 : 0.1;
  // The slope is a difference of the penalty's and the losses': below their rounding there is nothing to search for.
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * std::abs(slope_w);
  return line_search(std::max(close * decrement_, rounding), [&](double length) {
    passes_.for_rows(
        [&](Index c, Index begin, Index end) { parts[c] = losses_.slope_at(begin, end, z_.data(), along_.data(), length); });
    AlongDirection at{slope_w + length * curve_w, curve_w};
    for (const RowLosses::Slope& part : parts) {
      at.slope += part.first;
      at.curvature += part.second;
    }
    return at;
  });
}

void LinearNewton::step(double length) {
  simd().axpy(size_, length, direction_.data(), w_.data());
  simd().axpy(n_, length, along_.data(), z_.data());
}

// The gap of the smoothed problem: 1/2 |w - v|^2, v what alpha makes of the rows, and what it costs to make alpha level where
// the offset is free, by how far margins or targets are apart. What the gap has beyond it is the smoothing's.
double LinearNewton::unsolved() const {
  double square = 0;
  for (Index k = 0; k < size_; ++k)
    if (ridge_[k] > 0) square += gradient_[k] * gradient_[k] / ridge_[k];
  return 0.5 * square + (problem_.offset == LinearOffset::free ? spread_ * std::abs(gradient_[d_]) : 0.0);
}

// Without a penalty the combination of all rows must vanish. alpha does not do that, but what Newton's system says that it
// becomes does, if it stays inside its bounds.
bool LinearNewton::without_penalty(std::int64_t round) {
  bool inside = true, separates = true;
  std::vector<double> next(n_);
  double gain = 0;
  for (Index i = 0; i < n_; ++i) {
    next[i] = alpha_[i] - curvature_[i] * along_[i];
    const double least = problem_.target ? -std::numeric_limits<double>::infinity() : 0.0;
    inside = inside && next[i] >= least && next[i] <= most_alpha(problem_.loss, problem_.C[i]);
    separates = separates && z_[i] > 0;
    if (inside) gain += gain_of(problem_, i, next[i]);
  }
  separates = separates && !is_quadratic(problem_.loss);  // the others have a minimum
  if (separates) {
    record_.separates();
  }
  if (inside) record_.forget_dual();
  const double dual = inside ? gain : -std::numeric_limits<double>::infinity();
  return record_.see(primal_, w_, size_ > d_ ? w_[d_] : 0.0, dual, next, 1.0, 1.0, round) || separates;
}

bool LinearNewton::see(const ScaledDual& dual, const std::vector<double>& alpha, std::int64_t round) {
  const double b = size_ > d_ ? w_[d_] : 0.0;
  if (explicit_ || !losses_.proximal() || problem_.target)
    return record_.see(primal_, w_, b, dual.value, alpha, dual.minus, dual.plus, round);
  double square = 0;
  for (Index k = 0; k < size_; ++k) square += ridge_[k] * w_[k] * w_[k];
  const auto [t, primal] = best_multiple(problem_, z_, square);
  longer_ = w_;
  for (double& value : longer_) value *= t;
  return record_.see(primal, longer_, t * b, dual.value, alpha, dual.minus, dual.plus, round);
}

// Hinge and tube: what alpha has become is the centre of the next smoothing, which is closer to the kink. On wide rows that
// have shown what is too close, by less, and not if this one was hard.
void LinearNewton::update_multipliers(std::int64_t round) {
  losses_.at(0, n_, z_.data(), losses_.centre.data(), change_.data(), nullptr);
  const std::int64_t took = round - centred_;
  centred_ = round;
  short_steps_ = 0;
  if (relaxed_ && took > few_rounds) {
    if (took > many_rounds) losses_.penalty_parameter /= increase;
    return;
  }
  if (spread_ * losses_.penalty_parameter >= most_penalty) return;
  losses_.penalty_parameter *= relaxed_ ? increase_again : increase;
  if (explicit_) system_->scale_curvatures(increase);
}

// Too close to the kinks, w creeps from one to the next. The squared hinge, which bends less, is better off without this.
bool LinearNewton::relax(std::int64_t round) {
  if (!wide_ || !has_kinks(problem_.loss) || short_steps_ <= most_short_steps) return false;
  losses_.penalty_parameter /= increase;
  centred_ = round;
  short_steps_ = 0;
  relaxed_ = true;
  return true;
}

// What Newton's system says that alpha becomes, inside its bounds.
void LinearNewton::look_ahead() {
  for (Index i = 0; i < n_; ++i) {
    const double most = most_alpha(problem_.loss, problem_.C[i]);
    change_[i] = std::clamp(alpha_[i] - curvature_[i] * along_[i], problem_.target ? -most : 0.0, most);
  }
}

bool LinearNewton::see_ahead(std::int64_t round) {
  look_ahead();
  return see_dual(change_, round);
}

// Near the optimum those multipliers are off by the square of what w is off, the slopes' own by that times the curvature of the
// objective: with a factor of the Hessian, and from a start that is as near as this step, they save the last round.
bool LinearNewton::is_near() const {
  const bool from_start = explicit_ && warm_ && !losses_.proximal() && !record_.is_exact();
  return from_start && problem_.penalty && 0.5 * decrement_ <= near_enough * primal_;
}

bool LinearNewton::see_dual(const std::vector<double>& alpha, std::int64_t round) {
  const ScaledDual dual = dual_of(problem_, alpha, passes_, ahead_, signed_);
  best_ahead_ = dual.value > record_.dual();
  return see(dual, alpha, round);
}

// A dual point from the system of the rows with curvature; where it is the best so far, the smoothing goes on from it.
bool LinearNewton::polish(std::int64_t round) {
  if (!polish_->move(alpha_, curvature_, problem_.offset == LinearOffset::free ? w_[d_] : 0.0, record_)) return true;
  const bool stop = see_dual(polish_->moved(), round);
  if (best_ahead_) {
    polish_->keep();
    losses_.centre = polish_->moved();
  }
  return stop;
}

LinearOutcome LinearNewton::run() {
  evaluate_losses();
  for (std::int64_t round = 0;; ++round) {
    combine_slopes();
    if (problem_.penalty) {
      const ScaledDual dual = scaled_dual(problem_, sums_, alpha_, passes_);
      if (see(dual, alpha_, round)) break;
      if (losses_.proximal() && unsolved() <= 0.1 * (primal_ - dual.value)) {
        update_multipliers(round);
        if (wide_ && polish(round)) break;
        evaluate();
      } else if (relax(round)) {
        evaluate();
      }
    }
    if (!find_direction()) break;
    if (!problem_.penalty && without_penalty(round)) break;
    if (!(decrement_ > 0)) {  // nothing left that float64 can tell
      if (!losses_.proximal()) break;
      update_multipliers(round);
      evaluate_losses();
      continue;
    }
    if (!explicit_ && problem_.penalty && (losses_.proximal() || round > 0) && see_ahead(round)) break;
    const bool near = is_near();
    if (near) look_ahead();
    const double length = find_length();
    short_steps_ += length < 0.1;
    step(length);
    if (stand_for_more_ && gains_little()) {
      record_.insist(w_, size_ > d_ ? w_[d_] : 0.0);
      break;
    }
    if (near) {
      const ScaledDual ahead = dual_of(problem_, change_, passes_, ahead_, signed_);
      evaluate_losses();
      if (see(ahead, change_, round + 1)) break;
    } else {
      evaluate_losses();
    }
  }
  return record_.finish();
}

void LinearNewton::place(const LinearOutcome& start) {
  std::copy(start.w.begin(), start.w.end(), w_.begin());
  if (size_ > d_) w_[d_] = start.b;
  passes_.scores(w_.data(), z_.data());
  passes_.for_rows([&](Index, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) z_[i] = problem_.y[i] * (z_[i] + start.b);
  });
}

void LinearNewton::begin_at(const LinearOutcome& start) {
  place(start);
  warm_ = true;
  if (losses_.proximal()) losses_.centre = start.alpha;
  if (problem_.offset != LinearOffset::free) record_.adopt(start);
}

// Some of the rows can be met closer than all of them, by about features / rows with curvature of the objective: a step that
// gains no more than that serves these rows alone.
bool LinearNewton::gains_little() const {
  const auto alive = double(std::count_if(curvature_.begin(), curvature_.end(), [](double c) { return c != 0; }));
  return decrement_ <= std::max(enough_of_some, size_ / alive) * primal_;
}

// Some of the rows at a higher C, and these from some of them: most rounds are needed to come near, and for that a part of
// the rows tells as much as all. Not where there are few rows a feature, or where a round is the factor more than the rows.
void LinearNewton::begin_with_some_rows(const LinearOptions& options, const Monitor& monitor) {
  if (!explicit_ || losses_.proximal() || !problem_.penalty || record_.is_exact()) return;
  if (n_ < step_of_rows * rows_a_feature * std::int64_t(size_)) return;
  const SystemCosts costs(*problem_.x, size_);
  if (n_ * (0.5 * costs.row_of_matrix + 3 * costs.row_of_product) < rows_worth_factors * costs.factor) return;
  const RowsForAll some(problem_, step_of_rows);
  LinearOptions brief = options;
  brief.stand_for_more = true;
  place(minimise_by_newton(some.problem, brief, [&](const Progress& p) { return monitor({p.seconds, 0, 0.0, 1.0, 0}); }));
}

}  // namespace maxmargin
