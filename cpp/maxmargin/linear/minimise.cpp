#include <cstdlib>

#include "maxmargin/linear/losses.hpp"
#include "maxmargin/linear/newton.hpp"

namespace maxmargin {

namespace {

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

LinearOutcome minimise_by_newton(const LinearProblem& problem, const LinearOptions& options, const Monitor& monitor,
                                 const LinearOutcome* start) {
  if (const std::unique_ptr<LinearRows> held = problem.x->without_zeros()) {
    LinearProblem shorter = problem;
    shorter.x = held.get();
    return minimise_by_newton(shorter, options, monitor, start);
  }
  bool stopped = false;  // once said, it is not asked again
  const Monitor once = [&](const Progress& p) { return stopped = stopped || monitor(p); };
  const bool given = start != nullptr;
  // With many features a round costs much. Sweeps in the dual find most of the rows that matter for less, and often the end.
  const bool wide = problem.x->columns() + (problem.offset != LinearOffset::none) > LinearNewton::widest_factor;
  LinearOutcome swept;
  if (!given && wide && is_quadratic(problem.loss)) {
    LinearProblem easier = problem;
    if (problem.offset == LinearOffset::free) easier.offset = LinearOffset::penalised;
    LinearOptions brief = options;
    brief.fair_try = fair_try;
    const bool same = easier.offset == problem.offset && problem.penalty;
    brief.max_rounds = std::min(options.max_rounds, same && !problem.target ? most_sweeps : sweeps_before);
    swept = minimise_by_coordinates(easier, 0, brief, once);
    if (same && swept.termination == Termination::converged && !is_small(problem)) return swept;
    start = &swept;
  }
  keep_memory(problem.x->rows(), wide ? 0 : problem.x->columns());
  LinearNewton search(problem, options, once);
  if (start) search.begin_at(*start);
  if (!given) search.begin_with_some_rows(options, once);
  return search.run();
}

}  // namespace maxmargin
