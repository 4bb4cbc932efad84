#include "maxmargin/crammer_singer/active_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

template <class R>
ActiveRows<R>::ActiveRows(const CrammerSingerDual& problem, const Gram& gram, const double* beta, std::size_t cache_bytes)
    : problem_(problem), gram_(gram), cache_bytes_(cache_bytes), rows_(problem.n, cache_bytes) {
  const auto size = std::size_t(problem.n) * std::size_t(problem.classes);
  all_beta_.resize(size);
  all_gradient_.resize(size);
  for (Index k = 0; k < problem.classes; ++k)
    for (Index i = 0; i < problem.n; ++i) all_beta_[in_all(i, k)] = beta[std::ptrdiff_t(i) * problem.classes + k];
  all_diagonal_.resize(problem.n);
  gram.diagonal(all_diagonal_.data());
  for (double& d : all_diagonal_) d *= 0.5;
  scale_ = std::accumulate(all_diagonal_.begin(), all_diagonal_.end(), 0.0) / problem.n;
  if (!(scale_ > 0)) scale_ = 1;  // only the pull has a curvature then
  begin_from_all();
}

template <class R>
void ActiveRows<R>::load() {
  n_ = Index(active_.size());
  const auto size = std::size_t(n_) * std::size_t(problem_.classes);
  beta_.resize(size);
  gradient_.resize(size);
  up_.resize(size);
  label_.resize(n_);
  upper_.resize(n_);
  diagonal_.resize(n_);
  violations_.resize(n_);
  for (Index a = 0; a < n_; ++a) {
    const Index i = active_[a];
    label_[a] = problem_.label[i];
    upper_[a] = problem_.upper[i];
    diagonal_[a] = all_diagonal_[i];
    for (Index k = 0; k < problem_.classes; ++k) {
      set(a, k, all_beta_[in_all(i, k)]);
      gradient_[at(a, k)] = all_gradient_[in_all(i, k)];
    }
  }
  maker_ = maker_for(gram_, active_, R());
}

template <class R>
void ActiveRows<R>::store() {
  for (Index k = 0; k < problem_.classes; ++k)
    for (Index a = 0; a < n_; ++a) {
      all_beta_[in_all(active_[a], k)] = beta_[at(a, k)];
      all_gradient_[in_all(active_[a], k)] = gradient_[at(a, k)];
    }
}

template <class R>
void ActiveRows<R>::keep(std::span<const Index> rows) {
  store();
  std::vector<Index> active(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) active[k] = active_[rows[k]];
  active_ = std::move(active);
  rows_.compact(rows);
  load();
}

template <class R>
void ActiveRows<R>::take_all() {
  store();
  begin_from_all();
}

template <class R>
void ActiveRows<R>::begin_from_all() {
  std::vector<const Gram*> grams(problem_.classes, &gram_);
  std::vector<const double*> betas;
  std::vector<double*> outs;
  for (Index k = 0; k < problem_.classes; ++k) {
    betas.push_back(all_beta_.data() + in_all(0, k));
    outs.push_back(all_gradient_.data() + in_all(0, k));
  }
  products(grams, betas, outs, [] {});
  for (double& g : all_gradient_) g *= 0.5;
  for (Index i = 0; i < problem_.n; ++i) all_gradient_[in_all(i, problem_.label[i])] -= 1.0;
  active_.resize(problem_.n);
  std::iota(active_.begin(), active_.end(), 0);
  if (rows_.filled() > 0) rows_ = RowStore<R>(problem_.n, cache_bytes_);
  load();
}

template <class R>
std::vector<double> ActiveRows<R>::coefficients() {
  store();
  std::vector<double> beta;
  beta.reserve(all_beta_.size());
  for (Index i = 0; i < problem_.n; ++i)
    for (Index k = 0; k < problem_.classes; ++k) beta.push_back(all_beta_[in_all(i, k)]);
  return beta;
}

template <class R>
double ActiveRows<R>::class_sum(Index k) const {
  return std::accumulate(beta_.data() + at(0, k), beta_.data() + at(0, k) + n_, 0.0);
}

template <class R>
Index ActiveRows<R>::support() const {
  Index support = 0;
  for (Index i = 0; i < n_; ++i) support += beta(i, label_[i]) != 0.0;
  return support;
}

template <class R>
double ActiveRows<R>::look(const Offsets& offsets) {
  parallel_chunks((n_ + piece - 1) / piece, [&](std::ptrdiff_t chunk) { look_at(Index(chunk) * piece, offsets); });
  return worst();
}

template <class R>
double ActiveRows<R>::worst() const {
  return *std::max_element(violations_.begin(), violations_.end());
}

// An amount goes from the class with the highest slope to the lowest that has room.
template <class R>
void ActiveRows<R>::look_at(Index begin, const Offsets& offsets) {
  const Index end = std::min(n_, begin + piece);
  double highest[piece], lowest[piece];
  std::fill(highest, highest + piece, -infinity);
  std::fill(lowest, lowest + piece, infinity);
  for (Index k = 0; k < problem_.classes; ++k) {
    const double* const gradient = gradient_.data() + at(0, k);
    const float* const up = up_.data() + at(0, k);
    const double shift = offsets.shift(k);
    for (Index i = begin; i < end; ++i) {
      const double g = gradient[i] + shift, rise = g + double(up[i]);
      highest[i - begin] = g > highest[i - begin] ? g : highest[i - begin];
      lowest[i - begin] = rise < lowest[i - begin] ? rise : lowest[i - begin];
    }
  }
  for (Index i = begin; i < end; ++i) violations_[i] = std::max(0.0, highest[i - begin] - lowest[i - begin]);
}

template <class R>
auto ActiveRows<R>::objectives(const Offsets& offsets) const -> Objectives {
  double most = 1.0;
  if (std::isinf(problem_.upper[0]))
    for (const double b : beta_) most = std::max(most, std::abs(b));
  double product = 0, own = 0, slack = 0, held = 0;  // product: of coefficients and gradient
  for (Index begin = 0; begin < n_; begin += piece) {
    const Index end = std::min(n_, begin + piece);
    double highest[piece];
    std::fill(highest, highest + piece, -infinity);
    for (Index k = 0; k < problem_.classes; ++k) {
      const double* const beta = beta_.data() + at(0, k);
      const double* const gradient = gradient_.data() + at(0, k);
      for (Index i = begin; i < end; ++i) {
        product += beta[i] * gradient[i];
        highest[i - begin] = std::max(highest[i - begin], gradient[i] + offsets.shift(k));
      }
    }
    for (Index i = begin; i < end; ++i) {
      const Index y = label_[i];
      own += beta_[at(i, y)];
      slack += (std::isinf(upper_[i]) ? 2 * most : upper_[i]) * (highest[i - begin] - gradient_[at(i, y)] - offsets.shift(y));
    }
  }
  for (Index k = 0; k < problem_.classes; ++k) held += offsets.shift(k) * offsets.class_sum(k);
  const double square = product + own;  // the gradient has -1 at a row's own class
  return {0.5 * square + slack, own - 0.5 * square - held};
}

template class ActiveRows<float>;
template class ActiveRows<double>;

}  // namespace maxmargin
