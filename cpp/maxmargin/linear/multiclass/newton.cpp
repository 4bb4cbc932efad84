// Newton's method for linear models of all classes at once.
#include <limits>
#include <numeric>

#include "maxmargin/linear/multiclass/bound.hpp"
#include "maxmargin/linear/multiclass/coordinate_descent.hpp"
#include "maxmargin/linear/multiclass/system.hpp"
#include "maxmargin/newton/line_search.hpp"

namespace maxmargin {

namespace {

using Block = ClassPasses::Block;

constexpr std::int64_t patience = 60;   // rounds
constexpr std::int64_t fair_try = 200;  // sweeps
constexpr double most_forcing = 0.2;
constexpr double far = 10.0;  // times the primal objective: such a gap need not be known

class ClassNewton {
 public:
  ClassNewton(const ClassProblem& problem, ClassRecord& record)
      : problem_(problem),
        n_(problem.x->rows()),
        d_(problem.x->columns()),
        K_(problem.classes),
        width_(problem.width()),
        size_(d_ + (problem.offset != LinearOffset::none)),
        ridge_(size_, problem.penalty ? 1.0 : 0.0),
        rows_(problem),
        passes_(*problem.x, size_, width_),
        bound_(problem, passes_),
        record_(record),
        system_(problem, rows_, passes_, ridge_) {
    if (problem.offset == LinearOffset::free) ridge_[d_] = 0;
    if (problem.offset == LinearOffset::penalised) ridge_[d_] /= problem.offset_scale * problem.offset_scale;
    for (std::vector<double>* vector : {&W_, &gradient_, &direction_, &combined_}) vector->assign(area(size_), 0.0);
    for (std::vector<double>* matrix : {&scores_, &alpha_, &along_, &next_}) matrix->assign(area(n_), 0.0);
    log_sums_.resize(n_);
  }

  void begin_at(const ClassPoint& start) {
    W_ = start.W;
    find_scores(W_, scores_);
    rows_.begin_at(start.alpha);
  }

  ClassOutcome run() {
    record_.begin(patience);
    look(0);
    const std::int64_t first = record_.rounds();
    for (std::int64_t round = first;; ++round) {
      find_gradient();
      record_.see_primal(primal_, W_, round);
      if (problem_.penalty) {
        const double unsolved = system_.unsolved(gradient_);
        double dual = record_.dual();
        if (round == first || unsolved <= far * primal_) record_.see_dual(dual = find_dual(), next_);
        if (record_.stops()) break;
        if (rows_.smoothed() && unsolved <= 0.1 * std::min(primal_ - dual, scale())) update_multipliers();
      }
      const double forcing = problem_.penalty ? std::clamp(0.5 * std::sqrt(record_.relative_gap()), 1e-4, most_forcing) : 1e-10;
      const double goal = !problem_.penalty  ? 0.0
                          : rows_.smoothed() ? 0.02 * std::min(primal_ - record_.dual(), scale())
                                             : 0.1 * record_.aim();
      if (!system_.solve(alpha_, gradient_, forcing, goal, direction_, record_)) break;
      decrement_ = -simd().dot(std::ptrdiff_t(area(size_)), gradient_.data(), direction_.data());
      find_scores(direction_, along_);
      if (!problem_.penalty && without_penalty()) break;
      if (!(decrement_ > 0)) {  // nothing left that float64 can tell
        if (!rows_.smoothed()) break;
        update_multipliers();
        continue;
      }
      const double length = find_length();
      simd().axpy(std::ptrdiff_t(area(size_)), length, direction_.data(), W_.data());
      simd().axpy(std::ptrdiff_t(area(n_)), length, along_.data(), scores_.data());
    }
    return record_.finish(alpha_);
  }

 private:
  std::size_t area(Index rows) const { return std::size_t(rows) * std::size_t(width_); }

  void find_scores(const std::vector<double>& W, std::vector<double>& scores) {
    passes_.pass(
        passes_.all(), W.data(),
        [&](const Block& block) {
          std::copy(block.values, block.values + std::ptrdiff_t(block.count) * width_, scores.data() + area(block.first));
        },
        nullptr);
  }

  struct Slope {
    double first, second;
  };

  // Loss, multipliers, and the slope of what is minimised `length` along the direction.
  Slope look(double length) {
    ChunkSums loss, first, second;
    passes_.for_rows([&](const Block& block) {
      const std::size_t at = area(block.first);
      for (std::size_t k = 0; k < area(block.count); ++k) block.values[k] = scores_[at + k] + length * along_[at + k];
      loss[block.chunk] +=
          rows_.multipliers(block.first, block.count, block.values, alpha_.data() + at, log_sums_.data() + block.first);
      for (Index r = 0; r < block.count; ++r) {
        const double* const alpha = alpha_.data() + at + area(r);
        const double* const along = along_.data() + at + area(r);
        const double own = along[problem_.label[block.first + r]];
        double slope = 0, square = 0;
        for (Index k = 0; k < K_; ++k) {
          const double z = along[k] - own;
          slope += alpha[k] * z;
          square += alpha[k] * z * z;
        }
        first[block.chunk] += slope;
        if (!rows_.smoothed()) {
          second[block.chunk] += square - slope * slope / problem_.C[block.first + r];
          continue;
        }
        double* const curved = block.values + area(r);
        std::copy(along, along + K_, curved);
        rows_.curve(block.first + r, alpha, curved);
        second[block.chunk] += std::inner_product(along, along + K_, curved, 0.0);
      }
    });
    loss_ = loss.total();
    return {first.total(), second.total()};
  }

  // How far to go along the direction.
  double find_length() {
    double slope_w = 0, curve_w = 0;
    for (Index a = 0; a < size_; ++a) {
      slope_w += ridge_[a] * simd().dot(width_, W_.data() + area(a), direction_.data() + area(a));
      curve_w += ridge_[a] * simd().dot(width_, direction_.data() + area(a), direction_.data() + area(a));
    }
    const double close = rows_.smoothed() ? 1e-2 : 0.25, before = loss_;
    return line_search(close * decrement_, [&](double length) {
      const Slope rows = look(length);
      const double slope = slope_w + length * curve_w + rows.first, curve = curve_w + rows.second;
      // A small slope to the right of the root may still be above where it began.
      const bool falls = slope <= 0 || rows_.smoothed() || loss_ - before + length * (slope_w + 0.5 * length * curve_w) <= 0;
      return AlongDirection{slope, curve, falls};
    });
  }

  void find_gradient() {
    passes_.pass(
        passes_.all(), nullptr,
        [&](const Block& block) {
          for (Index r = 0; r < block.count; ++r)
            rows_.slopes(block.rows[r], alpha_.data() + area(block.rows[r]), block.values + area(r));
        },
        gradient_.data());
    primal_ = loss_;
    for (Index a = 0; a < size_; ++a) {
      primal_ += 0.5 * ridge_[a] * simd().dot(width_, W_.data() + area(a), W_.data() + area(a));
      simd().axpy(width_, ridge_[a], W_.data() + area(a), gradient_.data() + area(a));
    }
  }

  // The dual objective of the multipliers, made feasible and put into next_.
  double find_dual() {
    for (Index a = 0; a < size_; ++a)
      for (Index k = 0; k < K_; ++k) combined_[area(a) + k] = ridge_[a] * W_[area(a) + k] - gradient_[area(a) + k];
    return bound_.find(alpha_, combined_, scores_, log_sums_, next_);
  }

  // What the optimum is about: at large C the primal objective is far above it until the end.
  double scale() const { return std::max(record_.dual(), primal_ - loss_); }

  void update_multipliers() {
    rows_.update_multipliers(alpha_);
    find_scores(W_, scores_);  // what steps add up to has rounding that a larger penalty parameter sees
    look(0);
    find_gradient();
  }

  // Without a penalty the combinations of all rows must vanish. alpha does not do that, but what Newton's system says that it
  // becomes does, if it stays inside its bounds.
  bool without_penalty() {
    bool inside = true, separates = true;
    double gain = 0;
    for (Index i = 0; i < n_; ++i) {
      const double* const alpha = alpha_.data() + area(i);
      const double* const f = scores_.data() + area(i);
      double* const next = next_.data() + area(i);
      std::copy(along_.data() + area(i), along_.data() + area(i + 1), next);
      rows_.curve(i, alpha, next);
      for (Index k = 0; k < K_; ++k) {
        next[k] += alpha[k];
        inside = inside && next[k] >= 0;
        separates = separates && (k == problem_.label[i] || f[k] < f[problem_.label[i]]);
        if (inside && next[k] > 0) gain -= next[k] * std::log(next[k] / problem_.C[i]);
      }
    }
    if (inside) record_.see_dual(gain, next_);
    if (!separates) return record_.stops();
    record_.separates();
    return true;
  }

  const ClassProblem& problem_;
  Index n_, d_, K_, width_, size_;
  std::vector<double> ridge_;
  ClassRows rows_;
  ClassPasses passes_;
  ClassBound bound_;
  ClassRecord& record_;
  ClassSystem system_;
  std::vector<double> W_, gradient_, direction_, combined_;
  std::vector<double> scores_, alpha_, along_, next_, log_sums_;
  double loss_ = 0, primal_ = 0, decrement_ = 0;
};

// A point as searches have it: classes in whole vectors, the offsets as the last feature.
ClassPoint padded(const ClassProblem& problem, const ClassOutcome& start) {
  const auto d = std::size_t(problem.x->columns()), n = std::size_t(problem.x->rows()), K = std::size_t(problem.classes),
             width = std::size_t(problem.width());
  const bool offsets = problem.offset != LinearOffset::none;
  ClassPoint point{std::vector<double>((d + std::size_t(offsets)) * width), std::vector<double>(n * width)};
  for (std::size_t k = 0; k < K; ++k) {
    for (std::size_t j = 0; j < d; ++j) point.W[j * width + k] = start.w[k * d + j];
    if (offsets) point.W[d * width + k] = start.b[k];
  }
  for (std::size_t i = 0; i < n; ++i)
    std::copy(start.alpha.data() + i * K, start.alpha.data() + (i + 1) * K, point.alpha.data() + i * width);
  return point;
}

}  // namespace

ClassOutcome minimise_classes_by_newton(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor,
                                        const ClassOutcome* start) {
  ClassRecord record(problem, options, monitor);
  if (start != nullptr) {
    ClassNewton search(problem, record);
    search.begin_at(padded(problem, *start));
    return search.run();
  }
  // With many features a round costs much, and steps of single rows come to the end for less, if they do.
  ClassPoint swept;
  const bool wide = problem.x->columns() + (problem.offset != LinearOffset::none) > ClassSystem::widest_part;
  if (wide && problem.loss == ClassLoss::crammer_singer && !descend_by_rows(problem, fair_try, record, swept))
    return record.finish(swept.alpha);
  ClassNewton search(problem, record);
  if (!swept.W.empty()) search.begin_at(swept);
  return search.run();
}

}  // namespace maxmargin
