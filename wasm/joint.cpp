#include "joint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace maxmargin::playground {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = 4 * std::numeric_limits<double>::epsilon();
constexpr double infeasible = 1e-9;
constexpr double nothing = 1e-9;
constexpr double fine = 1e-13;  // a relative gap near rounding, where coefficients have settled
constexpr std::size_t cache_bytes = std::size_t(96) << 20;

struct Problem {
  const Gram& gram;
  const std::vector<Index>& labels;
  Index classes;
  const std::vector<double>& upper;
  bool offsets;

  Index size() const { return gram.size(); }
  std::size_t at(Index row, Index label) const { return std::size_t(row) * std::size_t(classes) + std::size_t(label); }
  double room(Index row, Index label) const { return labels[std::size_t(row)] == label ? upper[std::size_t(row)] : 0.0; }
};

std::vector<double> column_of(const Problem& problem, const std::vector<double>& beta, Index label) {
  std::vector<double> column(std::size_t(problem.size()));
  for (Index i = 0; i < problem.size(); ++i) column[std::size_t(i)] = beta[problem.at(i, label)];
  return column;
}

// 1/2 K beta of all classes, without offsets.
std::vector<double> scores_of(const Problem& problem, const std::vector<double>& beta) {
  std::vector<double> scores(beta.size()), product(std::size_t(problem.size()));
  for (Index k = 0; k < problem.classes; ++k) {
    problem.gram.product(column_of(problem, beta, k).data(), product.data(), nobody);
    for (Index i = 0; i < problem.size(); ++i) scores[problem.at(i, k)] = 0.5 * product[std::size_t(i)];
  }
  return scores;
}

// The offsets that violate the optimality conditions least, in the middle of those that do, for a point whose scores have
// slopes g. Moving a unit from class k to class l costs w_kl, the least g_il - g_ik over the rows that can take it; the least
// violation is the mean weight of a cycle (Karp 1978), and shortest paths beside it are offsets.
std::vector<double> best_offsets(const Problem& problem, const std::vector<double>& beta, const std::vector<double>& scores) {
  const Index K = problem.classes;
  const auto place = [K](Index k, Index l) { return std::size_t(k) * std::size_t(K) + std::size_t(l); };
  std::vector<double> w(std::size_t(K) * std::size_t(K), infinity);
  for (Index i = 0; i < problem.size(); ++i) {
    const auto slope = [&](Index k) { return scores[problem.at(i, k)] - (problem.labels[std::size_t(i)] == k ? 1.0 : 0.0); };
    for (Index l = 0; l < K; ++l) {
      if (!(beta[problem.at(i, l)] < problem.room(i, l))) continue;
      for (Index k = 0; k < K; ++k) w[place(k, l)] = std::min(w[place(k, l)], slope(l) - slope(k));
    }
  }
  std::vector<double> walks(std::size_t(K + 1) * std::size_t(K), 0.0);
  for (Index step = 1; step <= K; ++step)
    for (Index l = 0; l < K; ++l) {
      double least = infinity;
      for (Index k = 0; k < K; ++k) least = std::min(least, walks[place(step - 1, k)] + w[place(k, l)]);
      walks[place(step, l)] = least;
    }
  double mean = infinity;
  for (Index l = 0; l < K; ++l) {
    double most = -infinity;
    for (Index step = 0; step < K; ++step)
      most = std::max(most, (walks[place(K, l)] - walks[place(step, l)]) / double(K - step));
    mean = std::min(mean, most);
  }
  std::vector<double> d = w;
  for (double& value : d) value -= std::min(mean, 0.0);
  for (Index k = 0; k < K; ++k) d[place(k, k)] = 0;
  for (Index k = 0; k < K; ++k)
    for (Index i = 0; i < K; ++i)
      for (Index l = 0; l < K; ++l) d[place(i, l)] = std::min(d[place(i, l)], d[place(i, k)] + d[place(k, l)]);
  std::vector<double> offsets(std::size_t(K), 0.0);
  double average = 0;
  for (Index i = 0; i < K; ++i) {
    for (Index l = 0; l < K; ++l) offsets[std::size_t(i)] += (d[place(i, l)] - d[place(l, i)]) / double(K);
    average += offsets[std::size_t(i)] / double(K);
  }
  for (double& offset : offsets) offset = 0.5 * (offset - average);
  return offsets;
}

bool tell_offsets(const Problem& problem, const std::vector<double>& beta) {
  for (Index k = 0; k < problem.classes; ++k) {
    bool can_rise = false;
    for (Index i = 0; i < problem.size() && !can_rise; ++i) can_rise = beta[problem.at(i, k)] < problem.room(i, k);
    if (!can_rise) return false;
  }
  return true;
}

// Any offsets make a valid primal value.
void evaluate(const Problem& problem, Joint& found, double tol, Termination termination) {
  found.scores = scores_of(problem, found.beta);
  double square = 0, loss = 0, own_sum = 0, abs_sum = 0, outside = 0, off = 0, largest = 1, largest_bias = 0, exposed = 0;
  for (std::size_t place = 0; place < found.beta.size(); ++place) square += 0.5 * found.beta[place] * found.scores[place];
  for (Index i = 0; i < problem.size(); ++i) {
    const Index own = problem.labels[std::size_t(i)];
    double highest = -infinity, lowest = infinity, row_sum = 0;
    for (Index k = 0; k < problem.classes; ++k) {
      const std::size_t place = problem.at(i, k);
      found.scores[place] += found.bias[std::size_t(k)];
      const double beta = found.beta[place], slope = found.scores[place] - (k == own ? 1 : 0), room = problem.room(i, k);
      highest = std::max(highest, slope);
      if (beta < room) lowest = std::min(lowest, slope);
      outside = std::max(outside, beta - room);
      row_sum += beta;
      abs_sum += std::abs(beta);
      largest = std::max(largest, 1 + std::abs(found.scores[place]));
    }
    own_sum += found.beta[problem.at(i, own)];
    const double missed = highest - (found.scores[problem.at(i, own)] - 1);
    loss += problem.upper[std::size_t(i)] * missed;
    if (missed >= 0) exposed += problem.upper[std::size_t(i)];
    found.violation = std::max(found.violation, highest - lowest);
    outside = std::max(outside, std::abs(row_sum));
    off += std::abs(row_sum);
  }
  for (Index k = 0; k < problem.classes && problem.offsets; ++k) {
    double sum = 0;
    for (Index i = 0; i < problem.size(); ++i) sum += found.beta[problem.at(i, k)];
    outside = std::max(outside, std::abs(sum));
    off += std::abs(sum);
    largest_bias = std::max(largest_bias, std::abs(found.bias[std::size_t(k)]));
  }
  const double infeasibility = outside / std::max(abs_sum, 1e-300);
  found.primal = square + loss;
  found.dual = own_sum - square - 2 * off * (largest + largest_bias);
  if (infeasibility > infeasible) found.dual = std::min(found.dual, 0.0);
  found.gap = found.primal - found.dual;
  found.relative_gap = relative(found.gap, found.primal, found.dual);
  const double rounding =
      epsilon * ((abs_sum * problem.gram.score_scale() + largest_bias) * (2 * exposed + abs_sum) + abs_sum + std::abs(loss));
  if (infeasibility > infeasible || found.gap < -std::max(rounding, nothing * std::abs(found.primal)))
    found.status = Status::stalled;
  else if (found.gap <= tol * std::abs(found.primal))
    found.status = Status::converged;
  else if (termination == Termination::step_limit)
    found.status = Status::iteration_limit;
  else
    found.status = termination == Termination::time_limit ? Status::time_limit : Status::stalled;
}

}  // namespace

Joint solved_jointly(const Gram& gram, const std::vector<Index>& labels, Index classes, double C, bool offsets,
                     const Limits& limits) {
  const std::vector<double> upper(labels.size(), C);
  const Problem problem{gram, labels, classes, upper, offsets};
  const CrammerSingerDual dual{gram.size(), classes, labels.data(), upper.data(), offsets};
  const Monitor silent = [](const Progress&) { return false; };
  Options options{.tol = limits.tol, .max_steps = limits.max_steps, .deadline = limits.deadline, .cache_bytes = cache_bytes};
  const std::vector<double> zero(labels.size() * std::size_t(classes), 0.0), no_offsets(std::size_t(classes), 0.0);
  CrammerSingerOutcome outcome = minimise_crammer_singer(dual, gram, zero.data(), no_offsets.data(), options, silent);
  Joint best;
  std::int64_t steps = 0;
  for (int round = 0;; ++round) {
    Joint found;
    found.classes = classes;
    found.beta = std::move(outcome.beta);
    found.bias = std::move(outcome.bias);
    steps += outcome.steps;
    if (offsets && tell_offsets(problem, found.beta))
      found.bias = best_offsets(problem, found.beta, scores_of(problem, found.beta));
    evaluate(problem, found, limits.tol, outcome.termination);
    if (round == 0 || found.gap < best.gap) best = std::move(found);
    if (round == 1 || limits.tol > 1e-6 || outcome.termination != Termination::converged) break;
    options.tol = fine;
    options.max_steps = limits.max_steps - steps;
    outcome = minimise_crammer_singer(dual, gram, best.beta.data(), best.bias.data(), options, silent);
  }
  best.steps = steps;
  for (Index k = 0; k < classes; ++k)
    best.bias[std::size_t(k)] += 0.5 * gram.offset_shift(column_of(problem, best.beta, k).data());
  return best;
}

}  // namespace maxmargin::playground
