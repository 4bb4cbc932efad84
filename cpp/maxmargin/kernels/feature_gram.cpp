#include "maxmargin/kernels/feature_gram.hpp"

#include <cmath>
#include <numeric>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr Index rows_between_polls = 64;

// Before the first step: X need not be looked at.
bool is_zero(const double* beta, Index n) {
  return std::all_of(beta, beta + n, [](double b) { return b == 0.0; });
}

}  // namespace

std::vector<Index> numbers(Index n) {
  std::vector<Index> result(n);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

bool stays_sparse(const TileRows& features) {
  const double cells = double(features.rows()) * features.columns();
  return features.columns() > 2048 && double(features.stored_values()) < 0.1 * cells;
}

Reading reading_of(const KernelFunction& kernel, bool centred) { return {takes_centre(kernel, centred), kernel.is_combined()}; }

FeatureGram::FeatureGram(std::shared_ptr<const TileRows> features, const KernelFunction& kernel, std::vector<Index> subset,
                         Reading reading)
    : features_(std::move(features)), kernel_(kernel), rows_(std::move(subset)), reading_(reading) {
  if (rows_.empty()) rows_ = numbers(features_->rows());
}

std::vector<Index> FeatureGram::global(std::span<const Index> local) const {
  std::vector<Index> result(local.size());
  for (std::size_t k = 0; k < local.size(); ++k) result[k] = rows_[local[k]];
  return result;
}

// Squared norm of a row as it is packed: in the order of the tiles, relative to the centre where there is one.
double FeatureGram::square(Index row, std::vector<double>& room) const {
  const Layout& columns = layout();
  room.resize(2 * std::size_t(columns.depth()));
  features_->read_in_order(row, columns, room.data(), room.data() + columns.depth());
  double norm;
  simd().row_norms_f64(columns.dense, columns.depth(), 1, room.data(), &norm);
  return norm;
}

void FeatureGram::diagonal(double* out) const {
  if (has_unit_diagonal(kernel_)) {
    std::fill(out, out + size(), 1.0);
    return;
  }
  if (kernel_.is_combined() || stays_sparse(*features_)) return own_diagonal(out);
  const Index per_chunk = std::max<Index>(1, (1 << 16) / std::max<Index>(features_->columns(), 1));
  parallel_chunks((size() + per_chunk - 1) / per_chunk, [&](std::ptrdiff_t chunk) {
    std::vector<double> room;
    const Index first = Index(chunk) * per_chunk, last = std::min(first + per_chunk, size());
    for (Index r = first; r < last; ++r) out[r] = square(rows_[r], room);
  });
  const std::vector<double> norms(out, out + size());
  simd().apply_f64(kernel_, size(), 0.0, norms.data(), out);
}

// w = X' beta of a linear kernel, of centred rows where they are.
std::vector<double> FeatureGram::weights(const double* beta) const {
  const double* const centre = reading_.centred ? layout().origin() : nullptr;
  std::vector<double> w(features_->columns(), 0.0), room(centre == nullptr ? 0 : w.size());
  for (Index i = 0; i < size(); ++i) {
    if (i % rows_between_polls == 0) poll_now();
    if (beta[i] == 0.0) continue;
    if (centre == nullptr) {
      features_->add_to(rows_[i], beta[i], w.data());
    } else {
      features_->read(rows_[i], centre, room.data());
      simd().axpy(std::ptrdiff_t(w.size()), beta[i], room.data(), w.data());
    }
  }
  return w;
}

double FeatureGram::offset_shift(const double* beta) const {
  if (!is_linear(kernel_) || !reading_.centred || is_zero(beta, size())) return 0;
  const std::vector<double> w = weights(beta);
  return -simd().dot(std::ptrdiff_t(w.size()), w.data(), layout().centre.data());
}

// A model has the weights of rows less one of them, z: the sum of beta times (centre - z) more, and <centre - z, x> times that.
double FeatureGram::off_sum_scale() const { return is_linear(kernel_) && reading_.centred ? score_scale() : 0; }

RowSizes FeatureGram::sizes(bool polls) const {
  if (!stays_sparse(*features_)) return {layout().largest_square, layout().mean_square, double(features_->columns()), true};
  constexpr double spread = 4;  // of how many values rows have
  RowSizes found{0, 0, spread * double(features_->stored_values()) / std::max<Index>(features_->rows(), 1), false};
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (polls && r % rows_between_polls == 0) poll_now();
    const double square = features_->square(rows_[r]);
    found.largest_square = std::max(found.largest_square, square);
    found.mean_square += square / double(rows_.size());
  }
  return found;
}

// Predictions of a linear kernel are <w, x> + b with x as it is, and w from centred rows.
double FeatureGram::score_scale() const {
  const RowSizes found = sizes(false);
  if (!is_linear(kernel_) || !reading_.centred) return largest_value(kernel_, found);
  const double length = std::sqrt(found.largest_square);
  const std::vector<double>& centre = layout().centre;
  const double away = std::sqrt(simd().dot(std::ptrdiff_t(centre.size()), centre.data(), centre.data()));
  return (length + away) * length;
}

// Linear: w = X' beta, then X w, in O(nd); otherwise by blocks against the rows with beta != 0.
void FeatureGram::product(const double* beta, double* out, const Poll& poll) const {
  if (is_zero(beta, size())) {
    std::fill(out, out + size(), 0.0);
    return;
  }
  if (is_linear(kernel_)) {
    const std::vector<double> w = weights(beta);
    const double* const centre = reading_.centred ? layout().origin() : nullptr;
    constexpr Index per_chunk = 4096;
    parallel_chunks((size() + per_chunk - 1) / per_chunk, [&](std::ptrdiff_t chunk) {
      const Index first = Index(chunk) * per_chunk, last = std::min(first + per_chunk, size());
      std::vector<double> room(centre == nullptr ? 0 : w.size());
      for (Index i = first; i < last; ++i) {
        if (centre != nullptr) features_->read(rows_[i], centre, room.data());
        out[i] = centre == nullptr ? features_->dot(rows_[i], w.data())
                                   : simd().dot(std::ptrdiff_t(w.size()), room.data(), w.data());
      }
    });
    return;
  }
  std::vector<Index> support;
  std::vector<double> coefficients;
  for (Index i = 0; i < size(); ++i)
    if (beta[i] != 0.0) {
      support.push_back(i);
      coefficients.push_back(beta[i]);
    }
  kernel_product(support, coefficients.data(), out, poll);
}

bool FeatureGram::single_precision_suffices() const { return float32_suffices(kernel_, sizes(true)); }

std::unique_ptr<Gram> make_feature_gram(std::shared_ptr<const TileRows> features, const KernelFunction& kernel,
                                        std::vector<Index> subset, bool centred) {
  if (stays_sparse(*features)) return std::make_unique<SparseGram>(std::move(features), kernel, std::move(subset));
  return std::make_unique<DenseGram>(std::move(features), kernel, std::move(subset), centred);
}

void weighted_sums(const KernelFunction& kernel, const TileRows& rows, const TileRows& support, const double* coefficients,
                   Index coefficient_rows, std::span<const Index> bounds, double* out, const Poll& poll) {
  std::fill(out, out + std::ptrdiff_t(bounds.size() - 1) * coefficient_rows * rows.rows(), 0.0);
  const bool sparse = stays_sparse(rows) || stays_sparse(support);
  (sparse ? sparse_weighted_sums : dense_weighted_sums)(kernel, rows, support, coefficients, coefficient_rows, bounds, out,
                                                        poll);
}

void cross_kernel(const KernelFunction& kernel, const TileRows& left, const TileRows& right, double* out, const Poll& poll) {
  if (stays_sparse(left) || stays_sparse(right)) return sparse_cross_kernel(kernel, left, right, out, poll);
  dense_cross_kernel(kernel, left, right, out, poll);
}

}  // namespace maxmargin
