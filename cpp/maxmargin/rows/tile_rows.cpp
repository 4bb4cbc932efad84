#include "maxmargin/rows/tile_rows.hpp"

#include <numeric>

#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/rows/in_parts.hpp"
#include "maxmargin/rows/packing.hpp"

namespace maxmargin {

const OrderedCopy<float>& TileRows::ordered(Reading reading) const {
  const int k = number_of(reading);
  copied_[k]([&] {
    std::vector<Index> all(rows());
    std::iota(all.begin(), all.end(), 0);
    copies_[k] = copy_in_order<float>(*this, layout(reading), all);
  });
  return copies_[k];
}

template <class T>
OrderedCopy<T> copy_in_order(const TileRows& rows, const Layout& layout, std::span<const Index> which) {
  const Index depth = layout.depth();
  const auto n = Index(which.size());
  OrderedCopy<T> copy{std::vector<T>(which.size() * std::size_t(depth)), std::vector<T>(which.size()), {}, {}, {}};
  copy.starts.resize(which.size() + 1);  // first how many each row has
  in_parts(n, rows_of_work(depth), [&](Index begin, Index end) {
    std::vector<T> room(depth);
    for (Index r = begin; r < end; ++r) {
      T* const out = copy.values.data() + std::ptrdiff_t(r) * depth;
      rows.read_in_order(which[r], layout, out, room.data());
      copy.starts[r + 1] = depth - layout.dense - std::count(out + layout.dense, out + depth, T(0));
    }
    (simd().*SimdOf<T>::row_norms)(layout.dense, depth, end - begin, copy.values.data() + std::ptrdiff_t(begin) * depth,
                                   copy.norms.data() + begin);
  });
  for (Index r = 0; r < n; ++r) copy.starts[r + 1] += copy.starts[r];
  copy.columns.resize(copy.starts[n]);
  copy.others.resize(copy.starts[n]);
  in_parts(layout.dense < depth ? n : 0, rows_of_work(depth), [&](Index begin, Index end) {
    std::vector<Index> columns(depth);
    std::vector<T> others(depth);
    for (Index r = begin; r < end; ++r) {
      const T* const row = copy.values.data() + std::ptrdiff_t(r) * depth;
      Index held = 0;
      for (Index k = layout.dense; k < depth; ++k) {  // what is 0 is written over: cheaper than to guess the branch
        columns[held] = k;
        others[held] = row[k];
        held += row[k] != T(0);
      }
      std::copy_n(columns.begin(), held, copy.columns.begin() + copy.starts[r]);
      std::copy_n(others.begin(), held, copy.others.begin() + copy.starts[r]);
    }
  });
  return copy;
}

template OrderedCopy<float> copy_in_order(const TileRows&, const Layout&, std::span<const Index>);
template OrderedCopy<double> copy_in_order(const TileRows&, const Layout&, std::span<const Index>);

}  // namespace maxmargin
