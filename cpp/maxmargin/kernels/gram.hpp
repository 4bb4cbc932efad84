// Where kernel values come from. A Gram knows its rows and its kernel; only those of `share_rows` and `make_kept_gram` keep
// values. Solvers ask it for blocks, for products and for whole rows over an active set; they do not know what a row of X is.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "maxmargin/kernels/kernel_function.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/rows/tile_rows.hpp"

namespace maxmargin {

// Rows that stand ready, one after the other, `stride` apart.
template <class R>
struct HeldRows {
  const R* values = nullptr;
  std::ptrdiff_t stride = 0;
};

// Makes rows K[active[p], active] for positions p of one active set. Packs what it needs once, when it is made. A row has room
// for whole panels (RowStore's padding); what is written there beyond its end does not count.
template <class R>
class RowMaker {
 public:
  virtual ~RowMaker() = default;
  // All rows, where they need not be made: padded with 0 to the stride of a RowStore.
  virtual HeldRows<R> held() const { return {}; }
  virtual void make(std::span<const Index> positions, R* const* out) = 0;
};

class Gram {
 public:
  virtual ~Gram() = default;
  virtual Index size() const = 0;
  virtual void diagonal(double* out) const = 0;
  // out[r * columns.size() + c] = K[rows[r], columns[c]], in float64
  virtual void block(std::span<const Index> rows, std::span<const Index> columns, double* out) const = 0;
  // out = K beta, in float64
  virtual void product(const double* beta, double* out, const Poll& poll) const = 0;
  // The same, but kernel values may be as float32 rows have them: to steer by, never to be reported.
  virtual void rough_product(const double* beta, double* out, const Poll& poll) const { product(beta, out, poll); }
  // K beta of a point to begin at: up to rounding, which a Gram that remembers its last product may have another time.
  virtual void start_product(const double* beta, double* out, const Poll& poll) const { product(beta, out, poll); }
  virtual std::unique_ptr<RowMaker<float>> rows_f32(std::span<const Index> active) const = 0;
  virtual std::unique_ptr<RowMaker<double>> rows_f64(std::span<const Index> active) const = 0;
  // Makes what several problems over the same rows share: before they run, since then all threads can help.
  virtual void prepare() const {}
  // Are float32 rows near enough to the truth to steer a search by?
  virtual bool single_precision_suffices() const = 0;
  // Were its values rounded to float32 before they came here? Then their errors can look like negative curvature.
  virtual bool is_of_float32() const { return false; }
  // What is added to an offset found beside this Gram to make it that of the rows as they are: of centred rows -<w, centre>.
  virtual double offset_shift(const double*) const { return 0; }
  // By how much a score of rows as they are may be another one for each unit that the sum of beta is off: 0, but of centred
  // rows.
  virtual double off_sum_scale() const { return 0; }
  // The largest product that a score sums up, |k(x_i, x_j)|, which is at most the largest k(x, x): rounding errors are parts of
  // it. Of distances times what theirs are multiplied by.
  virtual double score_scale() const;
  // Must every call come from the thread that owns the solve (a Python function is behind it)?
  virtual bool is_opaque() const { return false; }
};

// The kernel of feature vectors. `subset` picks rows; empty means all of them. Centred, a linear kernel is that of rows less a
// centre: where beta sums to 0 only the offset is another, and a large constant in X costs no digits. Wide sparse rows are not
// centred, since they would not stay sparse.
std::unique_ptr<Gram> make_feature_gram(std::shared_ptr<const TileRows> features, const KernelFunction& kernel,
                                        std::vector<Index> subset, bool centred);

// A matrix the user computed, n x n and row-major, of which `subset` rows and columns are used.
std::unique_ptr<Gram> make_precomputed_gram(const double* matrix, Index n, std::vector<Index> subset);
std::unique_ptr<Gram> make_precomputed_gram(const float* matrix, Index n, std::vector<Index> subset);

// Any function of two lists of row numbers that fills a float64 block.
using BlockFunction = std::function<void(std::span<const Index> rows, std::span<const Index> columns, double* out)>;
using DiagonalFunction = std::function<void(double* out)>;
std::unique_ptr<Gram> make_opaque_gram(BlockFunction block, DiagonalFunction diagonal, Index n);

// s_i s_j (K_ij + constant) for signs s.
std::unique_ptr<Gram> make_adjusted_gram(std::shared_ptr<const Gram> inner, std::vector<double> signs, double constant);

// The same values as the inner Gram has, whose float64 rows are kept once they were made, up to so many bytes: for one fit
// after the other on the same rows.
std::unique_ptr<Gram> make_kept_gram(std::shared_ptr<const Gram> inner, std::size_t bytes);

// outs[p] = K_p betas[p] for several Grams: in parallel, and each kernel value once where they share X and kernel.
void products(std::span<const Gram* const> grams, std::span<const double* const> betas, std::span<double* const> outs,
              const Poll& poll);

// out[g][j][a] = sum over support rows b of group g of coefficients[j][b] k(row a, support row b), in float64. Groups are runs
// of support rows, group g from bounds[g] to bounds[g + 1]. No kernel value is kept: this is how predictions are made.
void weighted_sums(const KernelFunction& kernel, const TileRows& rows, const TileRows& support, const double* coefficients,
                   Index coefficient_rows, std::span<const Index> bounds, double* out, const Poll& poll);

// out[a * right.rows() + b] = k(left row a, right row b), in float64
void cross_kernel(const KernelFunction& kernel, const TileRows& left, const TileRows& right, double* out, const Poll& poll);

}  // namespace maxmargin
