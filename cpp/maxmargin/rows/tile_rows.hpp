// What tiles of kernel values need of the rows: a row is read when a tile is packed.
#pragma once

#include <span>
#include <vector>

#include "maxmargin/platform/once.hpp"
#include "maxmargin/rows/stored_rows.hpp"

namespace maxmargin {

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
  // How tiles read these rows, with or without a centre. Found from all rows when it is first asked for, also where only some
  // are used: so k(i, j) has the same bits in every subset. Takes a pass over rows made dense: not for wide sparse ones.
  const Layout& layout(bool centred) const {
    looked_[centred]([&] { layouts_[centred] = find_layout(centred); });
    return layouts_[centred];
  }

  // All rows in float32, for problems that share them. Made when it is first asked for.
  const OrderedCopy<float>& ordered(bool centred) const;

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
  // out[l] = sum over k of spread[k][l] x_row,k in the order of k; 8 lanes of float32 or 4 of float64.
  virtual void dots(Index row, const float* spread, float* out) const = 0;
  virtual void dots(Index row, const double* spread, double* out) const = 0;

 protected:
  using StoredRows::StoredRows;

 private:
  virtual Layout find_layout(bool centred) const = 0;

  mutable Once looked_[2], copied_[2];
  mutable Layout layouts_[2];
  mutable OrderedCopy<float> copies_[2];
};

template <class T>
OrderedCopy<T> copy_in_order(const TileRows& rows, const Layout& layout, std::span<const Index> which);

}  // namespace maxmargin
