// Coordinate descent in the dual with shrinking (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008) and frequencies that adapt,
// and after each sweep the best step along the way that the last two have gone.
#include <numeric>

#include "maxmargin/linear/dual_sums.hpp"
#include "maxmargin/linear/nearby_points.hpp"
#include "maxmargin/linear/record.hpp"
#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/rows/coordinate_sweep.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t most_between_polls = 4096;  // rows
constexpr double work_between_polls = 1 << 22;    // stored values of them
constexpr std::int64_t sweeps_between_looks = 8, notes_doubling = 16, longest_pause = 8;
constexpr double least_step = 0.05, longest_step = 10.0;
constexpr double most_drift = 1e-11;  // of w from what alpha makes, in lengths of w

class CoordinateSearch {
 public:
  CoordinateSearch(const LinearProblem& problem, std::uint64_t seed, const LinearOptions& options, const Monitor& monitor)
      : problem_(problem),
        options_(options),
        passes_(*problem.x),
        record_(problem, options, monitor, 20'000, false),
        n_(problem.x->rows()),
        d_(problem.x->columns()),
        sweep_(n_, seed),
        alpha_(n_, 0.0),
        z_(n_, 0.0),
        before_(n_, 0.0),
        way_(n_),
        w_before_(d_, 0.0),
        w_way_(d_) {
    passes_.watch([this] { return record_.poll(); });
    const double filled = std::max(double(problem.x->stored_values()) / n_, 1.0);
    rows_between_polls_ = std::min(most_between_polls, std::size_t(work_between_polls / filled) + 1);
    sweep_.squared = problem.loss == MarginLoss::squared_hinge;
    sweep_.constant = problem.offset == LinearOffset::penalised ? problem.offset_scale : 0.0;
    sweep_.w.assign(d_, 0.0);
    for (Index i = 0; i < n_; ++i) {
      const double own = sweep_.squared ? 0.5 / problem.C[i] : problem.C[i];
      const double diagonal = problem.x->square(i) + sweep_.constant * sweep_.constant + (sweep_.squared ? own : 0.0);
      // A row of zeros has no curvature: its multiplier goes to its bound.
      sweep_.rows[i] = {0.0, problem.y[i], own, diagonal > 0 ? 1 / diagonal : CoordinateSweep::infinity};
    }
  }

  LinearOutcome run() {
    std::int64_t next_return = 1;
    if (look(0)) return record_.finish();
    for (std::int64_t sweep = 1;; ++sweep) {
      if (sweep > next_return) {  // what was left out too soon comes back
        next_return = sweep + std::max<std::int64_t>(1, sweep / 4);
        sweep_.all_come_back();
      }
      sweep_.begin();
      while (sweep_.position < sweep_.schedule.visits().size()) {
        problem_.x->step_through(sweep_, rows_between_polls_);
        if (record_.poll()) return record_.finish();
      }
      // Here, not after going on: a sweep leaves margins that are nearly right.
      const bool looks = is_worth_a_look(sweep);
      if (looks && (look(sweep) || is_slow(sweep))) break;
      if (sweep_.most - sweep_.least <= 0.1 * record_.relative_gap() && sweep_.schedule.some_settled()) {
        sweep_.all_come_back();
      } else {
        sweep_.highest = sweep_.most > 0 ? sweep_.most : CoordinateSweep::infinity;
        sweep_.lowest = sweep_.least < 0 ? sweep_.least : -CoordinateSweep::infinity;
      }
      go_on(sweep);
      if (looks) next_note_ = sweep;
      if (!looks && sweep >= next_note_) record_.note(dual_, sweep);
      if (sweep >= next_note_) next_note_ = sweep + std::max<std::int64_t>(1, sweep / notes_doubling);
    }
    return record_.finish();
  }

 private:
  double gain(Index i, double alpha) const { return alpha * (1 - 0.5 * sweep_.ridge(i) * alpha); }

  // The rows' shares of the gap, as a sweep meets them, say about what a look would find.
  bool is_worth_a_look(std::int64_t sweep) const {
    if (sweep >= options_.max_rounds) return true;
    const std::int64_t waited = sweep - last_look_;
    if (waited >= std::max(sweeps_between_looks, sweep / 4)) return true;
    return waited >= std::max<std::int64_t>(1, sweep / 16) && share_ * sweep_.gap <= options_.tol * (dual_ + sweep_.gap);
  }

  // The gap at the best point of the plane of w, which is the combination that alpha makes, and the offset.
  bool look(std::int64_t sweep) {
    last_look_ = sweep;
    if (sweep > 0) passes_.scores(sweep_.w.data(), z_.data());
    const double b = sweep_.constant * sweep_.last;
    double gains = 0;
    for (Index i = 0; i < n_; ++i) {
      alpha_[i] = sweep_.rows[i].alpha;
      z_[i] = problem_.y[i] * (z_[i] + b);
      gains += gain(i, alpha_[i]);
    }
    const double square = simd().dot(d_, sweep_.w.data(), sweep_.w.data());
    const double dual = gains - 0.5 * (square + sweep_.last * sweep_.last);
    const double first = sweep > 0 ? std::clamp(record_.relative_gap(), 1e-12, 0.02) : 0.02;
    const Plane plane = best_in_plane(problem_, z_, square, b, first);
    longer_ = sweep_.w;
    for (double& value : longer_) value *= plane.t;
    const bool stop = record_.see(plane.primal, longer_, plane.b, dual, alpha_, 1.0, 1.0, sweep);
    if (sweep > 0) share_ = std::clamp(record_.gap() / sweep_.gap, 0.1, 1.0);
    return stop;
  }

  // Sweeps go the same way again and again where rows are alike. So alpha goes on along the difference of the last two, to
  // where the dual objective is highest; what leaves its bounds is cut, and all of it taken back if that was too much.
  void go_on(std::int64_t sweep) {
    double first = 0, second = 0, gains = 0;
    for (Index i = 0; i < n_; ++i) {
      const double alpha = sweep_.rows[i].alpha, way = alpha - before_[i], ridge = sweep_.ridge(i);
      first += (1 - ridge * alpha) * way;
      second += ridge * way * way;
      gains += gain(i, alpha);
      way_[i] = way;
      before_[i] = alpha;
    }
    for (Index k = 0; k < d_; ++k) w_way_[k] = sweep_.w[k] - w_before_[k];
    w_before_ = sweep_.w;
    const double last_way = sweep_.last - last_before_;
    last_before_ = sweep_.last;
    first -= simd().dot(d_, sweep_.w.data(), w_way_.data()) + sweep_.last * last_way;
    second += simd().dot(d_, w_way_.data(), w_way_.data()) + last_way * last_way;
    dual_ = gains - 0.5 * (simd().dot(d_, sweep_.w.data(), sweep_.w.data()) + sweep_.last * sweep_.last);
    const double step = second > 0 ? std::min(first / second, longest_step) : 0.0;
    if (sweep < next_try_ || !(step > least_step)) {
      drift_way_ = 0;
      return;
    }
    simd().axpy(d_, step, w_way_.data(), sweep_.w.data());
    sweep_.last += step * last_way;
    gains = 0;
    for (Index i = 0; i < n_; ++i) {
      double& alpha = sweep_.rows[i].alpha;
      if (way_[i] != 0) {
        const double top = sweep_.upper(i), wanted = alpha + step * way_[i];
        const bool stays = alpha == 0 || alpha == top;
        if (!stays) alpha = std::clamp(wanted, 0.0, top);
        if (const double change = (alpha - wanted) * problem_.y[i]; change != 0) {
          problem_.x->add_rows(i, i + 1, &change, sweep_.w.data());
          sweep_.last += sweep_.constant * change;
        }
      }
      gains += gain(i, alpha);
    }
    const double dual = gains - 0.5 * (simd().dot(d_, sweep_.w.data(), sweep_.w.data()) + sweep_.last * sweep_.last);
    if (dual > dual_) {
      dual_ = dual;
      pause_ = 1;
      stay_on_course(step);
      return;
    }
    for (Index i = 0; i < n_; ++i) sweep_.rows[i].alpha = before_[i];
    sweep_.w = w_before_;
    sweep_.last = last_before_;
    next_try_ = sweep + pause_;
    pause_ = std::min(2 * pause_, longest_pause);
    drift_way_ = 0;
  }

  // Steps that are longer than the way multiply what rounding has put into it. Before that counts, w is made anew.
  void stay_on_course(double step) {
    drift_way_ = step * drift_way_ + (1 + step) * std::numeric_limits<double>::epsilon();
    drift_ += drift_way_;
    if (drift_ <= most_drift) return;
    for (Index i = 0; i < n_; ++i) way_[i] = problem_.y[i] * sweep_.rows[i].alpha;
    passes_.combine(way_.data(), sweep_.w.data());
    sweep_.last = sweep_.constant * std::accumulate(way_.begin(), way_.end(), 0.0);
    for (Index i = 0; i < n_; ++i) before_[i] = sweep_.rows[i].alpha;
    w_before_ = sweep_.w;
    last_before_ = sweep_.last;
    drift_ = drift_way_ = 0;
  }

  // Somebody else waits to take over, if this takes long.
  bool is_slow(std::int64_t sweep) {
    gaps_.emplace_back(sweep, record_.gap());
    if (options_.fair_try < 0 || sweep < options_.fair_try) return false;
    const auto later = std::find_if(gaps_.begin(), gaps_.end(), [&](const auto& seen) { return 2 * seen.first > sweep; });
    return later != gaps_.begin() && record_.gap() > 0.5 * std::prev(later)->second;
  }

  const LinearProblem& problem_;
  LinearOptions options_;
  RowPasses passes_;
  LinearRecord record_;
  std::vector<std::pair<std::int64_t, double>> gaps_;  // at which sweep
  Index n_, d_;
  CoordinateSweep sweep_;
  std::vector<double> alpha_, z_, longer_;
  std::vector<double> before_, way_, w_before_, w_way_;  // after the sweep before, and from there
  double last_before_ = 0;
  std::size_t rows_between_polls_;
  double dual_ = 0, share_ = 1;  // share_: of the sweep's own gap, what a look found
  double drift_ = 0, drift_way_ = 0;
  std::int64_t last_look_ = 0, next_note_ = 1, next_try_ = 0, pause_ = 1;
};

}  // namespace

LinearOutcome minimise_by_coordinates(const LinearProblem& problem, std::uint64_t seed, const LinearOptions& options,
                                      const Monitor& monitor) {
  if (problem.target) return minimise_tube_by_coordinates(problem, seed, options, monitor);
  return CoordinateSearch(problem, seed, options, monitor).run();
}

}  // namespace maxmargin
