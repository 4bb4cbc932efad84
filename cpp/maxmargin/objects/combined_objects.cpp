#include "maxmargin/objects/combined_objects.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

using Part = std::shared_ptr<const Objects>;

// Values that follow from those of one other kernel.
class Mapped : public Objects {
 public:
  explicit Mapped(Part inner) : inner_(std::move(inner)) {}
  Index size() const final { return inner_->size(); }
  Index columns_at_once() const final { return inner_->columns_at_once(); }
  bool is_opaque() const final { return inner_->is_opaque(); }
  void values(std::span<const Index> rows, std::span<const Index> columns, double* out) const final {
    inner_->values(rows, columns, out);
    for (std::size_t r = 0; r < rows.size(); ++r) map(rows[r], columns, out + r * columns.size());
  }
  double own(Index row) const override {
    double value = inner_->own(row);
    map(row, std::span(&row, 1), &value);
    return value;
  }
  bool vanishes(Index row) const override { return inner_->vanishes(row); }

 protected:
  virtual void map(Index row, std::span<const Index> columns, double* values) const = 0;
  const Objects& inner() const { return *inner_; }

 private:
  Part inner_;
};

class Scaled final : public Mapped {
 public:
  Scaled(Part inner, double factor, double constant) : Mapped(std::move(inner)), factor_(factor), constant_(constant) {}
  bool vanishes(Index row) const override { return constant_ == 0 && (factor_ == 0 || inner().vanishes(row)); }

 private:
  void map(Index, std::span<const Index> columns, double* values) const override {
    for (std::size_t c = 0; c < columns.size(); ++c) values[c] = factor_ * values[c] + constant_;
  }
  double factor_, constant_;
};

class Power final : public Mapped {
 public:
  Power(Part inner, int exponent) : Mapped(std::move(inner)), exponent_(exponent) {}

 private:
  void map(Index, std::span<const Index> columns, double* values) const override {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      double result = 1, square = values[c];
      for (int rest = exponent_; rest > 0; rest >>= 1) {
        if ((rest & 1) != 0) result *= square;
        square *= square;
      }
      values[c] = result;
    }
  }
  int exponent_;
};

class Normalised final : public Mapped {
 public:
  explicit Normalised(Part inner) : Mapped(std::move(inner)), own_(std::size_t(size())) {
    const auto fill = [&](std::ptrdiff_t i) { own_[i] = this->inner().own(Index(i)); };
    if (!is_opaque()) {
      parallel_chunks(size(), fill);
    } else {
      for (Index i = 0; i < size(); ++i) {
        poll_now();
        fill(i);
      }
    }
    for (Index i = 0; i < size(); ++i) require_length(i);
  }
  double own(Index) const override { return 1.0; }
  bool vanishes(Index) const override { return false; }

 private:
  void require_length(Index i) const {
    if (std::isnormal(own_[i]) || (own_[i] == 0 && inner().vanishes(i))) return;
    const std::string what = std::isfinite(own_[i]) ? "not 0, but too small" : "too large";
    throw std::range_error("k(x, x) of row " + std::to_string(i) + " is " + what + " for floating point");
  }
  void map(Index row, std::span<const Index> columns, double* values) const override {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double a = own_[row], b = own_[columns[c]], product = a * b;
      const double length = std::isnormal(product) ? std::sqrt(product) : std::sqrt(a) * std::sqrt(b);
      if (length > 0)
        values[c] /= length;
      else
        values[c] = a + b > 0 ? 0.0 : 1.0;
    }
  }
  std::vector<double> own_;
};

// Values that follow from those of two kernels.
class Joined final : public Objects {
 public:
  Joined(Part left, Part right, bool multiplied) : left_(std::move(left)), right_(std::move(right)), multiplied_(multiplied) {}
  Index size() const override { return left_->size(); }
  bool is_opaque() const override { return left_->is_opaque() || right_->is_opaque(); }
  Index columns_at_once() const override {
    const Index a = left_->columns_at_once(), b = right_->columns_at_once();
    return a == 0 || b == 0 ? 0 : std::min(a, b);
  }
  void values(std::span<const Index> rows, std::span<const Index> columns, double* out) const override {
    std::vector<double> others(rows.size() * columns.size());
    left_->values(rows, columns, out);
    right_->values(rows, columns, others.data());
    for (std::size_t k = 0; k < others.size(); ++k) out[k] = joined(out[k], others[k]);
  }
  double own(Index row) const override { return joined(left_->own(row), right_->own(row)); }
  bool vanishes(Index row) const override {
    const bool left = left_->vanishes(row), right = right_->vanishes(row);
    return multiplied_ ? left || right : left && right;
  }

 private:
  double joined(double a, double b) const { return multiplied_ ? a * b : a + b; }
  Part left_, right_;
  bool multiplied_;
};

}  // namespace

Part sum_of(Part left, Part right) { return std::make_shared<Joined>(std::move(left), std::move(right), false); }
Part product_of(Part left, Part right) { return std::make_shared<Joined>(std::move(left), std::move(right), true); }
Part scaled(Part inner, double factor, double constant) { return std::make_shared<Scaled>(std::move(inner), factor, constant); }
Part power_of(Part inner, int exponent) { return std::make_shared<Power>(std::move(inner), exponent); }
Part normalised(Part inner) { return std::make_shared<Normalised>(std::move(inner)); }

}  // namespace maxmargin
