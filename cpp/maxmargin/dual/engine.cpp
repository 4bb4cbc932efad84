#include "maxmargin/dual/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/dual/evaluation.hpp"
#include "maxmargin/dual/pair_search.hpp"
#include "maxmargin/dual/sampled_search.hpp"

namespace maxmargin {

namespace {

// The variables that some violating pair contains, by an exact gradient: where a resumed run has to look.
std::vector<Index> worth_looking_at(const SignedDual& problem, const double* beta, const double* gradient) {
  const auto at = [&](Index i) { return slopes(gradient[i], problem.l1_weight, beta[i], problem.lower[i], problem.upper[i]); };
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (Index i = 0; i < problem.n; ++i) {
    lowest = std::min(lowest, at(i).rise);
    highest = std::max(highest, at(i).fall);
  }
  std::vector<Index> active;
  for (Index i = 0; i < problem.n; ++i) {
    const auto [rise, fall] = at(i);
    const bool is_free = std::isfinite(rise) && std::isfinite(fall) && !(problem.stops_at_zero() && beta[i] == 0);
    if (is_free || rise < highest || fall > lowest) active.push_back(i);
  }
  return active;
}

// What rounding left of a variable next to a bound is put on it: it would count as free, and the offset be taken from it.
void snap_to_bounds(const SignedDual& problem, std::vector<double>& beta) {
  double largest = 0;
  for (const double b : beta) largest = std::max(largest, std::abs(b));
  const double near = 1e-13 * largest;
  for (Index i = 0; i < problem.n; ++i) {
    if (std::abs(beta[i] - problem.lower[i]) <= near) beta[i] = problem.lower[i];
    if (std::abs(beta[i] - problem.upper[i]) <= near) beta[i] = problem.upper[i];
    if (problem.stops_at_zero() && std::abs(beta[i]) <= near) beta[i] = 0;
  }
}

// The rounding of float32 rows, with all active variables at their bounds.
double float32_noise(const SignedDual& problem, const SearchState& state) {
  double square = 0;
  for (const Index i : state.active) {
    const double bound = std::max(std::abs(problem.lower[i]), std::abs(problem.upper[i]));
    square += bound * bound * std::abs(state.diagonal[i]);
  }
  return double(std::numeric_limits<float>::epsilon()) * std::sqrt(square * state.diagonal_scale);
}

// Who gets the reports of a search.
class Listening {
 public:
  Listening(SearchState& state, const Monitor& monitor) : state_(state), before_(state.monitor) { state.monitor = &monitor; }
  ~Listening() { state_.monitor = before_; }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  SearchState& state_;
  const Monitor* before_;
};

// From the state's point to a termination, over its active variables.
void search_active(const SignedDual& problem, const Gram& gram, const Options& options, const Monitor& monitor,
                   SearchState& state) {
  const Listening listening(state, monitor);
  const auto active = Index(state.active.size());
  // Would float32 drown what has to be found: a violation of tol, or with all variables at large bounds any?
  const bool hopeless = options.tol < float_tol || float32_noise(problem, state) > 1e3 * options.tol;
  const bool few = active <= float_floor || (active <= exact_limit && (options.origin == Origin::resumed || hopeless));
  const bool exact = few || !gram.single_precision_suffices();
  if (exact || !PairSearch<float>(problem, gram, options, monitor, state).run())
    PairSearch<double>(problem, gram, options, monitor, state).run();
}

// A large problem that begins at 0 and may leave out variables runs over some of them first.
bool begins_with_a_sample(const SignedDual& problem, const Gram& gram, const Options& options, const SearchState& state) {
  return problem.n >= sample_floor && problem.keep == Keep::sum && options.shrinking && options.origin == Origin::cold &&
         options.tol >= float_tol && gram.single_precision_suffices() && float32_noise(problem, state) <= options.tol &&
         std::all_of(state.beta.begin(), state.beta.end(), [](double b) { return b == 0.0; });
}

// The variables whose bounds leave them room: a row that is held out has none, and only its score is asked for.
std::vector<Index> movable(const SignedDual& problem) {
  std::vector<Index> found;
  found.reserve(std::size_t(problem.n));
  for (Index i = 0; i < problem.n; ++i)
    if (problem.lower[i] < problem.upper[i]) found.push_back(i);
  return found;
}

// From the state's point to its end. The first run after an evaluation looks at violating variables only: the next evaluation
// tells if that was enough.
void search(const SignedDual& problem, const Gram& gram, const Options& options, const Monitor& monitor, SearchState& state,
            bool first = true) {
  state.active.clear();
  if (first && options.origin == Origin::resumed && options.shrinking && problem.keep == Keep::sum)
    state.active = worth_looking_at(problem, state.beta.data(), state.gradient.data());
  const bool chosen = state.active.size() >= 2;
  if (!chosen) state.active = movable(problem);
  const bool sampled = first && begins_with_a_sample(problem, gram, options, state);
  if (state.active.size() < 2 || (options.in_place && !chosen && !sampled)) {
    state.active.resize(problem.n);
    std::iota(state.active.begin(), state.active.end(), 0);
  }
  const auto run = [&](const Options& now, const Monitor& told) { search_active(problem, gram, now, told, state); };
  if (!sampled || !SampledSearch(problem, gram, options, monitor, state).run(run)) run(options, monitor);
  snap_to_bounds(problem, state.beta);
}

double abs_sum_of(const SearchState& state) {
  double abs_sum = 0;
  for (const double b : state.beta) abs_sum += std::abs(b);
  return abs_sum;
}

// A sum of |beta| that may fall is kept as long as its multiplier is positive; else the sum of beta alone, until it is at its
// limit again. The objective falls from turn to turn, so this ends, after one or two.
void search_below_abs_sum(const SignedDual& problem, const Gram& gram, const Options& options, const Monitor& monitor,
                          SearchState& state) {
  SignedDual now = problem;
  now.abs_sum_may_fall = false;
  now.keep = abs_sum_of(state) < problem.abs_sum * (1 - 1e-9) ? Keep::sum : Keep::sides;
  for (int turn = 0; turn < 6; ++turn) {
    search(now, gram, options, monitor, state, turn == 0);
    if (state.outcome.termination != Termination::converged) return;
    const double abs_sum = abs_sum_of(state);
    if (now.keep == Keep::sum) {
      if (abs_sum <= problem.abs_sum * (1 + 1e-12)) return;
      for (double& b : state.beta) b *= problem.abs_sum / abs_sum;
      now.keep = Keep::sides;
    }
    gram.product(state.beta.data(), state.gradient.data(), poll_now);
    if (abs_sum <= problem.abs_sum * (1 + 1e-12)) {
      if (evaluate(now, state.beta.data(), state.gradient.data(), {}).nu_multiplier >= -options.tol) return;
      now.keep = Keep::sum;
    }
    state.objective = 0;
    for (Index i = 0; i < problem.n; ++i) {
      const double b = state.beta[i];
      state.gradient[i] += problem.q[i] + problem.ridge_at(i) * b;
      state.objective += 0.5 * b * (state.gradient[i] + problem.q[i]) + problem.l1_weight * std::abs(b);
    }
  }
}

}  // namespace

Outcome minimise(const SignedDual& problem, const Gram& gram, const double* beta, const double* gradient,
                 const Options& options, const Monitor& monitor) {
  SearchState state;
  const auto n = std::size_t(problem.n);
  state.start = state.last_report = std::chrono::steady_clock::now();
  state.monitor = &monitor;
  state.beta.assign(beta, beta + n);
  state.gradient.assign(gradient, gradient + n);
  state.diagonal.resize(n);
  const Poll poll = [&] { state.poll(options.deadline); };
  try {
    const Watched watched(poll);
    gram.diagonal(state.diagonal.data());
    for (std::size_t i = 0; i < n; ++i) {
      state.diagonal[i] += problem.ridge_at(Index(i));
      state.diagonal_scale = std::max(state.diagonal_scale, std::abs(state.diagonal[i]));
      state.objective += 0.5 * beta[i] * (gradient[i] + problem.q[i]) + problem.l1_weight * std::abs(beta[i]);
    }
    if (problem.abs_sum_may_fall)
      search_below_abs_sum(problem, gram, options, monitor, state);
    else
      search(problem, gram, options, monitor, state);
  } catch (const Stopped& stop) {  // between searches
    state.outcome.termination = stop.termination();
  }
  state.outcome.beta = std::move(state.beta);
  return std::move(state.outcome);
}

}  // namespace maxmargin
