// What tiles of kernel values need of the rows: a row is read when a tile is packed.
#pragma once

#include <span>
#include <vector>

#include "maxmargin/platform/once.hpp"
#include "maxmargin/rows/meeting.hpp"
#include "maxmargin/rows/stored_rows.hpp"

namespace maxmargin {

// How tiles want the rows: less a centre or not; with the columns in place and all dense, or in an order of the layout's own.
struct Reading {
  bool centred = false, in_place = false;
  bool operator==(const Reading&) const = default;
};

// What kernels of distances subtract from every row (distances do not see it, float32 does), and the order in which tiles take
// the columns: first those that are seldom 0.
struct Layout {
  std::vector<double> centre;  // or empty: nothing
  std::vector<Index> order;
  Index dense = 0;                             // so many are taken as they are; of the others only what is not 0
  double largest_square = 0, mean_square = 0;  // of all rows, as they are read
  // Whether rows are of whole numbers as they are read, so small that float32 has all sums of an inner product exactly: then
  // it need not be formed in float64.
  bool whole = false;
  Index depth() const { return Index(order.size()); }
  const double* origin() const { return centre.empty() ? nullptr : centre.data(); }
};

// Rows in the order of a layout, with what tiles need of them: made once where many packings take the same rows.
template <class T>
struct OrderedCopy {
  std::vector<T> values;               // [row][depth]
  std::vector<T> norms;                // squared, with the summation order of the tiles
  std::vector<std::ptrdiff_t> starts;  // row i has from starts[i] to starts[i + 1] beyond the dense columns that is not 0:
  std::vector<Index> columns;          // in which columns,
  std::vector<T> others;               // and what
};

class TileRows : public StoredRows {
 public:
  // How tiles read these rows. Found from all rows when it is first asked for, also where only some
  // are used: so k(i, j) has the same bits in every subset. Takes a pass over rows made dense: not for wide sparse ones.
  const Layout& layout(Reading reading) const {
    const int k = number_of(reading);
    looked_[k]([&] { layouts_[k] = find_layout(reading); });
    return layouts_[k];
  }

  // All rows in float32, for problems that share them. Made when it is first asked for.
  const OrderedCopy<float>& ordered(Reading reading) const;

  // out[k] = x_row,c - centre_c with c = layout.order[k]; the room is for a row.
  virtual void read_in_order(Index row, const Layout& layout, float* out, float* room) const = 0;
  virtual void read_in_order(Index row, const Layout& layout, double* out, double* room) const = 0;
  // sum[k] += weight * x_row,k
  virtual void add_to(Index row, double weight, double* sum) const = 0;
  // sum over k of w_k x_row,k
  virtual double dot(Index row, const double* w) const = 0;

  // For inner products of sparse rows without making them dense: `lanes` rows stand interleaved in `spread`, [column][lanes].
  virtual void scatter(Index row, float* spread, Index lanes, Index lane) const = 0;
  virtual void scatter(Index row, double* spread, Index lanes, Index lane) const = 0;
  virtual void unscatter(Index row, float* spread, Index lanes, Index lane) const = 0;
  virtual void unscatter(Index row, double* spread, Index lanes, Index lane) const = 0;
  // out[l] = sum over k of spread[k][l] x_row,k in the order of k, for the first steps * lanes_of of the lanes.
  virtual void dots(Index row, const float* spread, Index lanes, Index steps, float* out) const = 0;
  virtual void dots(Index row, const double* spread, Index lanes, Index steps, double* out) const = 0;
  // The terms of an accumulator over the columns that this row and those that are spread both have, of lanes_of rows: what they
  // add up to, in `together`, and of distances what the columns they share add to the distances of each from 0.
  virtual void meet(const Accumulator& accumulator, Index row, const float* spread, Meeting<float>& out) const = 0;
  virtual void meet(const Accumulator& accumulator, Index row, const double* spread, Meeting<double>& out) const = 0;

 protected:
  using StoredRows::StoredRows;

 private:
  static int number_of(Reading reading) { return int(reading.centred) + 2 * int(reading.in_place); }
  virtual Layout find_layout(Reading reading) const = 0;

  mutable Once looked_[4], copied_[4];
  mutable Layout layouts_[4];
  mutable OrderedCopy<float> copies_[4];
};

template <class T>
OrderedCopy<T> copy_in_order(const TileRows& rows, const Layout& layout, std::span<const Index> which);

}  // namespace maxmargin
