// Columns of the rows, for models that move one feature at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "maxmargin/simd/table.hpp"

namespace maxmargin {

// Some of the columns, ascending, and where each column of all stands among them, or -1.
struct SomeColumns {
  std::vector<Index> columns, place;
};

// Columns of some features, one after the other; what is 0 is left out.
struct ColumnStore {
  std::vector<std::int64_t> start;  // one more than there are columns
  std::vector<Index> row;
  std::vector<double> value;
};

class ColumnAccess {
 public:
  virtual ~ColumnAccess() = default;
  // Some columns of all rows, each row times its factor; rows whose factor is 0 are left out. False if it was told to stop.
  virtual bool gather(const SomeColumns& some, const double* factor, ColumnStore& out,
                      const std::function<bool()>& stop) const = 0;

 protected:
  // `for_entries(visit)` calls visit(row, place, value) for all entries, rows in order; twice: to count, and to fill. False: it
  // was told to stop.
  template <class ForEntries>
  static bool gather_by(const ForEntries& for_entries, std::size_t count, ColumnStore& out) {
    out.start.assign(count + 1, 0);
    if (!for_entries([&](Index, Index place, double) { ++out.start[place + 1]; })) return false;
    for (std::size_t k = 0; k < count; ++k) out.start[k + 1] += out.start[k];
    out.row.resize(out.start[count]);
    out.value.resize(out.start[count]);
    std::vector<std::int64_t> next(out.start.begin(), out.start.end() - 1);
    return for_entries([&](Index row, Index place, double value) {
      out.row[next[place]] = row;
      out.value[next[place]++] = value;
    });
  }
  static constexpr Index rows_between_looks = 16;
};

}  // namespace maxmargin
