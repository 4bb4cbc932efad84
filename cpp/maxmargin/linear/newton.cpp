#include "maxmargin/linear/newton.hpp"

#include <cstdlib>
#include <numeric>

#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

constexpr Index widest_factor = 1024;   // beyond that, conjugate gradients
constexpr double first_by_rows = 10.0;  // of the sharpness on wide rows
constexpr std::int64_t sweeps_before = 200, fair_try = 200, most_sweeps = 20'000;

// glibc gives what is free at the top of its memory back to the system, which has to clear it again for the next fit: a tenth
// of the time of a short one. It keeps up to twice the largest piece that it has seen go (at most 32 MB). So here goes a piece
// as large as all that a search takes, which nobody has touched.
void keep_memory(Index rows, Index columns) {
  constexpr std::size_t most = 32 << 20;
  const std::size_t bytes = sizeof(double) * (12 * std::size_t(rows) + 3 * std::size_t(columns) * std::size_t(columns));
  if (bytes > most) return;
  void* volatile all = std::malloc(bytes);
  std::free(all);
}

}  // namespace

LinearNewton::LinearNewton(const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor)
    : problem_(problem),
      passes_(*problem.x),
      record_(problem, options, monitor, 60, true),
      n_(problem.x->rows()),
      d_(problem.x->columns()),
      size_(d_ + (problem.offset != LinearOffset::none)),
      stride_((size_ + 7) / 8 * 8),
      stand_for_more_(options.stand_for_more),
      explicit_(size_ <= widest_factor),
      wide_(!explicit_ && n_ <= 2 * std::int64_t(size_) &&
            (problem.loss == MarginLoss::hinge || problem.loss == MarginLoss::squared_hinge)),
      w_(stride_, 0.0),
      z_(n_, 0.0),
      alpha_(n_),
      curvature_(n_),
      gradient_(size_),
      direction_(stride_),
      along_(n_),
      ridge_(size_, problem.penalty ? 1.0 : 0.0) {
  passes_.watch([this] { return record_.poll(); });
  if (problem.offset == LinearOffset::free) ridge_[d_] = 0;
  if (problem.offset == LinearOffset::penalised) ridge_[d_] /= problem.offset_scale * problem.offset_scale;
  mean_price_ = std::accumulate(problem.price, problem.price + n_, 0.0) / n_;
  proximal_ = has_kinks(problem.loss) || (problem.loss == MarginLoss::squared_hinge && wide_);
  if (proximal_) {
    centre_.resize(n_);
    rate_.resize(n_);
    base_.assign(n_, 0.0);
    for (Index i = 0; i < n_; ++i) {
      centre_[i] = problem.loss == MarginLoss::hinge ? 0.5 * problem.price[i] : 0.0;
      rate_[i] = wide_ ? 1 / std::max(problem.x->square(i), 1e-300) : problem.price[i];
    }
    mean_rate_ = std::accumulate(rate_.begin(), rate_.end(), 0.0) / n_;
    if (wide_) sharpness_ = first_by_rows;
  }
  if (problem.target) begin_at_the_median();
  for (int side : {0, 1}) {
    sums_.combination[side].resize(d_);
    ahead_.combination[side].resize(d_);
    signed_[side].resize(n_);
  }
  change_.resize(n_);
  if (!explicit_) gradients_ = std::make_unique<ConjugateGradients>(problem, passes_, size_);
  if (explicit_) {
    H_.assign(std::size_t(stride_) * std::size_t(stride_), 0.0);
    L_.resize(H_.size());
    in_H_.assign(n_, 0.0);
    offset_row_.assign(d_, 0.0);
    for (std::vector<double>* v : {&residual_, &fitted_, &search_, &image_, &diagonal_}) v->resize(size_);
  }
}

// Far from all targets no row of a smoothed tube curves. The median of equal targets is exact.
void LinearNewton::begin_at_the_median() {
  std::vector<double> sorted(problem_.target, problem_.target + n_);
  std::nth_element(sorted.begin(), sorted.begin() + n_ / 2, sorted.end());
  const double median = sorted[n_ / 2];
  double apart = 0;
  for (Index i = 0; i < n_; ++i) apart += std::abs(problem_.target[i] - median);
  spread_ = apart > 0 ? apart / n_ : 1.0;
  sharpness_ /= spread_;
  const bool all_up = std::all_of(problem_.y, problem_.y + n_, [](double y) { return y > 0; });
  if (size_ == d_ || !all_up) return;
  w_[d_] = median;
  std::fill(z_.begin(), z_.end(), median);
}

// Where no row curves, a free offset has no curvature. A millionth of what one row has lets it move.
double LinearNewton::offset_floor() const {
  if (!proximal_) return 1e-6 * mean_price_;
  const double curvature = sharpness_ * mean_rate_;
  return 1e-6 * (has_kinks(problem_.loss) ? curvature : std::min(curvature, mean_price_));
}

bool LinearNewton::find_direction() {
  const double forcing = problem_.penalty ? std::clamp(0.5 * std::sqrt(record_.relative_gap()), 1e-4, 0.1) : 1e-10;
  if (explicit_) {
    solve(forcing);
  } else {
    const double least = size_ > d_ ? offset_floor() : 0.0;
    if (!gradients_->solve(curvature_, ridge_, least, gradient_, forcing, direction_, record_)) return false;
  }
  decrement_ = -hot().dot(size_, gradient_.data(), direction_.data());
  if (!explicit_) return gradients_->margins(direction_, along_), true;
  const double offset = size_ > d_ ? direction_[d_] : 0.0;
  passes_.products(direction_.data(), along_.data());
  passes_.for_rows([&](Index, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) along_[i] = problem_.y[i] * (along_[i] + offset);
  });
  return true;
}

// The root of the slope along the direction, which rises: Newton's steps, kept between what is known to be left and right of
// it.
double LinearNewton::line_search() {
  // What is left is rounding, of which the slope along directions without curvature is all there is.
  if (!problem_.penalty && decrement_ <= 1e-14 * primal_) return 1.0;
  double slope_w = 0, curve_w = 0;
  for (Index k = 0; k < size_; ++k) {
    slope_w += ridge_[k] * w_[k] * direction_[k];
    curve_w += ridge_[k] * direction_[k] * direction_[k];
  }
  std::vector<Slope> parts(passes_.chunks());
  const double close = is_quadratic(problem_.loss) ? 1e-2 : 0.1;
  double low = 0, high = std::numeric_limits<double>::infinity(), length = 1;
  for (int trial = 0; trial < 40; ++trial) {
    passes_.for_rows([&](Index c, Index begin, Index end) { parts[c] = slope_at(begin, end, length); });
    double slope = slope_w + length * curve_w, curve = curve_w;
    for (const Slope& part : parts) {
      slope += part.first;
      curve += part.second;
    }
    if (std::abs(slope) <= close * decrement_) break;
    (slope < 0 ? low : high) = length;
    double next = curve > 0 ? length - slope / curve : 2 * length;
    if (!(next > low && next < high)) next = std::isfinite(high) ? 0.5 * (low + high) : 2 * length;
    if (!std::isfinite(high)) next = std::min(next, 10 * length);
    length = next;
  }
  return length;
}

void LinearNewton::step(double length) {
  hot().axpy(size_, length, direction_.data(), w_.data());
  hot().axpy(n_, length, along_.data(), z_.data());
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
    inside = inside && next[i] >= least && next[i] <= most_alpha(problem_.loss, problem_.price[i]);
    separates = separates && z_[i] > 0;
    if (inside) gain += gain_of(problem_, i, next[i]);
  }
  separates = separates && !is_quadratic(problem_.loss);  // the others have a minimum
  if (separates) {
    record_.outcome().separates = true;
    record_.end(Ending::stalled);
  }
  if (inside) record_.forget_dual();
  const double dual = inside ? gain : -std::numeric_limits<double>::infinity();
  return record_.see(primal_, w_, size_ > d_ ? w_[d_] : 0.0, dual, next, 1.0, 1.0, round) || separates;
}

bool LinearNewton::see(const ScaledDual& dual, const std::vector<double>& alpha, std::int64_t round) {
  const double b = size_ > d_ ? w_[d_] : 0.0;
  if (explicit_ || !proximal_ || problem_.target)
    return record_.see(primal_, w_, b, dual.value, alpha, dual.minus, dual.plus, round);
  double square = 0;
  for (Index k = 0; k < size_; ++k) square += ridge_[k] * w_[k] * w_[k];
  const auto [t, primal] = best_multiple(problem_, z_, square);
  longer_ = w_;
  for (double& value : longer_) value *= t;
  return record_.see(primal, longer_, t * b, dual.value, alpha, dual.minus, dual.plus, round);
}

LinearOutcome LinearNewton::run() {
  for (std::int64_t round = 0;; ++round) {
    evaluate();
    if (problem_.penalty) {
      const ScaledDual dual = scaled_dual(problem_, sums_, alpha_, passes_);
      if (see(dual, alpha_, round)) break;
      if (proximal_ && unsolved() <= 0.1 * (primal_ - dual.value)) {
        sharpen(round);
        if (wide_ && polish(round)) break;
        evaluate();
      } else if (soften(round)) {
        evaluate();
      }
    }
    if (!find_direction()) break;
    if (!problem_.penalty && without_penalty(round)) break;
    if (!(decrement_ > 0)) {  // nothing left that float64 can tell
      if (!proximal_) break;
      sharpen(round);
      continue;
    }
    if (!explicit_ && problem_.penalty && (proximal_ || round > 0) && see_ahead(round)) break;
    const double length = line_search();
    short_steps_ += length < 0.1;
    step(length);
    if (stand_for_more_ && gains_little()) {
      record_.outcome().w.assign(w_.begin(), w_.begin() + d_);
      record_.outcome().b = size_ > d_ ? w_[d_] : 0.0;
      break;
    }
  }
  return record_.finish();
}

void LinearNewton::place(const LinearOutcome& start) {
  std::copy(start.w.begin(), start.w.end(), w_.begin());
  if (size_ > d_) w_[d_] = start.b;
  passes_.products(w_.data(), z_.data());
  passes_.for_rows([&](Index, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) z_[i] = problem_.y[i] * (z_[i] + start.b);
  });
}

void LinearNewton::begin_at(const LinearOutcome& start) {
  place(start);
  if (proximal_) centre_ = start.alpha;
  if (problem_.offset != LinearOffset::free) record_.adopt(start);
}

LinearOutcome minimise_by_newton(const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor,
                                 const LinearOutcome* start) {
  if (const std::unique_ptr<Features> held = problem.x->without_zeros()) {
    LinearProblem shorter = problem;
    shorter.x = held.get();
    return minimise_by_newton(shorter, options, monitor, start);
  }
  bool stopped = false;  // once said, it is not asked again
  const Monitor once = [&](const Progress& p) { return stopped = stopped || monitor(p); };
  const bool given = start != nullptr;
  // With many features a round costs much. Sweeps in the dual find most of the rows that matter for less, and often the end.
  const bool wide = problem.x->columns() + (problem.offset != LinearOffset::none) > widest_factor;
  LinearOutcome swept;
  if (!given && wide && is_quadratic(problem.loss)) {
    LinearProblem easier = problem;
    if (problem.offset == LinearOffset::free) easier.offset = LinearOffset::penalised;
    LinearOptions brief = options;
    brief.fair_try = fair_try;
    const bool same = easier.offset == problem.offset && problem.penalty;
    brief.max_rounds = std::min(options.max_rounds, same && !problem.target ? most_sweeps : sweeps_before);
    swept = minimise_by_coordinates(easier, 0, brief, once);
    if (same && swept.ending == Ending::converged && !is_small(problem)) return swept;
    start = &swept;
  }
  keep_memory(problem.x->rows(), wide ? 0 : problem.x->columns());
  LinearNewton search(problem, options, once);
  if (start) search.begin_at(*start);
  if (!given) search.begin_with_some_rows(options, once);
  return search.run();
}

}  // namespace maxmargin
