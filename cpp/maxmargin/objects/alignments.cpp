#include "maxmargin/objects/alignments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t beyond = 8;  // what whole vectors read and write beyond an antidiagonal
constexpr double ln_2 = 0.69314718055994530942, ln_3 = 1.0986122886681098;
constexpr double nothing = -std::numeric_limits<double>::infinity();
constexpr int middle = 500;  // cells are about 2^500, so that those far from the best path have their place below

std::ptrdiff_t stride_of(Index length) { return std::ptrdiff_t(length) + std::ptrdiff_t(beyond); }

// log(e^a + e^b + e^c), whichever of a and b is which.
double log_sum(double a, double b, double c) {
  const double most = std::max(std::max(a, b), c);
  if (most == nothing) return nothing;
  return most + std::log((std::exp(a - most) + std::exp(b - most)) + std::exp(c - most));
}

}  // namespace

Alignments::Alignments(SeriesRuns series, double rate, bool normalised)
    : rate_(rate), normalised_(normalised), series_(std::move(series)) {
  const Index d = series_.dimensions;
  for (std::size_t s = 0; s + 1 < series_.starts.size(); ++s) {
    const auto n = Index(series_.starts[s + 1] - series_.starts[s]);
    const double* const x = series_.moments.data() + series_.starts[s] * d;
    lengths_.push_back(n);
    begins_.push_back(forward_.size());
    forward_.resize(forward_.size() + std::size_t(stride_of(n) * d), 0.0);
    backward_.resize(forward_.size(), 0.0);
    for (Index c = 0; c < d; ++c)
      for (Index i = 0; i < n; ++i) {
        forward_[begins_[s] + std::size_t(c * stride_of(n) + i)] = x[i * d + c];
        backward_[begins_[s] + std::size_t(c * stride_of(n) + n - 1 - i)] = x[i * d + c];
      }
  }
  own_.resize(lengths_.size());
  parallel_chunks(size(), [&](std::ptrdiff_t s) { own_[s] = logarithm(Index(s), Index(s)); });
}

void Alignments::values(std::span<const Index> rows, std::span<const Index> columns, double* out) const {
  for (const Index row : rows)
    for (const Index column : columns)
      if (lengths_[row] == 0 || lengths_[column] == 0)
        *out++ = normalised_ && lengths_[row] == lengths_[column] ? 1.0 : 0.0;
      else
        *out++ = std::exp(logarithm(row, column) - (normalised_ ? 0.5 * (own_[row] + own_[column]) : 0.0));
}

double Alignments::own(Index row) const {
  if (normalised_) return 1.0;
  return lengths_[row] == 0 ? 0.0 : std::exp(own_[row]);
}

double Alignments::logarithm(Index a, Index b) const {
  poll_now();
  const Index n = lengths_[a], m = lengths_[b], diagonals = n + m - 1;
  if (n == 0 || m == 0) return nothing;
  static thread_local std::vector<double> room;
  const std::size_t stride = std::size_t(n) + 2 * beyond;
  room.assign(4 * stride, 0.0);  // [antidiagonal modulo 3][1 + position in a]; the cells beside those in use are 0
  double* const local = room.data() + 3 * stride;
  const auto cells = [&](Index diagonal) { return room.data() + stride * std::size_t((diagonal + 3) % 3); };
  const double* const x = forward_.data() + begins_[a];
  const double* const y = backward_.data() + begins_[b];
  int power = middle;  // cells are true ones times 2^power
  double most_before = std::ldexp(1.0, middle);
  double unsure = nothing;               // log of what cells may be wrong by
  *cells(-2) = std::ldexp(1.0, middle);  // before both begin there is one alignment
  for (Index d = 0; d < diagonals; ++d) {
    const Index first = std::max<Index>(0, d - m + 1), last = std::min<Index>(n - 1, d), count = last - first + 1;
    simd().diagonal_distances(count, series_.dimensions, x + first, stride_of(n), y + (m - 1 - d + first), stride_of(m), local);
    const double* const before = cells(d - 1) + first;
    const double* const corner = cells(d - 2) + first;
    double* const out = cells(d) + first + 1;
    const AlignmentRange range = simd().alignment_cells(count, rate_, local, before, before + 1, corner, out);
    if (d == 0) *cells(-2) = 0;
    out[-1] = 0;
    out[count] = 0;
    // Every cell is at most 2^750; a local value below 2^-1000 may have been a smaller one.
    if (range.least_local < 0x1p-1000 || range.least < 0x1p-1000) {
      const double size = range.least_local < 0x1p-1000 ? -1000.0 + 752.0 : -1000.0;
      unsure = std::max(unsure, (size - power) * ln_2 + ln_3 * (diagonals - d) + std::log(double(count)));
    }
    // Both antidiagonals that the next one needs: on those between, cells may be much smaller.
    const double most = std::max(range.most, most_before);
    most_before = range.most;
    if (most > 0x1p700 || (most > 0 && most < 0x1p300)) {
      const int change = middle - std::ilogb(most);
      for (double* const some : {cells(d), cells(d - 1)})
        for (std::size_t k = 0; k < stride; ++k) some[k] = std::ldexp(some[k], change);
      most_before = std::ldexp(most_before, change);
      power += change;
    }
  }
  const double found = *(cells(diagonals - 1) + n);
  const double result = found > 0 ? std::log(found) - power * ln_2 : nothing;
  // Each antidiagonal may be wrong by that; a 2^-58th of the sum is not noticed.
  return result - 40.0 > unsure + std::log(double(diagonals)) ? result : by_logarithms(a, b);
}

double Alignments::by_logarithms(Index a, Index b) const {
  const Index n = lengths_[a], m = lengths_[b], dimensions = series_.dimensions;
  const double* const x = series_.moments.data() + series_.starts[a] * dimensions;
  const double* const y = series_.moments.data() + series_.starts[b] * dimensions;
  std::vector<double> above(std::size_t(m) + 1, nothing), row(std::size_t(m) + 1, nothing);
  above[0] = 0;
  for (Index i = 0; i < n; ++i) {
    poll_now();
    row[0] = nothing;
    for (Index j = 0; j < m; ++j) {
      double distance = 0;
      for (Index c = 0; c < dimensions; ++c) {
        const double apart = x[i * dimensions + c] - y[j * dimensions + c];
        distance += apart * apart;
      }
      const double e = std::exp(-rate_ * distance);
      row[j + 1] = (-rate_ * distance - std::log(2.0 - e)) + log_sum(above[j + 1], row[j], above[j]);
    }
    above.swap(row);
  }
  return above[m];
}

}  // namespace maxmargin
