#include "maxmargin/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/pair_search.hpp"

namespace maxmargin {

namespace {

// The variables that some violating pair contains, judged by an exact gradient: where a resumed run has to look.
std::vector<Index> worth_looking_at(const SignedDual& problem, const double* beta, const double* gradient) {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (Index i = 0; i < problem.n; ++i) {
    if (beta[i] < problem.upper[i]) lowest = std::min(lowest, gradient[i]);
    if (beta[i] > problem.lower[i]) highest = std::max(highest, gradient[i]);
  }
  std::vector<Index> active;
  for (Index i = 0; i < problem.n; ++i) {
    const bool is_free = beta[i] > problem.lower[i] && beta[i] < problem.upper[i];
    if (is_free || (beta[i] < problem.upper[i] && gradient[i] < highest) ||
        (beta[i] > problem.lower[i] && gradient[i] > lowest))
      active.push_back(i);
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
  }
}

// Would the rounding of float32 rows drown what has to be found: a violation of tol, or with all variables at large bounds any?
bool float32_hopeless(const SignedDual& problem, const State& state, const Options& options) {
  double square = 0;
  for (const Index i : state.active) {
    const double bound = std::max(std::abs(problem.lower[i]), std::abs(problem.upper[i]));
    square += bound * bound * std::abs(state.diagonal[i]);
  }
  const double noise = double(std::numeric_limits<float>::epsilon()) * std::sqrt(square * state.diagonal_scale);
  return options.tol < float_tol || noise > 1e3 * options.tol;
}

}  // namespace

Outcome minimise(const SignedDual& problem, const Gram& gram, const double* beta, const double* gradient,
                 const Options& options, const Monitor& monitor) {
  State state;
  const auto n = std::size_t(problem.n);
  state.start = state.last_report = std::chrono::steady_clock::now();
  state.beta.assign(beta, beta + n);
  state.gradient.assign(gradient, gradient + n);
  state.diagonal.resize(n);
  gram.diagonal(state.diagonal.data());
  for (std::size_t i = 0; i < n; ++i) {
    if (problem.ridge != nullptr) state.diagonal[i] += problem.ridge[i];
    state.diagonal_scale = std::max(state.diagonal_scale, std::abs(state.diagonal[i]));
    state.objective += 0.5 * beta[i] * (gradient[i] + problem.q[i]);
  }
  const bool resumed = std::any_of(beta, beta + n, [](double b) { return b != 0.0; });
  if (resumed && options.shrinking && problem.keep_total) state.active = worth_looking_at(problem, beta, gradient);
  if (state.active.size() < 2) {
    state.active.resize(n);
    std::iota(state.active.begin(), state.active.end(), 0);
  }
  const auto active = Index(state.active.size());
  const bool few = active <= float_floor || (active <= exact_limit && (resumed || float32_hopeless(problem, state, options)));
  const bool exact = few || !gram.single_precision_suffices();
  if (exact || !PairSearch<float>(problem, gram, options, monitor, state).run())
    PairSearch<double>(problem, gram, options, monitor, state).run();
  snap_to_bounds(problem, state.beta);
  state.outcome.beta = std::move(state.beta);
  return std::move(state.outcome);
}

}  // namespace maxmargin
