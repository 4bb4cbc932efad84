// Rows of feature vectors, for every client.
#pragma once

#include "maxmargin/rows/column_access.hpp"
#include "maxmargin/rows/linear_rows.hpp"
#include "maxmargin/rows/tile_rows.hpp"

namespace maxmargin {

class Features : public TileRows, public LinearRows, public ColumnAccess {
 public:
  // Both have a shape, and it is the same.
  Index rows() const final { return TileRows::rows(); }
  Index columns() const final { return TileRows::columns(); }
  std::int64_t stored_values() const final { return TileRows::stored_values(); }
  void read(Index row, const double* centre, double* out) const override = 0;
  double square(Index row) const override = 0;

 protected:
  Features(Index rows, Index columns, std::int64_t stored_values)
      : TileRows(rows, columns, stored_values), LinearRows(rows, columns, stored_values) {}

 private:
  Layout find_layout(Reading reading) const final;
};

}  // namespace maxmargin
