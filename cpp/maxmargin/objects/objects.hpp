// Objects that are no vectors (strings, graphs, bags, series), encoded so that the kernel of any two of them can be computed.
// Rows of both sides of a block stand in one collection: whatever is numbered when they are encoded, symbols or labels, has the
// same numbers on both sides. The last rows, from `first_column` on, may be columns of a block; in a Gram these are all.
#pragma once

#include <memory>
#include <span>

#include "maxmargin/rows/tile_rows.hpp"

namespace maxmargin {

class Objects {
 public:
  virtual ~Objects() = default;
  virtual Index size() const = 0;
  // out[r * columns.size() + c] = k(rows[r], columns[c]); from any thread. The same bits as k(columns[c], rows[r]).
  virtual void values(std::span<const Index> rows, std::span<const Index> columns, double* out) const = 0;
  // k(row, row), the same bits as in `values`.
  virtual double own(Index row) const = 0;
  // Is phi(row) = 0? If not, an own value of 0 is one that a double cannot hold.
  virtual bool vanishes(Index row) const { return own(row) == 0; }
  // Columns of one row that make a piece of work for a thread; 0 if a row costs the same for any number of columns, and less
  // among many.
  virtual Index columns_at_once() const = 0;
  // Must every call come from the thread that owns the solve (a Python function is behind it)?
  virtual bool is_opaque() const { return false; }
};

// out[r * columns.size() + c] = k(rows[r], columns[c]), on all threads.
void object_block(const Objects& objects, std::span<const Index> rows, std::span<const Index> columns, double* out);

}  // namespace maxmargin
