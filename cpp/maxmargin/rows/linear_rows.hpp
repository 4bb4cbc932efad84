// What linear models need of the rows.
#pragma once

#include <memory>
#include <span>

#include "maxmargin/rows/column_access.hpp"
#include "maxmargin/rows/stored_rows.hpp"

namespace maxmargin {

struct CoordinateSweep;  // rows/coordinate_sweep.hpp

class LinearRows : public StoredRows {
 public:
  // A copy of rows 0, step, 2 step, ...
  virtual std::unique_ptr<LinearRows> every(Index step) const = 0;
  // A sparse copy of many dense rows that are mostly 0, for searches that go over them many times; else none.
  virtual std::unique_ptr<LinearRows> without_zeros() const { return nullptr; }

  // Rows [begin, end) at a time: out[i - begin] = <w, x_i>; sum += sum of a[i - begin] x_i, or of their
  // squared values; the lower triangle of H += sum of a[i - begin] x_i x_i', H with rows of `stride`, a multiple of 8. Rows
  // whose factor is 0 are not read.
  virtual void products(Index begin, Index end, const double* w, double* out) const = 0;
  virtual void add_rows(Index begin, Index end, const double* a, double* sum) const = 0;
  virtual void add_squares(Index begin, Index end, const double* a, double* sum) const = 0;
  // sum += sum of x_i - origin, square += sum of its squares; the origin is the first of all rows, of sparse ones 0.
  virtual void add_moments(Index begin, Index end, double* sum, double* square) const = 0;
  // sum += sum of f_i x_i with f_i = a[i - begin] (<p, x_i> + offset); returns the sum of f_i.
  virtual double add_curved(Index begin, Index end, const double* a, const double* p, double offset, double* sum) const = 0;
  virtual void add_outer(Index begin, Index end, const double* a, double* H, Index stride) const = 0;
  // The same of some columns only.
  virtual void add_outer(Index begin, Index end, const double* a, const SomeColumns& some, double* H, Index stride) const = 0;
  // Goes on with a sweep of dual coordinate descent by at most `count` rows.
  virtual void step_through(CoordinateSweep& sweep, std::size_t count) const = 0;

  // For models of all classes at once, some rows, at most 64: out[r][c] = start[c] + <x_rows[r], W[.][c]> (or no start);
  // G[k][c] += sum of U[r][c] x_rows[r],k. All have `width` columns, a multiple of 4.
  virtual void class_products(const Index* rows, Index count, Index width, const double* W, const double* start,
                              double* out) const = 0;
  virtual void add_class_rows(const Index* rows, Index count, Index width, const double* U, double* G) const = 0;
  // Of one row, where only some columns of U are not 0: G[k][classes[c]] += u[c] x_row,k.
  virtual void add_some_classes(Index row, Index width, std::span<const Index> classes, const double* u, double* G) const = 0;

 protected:
  using StoredRows::StoredRows;
  // G[classes[c]] += x u[c]
  static void add_multiples(double x, std::span<const Index> classes, const double* u, double* G) {
    for (std::size_t c = 0; c < classes.size(); ++c) G[classes[c]] += x * u[c];
  }
};

}  // namespace maxmargin
