#include "maxmargin/linear/conjugate_gradients.hpp"

#include <algorithm>
#include <numeric>

#include "maxmargin/newton/triangular.hpp"
#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr Index most_heavy = 128;
constexpr int most_iterations = 2000;
constexpr int most_of_a_face = 1000;
constexpr double negligible = 1e-12;       // beside the ridge: a smooth loss has rows that hardly curve
constexpr double far_from_the_end = 1e-3;  // a forcing
constexpr double says_enough = 1e-2;       // the least curvature, beside the ridge, of a row whose margin the system tells
constexpr double looser = 1.5;     // than asked for: a smooth loss' system of rows, whose first rounds are far from the end
constexpr double few_rows = 0.35;  // where at most this part of all rows curves, their own system is the better one

}  // namespace

ConjugateGradients::ConjugateGradients(const LinearProblem& problem, RowPasses& passes, Index size)
    : x_(*problem.x),
      y_(problem.y),
      C_(problem.C),
      penalty_(problem.penalty),
      smooth_(!is_quadratic(problem.loss)),
      passes_(passes),
      size_(size),
      d_(problem.x->columns()),
      square_(problem.x->rows()),
      image_(size) {
  passes.for_rows([&](Index, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) square_[i] = x_.square(i);
  });
}

// The columns that weigh most, whose block of the matrix is factored.
void ConjugateGradients::choose_columns() {
  std::vector<double> weight(d_);
  passes_.squares(C_, weight.data());
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
  for (std::vector<double>* v : {&diagonal_, &sum_, &residual_, &fitted_, &search_}) v->resize(size_);
  heavy_part_.resize(heavy_);
}

void ConjugateGradients::prepare(const std::vector<double>& curvature) {
  if (block_.empty()) choose_columns();
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
  if (simd().cholesky(heavy_, block_.data(), stride_, 0.0) < 0) return;
  std::fill(block_.begin(), block_.end(), 0.0);  // rounding: the diagonal alone will do
  for (Index k = 0; k < heavy_; ++k)
    block_[std::ptrdiff_t(k) * stride_ + k] = std::sqrt(diagonal_[k < count ? some_.columns[k] : d_]);
}

void ConjugateGradients::precondition(const std::vector<double>& residual, std::vector<double>& out) {
  const auto count = Index(some_.columns.size());
  const auto column = [&](Index k) { return k < count ? some_.columns[k] : d_; };
  for (Index k = 0; k < size_; ++k) out[k] = residual[k] / diagonal_[k];
  double* const x = heavy_part_.data();
  for (Index k = 0; k < heavy_; ++k) x[k] = residual[column(k)];
  solve_factored(block_.data(), heavy_, stride_, x);
  for (Index k = 0; k < heavy_; ++k) out[column(k)] = x[k];
}

// Over the rows with curvature; each is read once for both products.
void ConjugateGradients::multiply(const std::vector<double>& p, std::vector<double>& out) {
  const double p_offset = size_ > d_ ? p[d_] : 0.0;
  const auto count = std::ptrdiff_t(active_.size());
  const std::ptrdiff_t chunks = std::min<std::ptrdiff_t>(passes_.parts(), std::max<std::ptrdiff_t>(1, count / 64));
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
  for (std::ptrdiff_t c = 0; c < chunks; ++c) simd().axpy(size_, 1.0, room_.data() + c * size_, out.data());
}

bool ConjugateGradients::solve(const std::vector<double>& curvature, const std::vector<double>& ridge, double offset_floor,
                               const std::vector<double>& gradient, double forcing, std::vector<double>& direction,
                               LinearRecord& record) {
  active_.clear();
  curve_.clear();
  const double least = penalty_ ? negligible : 0.0;
  double weighty = 0;  // rows, those with little curvature beside the ridge in part
  for (std::size_t i = 0; i < curvature.size(); ++i) {
    const double weight = curvature[i] * (1 + square_[i]);
    if (!(weight > least)) continue;
    active_.push_back(Index(i));
    curve_.push_back(curvature[i]);
    weighty += weight / (1 + weight);
  }
  ridge_ = ridge;
  // A smooth loss has all rows at first, as ill-conditioned as they are; near the end few with curvature, and a
  // well-conditioned system of them.
  const bool few = !smooth_ || weighty <= few_rows * double(curvature.size());
  const bool by_rows = penalty_ && few && !active_.empty() && active_.size() <= std::size_t(size_);
  tells_ = by_rows && smooth_ && forcing >= far_from_the_end;
  if (by_rows) return solve_by_rows(gradient, smooth_ ? looser * forcing : forcing, direction, record);
  if (size_ > d_) ridge_[d_] += offset_floor;
  return solve_by_features(curvature, gradient, forcing, direction, record);
}

bool ConjugateGradients::solve_by_features(const std::vector<double>& curvature, const std::vector<double>& gradient,
                                           double forcing, std::vector<double>& direction, LinearRecord& record) {
  const SimdTable& h = simd();
  prepare(curvature);
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

// out = R^-1 sum over the rows of p_k y_k x_k, R the ridge, which is 1 but for the offset
void ConjugateGradients::combine_rows(const Face& face, const std::vector<double>& p, std::vector<double>& out) {
  const auto count = std::ptrdiff_t(face.rows.size());
  // Each chunk adds to a vector of its own, which must be short beside what it reads.
  const double read = double(count) * (double(x_.stored_values()) / x_.rows());
  const auto chunks = std::ptrdiff_t(std::clamp(read / (1.5 * size_), 1.0, double(passes_.parts())));
  room_.resize(std::size_t(chunks - 1) * std::size_t(size_));
  parallel_chunks(chunks, [&](std::ptrdiff_t c) {
    double* const own = c == 0 ? out.data() : room_.data() + (c - 1) * size_;
    std::fill(own, own + size_, 0.0);
    double total = 0;
    for (std::ptrdiff_t k = c * count / chunks; k < (c + 1) * count / chunks; ++k) {
      const Index i = face.rows[k];
      const double factor = p[k] * y_[i];
      x_.add_rows(i, i + 1, &factor, own);
      total += factor;
    }
    if (size_ > d_) own[d_] = total;
  });
  for (std::ptrdiff_t c = 1; c < chunks; ++c) simd().axpy(size_, 1.0, room_.data() + (c - 1) * size_, out.data());
  if (size_ > d_) out[d_] = ridge_[d_] > 0 ? out[d_] / ridge_[d_] : 0.0;
}

// out_k = y_k <x_k, v>
void ConjugateGradients::products_of_rows(const Face& face, const std::vector<double>& v, std::vector<double>& out) {
  const double offset = size_ > d_ ? v[d_] : 0.0;
  const auto count = std::ptrdiff_t(face.rows.size());
  const std::ptrdiff_t chunks = passes_.chunks();
  parallel_chunks(chunks, [&](std::ptrdiff_t c) {
    for (std::ptrdiff_t k = c * count / chunks; k < (c + 1) * count / chunks; ++k) {
      const Index i = face.rows[k];
      double product;
      x_.products(i, i + 1, v.data(), &product);
      out[k] = y_[i] * (product + offset);
    }
  });
}

// With the multipliers' change c = -curvature <direction, y x>: direction = R^-1 (sum of c_k y_k x_k - gradient), and
// (1 / curvature + Y X R^-1 X' Y) c = Y X R^-1 gradient. A free offset has no R: its step is the multiplier of y'c = gradient.
bool ConjugateGradients::solve_by_rows(const std::vector<double>& gradient, double forcing, std::vector<double>& direction,
                                       LinearRecord& record) {
  double square = 0;
  const bool free = size_ > d_ && ridge_[d_] == 0;
  for (Index k = 0; k < size_; ++k) {
    direction[k] = k < d_ || !free ? gradient[k] / ridge_[k] : 0.0;
    square += gradient[k] * direction[k];
  }
  face_.rows = active_;
  face_.curvature = curve_;
  face_.wanted.resize(active_.size());
  products_of_rows(face_, direction, face_.wanted);
  face_.balance = free ? gradient[d_] : 0.0;
  if (!iterate_rows(face_, forcing * forcing * square, 0.0, record)) return false;
  combine_rows(face_, face_.change, image_);
  for (Index k = 0; k < size_; ++k) direction[k] = image_[k] - direction[k];
  if (free) direction[d_] = face_.offset;
  return true;
}

// A row of the system says y_k <direction, x_k> = -change_k / curvature_k, but for what is left of it: less precisely than
// float64 has it where the row hardly curves, or the direction is short beside what the system began with.
void ConjugateGradients::margins(const std::vector<double>& direction, std::vector<double>& out) const {
  const double offset = size_ > d_ ? direction[d_] : 0.0;
  passes_.for_rows([&](Index, Index begin, Index end) {
    auto k = tells_ ? std::size_t(std::lower_bound(active_.begin(), active_.end(), begin) - active_.begin()) : active_.size();
    for (Index i = begin; i < end; ++i) {
      const bool held = k < active_.size() && active_[k] == i;
      if (held && curve_[k] * (1 + square_[i]) >= says_enough) {
        out[i] = -face_.change[k] / curve_[k] - face_.wanted[k];
      } else {
        x_.products(i, i + 1, direction.data(), &out[i]);
        out[i] = y_[i] * (out[i] + offset);
      }
      k += held;
    }
  });
}

bool ConjugateGradients::solve(Face& face, const std::vector<double>& ridge, double forcing, LinearRecord& record) {
  ridge_ = ridge;
  return face.rows.empty() || iterate_rows(face, 0.0, forcing, record);
}

// Until the square of the gradient that Newton's step leaves is about `enough`, or the residual is `forcing` of what it was.
// face.wanted becomes the residual. The preconditioner is the diagonal, with a free offset on the plane where changes balance.
bool ConjugateGradients::iterate_rows(Face& face, double enough, double forcing, LinearRecord& record) {
  const SimdTable& h = simd();
  const auto count = std::ptrdiff_t(face.rows.size());
  const bool free = size_ > d_ && ridge_[d_] == 0;
  std::vector<double>& residual = face.wanted;
  for (std::vector<double>* v : {&face.change, &row_fitted_, &row_image_, &row_diagonal_}) v->assign(count, 0.0);
  double weight = 0;
  for (std::ptrdiff_t k = 0; k < count; ++k) {
    row_diagonal_[k] = 1 / face.curvature[k] + square_[face.rows[k]];
    weight += 1 / row_diagonal_[k];
  }
  const auto multiply = [&](const std::vector<double>& p) {
    combine_rows(face, p, image_);
    products_of_rows(face, image_, row_image_);
    for (std::ptrdiff_t k = 0; k < count; ++k) row_image_[k] += p[k] / face.curvature[k];
  };
  face.offset = 0;
  const auto fit = [&] {
    if (free) {
      double sum = 0;
      for (std::ptrdiff_t k = 0; k < count; ++k) sum += y_[face.rows[k]] * residual[k] / row_diagonal_[k];
      const double level = sum / weight;
      face.offset += level;
      for (std::ptrdiff_t k = 0; k < count; ++k) residual[k] -= level * y_[face.rows[k]];
    }
    double left = 0;
    for (std::ptrdiff_t k = 0; k < count; ++k) {
      row_fitted_[k] = residual[k] / row_diagonal_[k];
      const double wrong = face.curvature[k] * residual[k];
      left += wrong * wrong * row_diagonal_[k];
    }
    return left;
  };
  if (free && face.balance != 0) {
    for (std::ptrdiff_t k = 0; k < count; ++k) face.change[k] = face.balance * y_[face.rows[k]] / (row_diagonal_[k] * weight);
    multiply(face.change);
    h.axpy(count, -1.0, row_image_.data(), residual.data());
  }
  double left = fit();
  row_search_ = row_fitted_;
  double rho = h.dot(count, residual.data(), row_fitted_.data());
  const double first = rho;
  const int most = forcing > 0 ? most_of_a_face : most_iterations;
  for (int iteration = 0; iteration < most; ++iteration) {
    if (forcing > 0 ? rho <= forcing * forcing * first : left <= enough) break;
    multiply(row_search_);
    const double curve = h.dot(count, row_search_.data(), row_image_.data());
    if (!(curve > 0)) break;
    const double length = rho / curve;
    h.axpy(count, length, row_search_.data(), face.change.data());
    h.axpy(count, -length, row_image_.data(), residual.data());
    left = fit();
    const double next = h.dot(count, residual.data(), row_fitted_.data());
    for (std::ptrdiff_t k = 0; k < count; ++k) row_search_[k] = row_fitted_[k] + next / rho * row_search_[k];
    rho = next;
    if (record.poll()) return false;
  }
  return true;
}

}  // namespace maxmargin
