#include "maxmargin/features.hpp"

namespace maxmargin {

namespace {

constexpr Index sample_size = 256;
constexpr double often = 0.25;   // a value that stands so often in a column becomes its 0
constexpr double seldom = 0.22;  // a column that is not 0 so seldom is walked by what is not 0

struct Mode {
  double value = 0;
  Index count = 0;
};

// The value that stands most often; sorts the column.
Mode mode_of(std::vector<double>& column) {
  std::sort(column.begin(), column.end());
  Mode best;
  for (auto from = column.begin(); from != column.end();) {
    const auto to = std::upper_bound(from, column.end(), *from);
    if (const auto count = Index(to - from); count > best.count) best = {*from, count};
    from = to;
  }
  return best;
}

// `filled`: the share of each column that is not 0. To walk a few columns is not worth the trouble.
Layout layout_of(const std::vector<double>& filled) {
  Layout layout;
  const auto depth = Index(filled.size());
  for (const bool dense : {true, false}) {
    for (Index k = 0; k < depth; ++k)
      if ((filled[k] > seldom) == dense) layout.order.push_back(k);
    if (dense) layout.dense = Index(layout.order.size());
  }
  if (depth - layout.dense >= 8) return layout;
  for (Index k = 0; k < depth; ++k) layout.order[k] = k;
  layout.dense = depth;
  return layout;
}

}  // namespace

// The centre of a column is the value that stands there most often, if it does so often: the difference is 0 then (a column of
// zeros and ones stays sparse also when it was standardised). Else it is the mean.
void Features::find_layouts() const {
  centre_.assign(columns_, 0.0);
  const Index count = std::min(rows_, sample_size);
  for (Index row = 0; row < rows_; ++row) add_to(row, 1.0, centre_.data());
  for (double& value : centre_) value /= std::max<Index>(rows_, 1);
  std::vector<double> sample(std::size_t(count) * std::size_t(columns_)), column(count);
  for (Index s = 0; s < count; ++s)
    read(Index(std::int64_t(s) * rows_ / count), nullptr, sample.data() + std::ptrdiff_t(s) * columns_);
  std::vector<double> filled(columns_, 1.0), filled_centred(columns_, 1.0);
  for (Index k = 0; k < columns_ && count > 0; ++k) {
    Index zeros = 0;
    for (Index s = 0; s < count; ++s) {
      column[s] = sample[std::size_t(s) * std::size_t(columns_) + std::size_t(k)];
      zeros += column[s] == 0.0;
    }
    filled[k] = 1.0 - double(zeros) / count;
    const Mode mode = mode_of(column);
    if (mode.count < often * count) continue;
    centre_[k] = mode.value;
    filled_centred[k] = 1.0 - double(mode.count) / count;
  }
  plain_ = layout_of(filled);
  centred_ = layout_of(filled_centred);
  centred_.centre = centre_.data();
  find_squares(plain_);
  find_squares(centred_);
}

void Features::find_squares(Layout& layout) const {
  std::vector<double> room(columns_);
  for (Index row = 0; row < rows_; ++row) {
    read(row, layout.centre, room.data());
    double sum = 0;
    for (const double x : room) sum += x * x;
    layout.largest_square = std::max(layout.largest_square, sum);
    layout.mean_square += sum / rows_;
  }
}

}  // namespace maxmargin
