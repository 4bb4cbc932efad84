#include "maxmargin/linear/state.hpp"

#include <limits>
#include <numeric>

namespace maxmargin {

namespace {

constexpr std::int64_t small = 1 << 17;
constexpr double exact = 1e-14;
constexpr std::size_t most_checkpoints = 4096;
constexpr std::int64_t few_rounds = 8;
constexpr double above_the_primal = 1e-11;

}  // namespace

bool is_small(const LinearProblem& problem) { return problem.x->stored_values() + std::int64_t(problem.x->rows()) <= small; }

LinearRecord::LinearRecord(const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor,
                           std::int64_t patience, bool to_the_end)
    : problem_(problem), options_(options), monitor_(monitor), patience_(patience) {
  aim_ = to_the_end && is_small(problem) ? std::min(exact, options.tol) : options.tol;
  for (Index i = 0; i < problem.x->rows(); ++i) rounding_ += 1e-15 * loss_of(problem, i, 0.0);
  outcome_.w.assign(problem.x->columns(), 0.0);
  outcome_.alpha.assign(problem.x->rows(), 0.0);
}

double LinearRecord::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

Progress LinearRecord::progress() const {
  const auto support = std::count_if(outcome_.alpha.begin(), outcome_.alpha.end(), [](double a) { return a != 0; });
  return {seconds(), outcome_.rounds, -dual_, relative_gap(), Index(support), gap()};
}

bool LinearRecord::see(double primal, const std::vector<double>& w, double b, double dual, const std::vector<double>& alpha,
                       double factor_minus, double factor_plus, std::int64_t rounds) {
  if (stopped_) return true;  // what the passes made since then means nothing
  outcome_.rounds = rounds;
  // Objectives that differ by rounding say nothing about w: the later one is nearer.
  if (primal <= primal_ || primal - primal_ <= exact * std::abs(primal_)) {
    primal_ = std::min(primal, primal_);
    std::copy(w.begin(), w.begin() + problem_.x->columns(), outcome_.w.begin());
    outcome_.b = b;
  }
  if (dual > dual_) {
    dual_ = dual;
    for (std::size_t i = 0; i < alpha.size(); ++i)
      outcome_.alpha[i] = alpha[i] * (alpha[i] * problem_.y[i] > 0 ? factor_plus : factor_minus);
  }
  if (outcome_.trace.size() < most_checkpoints) outcome_.trace.push_back(progress());
  if (gap() < 0.999 * settled_gap_) {
    settled_gap_ = gap();
    settled_round_ = rounds;
  }
  const std::int64_t waited = rounds - settled_round_;
  if (is_within(aim_)) {
    // Near the optimum the objective sees the square of the error of w.
    if (aim_ < options_.tol && ++extra_rounds_ <= 1) return spent(rounds) || poll();
    end(Ending::converged);
    return true;
  }
  if (waited >= 4 && is_within(options_.tol)) {
    end(Ending::converged);
    return true;
  }
  // Sums of terms as large as the objective at 0 tell no more than this, whatever they come to.
  const bool rounding = waited >= few_rounds && gap() <= rounding_;
  if (rounding || waited >= patience_) {
    end(Ending::stalled);
    return true;
  }
  return spent(rounds) || poll();
}

// A dual objective above the primal one by more than rounding is none: without a penalty multipliers are feasible only at the
// end.
bool LinearRecord::is_within(double tol) const {
  const double size = std::abs(primal_);
  return gap() <= tol * size && (problem_.penalty || gap() >= -above_the_primal * size);
}

void LinearRecord::adopt(const LinearOutcome& found) {
  if (found.trace.empty()) return;
  dual_ = -found.trace.back().objective;
  outcome_.alpha = found.alpha;
}

bool LinearRecord::spent(std::int64_t rounds) {
  const bool good = is_within(options_.tol);
  if (rounds >= options_.max_rounds) {
    end(good ? Ending::converged : Ending::step_limit);
    return true;
  }
  if (options_.deadline.is_over()) {
    end(good ? Ending::converged : Ending::time_limit);
    return true;
  }
  return false;
}

bool LinearRecord::poll() {
  if (stopped_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(50)) return false;
  last_ = now;
  if (monitor_(progress())) {
    end(Ending::stopped);
    stopped_ = true;
  } else if (options_.deadline.is_over_at(now)) {
    end(Ending::time_limit);
    stopped_ = true;
  }
  return stopped_;
}

LinearOutcome LinearRecord::finish() { return std::move(outcome_); }

Multiple best_multiple(const LinearProblem& problem, const std::vector<double>& margins, double square) {
  const auto n = Index(margins.size());
  const auto at = [&](double t) {
    double sum = 0.5 * t * t * square;
    for (Index i = 0; i < n; ++i) sum += loss_of(problem, i, t * margins[i]);
    return Multiple{t, sum};
  };
  const Multiple one = at(1.0);
  if (problem.loss != MarginLoss::hinge && problem.loss != MarginLoss::squared_hinge) return one;
  const auto falls = [&](double t) {
    double slope = t * square;
    for (Index i = 0; i < n; ++i) {
      const double slack = 1.0 - t * margins[i];
      if (slack > 0) slope -= problem.price[i] * margins[i] * (problem.loss == MarginLoss::hinge ? 1.0 : 2 * slack);
    }
    return slope < 0;
  };
  double low = 1, high = 1;
  for (int doubled = 0; doubled < 10 && falls(high); ++doubled) {
    low = high;
    high *= 2;
  }
  if (high == 1) return one;
  for (int step = 0; step < 16; ++step) {
    const double middle = 0.5 * (low + high);
    (falls(middle) ? low : high) = middle;
  }
  const Multiple found = at(low);
  return found.primal < one.primal ? found : one;
}

ScaledDual scaled_dual(const LinearProblem& problem, const DualSums& sums, const std::vector<double>& alpha,
                       LinearPasses& passes) {
  const double minus = sums.mass[0], plus = sums.mass[1];
  double factor[2] = {1, 1};
  if (problem.offset == LinearOffset::free) {
    const double level = std::min(minus, plus);
    factor[0] = minus > 0 ? level / minus : 0.0;
    factor[1] = plus > 0 ? level / plus : 0.0;
  }
  double square = 0;  // of the sum, which is small beside the two classes' own at large prices
  for (std::size_t k = 0; k < sums.combination[0].size(); ++k) {
    const double v = factor[0] * sums.combination[0][k] + factor[1] * sums.combination[1][k];
    square += v * v;
  }
  if (problem.offset == LinearOffset::penalised) square += std::pow(problem.offset_scale * (plus - minus), 2);
  if (!is_quadratic(problem.loss)) {
    if (factor[0] == 1 && factor[1] == 1 && !std::isnan(sums.of_slopes)) return {sums.of_slopes - 0.5 * square, 1.0, 1.0};
    std::vector<double> parts(passes.chunks(), 0.0);
    passes.for_rows([&](Index c, Index begin, Index end) {
      double sum = 0;
      for (Index i = begin; i < end; ++i) sum += gain_of(problem, i, alpha[i] * factor[alpha[i] * problem.y[i] > 0]);
      parts[c] = sum;
    });
    return {std::accumulate(parts.begin(), parts.end(), 0.0) - 0.5 * square, factor[0], factor[1]};
  }
  // t gain - t^2 (1/2 square + squares), the best t; losses with kinks have |alpha| <= price, where every t <= 1 is.
  const double gain = factor[0] * sums.gain[0] + factor[1] * sums.gain[1];
  double curve = square;
  double most = 1;
  if (!has_kinks(problem.loss)) {
    curve += 2 * (factor[0] * factor[0] * sums.square[0] + factor[1] * factor[1] * sums.square[1]);
    most = std::numeric_limits<double>::infinity();
  }
  const double t = curve > 0 ? std::clamp(gain / curve, 0.0, most) : (gain > 0 ? 1.0 : 0.0);
  return {t * (gain - 0.5 * t * curve), t * factor[0], t * factor[1]};
}

}  // namespace maxmargin
