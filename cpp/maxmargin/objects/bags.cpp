#include "maxmargin/objects/bags.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace maxmargin {

namespace {

constexpr Index most_members = 4096;  // that are asked for at once

// By rows and by columns: the same for the transposed block.
double symmetric_sum(Index rows, Index columns, const double* values, std::ptrdiff_t stride) {
  double by_rows = 0, by_columns = 0;
  for (Index r = 0; r < rows; ++r) by_rows += std::accumulate(values + r * stride, values + r * stride + columns, 0.0);
  for (Index c = 0; c < columns; ++c) {
    double sum = 0;
    for (Index r = 0; r < rows; ++r) sum += values[r * stride + c];
    by_columns += sum;
  }
  return 0.5 * (by_rows + by_columns);
}

}  // namespace

Bags::Bags(std::shared_ptr<const Gram> members, std::vector<Index> starts)
    : members_(std::move(members)), starts_(std::move(starts)) {}

void Bags::values(std::span<const Index> rows, std::span<const Index> columns, double* out) const {
  for (std::size_t r = 0; r < rows.size(); ++r) row_values(rows[r], columns, out + r * columns.size());
}

void Bags::row_values(Index row, std::span<const Index> columns, double* out) const {
  std::vector<Index> left(std::size_t(count(row))), right;
  std::iota(left.begin(), left.end(), starts_[row]);
  std::vector<double> values;
  for (std::size_t begin = 0; begin < columns.size();) {
    right.clear();
    std::size_t end = begin;
    for (; end < columns.size() && (end == begin || Index(right.size()) + count(columns[end]) <= most_members); ++end)
      for (Index member = starts_[columns[end]]; member < starts_[columns[end] + 1]; ++member) right.push_back(member);
    values.resize(left.size() * right.size());
    if (!values.empty()) members_->block(left, right, values.data());
    std::size_t place = 0;
    for (; begin < end; ++begin) {
      const Index width = count(columns[begin]);
      out[begin] = symmetric_sum(count(row), width, values.data() + place, std::ptrdiff_t(right.size()));
      place += std::size_t(width);
    }
  }
}

double Bags::own(Index row) const {
  std::vector<Index> members(std::size_t(count(row)));
  std::iota(members.begin(), members.end(), starts_[row]);
  std::vector<double> values(members.size() * members.size());
  if (!values.empty()) members_->block(members, members, values.data());
  return symmetric_sum(count(row), count(row), values.data(), std::ptrdiff_t(members.size()));
}

}  // namespace maxmargin
