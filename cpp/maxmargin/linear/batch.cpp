#include "maxmargin/linear/batch.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>

#include "maxmargin/linear/newton.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

// Where a search ends that has not begun.
LinearOutcome unsearched(const LinearProblem& problem, const LinearOutcome* start, bool stopped) {
  LinearOutcome outcome = start == nullptr ? LinearOutcome() : *start;
  outcome.w.resize(problem.x->columns(), 0.0);
  outcome.alpha.resize(problem.x->rows(), 0.0);
  outcome.termination = stopped ? Termination::stopped : Termination::time_limit;
  return outcome;
}

// Whether a search from 0, which begins with sweeps, is shorter than Newton's method from the solution for another C: on
// news20's halves, C from 0.01 to 100 in ten steps, it takes half the time, and sweeps that begin there gain nothing.
bool begins_anew(const LinearProblem& problem) {
  const bool wide = problem.x->columns() + (problem.offset != LinearOffset::none) > LinearNewton::widest_factor;
  return wide && problem.loss == MarginLoss::squared_hinge;
}

// `one` of each number below `count`, in turn, as threads become free.
void run_in_turn(std::size_t count, Events& events, const std::function<void(std::size_t)>& one) {
  if (count == 1) {
    one(0);
    return;
  }
  std::atomic<std::size_t> next{0};
  const auto in_turn = [&](std::ptrdiff_t) {
    for (std::size_t k = next++; k < count; k = next++) one(k);
  };
  const Poll while_waiting = [&] { events.while_waiting(); };
  const Watched watched(while_waiting);
  // More than there are threads would only take memory.
  parallel_chunks(std::min<std::ptrdiff_t>(std::ptrdiff_t(count), thread_count()), in_turn);
}

}  // namespace

std::vector<LinearOutcome> minimise_linear_batch(std::span<const LinearProblem> problems, std::span<const LinearOutcome> starts,
                                                 LinearMethod method, std::uint64_t seed, const LinearOptions& options,
                                                 Events& events) {
  std::vector<LinearOutcome> outcomes(problems.size());
  // Dense rows that are mostly 0: one copy for all.
  const std::unique_ptr<LinearRows> held = method == LinearMethod::newton ? problems.front().x->without_zeros() : nullptr;
  run_in_turn(problems.size(), events, [&](std::size_t k) {
    LinearProblem problem = problems[k];
    const LinearOutcome* const start = starts.empty() || starts[k].w.empty() ? nullptr : &starts[k];
    if (events.stopped() || events.deadline().is_over()) {
      outcomes[k] = unsearched(problem, start, events.stopped());
      return;
    }
    const Poll insist = [&] { events.insist(); };
    const Watched watched(insist);
    if (held) problem.x = held.get();
    LinearOptions own = options;
    own.deadline = events.deadline();
    const Monitor monitor = [&events, k](const Progress& progress) { return events.at_checkpoint(k, progress); };
    outcomes[k] = method == LinearMethod::newton ? minimise_by_newton(problem, own, monitor, start)
                                                 : minimise_by_coordinates(problem, seed, own, monitor);
    if (!outcomes[k].trace.empty()) events.at_end(k, outcomes[k].trace.back());
  });
  return outcomes;
}

std::vector<std::vector<LinearOutcome>> minimise_linear_paths(std::span<const std::vector<LinearProblem>> paths,
                                                              const LinearOptions& options, Events& events) {
  std::vector<std::vector<LinearOutcome>> outcomes(paths.size());
  std::map<const LinearRows*, std::unique_ptr<LinearRows>> held;  // rows without their zeros, for all paths that have them
  for (const std::vector<LinearProblem>& path : paths)
    for (const LinearProblem& problem : path)
      if (!held.contains(problem.x)) held[problem.x] = problem.x->without_zeros();
  run_in_turn(paths.size(), events, [&](std::size_t k) {
    const Poll insist = [&] { events.insist(); };
    const Watched watched(insist);
    LinearOutcome before;  // without its trace, which is of other objectives
    outcomes[k].reserve(paths[k].size());
    for (LinearProblem problem : paths[k]) {
      if (events.stopped() || events.deadline().is_over()) {
        outcomes[k].push_back(unsearched(problem, nullptr, events.stopped()));
        continue;
      }
      if (const auto& own = held.find(problem.x)->second) problem.x = own.get();
      LinearOptions limits = options;
      limits.deadline = events.deadline();
      const Monitor monitor = [&events, k](const Progress& progress) { return events.at_checkpoint(k, progress); };
      outcomes[k].push_back(minimise_by_newton(problem, limits, monitor, before.w.empty() ? nullptr : &before));
      const LinearOutcome& found = outcomes[k].back();
      if (found.termination != Termination::converged || begins_anew(problem)) continue;
      before.w = found.w;
      before.alpha = found.alpha;
      before.b = found.b;
    }
  });
  return outcomes;
}

}  // namespace maxmargin
