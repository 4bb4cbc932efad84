// X as linear models see it: products with it, and sums over its rows. A certificate of a linear model sees no more of X than
// this, so that rows on disk or on other machines can stand behind it.
#pragma once

#include "maxmargin/rows/column_access.hpp"
#include "maxmargin/simd/table.hpp"

namespace maxmargin {

class RowOperator {
 public:
  virtual ~RowOperator() = default;
  virtual Index rows() const = 0;
  virtual Index columns() const = 0;
  // out[i] = <w, x_i>
  virtual void scores(const double* w, double* out) = 0;
  // sum = sum over i of a_i x_i
  virtual void combine(const double* a, double* sum) = 0;
  // out = sum over i of a_i (<p, x_i> + p_offset) (x_i, 1); without an offset the last is not written
  virtual void curvature(const double* a, const double* p, const double* p_offset, double* out) = 0;
  // sum = sum over i of a_i x_i^2, by coordinates
  virtual void squares(const double* a, double* sum) = 0;
  // By columns the mean of x_i - origin and its variance; the origin is the first of all rows, of sparse ones 0.
  virtual void moments(double* mean, double* variance) = 0;
  // Lower triangle of H += sum over i of a_i x_i x_i', of all columns or of some; H has rows of `stride`, a multiple of 8.
  virtual void add_outer(const double* a, double* H, Index stride) = 0;
  virtual void add_outer(const double* a, const SomeColumns& some, double* H, Index stride) = 0;
};

}  // namespace maxmargin
