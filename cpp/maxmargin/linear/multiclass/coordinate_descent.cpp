// Dual coordinate descent over rows for Crammer and Singer's loss of linear models of all classes (Keerthi, Sundararajan,
// Chang, Hsieh and Lin 2008).
#include "maxmargin/linear/multiclass/coordinate_descent.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "maxmargin/linear/multiclass/bound.hpp"
#include "maxmargin/linear/multiclass/rows.hpp"
#include "maxmargin/rows/schedule.hpp"

namespace maxmargin {

namespace {

using Block = ClassPasses::Block;

constexpr std::int64_t most_sweeps = 16;     // between two looks at the gap
constexpr std::int64_t patience = 3000;      // sweeps
constexpr Index few = 4;                     // one class in so many: they are added one by one
constexpr std::int64_t notes_doubling = 12;  // checkpoints while the sweeps double
constexpr double pull_share = 0.1;           // of the mean |x|^2
constexpr std::int64_t recounted = 64;       // sweeps after which the weights are added up again from the multipliers
constexpr double work_a_poll = 1 << 20;      // products: about a millisecond

// All multipliers of a row have a closed solution when the others are fixed: the projection to their simplex of where a step
// against the slope leads, because the curvature |x|^2 is the same in all classes. The weights W = v are kept up to date.
//
// Offsets are the weights of one more feature, of the value `scale` if they are penalised. Free ones are multipliers of the
// class totals, and are found by the method of multipliers: the constant feature pulls the totals to 0, and the offsets learn
// what it has to pull.
class ClassDescent {
 public:
  ClassDescent(const ClassProblem& problem, std::int64_t fair_try, ClassRecord& record)
      : problem_(problem),
        n_(problem.x->rows()),
        d_(problem.x->columns()),
        K_(problem.classes),
        width_(problem.width()),
        size_(d_ + (problem.offset != LinearOffset::none)),
        passes_(*problem.x, size_, width_),
        bound_(problem, passes_),
        record_(record),
        fair_try_(fair_try),
        schedule_(n_, 0),
        W_(area(size_), 0.0),
        alpha_(area(n_), 0.0),
        next_(area(n_), 0.0),
        curvature_(n_),
        total_(width_, 0.0),
        scores_(width_, 0.0),
        moved_(width_, 0.0) {
    double mean = 0;
    for (Index i = 0; i < n_; ++i) {
      alpha_[area(i) + problem.label[i]] = problem.C[i];
      curvature_[i] = problem.x->square(i);
      mean += curvature_[i] / n_;
    }
    if (problem.offset == LinearOffset::penalised) pull_ = problem.offset_scale * problem.offset_scale;
    if (problem.offset == LinearOffset::free) pull_ = pull_share * mean;
    for (double& curvature : curvature_) curvature = std::max(curvature + pull_, 1e-12 * mean + 1e-300);
    in_row_ = std::max(double(problem.x->stored_values()) / n_, 1.0);
  }

  // True if it is slow, or could be more exact.
  bool run() {
    record_.begin(patience);
    record_.see_primal(std::accumulate(problem_.C, problem_.C + n_, 0.0), W_, 0);  // where W = 0 each row loses 1
    next_ = alpha_;
    record_.see_dual(0.0, next_);
    for (std::int64_t sweeps = 0, next_note = 1, wait = 1;; wait = std::clamp<std::int64_t>(sweeps / 4, 1, most_sweeps)) {
      if (record_.stops()) return record_.converged() && record_.is_exact() && fair_try_ >= 0;
      if (is_slow(sweeps)) return true;
      for (const std::int64_t end = record_.rounds_until(sweeps + wait); sweeps < end; ++sweeps) {
        if (!sweep()) return false;
        if (problem_.offset == LinearOffset::free) learn_offsets();
        if (sweeps + 1 < end && sweeps >= next_note) {
          record_.note(std::max(bound(), record_.dual()), sweeps + 1);
          next_note = sweeps + std::max<std::int64_t>(1, sweeps / notes_doubling);
        }
      }
      evaluate(sweeps);
      next_note = sweeps + std::max<std::int64_t>(1, sweeps / notes_doubling);
    }
  }
  ClassPoint last() { return {std::move(W_), std::move(alpha_)}; }

 private:
  std::size_t area(Index rows) const { return std::size_t(rows) * std::size_t(width_); }
  double* offsets() { return W_.data() + area(d_); }

  bool sweep() {
    schedule_.choose();
    double work = 0;
    for (const Index i : schedule_.visits()) {
      schedule_.learn(i, visit(i));
      work += 2 * in_row_ * width_;
      if (work < work_a_poll) continue;
      work = 0;
      if (record_.poll()) return false;
    }
    return true;
  }

  // The best multipliers of one row; returns what they gain.
  double visit(Index i) {
    const Index y = problem_.label[i];
    double* const alpha = alpha_.data() + area(i);
    problem_.x->class_products(&i, 1, width_, W_.data(), size_ > d_ ? offsets() : nullptr, scores_.data());
    for (Index k = 0; k < K_; ++k) moved_[k] = alpha[k] + (scores_[k] - scores_[y] + (k != y)) / curvature_[i];
    project_to_simplex(K_, problem_.C[i], moved_.data());
    double others = 0, sum = 0, gain = 0;
    classes_.clear();
    changes_.clear();
    for (Index k = 0; k < K_; ++k) {
      if (k == y) continue;
      const double change = alpha[k] - moved_[k];
      others += moved_[k];
      if (change == 0) continue;
      classes_.push_back(k);
      changes_.push_back(change);
      sum += change;
      gain -= change * (scores_[k] - scores_[y] + 1 + 0.5 * curvature_[i] * change);
      alpha[k] = moved_[k];
    }
    if (classes_.empty()) return 0;
    classes_.push_back(y);
    changes_.push_back(-sum);
    alpha[y] = problem_.C[i] - others;
    add(i);
    return gain - 0.5 * curvature_[i] * sum * sum;
  }

  // Row i with the changes, to weights, offsets and totals.
  void add(Index i) {
    if (Index(classes_.size()) * few <= width_) {
      problem_.x->add_some_classes(i, width_, classes_, changes_.data(), W_.data());
    } else {
      std::fill(moved_.begin(), moved_.end(), 0.0);
      for (std::size_t c = 0; c < classes_.size(); ++c) moved_[classes_[c]] = changes_[c];
      problem_.x->add_class_rows(&i, 1, width_, moved_.data(), W_.data());
    }
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      total_[classes_[c]] += changes_[c];
      if (size_ > d_) offsets()[classes_[c]] += pull_ * changes_[c];
    }
  }

  void learn_offsets() {
    for (Index k = 0; k < K_; ++k) offsets()[k] += pull_ * total_[k];
  }

  // Sums of steps have rounding that adds up.
  void recount() {
    std::vector<double> kept;
    if (size_ > d_) kept.assign(offsets(), offsets() + width_);
    passes_.pass(
        passes_.all(), nullptr,
        [&](const Block& block) {
          for (Index r = 0; r < block.count; ++r) {
            const Index i = block.rows[r], y = problem_.label[i];
            const double* const alpha = alpha_.data() + area(i);
            double* const out = block.values + area(r);
            double others = 0;
            for (Index k = 0; k < width_; ++k) {
              out[k] = -alpha[k];
              if (k != y) others += alpha[k];
            }
            out[y] = others;
          }
        },
        W_.data());
    if (size_ > d_) {
      total_.assign(offsets(), offsets() + width_);
      for (Index k = 0; k < width_; ++k)
        offsets()[k] = problem_.offset == LinearOffset::penalised ? pull_ * total_[k] : kept[k];
    }
  }

  // Somebody else waits to take over, if this takes long.
  bool is_slow(std::int64_t sweeps) {
    gaps_.emplace_back(sweeps, record_.gap());
    if (fair_try_ < 0 || sweeps < fair_try_) return false;
    const auto later = std::find_if(gaps_.begin(), gaps_.end(), [&](const auto& seen) { return 2 * seen.first > sweeps; });
    return later != gaps_.begin() && record_.gap() > 0.5 * std::prev(later)->second;
  }

  // Looks at both objectives.
  void evaluate(std::int64_t sweeps) {
    if (sweeps >= next_recount_) {
      recount();
      next_recount_ = sweeps + recounted;
    }
    ChunkSums losses;
    passes_.pass(
        passes_.all(), W_.data(),
        [&](const Block& block) {
          for (Index r = 0; r < block.count; ++r) {
            const Index i = block.rows[r], y = problem_.label[i];
            double* const f = block.values + area(r);
            const double own = f[y]--;  // its own class needs no distance
            losses[block.chunk] += problem_.C[i] * (*std::max_element(f, f + K_) + 1 - own);
          }
        },
        nullptr);
    double primal = 0.5 * simd().dot(std::ptrdiff_t(area(d_)), W_.data(), W_.data());
    if (problem_.offset == LinearOffset::penalised) primal += 0.5 * pull_ * simd().dot(width_, total_.data(), total_.data());
    record_.see_primal(primal + losses.total(), W_, sweeps);
    const double dual = bound();
    record_.see_dual(dual, next_);
  }

  // The dual objective of the multipliers, made feasible and put into `next_`. It takes no pass over the rows.
  double bound() {
    std::vector<double> totals = total_;
    if (size_ > d_) std::swap_ranges(totals.begin(), totals.end(), offsets());
    const double dual = bound_.find(alpha_, W_, {}, {}, next_);
    if (size_ > d_) std::swap_ranges(totals.begin(), totals.end(), offsets());
    return dual;
  }

  const ClassProblem& problem_;
  Index n_, d_, K_, width_, size_;
  ClassPasses passes_;
  ClassBound bound_;
  ClassRecord& record_;
  std::int64_t fair_try_;
  Schedule schedule_;
  std::vector<double> W_, alpha_, next_;  // weights [size][width], multipliers [n][width]
  std::vector<double> curvature_;         // of each row
  std::vector<double> total_, scores_, moved_, changes_;
  std::vector<Index> classes_;  // that a step changes, and by how much
  double pull_ = 0, in_row_;
  std::int64_t next_recount_ = recounted;
  std::vector<std::pair<std::int64_t, double>> gaps_;  // at which sweep
};

}  // namespace

bool descend_by_rows(const ClassProblem& problem, std::int64_t fair_try, ClassRecord& record, ClassPoint& last) {
  ClassDescent search(problem, fair_try, record);
  const bool more = search.run();
  last = search.last();
  return more;
}

ClassOutcome minimise_classes_by_rows(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor) {
  ClassRecord record(problem, options, monitor);
  ClassPoint last;
  descend_by_rows(problem, -1, record, last);
  return record.finish(last.alpha);
}

}  // namespace maxmargin
