#include "maxmargin/conjugate_gradients.hpp"

#include <algorithm>
#include <numeric>

#include "maxmargin/cpu.hpp"
#include "maxmargin/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr Index most_heavy = 256;
constexpr int most_iterations = 2000;

}  // namespace

ConjugateGradients::ConjugateGradients(const LinearProblem& problem, LinearPasses& passes, Index size)
    : x_(*problem.x), passes_(passes), size_(size), d_(problem.x->columns()) {
  std::vector<double> weight(d_);
  passes.squares(problem.price, weight.data());
  some_.columns.resize(d_);
  std::iota(some_.columns.begin(), some_.columns.end(), 0);
  const Index count = std::min(d_, most_heavy);
  std::nth_element(some_.columns.begin(), some_.columns.begin() + (count - 1), some_.columns.end(),
                   [&](Index a, Index b) { return weight[a] != weight[b] ? weight[a] > weight[b] : a < b; });
  some_.columns.resize(count);
  std::sort(some_.columns.begin(), some_.columns.end());
  some_.place.assign(d_, -1);
  for (Index k = 0; k < count; ++k) some_.place[some_.columns[k]] = k;
  heavy_ = count + (size_ - d_);
  stride_ = (heavy_ + 7) / 8 * 8;
  block_.resize(std::size_t(stride_) * std::size_t(stride_));
  for (std::vector<double>* v : {&diagonal_, &sum_, &residual_, &fitted_, &search_, &image_}) v->resize(size_);
  heavy_part_.resize(heavy_);
}

void ConjugateGradients::prepare(const std::vector<double>& curvature, const std::vector<double>& ridge, double offset_floor) {
  active_.clear();
  curve_.clear();
  for (std::size_t i = 0; i < curvature.size(); ++i)
    if (curvature[i] != 0) {
      active_.push_back(Index(i));
      curve_.push_back(curvature[i]);
    }
  ridge_ = ridge;
  if (size_ > d_) ridge_[d_] += offset_floor;
  const double total = std::accumulate(curve_.begin(), curve_.end(), 0.0);
  passes_.squares(curvature.data(), diagonal_.data());
  if (size_ > d_) diagonal_[d_] = total;
  for (Index k = 0; k < size_; ++k) diagonal_[k] = std::max(diagonal_[k] + ridge_[k], 1e-12 * total + 1e-300);

  std::fill(block_.begin(), block_.end(), 0.0);
  passes_.add_outer(curvature.data(), some_, block_.data(), stride_);
  const auto count = Index(some_.columns.size());
  if (size_ > d_) {
    passes_.combine(curvature.data(), sum_.data());
    double* const last = block_.data() + std::ptrdiff_t(count) * stride_;
    for (Index k = 0; k < count; ++k) last[k] = sum_[some_.columns[k]];
  }
  // On the diagonal what it has for the others too: also where that is a floor.
  for (Index k = 0; k < heavy_; ++k) {
    const Index column = k < count ? some_.columns[k] : d_;
    block_[std::ptrdiff_t(k) * stride_ + k] = (1 + 1e-12) * diagonal_[column];
  }
  if (hot().cholesky(heavy_, block_.data(), stride_, 0.0) < 0) return;
  std::fill(block_.begin(), block_.end(), 0.0);  // rounding: the diagonal alone will do
  for (Index k = 0; k < heavy_; ++k)
    block_[std::ptrdiff_t(k) * stride_ + k] = std::sqrt(diagonal_[k < count ? some_.columns[k] : d_]);
}

void ConjugateGradients::precondition(const std::vector<double>& residual, std::vector<double>& out) {
  const Hot& h = hot();
  const auto count = Index(some_.columns.size());
  const auto column = [&](Index k) { return k < count ? some_.columns[k] : d_; };
  for (Index k = 0; k < size_; ++k) out[k] = residual[k] / diagonal_[k];
  double* const x = heavy_part_.data();
  for (Index k = 0; k < heavy_; ++k) {
    const double* const row = block_.data() + std::ptrdiff_t(k) * stride_;
    x[k] = (residual[column(k)] - h.dot(k, row, x)) / row[k];
  }
  for (Index k = heavy_; k-- > 0;) {
    const double* const row = block_.data() + std::ptrdiff_t(k) * stride_;
    x[k] /= row[k];
    h.axpy(k, -x[k], row, x);
  }
  for (Index k = 0; k < heavy_; ++k) out[column(k)] = x[k];
}

// Over the rows that curve; each is read once for both products.
void ConjugateGradients::multiply(const std::vector<double>& p, std::vector<double>& out) {
  const double p_offset = size_ > d_ ? p[d_] : 0.0;
  const auto count = std::ptrdiff_t(active_.size());
  const std::ptrdiff_t chunks = std::min<std::ptrdiff_t>(passes_.chunks(), std::max<std::ptrdiff_t>(1, count / 64));
  room_.resize(std::size_t(chunks) * std::size_t(size_));
  parallel_chunks(chunks, [&](std::ptrdiff_t c) {
    double* const own = room_.data() + c * size_;
    std::fill(own, own + size_, 0.0);
    double total = 0;
    for (std::ptrdiff_t k = c * count / chunks; k < (c + 1) * count / chunks; ++k) {
      const Index i = active_[k];
      double product;
      x_.products(i, i + 1, p.data(), &product);
      product = curve_[k] * (product + p_offset);
      x_.add_rows(i, i + 1, &product, own);
      total += product;
    }
    if (size_ > d_) own[d_] = total;
  });
  for (Index k = 0; k < size_; ++k) out[k] = ridge_[k] * p[k];
  for (std::ptrdiff_t c = 0; c < chunks; ++c) hot().axpy(size_, 1.0, room_.data() + c * size_, out.data());
}

bool ConjugateGradients::solve(const std::vector<double>& curvature, const std::vector<double>& ridge, double offset_floor,
                               const std::vector<double>& gradient, double forcing, std::vector<double>& direction,
                               LinearRecord& record) {
  const Hot& h = hot();
  prepare(curvature, ridge, offset_floor);
  for (Index k = 0; k < size_; ++k) {
    direction[k] = 0;
    residual_[k] = -gradient[k];
  }
  precondition(residual_, fitted_);
  search_ = fitted_;
  double rho = h.dot(size_, residual_.data(), fitted_.data());
  const double first = rho;
  for (int iteration = 0; iteration < most_iterations && rho > forcing * forcing * first; ++iteration) {
    multiply(search_, image_);
    const double curve = h.dot(size_, search_.data(), image_.data());
    if (!(curve > 0)) break;
    const double length = rho / curve;
    h.axpy(size_, length, search_.data(), direction.data());
    h.axpy(size_, -length, image_.data(), residual_.data());
    precondition(residual_, fitted_);
    const double next = h.dot(size_, residual_.data(), fitted_.data());
    for (Index k = 0; k < size_; ++k) search_[k] = fitted_[k] + next / rho * search_[k];
    rho = next;
    if (record.poll()) return false;
  }
  return true;
}

}  // namespace maxmargin
