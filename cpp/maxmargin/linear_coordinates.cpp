// Coordinate descent in the dual with shrinking (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008).
#include <limits>
#include <numeric>

#include "maxmargin/linear_state.hpp"
#include "maxmargin/shuffle.hpp"

namespace maxmargin {

namespace {

class CoordinateSearch {
 public:
  CoordinateSearch(const LinearProblem& problem, std::uint64_t seed, const LinearOptions& options, const Monitor& monitor)
      : problem_(problem),
        passes_(*problem.x),
        record_(problem, options, monitor, 20'000, false),
        fair_try_(options.fair_try),
        n_(problem.x->rows()),
        d_(problem.x->columns()),
        constant_(problem.offset == LinearOffset::penalised ? problem.offset_scale : 0.0),
        shuffle_{seed},
        w_(d_, 0.0),
        alpha_(n_, 0.0),
        square_(n_),
        z_(n_),
        order_(n_) {
    for (Index i = 0; i < n_; ++i) square_[i] = problem.x->square(i) + constant_ * constant_ + ridge(i);
    std::iota(order_.begin(), order_.end(), 0);
  }

  LinearOutcome run() {
    std::size_t active = order_.size();
    double highest = infinity, lowest = -infinity;  // projected slopes of the sweep before
    std::int64_t next_look = 1;
    for (std::int64_t sweep = 0;; ++sweep) {
      if (sweep >= next_look || sweep == 0) {
        next_look = sweep + std::max<std::int64_t>(1, sweep / 4);
        if (look(sweep) || is_slow(sweep)) break;
        active = order_.size();  // what was left out too soon comes back
        highest = infinity;
        lowest = -infinity;
      }
      shuffle_(order_, active);
      double most = -infinity, least = infinity;
      for (std::size_t k = 0; k < active; ++k) {
        const Index i = order_[k];
        double product;
        problem_.x->products(i, i + 1, w_.data(), &product);
        const double y = problem_.y[i], slope = y * (product + constant_ * last_) - 1 + ridge(i) * alpha_[i];
        const double top = upper(i);
        double projected = slope;
        if (alpha_[i] == 0) {
          if (slope > highest) {  // settled at 0: left out until the others have settled too
            std::swap(order_[k--], order_[--active]);
            continue;
          }
          projected = std::min(slope, 0.0);
        } else if (alpha_[i] == top) {
          if (slope < lowest) {
            std::swap(order_[k--], order_[--active]);
            continue;
          }
          projected = std::max(slope, 0.0);
        }
        most = std::max(most, projected);
        least = std::min(least, projected);
        if (std::abs(projected) <= 1e-14 || square_[i] <= 0) continue;
        const double before = alpha_[i];
        alpha_[i] = std::clamp(before - slope / square_[i], 0.0, top);
        const double change = (alpha_[i] - before) * y;
        problem_.x->add_rows(i, i + 1, &change, w_.data());
        last_ += constant_ * change;
        if ((k & 1023) == 1023 && record_.poll()) return record_.finish();
      }
      if (most - least <= 0.1 * record_.relative_gap() && active < order_.size()) {
        active = order_.size();
        highest = infinity;
        lowest = -infinity;
        continue;
      }
      highest = most > 0 ? most : infinity;
      lowest = least < 0 ? least : -infinity;
    }
    return record_.finish();
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  double ridge(Index i) const { return problem_.loss == MarginLoss::squared_hinge ? 0.5 / problem_.price[i] : 0.0; }
  double upper(Index i) const { return problem_.loss == MarginLoss::hinge ? problem_.price[i] : infinity; }

  // The gap at the best multiple of w, which is the combination that alpha makes.
  bool look(std::int64_t sweep) {
    passes_.products(w_.data(), z_.data());
    double gain = 0, square = last_ * last_;
    for (Index i = 0; i < n_; ++i) {
      z_[i] = problem_.y[i] * (z_[i] + constant_ * last_);
      gain += gain_of(problem_, i, alpha_[i]);
    }
    for (const double value : w_) square += value * value;
    const auto [t, primal] = best_multiple(problem_, z_, square);
    longer_ = w_;
    for (double& value : longer_) value *= t;
    return record_.see(primal, longer_, t * constant_ * last_, gain - 0.5 * square, alpha_, 1.0, 1.0, sweep);
  }

  // Somebody else waits to take over, if this takes long.
  bool is_slow(std::int64_t sweep) {
    gaps_.emplace_back(sweep, record_.gap());
    if (fair_try_ < 0 || sweep < fair_try_) return false;
    const auto later = std::find_if(gaps_.begin(), gaps_.end(), [&](const auto& seen) { return 2 * seen.first > sweep; });
    return later != gaps_.begin() && record_.gap() > 0.5 * std::prev(later)->second;
  }

  const LinearProblem& problem_;
  LinearPasses passes_;
  LinearRecord record_;
  std::int64_t fair_try_;
  std::vector<std::pair<std::int64_t, double>> gaps_;  // at which sweep
  Index n_, d_;
  double constant_;  // value of the feature that an offset is the weight of
  Shuffle shuffle_;
  std::vector<double> w_;
  double last_ = 0;  // weight of the constant feature
  std::vector<double> alpha_, square_, z_, longer_;
  std::vector<Index> order_;
};

}  // namespace

LinearOutcome minimise_by_coordinates(const LinearProblem& problem, std::uint64_t seed, const LinearOptions& options,
                                      const Monitor& monitor) {
  if (problem.target) return minimise_tube_by_coordinates(problem, seed, options, monitor);
  return CoordinateSearch(problem, seed, options, monitor).run();
}

}  // namespace maxmargin
