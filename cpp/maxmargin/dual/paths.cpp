#include "maxmargin/dual/paths.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "maxmargin/dual/pair_search.hpp"
#include "maxmargin/kernels/kernel_matrix.hpp"
#include "maxmargin/kernels/matrix_gram.hpp"
#include "maxmargin/platform/thread_pool.hpp"
#include "maxmargin/platform/threads.hpp"

namespace maxmargin {

namespace {

// At most so many run at once, so that each one's share of the memory does not depend on the number of threads.
constexpr std::size_t most_at_once = 16;
constexpr int most_rounds = 8;
constexpr double negative_gap = 1e-9;  // of the primal objective: one further below 0 is looked at with its rounding
constexpr double rounding_of_sums = std::numeric_limits<double>::epsilon();  // of each term

// A point with its scores.
struct Start {
  std::vector<double> beta, scores;
  Origin origin = Origin::cold;
};

// The objective that a search minimises, at a multiple of a point.
double objective(const SignedDual& problem, const Start& at) {
  double value = 0;
  for (Index i = 0; i < problem.n; ++i)
    value += at.beta[i] * (0.5 * at.scores[i] + problem.q[i] + 0.5 * problem.ridge_at(i) * at.beta[i]) +
             problem.l1_weight * std::abs(at.beta[i]);
  return value;
}

// The problem of a path, stage after stage.
class PathSearch {
 public:
  // Without a matrix kernel values are computed again and again.
  PathSearch(const Path& path, std::size_t k, const KernelMatrix* matrix, const Allowed& allowed, const Options& options,
             const Monitor& monitor)
      : path_(path),
        k_(k),
        part_(path.stages[0]->gram(k).size()),
        allowed_(allowed),
        options_(options),
        monitor_(monitor),
        inner_(path.gram(k)) {
    const Index n = inner_.size();
    std::vector<double> diagonal(static_cast<std::size_t>(n));
    inner_.diagonal(diagonal.data());
    for (const double value : diagonal) largest_ = std::max(largest_, std::abs(value));
    const bool single = n > float_floor && options.tol >= float_tol && largest_ < 1e30;
    if (matrix != nullptr) held_ = std::make_unique<MatrixGram>(*matrix, single);
    if (path.around.empty()) return;
    for (std::vector<double>* each : {&q_, &lower_, &upper_, &ridge_}) each->assign(std::size_t(n), 0.0);
    std::vector<char> is_member(std::size_t(n), 0);
    for (Index i = 0; i < part_; ++i) is_member[members()[i]] = 1;
    for (Index i = 0; i < n; ++i)
      if (!is_member[i]) others_.push_back(i);
  }

  PathPoint stage(std::size_t s) {
    const SignedDual problem = problem_of(s);
    Start start = start_of(s, problem);
    PathPoint point = search(problem, start);
    for (const Index i : others_) point.held_out.push_back(start.scores[i] + point.evaluation.bias);
    last_ = std::move(start);
    last_.origin = Origin::warm;
    last_width_ = widest(problem);
    return point;
  }

 private:
  const Index* members() const { return path_.members[k_]; }

  // The values of a problem's rows at their places among those of the larger Gram.
  void spread(const double* values, double* out) const {
    for (Index i = 0; i < part_; ++i) out[members()[i]] = values[i];
  }

  // With variables for the rows that are held out, whose bounds are 0.
  SignedDual problem_of(std::size_t s) {
    SignedDual problem = path_.stages[s]->problem(k_);
    if (path_.around.empty()) return problem;
    spread(problem.q, q_.data());
    spread(problem.lower, lower_.data());
    spread(problem.upper, upper_.data());
    if (problem.ridge != nullptr) spread(problem.ridge, ridge_.data());
    problem.n = inner_.size();
    problem.q = q_.data();
    problem.lower = lower_.data();
    problem.upper = upper_.data();
    problem.ridge = problem.ridge == nullptr ? nullptr : ridge_.data();
    return problem;
  }

  const Gram& gram() const { return held_ != nullptr ? static_cast<const Gram&>(*held_) : inner_; }

  // By which bounds are compared from stage to stage. A sum would bring its rounding along, so that a multiple of a point at
  // its bounds would miss them.
  static double widest(const SignedDual& problem) {
    double width = 0;
    for (Index i = 0; i < problem.n; ++i) width = std::max(width, problem.upper[i] - problem.lower[i]);
    return width;
  }

  // The point of the stage before, made longer by a factor; nothing if it does not satisfy the constraints.
  std::optional<Start> multiple(const SignedDual& problem, double factor) const {
    Start found = last_;
    double largest = 0, sum = 0, size = 0;
    for (double& b : found.beta) largest = std::max(largest, std::abs(b *= factor));
    const double near = 1e-13 * largest;
    for (Index i = 0; i < problem.n; ++i) {
      double& b = found.beta[i];
      found.scores[i] *= factor;
      if (b < problem.lower[i] - near || b > problem.upper[i] + near) return std::nullopt;
      if (b - problem.lower[i] <= near) b = problem.lower[i];
      if (problem.upper[i] - b <= near) b = problem.upper[i];
      sum += b;
      size += std::abs(b);
    }
    if (problem.keep != Keep::nothing && std::abs(sum - problem.sum) > 1e-12 * size) return std::nullopt;
    return found;
  }

  Start start_of(std::size_t s, const SignedDual& problem) const {
    const auto n = std::size_t(problem.n);
    Start best{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0), Origin::cold};
    if (path_.starts[s] != nullptr) {
      const double* const given = path_.starts[s] + path_.stages[s]->starts[k_];
      if (path_.around.empty())
        std::copy_n(given, n, best.beta.begin());
      else
        spread(given, best.beta.data());
      gram().product(best.beta.data(), best.scores.data(), poll_now);
      return best;
    }
    if (last_.beta.empty()) return best;
    double least = objective(problem, best);
    for (const double factor : {1.0, widest(problem) / last_width_})
      if (const std::optional<Start> other = multiple(problem, factor))
        if (const double value = objective(problem, *other); value < least) {
          least = value;
          best = *other;
        }
    return best;
  }

  // The scores of another point: those of the changes are added, unless float64 values are wanted or most have changed.
  void bring_scores(Start& at, std::vector<double> beta, bool exactly) const {
    const auto count = [](const std::vector<double>& x) {
      return std::count_if(x.begin(), x.end(), [](double b) { return b != 0; });
    };
    at.beta.swap(beta);
    if (exactly) return gram().product(at.beta.data(), at.scores.data(), poll_now);
    std::vector<double> change(beta.size()), more(beta.size());
    for (std::size_t i = 0; i < change.size(); ++i) change[i] = at.beta[i] - beta[i];
    if (count(change) >= count(at.beta)) return gram().rough_product(at.beta.data(), at.scores.data(), poll_now);
    gram().rough_product(change.data(), more.data(), poll_now);
    for (std::size_t i = 0; i < more.size(); ++i) at.scores[i] += more[i];
  }

  // To the optimum, and on from exact scores while that helps.
  PathPoint search(const SignedDual& problem, Start& at) const {
    PathPoint point;
    Options options = options_;
    options.origin = at.origin;
    double aim = options.tol;
    std::vector<double> gradient(at.beta.size());
    for (int round = 0; round < most_rounds; ++round) {
      for (Index i = 0; i < problem.n; ++i) gradient[i] = at.scores[i] + problem.q[i] + problem.ridge_at(i) * at.beta[i];
      Outcome outcome = minimise(problem, gram(), at.beta.data(), gradient.data(), options, monitor_);
      point.steps += outcome.steps;
      point.termination = outcome.termination;
      point.negative_curvature |= outcome.negative_curvature;
      bring_scores(at, std::move(outcome.beta), options.origin == Origin::resumed || held_ == nullptr || held_->used_float64());
      const Evaluation before = std::move(point.evaluation);
      point.evaluation = evaluate(problem, at.beta.data(), at.scores.data(), {.score_scale = largest_});
      const Evaluation& now = point.evaluation;
      // Equal terms, as of rows that are all at their bounds, do not round at random: their errors add up.
      point.evaluation.rounding = std::max(now.rounding, rounding_of_sums * double(problem.n) * std::abs(now.primal));
      point.optimal = is_optimal(now, allowed_);
      const bool goes_on = point.termination == Termination::converged || point.termination == Termination::stalled;
      if (point.optimal || !goes_on || point.steps >= options_.max_steps) break;
      const double gap = now.primal - now.dual;
      if (round > 2 && now.violation >= 0.5 * before.violation && !(gap > 0 && gap < 0.5 * (before.primal - before.dual)))
        break;
      if (now.violation <= options_.tol) aim *= 0.1;  // the pairs agree, the gap does not
      options.tol = std::min(aim, 0.5 * now.violation);
      options.origin = round == 0 && held_ != nullptr ? Origin::warm : Origin::resumed;
      options.finish = round > 1;
    }
    point.beta.resize(std::size_t(part_));
    for (Index i = 0; i < part_; ++i) point.beta[i] = at.beta[path_.around.empty() ? i : members()[i]];
    point.evaluation.shift = inner_.offset_shift(at.beta.data());
    return point;
  }

  const Path& path_;
  std::size_t k_;
  Index part_;  // rows of the problem
  const Allowed& allowed_;
  const Options& options_;
  const Monitor& monitor_;
  const Gram& inner_;
  std::unique_ptr<MatrixGram> held_;
  double largest_ = 0;  // kernel value
  Start last_;          // of the stage before
  double last_width_ = 0;
  std::vector<double> q_, lower_, upper_, ridge_;  // with the rows that are held out
  std::vector<Index> others_;                      // which are these
};

// The kernel matrices of those paths that run, for all that have the same Gram.
class Matrices {
 public:
  void expect(const Gram& gram) { ++held_[&gram].users; }
  const KernelMatrix& of(const Gram& gram) {
    const std::lock_guard<Mutex> hold(lock_);
    Held& own = held_.at(&gram);
    if (own.matrix == nullptr) own.matrix = std::make_unique<KernelMatrix>(gram);
    return *own.matrix;
  }
  void release(const Gram& gram) {
    const std::lock_guard<Mutex> hold(lock_);
    Held& own = held_.at(&gram);
    if (--own.users == 0) own.matrix.reset();
  }

 private:
  struct Held {
    std::unique_ptr<KernelMatrix> matrix;
    std::size_t users = 0;
  };
  Mutex lock_;
  std::unordered_map<const Gram*, Held> held_;
};

}  // namespace

bool is_clear(const Evaluation& at, const Allowed& allowed) {
  const double size = std::abs(at.primal);
  return at.rounding <= allowed.rounding * size && at.primal - at.dual >= -negative_gap * size;
}

bool is_stationary(const Evaluation& at, const Allowed& allowed) {
  return -at.rounding <= at.primal - at.dual && at.violation <= allowed.violation && at.infeasibility <= allowed.infeasibility;
}

bool is_optimal(const Evaluation& at, const Allowed& allowed) {
  return is_stationary(at, allowed) && is_clear(at, allowed) && at.primal - at.dual <= allowed.gap * std::abs(at.primal);
}

std::vector<std::vector<std::vector<PathPoint>>> minimise_paths(const std::vector<Path>& paths, const Allowed& allowed,
                                                                const Options& options, Events& events) {
  struct Task {
    std::size_t path, problem;
  };
  std::vector<Task> tasks;
  Matrices matrices;
  std::unordered_map<const Gram*, std::size_t> first;  // task that has it
  std::vector<std::vector<std::vector<PathPoint>>> found(paths.size());
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const std::size_t problems = paths[p].stages[0]->size();
    found[p].assign(paths[p].stages.size(), std::vector<PathPoint>(problems));
    for (std::size_t k = 0; k < problems; ++k) {
      matrices.expect(paths[p].gram(k));
      first.try_emplace(&paths[p].gram(k), tasks.size());
      tasks.push_back({p, k});
    }
  }
  // Those that share a matrix one after the other, so that no more of these are held than tasks run.
  const auto place = [&](const Task& task) {
    return std::tuple(first.at(&paths[task.path].gram(task.problem)), task.path, task.problem);
  };
  std::sort(tasks.begin(), tasks.end(), [&](const Task& a, const Task& b) { return place(a) < place(b); });
  // No more at once than have room for their kernel values, as long as there is room for one.
  std::size_t at_once = std::min(tasks.size(), most_at_once), largest = 1;
  for (const auto& [p, k] : tasks) largest = std::max(largest, KernelMatrix::bytes(paths[p].gram(k).size()));
  if (options.cache_bytes >= largest) at_once = std::min(at_once, options.cache_bytes / largest);
  Options each = options;
  each.alone = false;
  each.finish = false;
  each.in_place = true;
  each.cache_bytes = options.cache_bytes / std::max<std::size_t>(at_once, 1);
  const auto one = [&](std::size_t t) {
    const auto [p, k] = tasks[t];
    Options own = each;
    own.deadline = events.deadline();
    const Monitor monitor = [&events, t](const Progress& progress) { return events.at_checkpoint(t, progress); };
    try {
      const Gram& gram = paths[p].gram(k);
      const bool has_room = KernelMatrix::bytes(gram.size()) <= own.cache_bytes;
      PathSearch search(paths[p], k, has_room ? &matrices.of(gram) : nullptr, allowed, own, monitor);
      for (std::size_t s = 0; s < paths[p].stages.size() && !events.stopped(); ++s) found[p][s][k] = search.stage(s);
    } catch (const Stopped&) {
      return;  // the stages that were reached are there
    }
  };
  std::atomic<std::size_t> next{0};
  const auto in_turn = [&](std::ptrdiff_t) {
    const Poll poll = [&] { events.poll(); };
    const Watched watched(poll);
    for (std::size_t t = next++; t < tasks.size() && !events.stopped(); t = next++) {
      one(t);
      matrices.release(paths[tasks[t].path].gram(tasks[t].problem));
    }
  };
  const Poll while_waiting = [&] { events.while_waiting(); };
  const Watched watched(while_waiting);
  parallel_chunks(std::ptrdiff_t(at_once), in_turn);
  return found;
}

}  // namespace maxmargin
