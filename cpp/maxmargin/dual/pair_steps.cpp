#include "maxmargin/dual/pair_steps.hpp"

#include <numeric>

namespace maxmargin {

namespace {

constexpr std::size_t batch = 6;  // one strip of a tile

}  // namespace

// The candidates for the next steps, best first: when a row must be made, theirs are made with it, since a tile of several
// rows costs little more than one row.
template <class R>
void PairSteps<R>::fill_queue() {
  const bool singles = active_.keeps_nothing();
  Leaders<R> found{.most = Index(batch)};
  for (std::size_t side = 0; side < active_.variables.sides.size(); ++side) {
    const Selection& chosen = active_.pairs.of[side];
    const double lowest = singles ? 0.0 : chosen.lowest_up.value, highest = singles ? 0.0 : chosen.highest_down;
    leaders_with(active_.variables.view(side), lowest, highest, active_.rows().slots(), found);
  }
  queue_.assign(found.who, found.who + found.count);
}

template <class R>
const R* PairSteps<R>::row(Index p, Index pinned) {
  RowStore<R>& rows = active_.rows();
  if (rows.has(p)) return rows.row(p);
  wanted_.assign(1, p);
  if (active_.size() <= 64 && rows.capacity() == active_.size()) {  // small: the whole matrix at once
    wanted_.resize(active_.size());
    std::iota(wanted_.begin(), wanted_.end(), 0);
  } else if (rows.filled() + Index(batch) <= rows.capacity()) {
    fill_queue();
    for (const Index k : queue_)
      if (k != p && wanted_.size() < batch) wanted_.push_back(k);
  }
  active_.fetch(wanted_, pinned);
  return rows.row(p);
}

// The pair that gains most to second order.
template <class R>
bool PairSteps<R>::step_pair() {
  Variables<R>& v = active_.variables;
  const std::size_t side = active_.pairs.worst();
  const auto [level, a] = active_.pairs.of[side].lowest_up;
  const R* const row_a = row(a, -1);
  const Index b = partner_with(v.view(side), level, double(v.diagonal[a]), curvature_floor<R>, row_a).index;
  if (b < 0) return false;
  const R* const row_b = row(b, a);
  const Move move = v.move_pair(a, b, double(row_a[b]), side);
  if (!state_.note(move)) return false;
  active_.pairs = advance(v, move.step, row_a, row_b);
  if (active_.is_tight()) {
    const double steps[] = {move.step, -move.step};
    const R* const both[] = {row_a, row_b};
    active_.follow(a, move.step);
    active_.follow(b, -move.step);
    active_.follow_rows(2, steps, both);
  }
  ++state_.outcome.steps;
  return true;
}

template <class R>
bool PairSteps<R>::step_single() {
  Variables<R>& v = active_.variables;
  const Index a = active_.single.index;
  if (a < 0) return false;
  const R* const row_a = row(a, -1);
  const Move move = v.move_single(a);
  if (!state_.note(move)) return false;
  active_.single = single_with(v.view(0), move.step, row_a);
  if (active_.is_tight()) {
    active_.follow(a, move.step);
    active_.follow_rows(1, &move.step, &row_a);
  }
  ++state_.outcome.steps;
  return true;
}

template class PairSteps<float>;
template class PairSteps<double>;

}  // namespace maxmargin
