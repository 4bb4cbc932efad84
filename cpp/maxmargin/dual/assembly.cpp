#include "maxmargin/dual/assembly.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace maxmargin {

Assembly assemble(std::span<const std::int64_t> codes, Index classes, std::span<const std::int64_t> support,
                  std::span<const std::int64_t> counts, std::span<const double> beta,
                  std::span<const std::int64_t> coefficient_rows, Index coefficients) {
  Assembly found;
  std::vector<std::int64_t> place(codes.size(), -1);  // first a mark
  found.counts.resize(classes);
  for (const std::int64_t row : support)
    if (place[row] < 0) {
      place[row] = 0;
      ++found.counts[codes[row]];
    }
  std::vector<std::int64_t> next(classes);
  std::exclusive_scan(found.counts.begin(), found.counts.end(), next.begin(), std::int64_t(0));
  const auto total = next.back() + found.counts.back();
  found.rows.resize(total);
  for (std::size_t row = 0; row < codes.size(); ++row)
    if (place[row] == 0) {
      place[row] = next[codes[row]]++;
      found.rows[place[row]] = std::int64_t(row);
    }
  found.dual.resize(std::size_t(coefficients) * std::size_t(total));
  std::size_t s = 0;
  for (std::size_t subproblem = 0; subproblem < counts.size(); ++subproblem)
    for (const std::size_t end = s + std::size_t(counts[subproblem]); s < end; ++s) {
      const std::int64_t row = support[s],
                         coefficient_row = coefficient_rows[subproblem * std::size_t(classes) + std::size_t(codes[row])];
      found.dual[coefficient_row * total + place[row]] = beta[s];
      found.finite &= std::isfinite(beta[s]);
    }
  return found;
}

MarginColumns margin_columns(const DualBatch& batch, const double* beta, const double* scores,
                             std::span<const Evaluation> evaluations) {
  MarginColumns found;
  std::vector<double> beyond;  // costs of the rows that are no support vectors
  for (std::size_t k = 0; k < evaluations.size(); ++k) {
    const Evaluation& evaluation = evaluations[k];
    const std::ptrdiff_t start = batch.starts[k];
    for (const Index i : evaluation.support) {
      const std::ptrdiff_t at = start + i;
      found.beta.push_back(beta[at]);
      found.scores.push_back(scores[at] + evaluation.bias);
      found.costs.push_back(batch.upper[at] - batch.lower[at]);  // one of the two is 0
    }
    for (const Index i : evaluation.boundary) {
      const std::ptrdiff_t at = start + i;
      const double label = -batch.q[at];
      found.deficit.push_back(1.0 - label * (scores[at] + evaluation.bias));
      found.sides.push_back(label > 0 ? 1 : -1);
      beyond.push_back(batch.upper[at] - batch.lower[at]);
    }
    found.bias.push_back(evaluation.bias + evaluation.shift);
    found.certificates.push_back({.primal = evaluation.primal,
                                  .dual = evaluation.dual,
                                  .violation = evaluation.violation,
                                  .scale = std::numeric_limits<double>::quiet_NaN(),
                                  .bias_low = evaluation.bias_low + evaluation.shift,
                                  .bias_high = evaluation.bias_high + evaluation.shift,
                                  .indefinite = false});
  }
  found.costs.insert(found.costs.end(), beyond.begin(), beyond.end());
  return found;
}

}  // namespace maxmargin
