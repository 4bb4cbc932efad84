#include "maxmargin/linear/block.hpp"

#include <numeric>

namespace maxmargin {

LinearBlock::LinearBlock(const LinearProblem& problem, const double* centre, double penalty_parameter)
    : problem_(problem),
      passes_(*problem.x),
      losses_(problem, false),
      n_(problem.x->rows()),
      d_(problem.x->columns()),
      size_(d_ + (problem.offset != LinearOffset::none)),
      z_(n_),
      alpha_(n_),
      curvature_(n_) {
  if (!losses_.proximal()) return;
  losses_.penalty_parameter = penalty_parameter;
  if (centre) losses_.centre.assign(centre, centre + n_);
}

void LinearBlock::margins(const double* w, double b, std::vector<double>& z) {
  passes_.scores(w, z.data());
  passes_.for_rows([&](Index, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) z[i] = problem_.y[i] * (z[i] + b);
  });
}

BlockTerms LinearBlock::terms(const double* w, double b, BlockCurvature kind) {
  margins(w, b, z_);
  const bool apart = problem_.offset == LinearOffset::free;
  std::vector<double> up(n_), down(apart ? n_ : 0);
  std::vector<RowTerms> parts(passes_.chunks());
  passes_.for_rows([&](Index c, Index begin, Index end) {
    parts[c] = row_terms(problem_, losses_, begin, end, z_.data(), alpha_.data(), curvature_.data(), up.data(),
                         apart ? down.data() : nullptr);
  });
  BlockTerms found;
  for (const RowTerms& part : parts) found.rows += part;
  for (int side = 0; side <= int(apart); ++side) {
    found.combination[side].resize(d_);
    passes_.combine(apart && side == 0 ? down.data() : up.data(), found.combination[side].data());
  }
  if (kind == BlockCurvature::none) return found;
  const double total = std::accumulate(curvature_.begin(), curvature_.end(), 0.0);
  if (kind == BlockCurvature::diagonal) {
    found.curvature.resize(size_);
    passes_.squares(curvature_.data(), found.curvature.data());
    if (size_ > d_) found.curvature[d_] = total;
    return found;
  }
  const Index stride = (size_ + 7) / 8 * 8;
  std::vector<double> H(std::size_t(stride) * std::size_t(stride), 0.0);
  passes_.add_outer(curvature_.data(), H.data(), stride);
  if (size_ > d_) {
    double* const last = H.data() + std::ptrdiff_t(d_) * stride;
    passes_.combine(curvature_.data(), last);
    last[d_] = total;
  }
  found.curvature.resize(std::size_t(size_) * std::size_t(size_), 0.0);
  for (std::ptrdiff_t k = 0; k < size_; ++k)
    for (std::ptrdiff_t l = 0; l <= k; ++l) found.curvature[std::size_t(k * size_ + l)] = H[std::size_t(k * stride + l)];
  return found;
}

void LinearBlock::along(const double* w, double b, const double* p, double p_offset, Index count, const double* lengths,
                        double* first, double* second) {
  margins(w, b, z_);
  margins(p, p_offset, alpha_);
  std::vector<RowLosses::Slope> parts(std::size_t(passes_.chunks()) * std::size_t(count));
  passes_.for_rows([&](Index c, Index begin, Index end) {
    for (Index l = 0; l < count; ++l)
      parts[std::size_t(c) * std::size_t(count) + std::size_t(l)] =
          losses_.slope_at(begin, end, z_.data(), alpha_.data(), lengths[l]);
  });
  for (Index l = 0; l < count; ++l) first[l] = second[l] = 0;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    first[at % std::size_t(count)] += parts[at].first;
    second[at % std::size_t(count)] += parts[at].second;
  }
}

void LinearBlock::multipliers(const double* w, double b, double* alpha) {
  margins(w, b, z_);
  passes_.for_rows([&](Index, Index begin, Index end) {
    losses_.at(begin, end - begin, z_.data() + begin, alpha + begin, curvature_.data() + begin, nullptr);
  });
}

std::vector<double> LinearBlock::product(const double* w, double b, const double* p, double p_offset) {
  multipliers(w, b, alpha_.data());
  std::vector<double> out(size_);
  passes_.curvature(curvature_.data(), p, size_ > d_ ? &p_offset : nullptr, out.data());
  return out;
}

}  // namespace maxmargin
