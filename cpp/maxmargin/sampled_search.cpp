#include "maxmargin/sampled_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/shuffle.hpp"

namespace maxmargin {

namespace {

constexpr Index least_part = 8, most_sampled = 1 << 14;
constexpr int most_rounds = 12;
// Parts of the violation at the start: how far the sample is searched, and how near to violating a variable matters.
constexpr double sample_tol = 0.025, near_part = 0.1;

struct Stopped {};

// One of each `part` neighbours, so that rows in any order are well mixed.
std::vector<Index> sample(Index n) {
  const Index part = std::max(least_part, n / most_sampled);
  Shuffle random{1};
  std::vector<Index> chosen;
  for (Index first = 0; first < n; first += part)
    chosen.push_back(first + Index(random.next() % std::uint64_t(std::min(part, n - first))));
  return chosen;
}

}  // namespace

// Over the active variables.
auto SampledSearch::levels() const -> Levels {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Levels found{infinity, -infinity};
  for (const Index i : state_.active) {
    found.lowest = std::min(found.lowest, slopes_at(i).rise);
    found.highest = std::max(found.highest, slopes_at(i).fall);
  }
  return found;
}

// The variables that violate or nearly do, if the multiplier is in the middle of the levels.
std::vector<Index> SampledSearch::near(Levels at, double margin, std::span<const Index> among) const {
  const double level = 0.5 * (at.lowest + at.highest);
  std::vector<Index> found;
  for (const Index i : among)
    if (slopes_at(i).rise < level + margin || slopes_at(i).fall > level - margin) found.push_back(i);
  return found;
}

bool SampledSearch::others_violate(Levels at) const {
  for (const Index i : all_)
    if (slopes_at(i).rise < at.highest - options_.tol || slopes_at(i).fall > at.lowest + options_.tol) return true;
  return false;
}

// Brings the gradients of all variables to where the active ones have led.
void SampledSearch::catch_up() {
  std::vector<double> changes(problem_.n), scores(problem_.n);
  for (Index i = 0; i < problem_.n; ++i) changes[i] = state_.beta[i] - known_beta_[i];
  gram_.rough_product(changes.data(), scores.data(), [&] {
    if (stopped()) throw Stopped();
  });
  for (Index i = 0; i < problem_.n; ++i)
    state_.gradient[i] = known_gradient_[i] + scores[i] + problem_.ridge_at(i) * changes[i];
  known_beta_ = state_.beta;
  known_gradient_ = state_.gradient;
}

// Must the run end here?
bool SampledSearch::stopped() {
  const auto now = std::chrono::steady_clock::now();
  const double seconds = std::chrono::duration<double>(now - state_.start).count();
  Outcome& outcome = state_.outcome;
  if (now - state_.last_report > std::chrono::milliseconds(50)) {
    state_.last_report = now;
    const auto support = problem_.n - Index(std::count(state_.beta.begin(), state_.beta.end(), 0.0));
    const double violation = outcome.trace.empty() ? 0.0 : outcome.trace.back().violation;
    if (monitor_({seconds, outcome.steps, state_.objective, violation, support})) return outcome.ending = Ending::stopped, true;
  }
  if (options_.max_seconds > 0 && seconds > options_.max_seconds) return outcome.ending = Ending::time_limit, true;
  return false;
}

void SampledSearch::start_over(double objective) {
  state_.beta = known_beta_;
  state_.gradient = known_gradient_;
  state_.objective = objective;
  state_.active = all_;
}

bool SampledSearch::run(const std::function<void(const Options&)>& search) {
  const Levels start = levels();
  const double width = start.highest - start.lowest, margin = near_part * width, objective = state_.objective;
  if (!std::isfinite(width)) return false;
  known_beta_ = state_.beta;
  known_gradient_ = state_.gradient;
  all_ = state_.active;
  state_.active = sample(problem_.n);
  const std::size_t sampled = state_.active.size();
  Options now = options_;
  now.tol = std::max(options_.tol, sample_tol * width);
  search(now);
  Ending& ending = state_.outcome.ending;
  if (ending == Ending::stalled) ending = Ending::converged;  // with more variables there may be a way
  try {
    for (int round = 0; round < most_rounds && ending == Ending::converged; ++round) {
      const Levels at = levels();
      if (round == 0 && (!std::isfinite(at.highest - at.lowest) || 2 * near(at, margin, state_.active).size() > sampled))
        return start_over(objective), false;
      catch_up();
      if (now.tol == options_.tol && !others_violate(at)) break;
      state_.active = near(at, margin, all_);
      now.tol = std::max(options_.tol, 0.2 * now.tol);
      search(now);
    }
  } catch (const Stopped&) {
  }
  return true;
}

}  // namespace maxmargin
