// The user's rows as they are stored: dense or CSR, float32 or float64, 32- or 64-bit indices. Nothing is copied here. Who
// reads them asks for what it needs: TileRows, LinearRows or ColumnAccess.
#pragma once

#include <cstddef>
#include <cstdint>

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

class StoredRows {
 public:
  virtual ~StoredRows() = default;
  virtual Index rows() const { return rows_; }
  virtual Index columns() const { return columns_; }
  virtual std::int64_t stored_values() const { return stored_values_; }

  // out[k] = x_row,k - centre_k for all columns k; no centre means 0.
  virtual void read(Index row, const double* centre, double* out) const = 0;
  // sum over k of x_row,k^2
  virtual double square(Index row) const = 0;

 protected:
  StoredRows(Index rows, Index columns, std::int64_t stored_values)
      : rows_(rows), columns_(columns), stored_values_(stored_values) {}

 private:
  Index rows_, columns_;
  std::int64_t stored_values_;
};

}  // namespace maxmargin
