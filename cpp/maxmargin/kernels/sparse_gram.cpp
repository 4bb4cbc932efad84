// The kernel of wide sparse rows. A few rows are spread out over all columns, interleaved; then every other row walks its own
// non-zeros once and meets them all. The products of a pair are added in the order of the columns, whichever row is spread,
// so k(i, j) = k(j, i) bit for bit.
#include <algorithm>

#include "maxmargin/kernels/feature_gram.hpp"
#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t rows_between_polls = 256;
constexpr std::size_t most_spread = std::size_t(8) << 20;  // bytes: beyond, more lanes only wait for memory

// How many rows are spread at a time, of so many that are wanted at once: the bits are the same for any number.
template <class T>
Index lanes_for(const KernelFunction& kernel, Index columns, std::size_t wanted) {
  Index steps = kernel.is_combined() ? 1 : most_spread_steps;
  while (steps > 1 && (std::size_t(steps - 1) * lanes_of<T> >= wanted ||
                       std::size_t(steps) * lanes_of<T> * sizeof(T) * std::size_t(columns) > most_spread))
    --steps;
  return steps * lanes_of<T>;
}

inline void apply_with(const KernelFunction& f, Index n, float norm, const float* norms, float* values) {
  simd().apply_f32(f, n, norm, norms, values);
}
inline void apply_with(const KernelFunction& f, Index n, double norm, const double* norms, double* values) {
  simd().apply_f64(f, n, norm, norms, values);
}

template <class T>
class SparseProducts {
 public:
  // `wanted` rows are made at a time, as a rule.
  SparseProducts(const KernelFunction& kernel, const TileRows& left, const TileRows& right, std::vector<Index> columns,
                 std::size_t wanted)
      : kernel_(kernel),
        left_(left),
        right_(right),
        columns_(std::move(columns)),
        lanes_(lanes_for<T>(kernel, std::max(left.columns(), right.columns()), wanted)),
        spread_(std::size_t(std::max(left.columns(), right.columns())) * std::size_t(lanes_), T(0)),
        norms_(columns_.size() * std::size_t(norms_of_a_row(kernel))) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c % rows_between_polls == 0) poll_now();
      norm(right_, columns_[c], norms_.data() + c, columns_.size());
    }
    if (kernel_.is_combined() && kernel_.normalised_count > 0)
      (simd().*SimdOf<T>::own_values)(kernel_, Index(columns_.size()), std::ptrdiff_t(columns_.size()), norms_.data(), nullptr);
  }

  // k(x, x) of the columns
  void diagonal(T* out) {
    if (!kernel_.is_combined()) {
      std::copy(norms_.begin(), norms_.end(), out);
      return apply_with(kernel_, Index(columns_.size()), T(0), norms_.data(), out);
    }
    (simd().*SimdOf<T>::own_values)(kernel_, Index(columns_.size()), std::ptrdiff_t(columns_.size()), norms_.data(), out);
  }

  // out[r][c] = k(left row rows[r], right column c)
  void rows(std::span<const Index> rows, T* const* out) {
    const Index lanes = lanes_;
    for (std::size_t begin = 0; begin < rows.size(); begin += std::size_t(lanes)) {
      const Index count = Index(std::min<std::size_t>(std::size_t(lanes), rows.size() - begin));
      T left_norms[most_lanes][KernelFunction::most_own];  // all before the first row is spread: each is found in its lane
      for (Index l = 0; l < count; ++l) {
        norm(left_, rows[begin + l], left_norms[l], 1);
        if (kernel_.normalised_count > 0) (simd().*SimdOf<T>::own_values)(kernel_, 1, 1, left_norms[l], nullptr);
      }
      for (Index l = 0; l < count; ++l) left_.scatter(rows[begin + l], spread_.data(), lanes, l);
      const Index n = Index(columns_.size());
      parallel_chunks((n + per_chunk - 1) / per_chunk, [&](std::ptrdiff_t chunk) {
        const Index first = Index(chunk) * per_chunk, last = std::min(first + per_chunk, n);
        T* targets[most_lanes];
        for (Index l = 0; l < count; ++l) targets[l] = out[begin + l] + first;
        if (kernel_.is_combined())
          combined(first, last, count, left_norms, targets);
        else
          plain(first, last, count, left_norms, targets);
      });
      for (Index l = 0; l < count; ++l) left_.unscatter(rows[begin + l], spread_.data(), lanes, l);
    }
  }

 private:
  static constexpr Index per_chunk = 512, most_lanes = most_spread_steps * lanes_of<T>;

  void plain(Index first, Index last, Index count, const T (*left_norms)[KernelFunction::most_own], T* const* out) const {
    T dots[most_lanes];
    const Index steps = (count + lanes_of<T> - 1) / lanes_of<T>;
    for (Index c = first; c < last; ++c) {
      right_.dots(columns_[c], spread_.data(), lanes_, steps, dots);
      for (Index l = 0; l < count; ++l) out[l][c - first] = dots[l];
    }
    for (Index l = 0; l < count; ++l) apply_with(kernel_, last - first, left_norms[l][0], norms_.data() + first, out[l]);
  }

  void combined(Index first, Index last, Index count, const T (*left_norms)[KernelFunction::most_own], T* const* out) const {
    constexpr Index lanes = lanes_of<T>;
    const Index width = last - first, accumulators = kernel_.accumulator_count;
    static thread_local std::vector<T> sums;  // [lane][accumulator][column]
    sums.resize(std::size_t(lanes) * KernelFunction::most_accumulators * std::size_t(per_chunk));
    Meeting<T> meeting;
    for (Index s = 0; s < accumulators; ++s) {
      const Accumulator& each = kernel_.accumulators[s];
      const T* const own = norms_.data() + std::size_t(s) * columns_.size();
      for (Index c = first; c < last; ++c) {
        right_.meet(each, columns_[c], spread_.data(), meeting);
        for (Index l = 0; l < count; ++l)
          sums[std::size_t((l * accumulators + s) * width + c - first)] =
              joined(each.what, meeting.together[l], left_norms[l][s], meeting.spread[l], own[c], meeting.walked[l]);
      }
    }
    for (Index l = 0; l < count; ++l)
      (simd().*SimdOf<T>::combined_values)(kernel_, width, sums.data() + std::ptrdiff_t(l) * accumulators * width,
                                           left_norms[l], norms_.data() + first, std::ptrdiff_t(columns_.size()), out[l]);
  }

  // A row meets itself, alone in lane 0: out[s * stride].
  void norm(const TileRows& features, Index row, T* out, std::size_t stride) {
    features.scatter(row, spread_.data(), lanes_, 0);
    if (kernel_.is_combined()) {
      Meeting<T> meeting;
      for (Index s = 0; s < kernel_.accumulator_count; ++s) {
        features.meet(kernel_.accumulators[s], row, spread_.data(), meeting);
        out[std::size_t(s) * stride] = is_distance(kernel_.accumulators[s].what) ? meeting.spread[0] : meeting.together[0];
      }
    } else {
      T dots[lanes_of<T>];
      features.dots(row, spread_.data(), lanes_, 1, dots);
      *out = dots[0];
    }
    features.unscatter(row, spread_.data(), lanes_, 0);
  }

  KernelFunction kernel_;
  const TileRows& left_;
  const TileRows& right_;
  std::vector<Index> columns_;
  Index lanes_;
  std::vector<T> spread_;
  std::vector<T> norms_;  // squared, or own values: [value][column]
};

template <class R>
class SparseRowMaker final : public RowMaker<R> {
 public:
  SparseRowMaker(const KernelFunction& kernel, std::shared_ptr<const TileRows> features, std::vector<Index> rows)
      : features_(std::move(features)),
        rows_(rows),
        products_(kernel, *features_, *features_, std::move(rows), std::size_t(most_spread_steps) * lanes_of<R>) {}
  void make(std::span<const Index> positions, R* const* out) override {
    std::vector<Index> wanted(positions.size());
    for (std::size_t p = 0; p < positions.size(); ++p) wanted[p] = rows_[positions[p]];
    products_.rows(wanted, out);
  }

 private:
  std::shared_ptr<const TileRows> features_;
  std::vector<Index> rows_;
  SparseProducts<R> products_;
};

}  // namespace

std::unique_ptr<RowMaker<float>> SparseGram::rows_f32(std::span<const Index> active) const {
  return std::make_unique<SparseRowMaker<float>>(kernel(), shared_features(), global(active));
}
std::unique_ptr<RowMaker<double>> SparseGram::rows_f64(std::span<const Index> active) const {
  return std::make_unique<SparseRowMaker<double>>(kernel(), shared_features(), global(active));
}

void SparseGram::own_diagonal(double* out) const {
  SparseProducts<double>(kernel(), features(), features(), used(), 1).diagonal(out);
}

void SparseGram::block(std::span<const Index> rows, std::span<const Index> columns, double* out) const {
  std::vector<double*> targets(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) targets[r] = out + r * columns.size();
  SparseProducts<double>(kernel(), features(), features(), global(columns), rows.size()).rows(global(rows), targets.data());
}

template <class Use>
void SparseGram::for_some_rows(std::span<const Index> rows, const Poll& poll, const Use& use) const {
  constexpr std::size_t batch = 32;
  SparseProducts<double> products(kernel(), features(), features(), used(), std::min(batch, rows.size()));
  std::vector<double> values(batch * std::size_t(size()));
  double* targets[batch];
  for (std::size_t k = 0; k < batch; ++k) targets[k] = values.data() + k * std::size_t(size());
  for (std::size_t begin = 0; begin < rows.size(); begin += batch) {
    const auto some = rows.subspan(begin, std::min(batch, rows.size() - begin));
    poll();
    products.rows(global(some), targets);
    use(some, targets);
  }
}

void SparseGram::kernel_product(std::span<const Index> support, const double* coefficients, double* out,
                                const Poll& poll) const {
  std::fill(out, out + size(), 0.0);
  for_some_rows(support, poll, [&](std::span<const Index> some, double* const* values) {
    for (std::size_t k = 0; k < some.size(); ++k) simd().axpy(size(), *coefficients++, values[k], out);
  });
}

void SparseGram::products_of(std::span<const double* const> betas, std::span<double* const> outs, const Poll& poll) const {
  std::vector<Index> support;
  for (Index i = 0; i < size(); ++i)
    if (std::any_of(betas.begin(), betas.end(), [i](const double* beta) { return beta[i] != 0.0; })) support.push_back(i);
  for (double* const out : outs) std::fill(out, out + size(), 0.0);
  for_some_rows(support, poll, [&](std::span<const Index> some, double* const* values) {
    parallel_chunks(std::ptrdiff_t(betas.size()), [&](std::ptrdiff_t p) {
      for (std::size_t k = 0; k < some.size(); ++k)
        if (const double b = betas[p][some[k]]; b != 0.0) simd().axpy(size(), b, values[k], outs[p]);
    });
  });
}

void sparse_weighted_sums(const KernelFunction& kernel, const TileRows& rows, const TileRows& support,
                          const double* coefficients, Index coefficient_rows, std::span<const Index> bounds, double* out,
                          const Poll& poll) {
  constexpr Index batch = 32;
  SparseProducts<double> products(kernel, support, rows, numbers(rows.rows()), std::size_t(std::min(batch, support.rows())));
  const std::ptrdiff_t n = rows.rows();
  std::vector<double> values(std::size_t(batch) * std::size_t(n));
  double* targets[batch];
  for (Index k = 0; k < batch; ++k) targets[k] = values.data() + k * n;
  const auto numbered = numbers(support.rows());
  for (std::size_t g = 0; g + 1 < bounds.size(); ++g)
    for (Index begin = bounds[g]; begin < bounds[g + 1]; begin += batch) {
      poll();
      const Index count = std::min(batch, bounds[g + 1] - begin);
      products.rows(std::span(numbered).subspan(std::size_t(begin), std::size_t(count)), targets);
      for (Index j = 0; j < coefficient_rows; ++j)
        for (Index k = 0; k < count; ++k)
          simd().axpy(n, coefficients[std::ptrdiff_t(j) * support.rows() + begin + k], targets[k],
                      out + (std::ptrdiff_t(g) * coefficient_rows + j) * n);
    }
}

void sparse_cross_kernel(const KernelFunction& kernel, const TileRows& left, const TileRows& right, double* out,
                         const Poll& poll) {
  const auto rows = numbers(left.rows()), columns = numbers(right.rows());
  std::vector<double*> targets(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) targets[r] = out + r * columns.size();
  constexpr std::size_t batch = 64;
  SparseProducts<double> products(kernel, left, right, columns, std::min(batch, rows.size()));
  for (std::size_t begin = 0; begin < rows.size(); begin += batch) {
    poll();
    products.rows(std::span(rows).subspan(begin, std::min(batch, rows.size() - begin)), targets.data() + begin);
  }
}

}  // namespace maxmargin
