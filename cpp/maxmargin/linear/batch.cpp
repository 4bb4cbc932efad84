#include "maxmargin/linear/batch.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

std::vector<LinearOutcome> minimise_linear_batch(std::span<const LinearProblem> problems, std::span<const LinearOutcome> starts,
                                                 LinearMethod method, std::uint64_t seed, const LinearOptions& options,
                                                 Events& events) {
  std::vector<LinearOutcome> outcomes(problems.size());
  // Dense rows that are mostly 0: one copy for all.
  const std::unique_ptr<LinearRows> held = method == LinearMethod::newton ? problems.front().x->without_zeros() : nullptr;
  const auto one = [&](std::size_t k) {
    LinearProblem problem = problems[k];
    const LinearOutcome* const start = starts.empty() || starts[k].w.empty() ? nullptr : &starts[k];
    if (events.stopped() || events.deadline().is_over()) {  // before it began
      if (start != nullptr) outcomes[k] = *start;
      outcomes[k].w.resize(problem.x->columns(), 0.0);
      outcomes[k].alpha.resize(problem.x->rows(), 0.0);
      outcomes[k].termination = events.stopped() ? Termination::stopped : Termination::time_limit;
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
  };
  if (problems.size() == 1) {
    one(0);
    return outcomes;
  }
  std::atomic<std::size_t> next{0};
  const auto in_turn = [&](std::ptrdiff_t) {
    for (std::size_t k = next++; k < problems.size(); k = next++) one(k);
  };
  const Poll while_waiting = [&] { events.while_waiting(); };
  const Watched watched(while_waiting);
  // More than there are threads would only take memory.
  parallel_chunks(std::min<std::ptrdiff_t>(std::ptrdiff_t(problems.size()), thread_count()), in_turn);
  return outcomes;
}

}  // namespace maxmargin
