#include "maxmargin/dual/sampled_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "maxmargin/platform/shuffle.hpp"

namespace maxmargin {

namespace {

constexpr Index least_part = 8, most_sampled = 1 << 14;
constexpr int most_rounds = 12;
// Parts of the violation at the start: how far the sample is searched, and how near to violating a variable matters.
constexpr double sample_tol = 0.025, near_part = 0.1;

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

auto SampledSearch::levels(std::span<const Index> among) const -> Levels {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Levels found{infinity, -infinity};
  for (const Index i : among) {
    found.lowest = std::min(found.lowest, slopes_at(i).rise);
    found.highest = std::max(found.highest, slopes_at(i).fall);
  }
  return found;
}

// The variables that violate or nearly do, wherever between the levels of the active ones the multiplier is.
std::vector<Index> SampledSearch::near(Levels at, double margin, std::span<const Index> among) const {
  const double low = std::min(at.lowest, at.highest) - margin, high = std::max(at.lowest, at.highest) + margin;
  std::vector<Index> found;
  for (const Index i : among)
    if (slopes_at(i).rise < high || slopes_at(i).fall > low) found.push_back(i);
  return found;
}

// Brings the gradients of all variables to where the active ones have led.
void SampledSearch::catch_up() {
  std::vector<double> changes(problem_.n), scores(problem_.n);
  for (Index i = 0; i < problem_.n; ++i) changes[i] = state_.beta[i] - known_beta_[i];
  const auto support = std::count_if(state_.beta.begin(), state_.beta.end(), [](double b) { return b != 0.0; });
  state_.n_support = Index(support);
  state_.violation = 0;
  gram_.rough_product(changes.data(), scores.data(), poll_now);
  for (Index i = 0; i < problem_.n; ++i)
    state_.gradient[i] = known_gradient_[i] + scores[i] + problem_.ridge_at(i) * changes[i];
  known_beta_ = state_.beta;
  known_gradient_ = state_.gradient;
  state_.known_violation = levels(all_).crossed();
}

// Over the sample; false if that was no use, and all is as it was. Until then nothing is told of where it leads.
bool SampledSearch::search_sample(const Search& search, double width, double margin) {
  const double objective = state_.objective;
  const std::size_t traced = state_.outcome.trace.size();
  const std::int64_t next_checkpoint = state_.next_checkpoint;
  Options loose = options_;
  loose.tol = std::max(options_.tol, sample_tol * width);
  state_.active = sample(problem_.n);
  const std::size_t sampled = state_.active.size();
  search(loose, [&](const Progress& p) { return monitor_({p.seconds, p.steps, objective, width, 0}); });
  Termination& termination = state_.outcome.termination;
  if (termination == Termination::stalled) termination = Termination::converged;  // with more variables there may be a way
  if (termination != Termination::converged) return true;
  const Levels at = levels(state_.active);
  if (std::isfinite(at.lowest - at.highest) && 2 * near(at, margin, state_.active).size() <= sampled) return true;
  state_.beta = known_beta_;
  state_.gradient = known_gradient_;
  state_.objective = objective;
  state_.outcome.trace.resize(traced);
  state_.next_checkpoint = state_.next_note = next_checkpoint;
  state_.known_violation = state_.violation = 0;
  state_.n_support = 0;
  state_.active = all_;
  return false;
}

bool SampledSearch::run(const Search& search) {
  all_ = state_.active;
  const double width = levels(all_).crossed(), margin = near_part * width;
  if (!std::isfinite(width)) return false;
  known_beta_ = state_.beta;
  known_gradient_ = state_.gradient;
  state_.known_violation = width;
  if (!search_sample(search, width, margin)) return false;
  Options now = options_;
  now.tol = std::max(options_.tol, 0.2 * sample_tol * width);
  try {
    for (int round = 0; round < most_rounds && state_.outcome.termination == Termination::converged; ++round) {
      const Levels at = levels(state_.active);
      catch_up();
      if (state_.known_violation <= options_.tol) break;
      state_.active = near(at, margin, all_);
      if (state_.active.size() < 2) state_.active = all_;
      search(now, monitor_);
      now.tol = std::max(options_.tol, 0.2 * now.tol);
    }
  } catch (const Stopped& stop) {
    state_.outcome.termination = stop.termination();
  }
  if (state_.outcome.end) state_.outcome.end->violation = state_.told_violation();
  return true;
}

}  // namespace maxmargin
