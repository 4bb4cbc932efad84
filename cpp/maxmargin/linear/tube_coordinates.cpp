// Coordinate descent in the dual of the tubes, with shrinking (Ho and Lin 2012) and frequencies that adapt.
//
// In one multiplier the dual is  1/2 (|x_i|^2 + D) t^2 + slope t + epsilon |alpha_i + t|, whose minimum is in closed form.
#include <limits>
#include <numeric>

#include "maxmargin/linear/dual_sums.hpp"
#include "maxmargin/linear/record.hpp"
#include "maxmargin/rows/schedule.hpp"

namespace maxmargin {

namespace {

constexpr std::int64_t notes_doubling = 16;

class TubeSearch {
 public:
  TubeSearch(const LinearProblem& problem, std::uint64_t seed, const LinearOptions& options, const Monitor& monitor)
      : problem_(problem),
        passes_(*problem.x),
        record_(problem, options, monitor, 20'000, false),
        n_(problem.x->rows()),
        constant_(problem.offset == LinearOffset::penalised ? problem.offset_scale : 0.0),
        most_(options.max_rounds),
        schedule_(n_, seed),
        w_(problem.x->columns(), 0.0),
        alpha_(n_, 0.0),
        square_(n_),
        z_(n_) {
    passes_.watch([this] { return record_.poll(); });
    for (Index i = 0; i < n_; ++i) {
      square_[i] = problem.x->square(i) + constant_ * constant_ + ridge(i);
      unit_ = std::max(unit_, std::abs(problem.target[i]));
    }
  }

  LinearOutcome run() {
    double bound = infinity, worst = infinity;  // the largest violation: of the sweep before, and of this one
    std::int64_t next_look = 1, next_note = 1;
    for (std::int64_t sweep = 0;; ++sweep) {
      if (sweep >= next_look || sweep == 0 || sweep >= most_) {
        next_look = sweep + std::max<std::int64_t>(1, sweep / 4);
        if (look(sweep)) break;
      } else if (sweep >= next_note) {
        record_.note(dual(), sweep);
      }
      if (sweep >= next_note) next_note = sweep + std::max<std::int64_t>(1, sweep / notes_doubling);
      schedule_.choose();
      worst = 0;
      std::size_t done = 0;
      for (const Index i : schedule_.visits()) {
        if ((++done & 63) == 0 && record_.poll()) return record_.finish();
        if (schedule_.has_settled(i)) continue;
        double product;
        problem_.x->products(i, i + 1, w_.data(), &product);
        const double y = problem_.y[i], top = most_alpha(problem_.loss, problem_.C[i]);
        const double slope = y * (product + constant_ * last_) - problem_.target[i] + ridge(i) * alpha_[i];
        const double right = slope + (alpha_[i] >= 0 ? problem_.epsilon : -problem_.epsilon);
        const double left = slope + (alpha_[i] > 0 ? problem_.epsilon : -problem_.epsilon);
        const double up = alpha_[i] < top ? -right : -infinity, down = alpha_[i] > -top ? left : -infinity;
        const double violation = std::max({up, down, 0.0});
        if (std::max(up, down) < -bound) {  // settled: left out until the others have settled too
          schedule_.settle(i);
          continue;
        }
        worst = std::max(worst, violation);
        if (violation <= 1e-14 * unit_ || square_[i] <= 0) {
          schedule_.learn(i, 0.0);
          continue;
        }
        // The minimum without the kink, moved towards 0 by what the kink costs.
        const double before = alpha_[i], plain = before - slope / square_[i], cost = problem_.epsilon / square_[i];
        const double moved = std::copysign(std::max(std::abs(plain) - cost, 0.0), plain);
        alpha_[i] = std::clamp(moved, -top, top);
        const double way = alpha_[i] - before, change = way * y;
        schedule_.learn(i,
                        problem_.epsilon * (std::abs(before) - std::abs(alpha_[i])) - way * (slope + 0.5 * square_[i] * way));
        problem_.x->add_rows(i, i + 1, &change, w_.data());
        last_ += constant_ * change;
      }
      if (worst <= 0.1 * record_.relative_gap() * unit_ && schedule_.some_settled()) {
        schedule_.all_come_back();
        bound = infinity;
        continue;
      }
      bound = worst > 0 ? worst : infinity;
    }
    return record_.finish();
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  double ridge(Index i) const { return problem_.loss == MarginLoss::squared_tube ? 0.5 / problem_.C[i] : 0.0; }

  // The gap at w, which is the combination that alpha makes.
  bool look(std::int64_t sweep) {
    passes_.scores(w_.data(), z_.data());
    double loss = 0;
    for (Index i = 0; i < n_; ++i) loss += loss_of(problem_, i, problem_.y[i] * (z_[i] + constant_ * last_));
    return record_.see(0.5 * square() + loss, w_, constant_ * last_, dual(), alpha_, 1.0, 1.0, sweep);
  }

  double square() const {
    double square = last_ * last_;
    for (const double value : w_) square += value * value;
    return square;
  }

  double dual() const {
    double gain = 0;
    for (Index i = 0; i < n_; ++i) gain += gain_of(problem_, i, alpha_[i]);
    return gain - 0.5 * square();
  }

  const LinearProblem& problem_;
  RowPasses passes_;
  LinearRecord record_;
  Index n_;
  double constant_;    // value of the feature that an offset is the weight of
  double unit_ = 0;    // the largest target
  std::int64_t most_;  // sweeps
  Schedule schedule_;
  std::vector<double> w_;
  double last_ = 0;  // weight of the constant feature
  std::vector<double> alpha_, square_, z_;
};

}  // namespace

LinearOutcome minimise_tube_by_coordinates(const LinearProblem& problem, std::uint64_t seed, const LinearOptions& options,
                                           const Monitor& monitor) {
  return TubeSearch(problem, seed, options, monitor).run();
}

}  // namespace maxmargin
