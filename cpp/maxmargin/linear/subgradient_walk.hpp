// Stochastic subgradient steps, one row each (Shalev-Shwartz, Singer, Srebro and Cotter 2011).
//
// Step t of lambda/2 |w|^2 + mean loss(z), with z = slope f + at_zero (y f of a margin, y - f of a residual):
//
//     eta = 1 / (lambda (delay + t)),  w = eta theta,  f = <w, x_i> + b,  theta += -loss'(z) slope x_i
//
// `moment` has every term of theta with the sum of weight eta up to its step: so the mean of all w needs no step that touches
// all of w.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "maxmargin/linear/evaluation.hpp"
#include "maxmargin/rows/linear_rows.hpp"

namespace maxmargin {

// Rows with a sum theta = sum_i c_i x_i that grows by one row at a time.
class WalkRows {
 public:
  virtual ~WalkRows() = default;
  virtual double product(Index i) const = 0;  // <theta, x_i>
  // theta += amount x_i, and `weight` times that to the moment.
  virtual void add(Index i, double amount, double weight) = 0;
};

class FeatureWalkRows final : public WalkRows {
 public:
  FeatureWalkRows(const LinearRows& x, double* theta, double* moment) : x_(x), theta_(theta), moment_(moment) {}
  double product(Index i) const override;
  void add(Index i, double amount, double weight) override;

 private:
  const LinearRows& x_;
  double *theta_, *moment_;
};

// Rows in the space of a kernel: theta are coefficients, and the products of all rows with their sum are kept along.
class KernelWalkRows final : public WalkRows {
 public:
  using Row = std::function<const double*(Index)>;  // of the kernel matrix
  KernelWalkRows(Index n, const Row& row, double* theta, double* moment, double* products)
      : n_(n), row_(row), theta_(theta), moment_(moment), products_(products) {}
  double product(Index i) const override { return products_[i]; }
  void add(Index i, double amount, double weight) override;

 private:
  Index n_;
  const Row& row_;
  double *theta_, *moment_, *products_;
};

struct WalkTerms {
  const double *slope, *at_zero;  // of each row
  double lambda, delay;
  double scale;  // of the constant feature that a penalised offset is the weight of; 0 where there is none
  bool free_offset;
  bool growing;  // whether w of step t has weight t in the mean (Lacoste-Julien, Schmidt and Bach 2012), else 1
};

// Where a walk stands, but for theta and its moment.
struct WalkPoint {
  std::int64_t steps = 0;
  double weights = 0;       // of all w in the mean
  double rates = 0;         // sum of weight eta over the steps taken
  double b = 0, b_sum = 0;  // of a free offset
};

// Of each row the weights of the steps that drew it, and the sum of weight times -loss' then; theta and moment of the constant
// feature.
struct WalkTally {
  double *drawn, *slopes, *constant, *constant_moment;
};

// One step for each draw; allocates nothing. `derivative` is that of the loss. False if a score is not finite: the walk ends.
bool take_steps(std::span<const std::int64_t> draws, const WalkTerms& terms, const std::function<double(double)>& derivative,
                WalkRows& rows, WalkPoint& point, const WalkTally& tally);

}  // namespace maxmargin
