#include "maxmargin/newton/record.hpp"

namespace maxmargin {

namespace {

constexpr double exact = 1e-14;
constexpr std::size_t most_checkpoints = 4096, usual_checkpoints = 96;
constexpr std::int64_t few_rounds = 8, no_better = 4;
constexpr double above_the_primal = 1e-11;

}  // namespace

NewtonRecord::NewtonRecord(const NewtonLimits& limits, const Monitor& monitor, const Rules& rules)
    : limits_(limits), monitor_(monitor), rules_(rules), aim_(rules.exact ? std::min(exact, limits.tol) : limits.tol) {
  summary_.trace.reserve(usual_checkpoints);  // once, not on the way
}

// Objectives that differ by rounding say nothing about the weights: the later ones are nearer.
bool NewtonRecord::is_better_primal(double value) {
  const bool better = value <= primal_ || value - primal_ <= exact * std::abs(primal_);
  if (better) primal_ = std::min(value, primal_);
  if (!rules_.penalty && is_above_primal(dual_)) dual_ = 0;  // what no loss is below
  return better;
}

// Without a penalty multipliers are feasible only at the end, and their objective may be no bound before.
bool NewtonRecord::is_above_primal(double value) const { return value - primal_ > above_the_primal * std::abs(primal_); }

bool NewtonRecord::is_better_dual(double value) {
  if (!(value > dual_) || (!rules_.penalty && is_above_primal(value))) return false;
  dual_ = value;
  return true;
}

// A dual objective above the primal one by more than rounding is none: without a penalty multipliers are feasible only at the
// end.
bool NewtonRecord::is_within(double tol) const {
  const double size = std::abs(primal_);
  return gap() <= tol * size && (rules_.penalty || gap() >= -above_the_primal * size);
}

bool NewtonRecord::stops() {
  if (stopped_) return true;
  // Multipliers that were only noted are gone: where theirs was the better bound, it is not known any more.
  for (std::size_t k = seen_; k < summary_.trace.size(); ++k) {
    Progress& noted = summary_.trace[k];
    const double lost = std::max(0.0, -noted.objective - dual_);
    noted.objective += lost;
    noted.gap += lost;
  }
  if (summary_.trace.size() < most_checkpoints) summary_.trace.push_back(progress());
  seen_ = summary_.trace.size();
  if (gap() < 0.999 * settled_gap_ || (rules_.or_primal && primal_ < 0.999 * settled_primal_)) {
    settled_gap_ = gap();
    settled_primal_ = primal_;
    settled_round_ = rounds();
  }
  const std::int64_t waited = rounds() - settled_round_;
  if (is_within(aim_)) {
    if (extra_rounds_ == 0) began_there_ = rounds() == 0;
    const int most_extra = began_there_ ? std::min(1, rules_.extra_rounds) : rules_.extra_rounds;
    if (is_exact() && ++extra_rounds_ <= most_extra) return spent() || poll();
    end(Termination::converged);
    return true;
  }
  if (waited >= no_better && converged()) {
    end(Termination::converged);
    return true;
  }
  if (waited >= rules_.patience || (waited >= few_rounds && gap() <= rules_.rounding)) {
    end(Termination::stalled);
    return true;
  }
  return spent() || poll();
}

void NewtonRecord::note(double dual, std::int64_t rounds) {
  if (stopped_ || summary_.trace.empty() || summary_.trace.size() >= most_checkpoints) return;
  const double gap = primal_ - dual;
  summary_.trace.push_back(
      {seconds_since(start_), rounds, -dual, gap / std::max(std::abs(primal_), 1e-300), summary_.trace.back().n_support, gap});
}

bool NewtonRecord::spent() {
  const bool rounds = summary_.rounds >= limits_.max_rounds;
  if (!rounds && !is_late()) return false;
  end(converged() ? Termination::converged : rounds ? Termination::step_limit : Termination::time_limit);
  return true;
}

bool NewtonRecord::poll() {
  if (stopped_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(50)) return false;
  last_ = now;
  if (monitor_(progress())) {
    end(Termination::stopped);
    stopped_ = true;
  } else if (is_late()) {
    end(converged() ? Termination::converged : Termination::time_limit);
    stopped_ = true;
  }
  return stopped_;
}

}  // namespace maxmargin
