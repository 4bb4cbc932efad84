#include "maxmargin/linear/multiclass/block.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace maxmargin {

namespace {

using Block = ClassPasses::Block;

constexpr Index most_rows = ClassPasses::block;

}  // namespace

ClassBlock::ClassBlock(const ClassProblem& problem, Poll poll)
    : problem_(problem),
      poll_(std::move(poll)),
      n_(problem.x->rows()),
      d_(problem.x->columns()),
      K_(problem.classes),
      width_(problem.width()),
      size_(d_ + (problem.offset != LinearOffset::none)),
      stride_((size_ + 7) / 8 * 8),
      rows_(problem),
      passes_(*problem.x, size_, width_),
      linear_(*problem.x) {}

std::vector<double> ClassBlock::padded(const double* W) const {
  std::vector<double> out(area(size_), 0.0);
  for (Index a = 0; a < size_; ++a) std::copy(W + std::ptrdiff_t(a) * K_, W + std::ptrdiff_t(a + 1) * K_, out.data() + area(a));
  return out;
}

std::vector<double> ClassBlock::unpadded(const std::vector<double>& W) const {
  std::vector<double> out(std::size_t(size_) * std::size_t(K_));
  for (Index a = 0; a < size_; ++a) std::copy(W.data() + area(a), W.data() + area(a) + K_, out.data() + std::ptrdiff_t(a) * K_);
  return out;
}

ClassBlockTerms ClassBlock::terms(const double* W, ClassCurvature kind) {
  ClassBlockTerms found;
  ChunkSums loss, gain;
  alpha_.resize(area(n_));
  std::vector<double> slopes(area(size_));
  passes_.pass(
      passes_.all(), padded(W).data(),
      [&](const Block& block) {
        double logs[most_rows];
        double* const alpha = alpha_.data() + area(block.first);
        const double lost = rows_.multipliers(block.first, block.count, block.values, alpha, logs);
        loss[block.chunk] += lost;
        double sum = lost;
        for (Index r = 0; r < block.count; ++r) {
          const double* const f = block.values + area(r);
          const double own = f[problem_.label[block.first + r]];
          for (Index k = 0; k < K_; ++k) sum -= alpha[area(r) + std::size_t(k)] * (f[k] - own);
        }
        gain[block.chunk] += sum;
        for (Index r = 0; r < block.count; ++r) {
          double* const out = block.values + area(r);
          rows_.slopes(block.first + r, alpha + area(r), out);
          for (Index k = 0; k < width_; ++k) out[k] = -out[k];
        }
      },
      slopes.data());
  found.loss = loss.total();
  found.of_slopes = gain.total();
  found.slopes = unpadded(slopes);
  if (kind == ClassCurvature::none) return found;
  weight_.assign(std::size_t(n_), 0.0);
  if (kind == ClassCurvature::diagonal) find_diagonal(found.curvature);
  if (kind == ClassCurvature::shared) find_shared(found.curvature);
  if (kind == ClassCurvature::matrix) find_matrix(found.curvature);
  return found;
}

void ClassBlock::find_diagonal(std::vector<double>& out) {
  out.assign(std::size_t(size_) * std::size_t(K_), 0.0);
  std::vector<double> column(size_);
  for (Index k = 0; k < K_; ++k) {
    poll_();
    for (Index i = 0; i < n_; ++i) weight_[i] = rows_.curvature(i, K_, alpha_.data() + area(i), k, k);
    linear_.squares(weight_.data(), column.data());
    if (size_ > d_) column[d_] = std::accumulate(weight_.begin(), weight_.end(), 0.0);
    for (Index a = 0; a < size_; ++a) out[std::size_t(a) * std::size_t(K_) + std::size_t(k)] = column[a];
  }
}

// Lower triangle of H = sum of weight_i (x_i, 1)(x_i, 1)', rows of `stride`.
void ClassBlock::outer(std::vector<double>& H) {
  H.assign(std::size_t(stride_) * std::size_t(stride_), 0.0);
  linear_.add_outer(weight_.data(), H.data(), stride_);
  if (size_ == d_) return;
  double* const last = H.data() + std::ptrdiff_t(d_) * stride_;
  linear_.combine(weight_.data(), last);
  last[d_] = std::accumulate(weight_.begin(), weight_.end(), 0.0);
}

void ClassBlock::find_shared(std::vector<double>& out) {
  for (Index i = 0; i < n_; ++i) {
    double sum = 0;
    for (Index k = 0; k < K_; ++k) sum += rows_.curvature(i, K_, alpha_.data() + area(i), k, k);
    weight_[i] = sum / (K_ - 1);
  }
  std::vector<double> H;
  outer(H);
  out.assign(std::size_t(size_) * std::size_t(size_), 0.0);
  for (Index a = 0; a < size_; ++a)
    std::copy(H.data() + std::ptrdiff_t(a) * stride_, H.data() + std::ptrdiff_t(a) * stride_ + a + 1,
              out.data() + std::ptrdiff_t(a) * size_);
}

void ClassBlock::find_matrix(std::vector<double>& out) {
  const std::size_t unknowns = std::size_t(size_) * std::size_t(K_);
  out.assign(unknowns * unknowns, 0.0);
  std::vector<double> part;
  for (Index k = 0; k < K_; ++k)
    for (Index l = 0; l <= k; ++l) {
      poll_();
      for (Index i = 0; i < n_; ++i) weight_[i] = rows_.curvature(i, K_, alpha_.data() + area(i), k, l);
      outer(part);
      const auto put = [&](Index a, Index b, double value) {
        const std::size_t one = std::size_t(a) * std::size_t(K_) + std::size_t(k);
        const std::size_t other = std::size_t(b) * std::size_t(K_) + std::size_t(l);
        out[std::max(one, other) * unknowns + std::min(one, other)] = value;
      };
      for (Index a = 0; a < size_; ++a)
        for (Index b = 0; b <= a; ++b) {
          const double value = part[std::size_t(a) * std::size_t(stride_) + std::size_t(b)];
          put(a, b, value);
          put(b, a, value);
        }
    }
}

void ClassBlock::along(const double* W, const double* P, Index count, const double* lengths, double* first, double* second) {
  std::vector<double> scores(area(n_)), along(area(n_));
  const auto keep = [&](std::vector<double>& out) {
    return
        [&](const Block& block) { std::copy(block.values, block.values + area(block.count), out.data() + area(block.first)); };
  };
  passes_.pass(passes_.all(), padded(W).data(), keep(scores), nullptr);
  passes_.pass(passes_.all(), padded(P).data(), keep(along), nullptr);
  for (Index l = 0; l < count; ++l) {
    poll_();
    ChunkSums slopes, curves;
    passes_.for_rows([&](const Block& block) {
      double logs[most_rows];
      std::vector<double> alpha(area(block.count));
      const double* const p = along.data() + area(block.first);
      for (std::size_t at = 0; at < area(block.count); ++at)
        block.values[at] = scores[area(block.first) + at] + lengths[l] * p[at];
      rows_.multipliers(block.first, block.count, block.values, alpha.data(), logs);
      for (Index r = 0; r < block.count; ++r) {
        const double own = p[area(r) + std::size_t(problem_.label[block.first + r])];
        double slope = 0, square = 0;
        for (Index k = 0; k < K_; ++k) {
          const double z = p[area(r) + std::size_t(k)] - own;
          slope += alpha[area(r) + std::size_t(k)] * z;
          square += alpha[area(r) + std::size_t(k)] * z * z;
        }
        slopes[block.chunk] += slope;
        curves[block.chunk] += square - slope * slope / problem_.C[block.first + r];
      }
    });
    first[l] = slopes.total();
    second[l] = curves.total();
  }
}

std::vector<double> ClassBlock::product(const double* W, const double* P) {
  alpha_.resize(area(n_));
  passes_.pass(
      passes_.all(), padded(W).data(),
      [&](const Block& block) {
        double logs[most_rows];
        rows_.multipliers(block.first, block.count, block.values, alpha_.data() + area(block.first), logs);
      },
      nullptr);
  poll_();
  std::vector<double> out(area(size_));
  passes_.pass(
      passes_.all(), padded(P).data(),
      [&](const Block& block) {
        for (Index r = 0; r < block.count; ++r) {
          double* const z = block.values + area(r);
          rows_.curve(block.first + r, alpha_.data() + area(block.first + r), z);
          std::fill(z + K_, z + width_, 0.0);
        }
      },
      out.data());
  return unpadded(out);
}

}  // namespace maxmargin
