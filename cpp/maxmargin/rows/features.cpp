#include "maxmargin/rows/features.hpp"

#include <cmath>
#include <numeric>

#include "maxmargin/rows/in_parts.hpp"
#include "maxmargin/rows/row_passes.hpp"

namespace maxmargin {

namespace {

constexpr Index most_sampled = 128, fewest_sampled = 16;
constexpr Index sampled_values = 1 << 21;
constexpr double often = 0.25;   // a value that stands so often in a column becomes its 0
constexpr double seldom = 0.22;  // a column that is not 0 so seldom is walked by what is not 0

struct Mode {
  double value = 0;
  Index count = 0;
};

// The value that stands most often, if it stands often: one of some that are tried. A value that is a quarter of the column is
// overlooked once in a hundred times, one that is half of it hardly ever, and then only time is lost.
Mode mode_of(const std::vector<double>& column) {
  constexpr std::size_t tries = 16;
  const std::size_t n = column.size(), step = (n + tries - 1) / tries;
  Mode best;
  for (std::size_t t = 0; t < n && 2 * std::size_t(best.count) <= n; t += step) {
    const double value = column[t];
    if (best.count > 0 && value == best.value) continue;
    Index count = 0;
    for (const double other : column) count += other == value;
    if (count > best.count) best = {value, count};
  }
  return best;
}

// With a few sums at a time, which do not wait for each other.
double square_of(const std::vector<double>& x) {
  constexpr std::size_t lanes = 8;
  double sums[lanes] = {};
  std::size_t k = 0;
  for (; k + lanes <= x.size(); k += lanes)
    for (std::size_t l = 0; l < lanes; ++l) sums[l] += x[k + l] * x[k + l];
  for (; k < x.size(); ++k) sums[k % lanes] += x[k] * x[k];
  return std::accumulate(sums, sums + lanes, 0.0);
}

// Are all of them whole numbers? To add and take away 3 * 2^51 rounds what is smaller; what is larger has no fraction.
bool are_whole(const std::vector<double>& x) {
  constexpr double shift = 6755399441055744.0;
  bool whole = true;
  for (const double value : x) whole &= (value + shift) - shift == value;
  return whole;
}

// The order of the columns; `filled` is the share of each that is not 0. To walk a few columns is not worth the trouble.
void put_in_order(const std::vector<double>& filled, bool in_place, Layout& layout) {
  const auto depth = Index(filled.size());
  for (const bool dense : {true, false}) {
    for (Index k = 0; k < depth; ++k)
      if ((filled[k] > seldom) == dense) layout.order.push_back(k);
    if (dense) layout.dense = Index(layout.order.size());
  }
  if (depth - layout.dense >= 8 && !in_place) return;
  for (Index k = 0; k < depth; ++k) layout.order[k] = k;
  layout.dense = depth;
}

}  // namespace

// The centre of a column is the value that stands there most often, if it does so often: the difference is 0 then (a column of
// zeros and ones stays sparse also when it was standardised). Else it is the mean, rounded where rows look whole.
Layout Features::find_layout(Reading reading) const {
  const bool centred = reading.centred;
  Layout layout;
  if (centred) {
    layout.centre.resize(columns());
    RowPasses(*this).combine(std::vector<double>(rows(), 1.0 / rows()).data(), layout.centre.data());
  }
  const Index count =
      std::min(rows(), std::clamp(sampled_values / std::max<Index>(columns(), 1), fewest_sampled, most_sampled));
  std::vector<double> sample(std::size_t(count) * std::size_t(columns())), filled(columns(), 1.0);
  for (Index s = 0; s < count; ++s)
    read(Index(std::int64_t(s) * rows() / count), nullptr, sample.data() + std::ptrdiff_t(s) * columns());
  layout.whole = are_whole(sample);  // as far as one can see
  in_parts(count > 0 ? columns() : 0, 16, [&](Index begin, Index end) {
    std::vector<double> column(count);
    for (Index k = begin; k < end; ++k) {
      for (Index s = 0; s < count; ++s) column[s] = sample[std::size_t(s) * std::size_t(columns()) + std::size_t(k)];
      if (!centred) {
        filled[k] = 1.0 - double(std::count(column.begin(), column.end(), 0.0)) / count;
        continue;
      }
      const Mode mode = mode_of(column);
      if (mode.count >= often * count) {
        layout.centre[k] = mode.value;
        filled[k] = 1.0 - double(mode.count) / count;
      } else if (layout.whole) {
        layout.centre[k] = std::nearbyint(layout.centre[k]);
      }
    }
  });
  put_in_order(filled, reading.in_place, layout);
  std::vector<double> squares(rows());
  std::vector<char> whole(rows(), false);
  in_parts(rows(), rows_of_work(columns()), [&](Index begin, Index end) {
    std::vector<double> room(columns());
    for (Index row = begin; row < end; ++row) {
      read(row, layout.origin(), room.data());
      squares[row] = square_of(room);
      whole[row] = layout.whole && are_whole(room);
    }
  });
  constexpr double most_exact = 1 << 24;
  for (const double square : squares) {
    layout.largest_square = std::max(layout.largest_square, square);
    layout.mean_square += square / rows();
  }
  layout.whole = layout.largest_square <= most_exact && std::count(whole.begin(), whole.end(), false) == 0;
  return layout;
}

}  // namespace maxmargin
