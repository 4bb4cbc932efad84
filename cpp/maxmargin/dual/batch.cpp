#include "maxmargin/dual/batch.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

// At most so many run at once, so that each one's share of the memory does not depend on the number of threads.
constexpr std::size_t most_at_once = 16;
// Some nanoseconds a row: below, threads would take longer to wake.
constexpr std::ptrdiff_t rows_worth_a_thread = 4096;

bool is_opaque(const DualBatch& batch) {
  return std::any_of(batch.grams.begin(), batch.grams.end(), [](const Gram* gram) { return gram->is_opaque(); });
}

}  // namespace

SignedDual DualBatch::problem(std::size_t k) const {
  const std::ptrdiff_t at = starts[k];
  return {.n = gram(k).size(),
          .q = q + at,
          .lower = lower + at,
          .upper = upper + at,
          .ridge = ridge != nullptr ? ridge + at : nullptr,
          .l1_weight = l1_weight,
          .keep = abs_sum != nullptr ? Keep::sides
                  : offset           ? Keep::sum
                                     : Keep::nothing,
          .sum = sum[k],
          .abs_sum = abs_sum != nullptr ? abs_sum[k] : 0.0,
          .abs_sum_may_fall = abs_sum_may_fall};
}

std::vector<Outcome> minimise_batch(const DualBatch& batch, const double* beta, const double* gradient, const Options& options,
                                    Events& events) {
  std::vector<Outcome> outcomes(batch.size());
  const bool together = batch.size() > 1 && !is_opaque(batch);
  const std::size_t at_once = together ? std::min(batch.size(), most_at_once) : 1;
  Options each = options;
  each.alone = batch.size() == 1;
  SharedGrams shared;
  std::optional<Termination> early;
  if (together) try {
      const Poll poll = [&] { events.poll(); };
      const Watched watched(poll);
      batch.gram(0).prepare();
      shared = share_rows(batch.grams, each);
    } catch (const Stopped& stop) {
      early = stop.termination();
    }
  each.cache_bytes = (options.cache_bytes - shared.bytes) / at_once;
  const auto one = [&](std::size_t k) {
    const double* const point = beta + batch.starts[k];
    if (early || events.stopped()) {  // before it began
      outcomes[k].beta.assign(point, point + batch.gram(k).size());
      outcomes[k].termination = early.value_or(Termination::stopped);
      return;
    }
    Options own = each;
    own.deadline = events.deadline();
    const Gram& gram = shared.grams.empty() ? batch.gram(k) : *shared.grams[k];
    const Monitor monitor = [&events, k](const Progress& progress) { return events.at_checkpoint(k, progress); };
    outcomes[k] = minimise(batch.problem(k), gram, point, gradient + batch.starts[k], own, monitor);
    if (outcomes[k].end) events.at_end(k, *outcomes[k].end);
  };
  std::atomic<std::size_t> next{0};
  const auto in_turn = [&](std::ptrdiff_t) {
    for (std::size_t k = next++; k < batch.size(); k = next++) one(k);
  };
  const Poll while_waiting = [&] { events.while_waiting(); };
  const Watched watched(while_waiting);
  parallel_chunks(std::ptrdiff_t(at_once), in_turn);
  return outcomes;
}

BatchEvaluation evaluate_batch(const DualBatch& batch, const double* beta, const double* scores, const Poll& poll) {
  BatchEvaluation all;
  all.found.resize(batch.size());
  std::vector<ScoreScales> scales(batch.size());
  for (std::size_t k = 0; k < batch.size(); ++k) {  // scores of 0 have no rounding: X need not be looked at
    const double* const point = beta + batch.starts[k];
    if (std::any_of(point, point + batch.gram(k).size(), [](double b) { return b != 0.0; }))
      scales[k] = {.score_scale = batch.gram(k).score_scale(), .off_sum_scale = batch.gram(k).off_sum_scale()};
  }
  const bool known = scores != nullptr;
  if (!known) {
    all.scores.resize(std::size_t(batch.rows()));
    std::vector<const double*> points(batch.size());
    std::vector<double*> targets(batch.size());
    for (std::size_t k = 0; k < batch.size(); ++k) {
      points[k] = beta + batch.starts[k];
      targets[k] = all.scores.data() + batch.starts[k];
    }
    products(batch.grams, points, targets, poll);
    scores = all.scores.data();
  }
  const auto one = [&](std::ptrdiff_t k) {
    const std::ptrdiff_t at = batch.starts[k];
    all.found[k] = evaluate(batch.problem(k), beta + at, scores + at, scales[k]);
    all.found[k].score_scale = scales[k].score_scale;
    if (!known) all.found[k].shift = batch.gram(k).offset_shift(beta + at);
  };
  if (batch.rows() < rows_worth_a_thread)
    for (std::size_t k = 0; k < batch.size(); ++k) one(std::ptrdiff_t(k));
  else
    parallel_chunks(std::ptrdiff_t(batch.size()), one);
  return all;
}

}  // namespace maxmargin
