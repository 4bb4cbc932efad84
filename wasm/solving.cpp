#include "solving.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "maxmargin/kernels/indefinite.hpp"
#include "proof.hpp"

namespace maxmargin::playground {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double infeasible = 1e-9;
constexpr double noticeable = 0.01;    // of the allowed gap: rounding that is said
constexpr double negative_gap = 1e-9;  // of the primal objective
constexpr double suspicious = 1e-8;    // a squared distance of hulls, as a part of the largest k(x, x): it may be 0
constexpr double indefinite_part = 1e-8;
constexpr Index small = 1000;  // larger matrices are judged by the curvature that a search meets
constexpr std::size_t cache_bytes = std::size_t(96) << 20;
constexpr int most_rounds = 20;

bool is_stationary(const Evaluation& found, double tol) {
  return found.infeasibility <= infeasible && found.violation <= tol && found.primal - found.dual >= -found.rounding;
}

// Converged or an optimum of 0 if the evaluation proves it.
std::optional<Status> verdict(const Dual& dual, const Point& point, double tol) {
  if (!is_stationary(point.evaluation, tol / unit_of(dual, point))) return std::nullopt;
  const Model model = model_of(dual, point);
  if (std::isfinite(model.primal) && model.primal - model.dual <= allowed_gap(tol) * std::abs(model.primal))
    return Status::converged;
  if (is_zero(dual, point)) return Status::zero_optimum;
  return std::nullopt;
}

// Both objectives moved apart by what rounding may do to them, where that matters.
void widen(Point& point, double tol) {
  Evaluation& found = point.evaluation;
  const double size = std::abs(found.primal);
  if (!(found.rounding > noticeable * allowed_gap(tol) * size || found.primal - found.dual < -negative_gap * size)) return;
  found.primal += found.rounding;
  found.dual -= found.rounding;
  found.rounding = 0;
}

Status status_of(Termination termination) {
  switch (termination) {
    case Termination::step_limit: return Status::iteration_limit;
    case Termination::time_limit:
    case Termination::stopped: return Status::time_limit;
    case Termination::converged:
    case Termination::stalled: return Status::stalled;
  }
  return Status::stalled;
}

// The weights of two coinciding means of rows, if the nearest points of the hulls are so near that they may be one.
std::vector<double> proof_of(const Dual& dual, const Background& background, const Point& point) {
  if (dual.settings().formulation != Formulation::hard_margin) return {};
  std::vector<double> diagonal(point.beta.size());
  dual.gram().diagonal(diagonal.data());
  double largest = 0;
  for (const double value : diagonal) largest = std::max(largest, std::abs(value));
  if (point.evaluation.square_norm > suspicious * largest) return {};
  return coincidence(background, dual.y(), point.beta, dual.settings().offset);
}

}  // namespace

double allowed_gap(double tol) { return std::max(tol, 1e-3); }

double relative(double gap, double primal, double dual) {
  return std::isinf(gap) ? gap : gap / std::max({std::abs(primal), std::abs(dual), 1e-300});
}

Point evaluated(const Dual& dual, std::vector<double> beta) {
  BatchEvaluation found = evaluate_batch(dual.batch(), beta.data(), nullptr, nobody);
  return {.beta = std::move(beta), .scores = std::move(found.scores), .evaluation = std::move(found.found[0])};
}

Outcome searched(const DualBatch& batch, const std::vector<double>& beta, const std::vector<double>& gradient,
                 const Options& options) {
  const Monitor silent = [](const Progress&) { return false; };
  return minimise(batch.problem(0), batch.gram(0), beta.data(), gradient.data(), options, silent);
}

Solved judged(const Dual& dual, Point point, double tol, Termination termination, std::int64_t steps) {
  Solved found;
  found.point = std::move(point);
  found.steps = steps;
  const std::optional<Status> proven = verdict(dual, found.point, tol);
  found.model = model_of(dual, found.point);
  found.status = proven.value_or(status_of(termination));
  found.gap = found.model.primal - found.model.dual;
  found.relative_gap = relative(found.gap, found.model.primal, found.model.dual);
  return found;
}

Solved solved(const Dual& dual, const Background& background, const Limits& limits) {
  const DualBatch bounded = dual.bounded();
  Options options{.tol = limits.tol, .max_steps = limits.max_steps, .deadline = limits.deadline, .cache_bytes = cache_bytes};
  std::vector<double> begin = dual.start(), scores(begin.size(), 0.0);
  dual.gram().product(begin.data(), scores.data(), nobody);
  Outcome outcome = searched(bounded, begin, dual.gradient(begin, scores), options);
  std::int64_t steps = outcome.steps;
  bool curved = outcome.negative_curvature;
  Point point = evaluated(dual, outcome.beta);
  std::vector<double> proof;
  double aim = limits.tol;
  // From the exact scores as long as that brings the point nearer to the optimum.
  for (int round = 0; round < most_rounds; ++round) {
    if (outcome.termination != Termination::converged && outcome.termination != Termination::stalled) break;
    if (verdict(dual, point, limits.tol) || (curved && !background.is_mercer) || limits.deadline.is_over()) break;
    proof = proof_of(dual, background, point);
    if (!proof.empty()) break;
    const Evaluation& before = point.evaluation;
    const double tol = limits.tol / unit_of(dual, point);
    aim = std::min(aim, tol);
    if (before.violation <= tol) aim *= 0.1;  // the pairs agree, the gap does not
    options.tol = std::min(aim, 0.5 * before.violation);
    options.origin = Origin::resumed;
    options.max_steps = limits.max_steps - steps;
    if (!(options.tol > 0) || options.max_steps <= 0) break;
    outcome = searched(bounded, point.beta, dual.gradient(point.beta, point.scores), options);
    steps += outcome.steps;
    curved |= outcome.negative_curvature;
    Point later = evaluated(dual, outcome.beta);
    const Evaluation& after = later.evaluation;
    const double gap_before = before.primal - before.dual, gap_after = after.primal - after.dual;
    if (after.dual < before.dual && after.violation >= before.violation) break;
    const bool progressed = after.violation < 0.5 * before.violation || (gap_before > 0 && gap_after < 0.5 * gap_before);
    point = std::move(later);
    if (!progressed) break;
  }
  widen(point, limits.tol);
  Solved found = judged(dual, std::move(point), limits.tol, outcome.termination, steps);
  if (!background.is_mercer && (curved || (dual.size() <= small && is_indefinite(dual.gram(), indefinite_part)))) {
    found.gap = found.relative_gap = std::numeric_limits<double>::quiet_NaN();
    const bool stationary = found.point.evaluation.violation <= limits.tol / unit_of(dual, found.point);
    found.status = stationary ? Status::indefinite : status_of(outcome.termination);
  }
  if (proof.empty() && found.status != Status::converged && found.status != Status::time_limit)
    proof = proof_of(dual, background, found.point);
  if (!proof.empty()) {
    found.proof = std::move(proof);
    found.status = Status::infeasible;
    found.model.primal = found.gap = found.relative_gap = infinity;
  }
  return found;
}

}  // namespace maxmargin::playground
