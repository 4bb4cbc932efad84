#include "maxmargin/dual/block_steps.hpp"

#include <algorithm>
#include <limits>

#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

// Blocks from this size of the active set on: below it, a step over all active variables costs less than to gather them.
// Threads share the work of a block, so it pays earlier for a problem that has them to itself.
constexpr Index block_floor = 10000, block_floor_alone = 5000;
constexpr std::int64_t steps_between_polls = 1024;
constexpr int patience = 20;  // blocks without halving the violation before they become twice as large

// Whether the poll would stop the run. It will say so again.
bool is_over() {
  try {
    poll_now();
  } catch (const Stopped&) {
    return true;
  }
  return false;
}

}  // namespace

template <class R>
bool BlockSteps<R>::pay(double violation) {
  if (sizeof(R) == 8 || active_.keeps_nothing()) return false;
  const Index fewest = std::max(options_.alone ? block_floor_alone : block_floor, 3 * block_size_);
  if (active_.size() < fewest || active_.rows().capacity() < 2 * block_size_) return false;  // and sizes never fall again
  if (violation < 0.5 * halved_violation_ || halved_violation_ == 0) {
    halved_violation_ = violation;
    rounds_since_ = 0;
  }
  if (++rounds_since_ > patience) {
    block_size_ *= 2;
    rounds_since_ = 0;
  }
  return true;
}

// Half of the block is new: those that most want to rise and those that most want to fall. The other half is of the last block,
// free variables first: they are still on the move.
template <class R>
void BlockSteps<R>::choose() {
  const Variables<R>& v = active_.variables;
  const PairChoice& pairs = active_.pairs;
  const RowStore<R>& rows = active_.rows();
  taken_.assign(v.n, 0);
  std::vector<Index> chosen;
  for (const bool free : {true, false})
    for (const Index k : block_) {
      if (v.is_free(k) != free || Index(chosen.size()) == block_size_ / 2) continue;
      chosen.push_back(k);
      taken_[k] = 1;
    }
  const Index share = (std::min(block_size_, rows.capacity()) - Index(chosen.size())) / Index(2 * pairs.sides);
  for (std::size_t side = 0; side < pairs.sides; ++side)
    for (const bool rising : {true, false}) {
      const auto& [up, down] = v.sides[side];
      const R limit = R(rising ? pairs.of[side].highest_down : -pairs.of[side].lowest_up.value);
      candidates_.clear();
      for (Index k = 0; k < v.n; ++k) {
        const R wish = rising ? v.gradient[k] + up[k] : -(v.gradient[k] + down[k]);
        if (wish < limit && !taken_[k]) candidates_.emplace_back(wish, k);
      }
      const auto count = std::min<std::size_t>(candidates_.size(), std::size_t(share));
      std::nth_element(candidates_.begin(), candidates_.begin() + std::ptrdiff_t(count), candidates_.end());
      for (std::size_t c = 0; c < count; ++c) {
        chosen.push_back(candidates_[c].second);
        taken_[candidates_[c].second] = 1;
      }
    }
  std::sort(chosen.begin(), chosen.end());
  block_ = std::move(chosen);
}

template <class R>
void BlockSteps<R>::load() {
  const auto m = Index(block_.size());
  const Variables<R>& v = active_.variables;
  const RowStore<R>& rows = active_.rows();
  active_.fetch(block_, -1);
  inner_.resize(m, active_.problem());
  inner_.clearly_negative = v.clearly_negative;
  const auto stride = Index(inner_.gradient.size());
  inner_rows_.assign(std::size_t(m) * std::size_t(stride), R(0));
  for (Index a = 0; a < m; ++a) {
    const Index k = block_[a];
    inner_.gradient[a] = v.gradient[k];
    inner_.beta[a] = v.beta[k];
    inner_.lower[a] = v.lower[k];
    inner_.upper[a] = v.upper[k];
    inner_.ridge[a] = v.ridge[k];
    inner_.diagonal[a] = v.diagonal[k];
    inner_.set_masks(a);
  }
  // Every value is a line of memory of its own: the threads share the waiting.
  constexpr Index piece = 32;
  parallel_chunks((m + piece - 1) / piece, [&](std::ptrdiff_t chunk) {
    for (Index a = Index(chunk) * piece; a < std::min(m, Index(chunk + 1) * piece); ++a) {
      const R* const from = rows.at(block_[a]);
      R* const into = inner_rows_.data() + std::ptrdiff_t(a) * stride;
      for (Index b = 0; b < m; ++b) into[b] = from[block_[b]];
    }
  });
}

template <class R>
bool BlockSteps<R>::take(double violation) {
  choose();
  load();
  Variables<R>& v = active_.variables;
  const auto stride = std::ptrdiff_t(inner_.gradient.size());
  const auto row_of = [&](Index a) { return inner_rows_.data() + a * stride; };
  const double goal = std::max(0.1 * violation, 0.5 * options_.tol);
  const std::int64_t most = std::min<std::int64_t>(options_.max_steps - state_.outcome.steps, 20 * std::int64_t(block_size_));
  PairChoice pairs = choose_pairs(inner_);
  std::int64_t steps = 0;
  for (; steps < most && pairs.violation() > goal; ++steps) {
    if (steps % steps_between_polls == 0 && is_over()) break;  // what was found is kept
    const std::size_t side = pairs.worst();
    const auto [level, a] = pairs.of[side].lowest_up;
    const double diagonal = double(inner_.diagonal[a]);
    const Index b = partner_with(inner_.view(side), level, diagonal, curvature_floor<R>, row_of(a)).index;
    if (b < 0) break;
    const Move move = inner_.move_pair(a, b, double(row_of(a)[b]), side);
    if (!state_.note(move)) break;
    if (state_.outcome.steps + steps >= state_.next_note) state_.note_progress(state_.outcome.steps + steps, active_.size());
    pairs = advance<R>(inner_, move.step, row_of(a), row_of(b));
  }
  for (Index a = 0; a < inner_.n; ++a) {
    const Index k = block_[a];
    v.beta[k] = inner_.beta[a];
    v.set_masks(k);
  }
  active_.catch_up();
  work_ = 12.0 * double(inner_.n) * double(steps) + 2.0 * double(inner_.n) * double(v.n);
  state_.outcome.steps += steps;
  return steps > 0;
}

template class BlockSteps<float>;
template class BlockSteps<double>;

}  // namespace maxmargin
