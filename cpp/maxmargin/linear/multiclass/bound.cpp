#include "maxmargin/linear/multiclass/bound.hpp"

#include <algorithm>
#include <cmath>

namespace maxmargin {

using Block = ClassPasses::Block;

ClassBound::ClassBound(const ClassProblem& problem, ClassPasses& passes)
    : problem_(problem),
      passes_(passes),
      d_(problem.x->columns()),
      K_(problem.classes),
      width_(problem.width()),
      size_(d_ + (problem.offset != LinearOffset::none)) {
  if (!free_offsets()) return;
  label_sums_.resize(area(size_));
  passes_.pass(
      passes_.all(), nullptr,
      [&](const Block& block) {
        std::fill(block.values, block.values + area(block.count), 0.0);
        for (Index r = 0; r < block.count; ++r)
          block.values[area(r) + std::size_t(problem.label[block.rows[r]])] = problem.C[block.rows[r]];
      },
      label_sums_.data());
}

double ClassBound::find(const std::vector<double>& alpha, const std::vector<double>& v, const std::vector<double>& scores,
                        const std::vector<double>& log_sums, std::vector<double>& out) {
  for (std::vector<double>* part : {&give_, &take_, &lost_}) part->assign(width_, 0.0);
  if (free_offsets()) {
    const double* const total = v.data() + area(d_);
    const double* const wanted = label_sums_.data() + area(d_);
    double moved = 0;
    for (Index k = 0; k < K_; ++k) moved += std::max(-total[k], 0.0);
    for (Index k = 0; k < K_ && moved > 0; ++k) {
      give_[k] = std::max(-total[k], 0.0) / (wanted[k] - total[k]);
      take_[k] = std::max(total[k], 0.0) / moved;
      lost_[k] = std::log1p(-give_[k]);
    }
  }
  const bool crammer_singer = problem_.loss == ClassLoss::crammer_singer;
  ChunkSums gains;
  passes_.for_rows([&](const Block& block) {
    double gain = 0;
    for (Index i = block.first; i < block.first + block.count; ++i)
      gain += feasible(i, alpha.data() + area(i), crammer_singer ? nullptr : scores.data() + area(i),
                       crammer_singer ? 0.0 : log_sums[i], out.data() + area(i));
    gains[block.chunk] += gain;
  });
  double square = 0, largest = 0, over = 0;
  std::vector<double> moved(width_, 0.0);
  for (Index a = 0; a < size_; ++a) {
    const double scale = a < d_ ? 1.0 : problem_.offset == LinearOffset::penalised ? problem_.offset_scale : 0.0;
    double surplus = 0;
    for (Index k = 0; k < K_; ++k) {
      moved[k] = v[area(a) + k];
      if (free_offsets()) surplus += give_[k] * (label_sums_[area(a) + k] - moved[k]);
    }
    for (Index k = 0; k < K_; ++k) {
      if (free_offsets()) moved[k] += give_[k] * (label_sums_[area(a) + k] - moved[k]) - take_[k] * surplus;
      square += scale * scale * moved[k] * moved[k];
      const double product = std::abs(scale * moved[k]), beyond = std::max(product - problem_.l1, 0.0);
      largest = std::max(largest, product);
      over += beyond * beyond;
    }
  }
  const double gain = gains.total();
  if (problem_.l1 > 0) return moved_to_labels(gain, 0.5 * over / problem_.ridge, largest, out);
  if (!crammer_singer || gain >= square) return gain - 0.5 * square;
  const double part = gain / square;  // the best on the way from C e_y, where both are 0
  passes_.for_rows([&](const Block& block) {
    for (Index i = block.first; i < block.first + block.count; ++i) {
      for (Index k = 0; k < K_; ++k) out[area(i) + k] *= part;
      out[area(i) + problem_.label[i]] += (1 - part) * problem_.C[i];
    }
  });
  return 0.5 * gain * part;
}

// The dual objective with an l1: of `out`, which `gain`s and loses by products above it, or of a part of the way there from C
// e_y.
double ClassBound::moved_to_labels(double gain, double lost, double largest, std::vector<double>& out) {
  if (!(largest > problem_.l1)) return gain;
  const double part = problem_.l1 / largest;
  const auto go = [&](bool keep) {
    ChunkSums gains;
    passes_.for_rows([&](const Block& block) {
      double sum = 0;
      for (Index i = block.first; i < block.first + block.count; ++i) {
        const double C = problem_.C[i];
        double others = 0;
        for (Index k = 0; k < K_; ++k) {
          if (k == problem_.label[i]) continue;
          double& multiplier = out[area(i) + std::size_t(k)];
          const double here = part * multiplier;
          if (here > 0) sum -= here * std::log(here / C);
          others += here;
          if (keep) multiplier = here;
        }
        const double own = std::max(C - others, 0.0);
        if (own > 0) sum -= own * std::log1p(-std::min(others / C, 1.0));
        if (keep) out[area(i) + std::size_t(problem_.label[i])] = own;
      }
      gains[block.chunk] += sum;
    });
    return gains.total();
  };
  if (problem_.ridge > 0) {
    const double shorter = go(false);
    if (gain - lost >= shorter) return gain - lost;
  }
  return go(true);
}

// One row's part in that: what it gains.
double ClassBound::feasible(Index i, const double* alpha, const double* scores, double log_sum, double* out) const {
  double surplus = 0, gain = 0;
  for (Index k = 0; k < K_; ++k) surplus += give_[k] * alpha[k];
  for (Index k = 0; k < K_; ++k) out[k] = alpha[k] * (1 - give_[k]) + take_[k] * surplus;
  if (scores == nullptr) {  // Crammer and Singer's loss
    for (Index k = 0; k < K_; ++k) gain += k == problem_.label[i] ? 0.0 : out[k];
    return gain;
  }
  // log(out / C) = f - log sum exp f + log(out / alpha); log(1 + t) <= t - t^2/2 + t^3/3 saves most logarithms.
  for (Index k = 0; k < K_; ++k) {
    if (!(out[k] > 0)) continue;
    const double more = take_[k] * surplus, t = more / alpha[k];
    const double log =
        t < 0.05 ? scores[k] - log_sum + t * (1 - t * (0.5 - t / 3)) + lost_[k] : std::log(out[k] / problem_.C[i]);
    gain -= out[k] * log;
  }
  return gain;
}

}  // namespace maxmargin
