// Columns of stored rows: some of them as such, for linear models that move one feature at a time, and what all of them sum to.
#include "maxmargin/linear/l1/model.hpp"
#include "maxmargin/rows/features.hpp"

namespace maxmargin {

namespace {

constexpr Index rows_between_looks = 16;

// `for_entries(visit)` calls visit(row, place, value) for all entries, rows in order; twice: to count, and to fill. False: it
// was told to stop.
template <class ForEntries>
bool gather_by(const ForEntries& for_entries, std::size_t count, ColumnStore& out) {
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

}  // namespace

template <class V>
bool DenseFeatures<V>::gather(const SomeColumns& some, const double* factor, ColumnStore& out,
                              const std::function<bool()>& stop) const {
  const auto for_entries = [&](const auto& visit) {
    for (Index i = 0; i < rows(); ++i) {
      if (i % rows_between_looks == 0 && stop()) return false;
      if (factor[i] == 0) continue;
      for (std::size_t k = 0; k < some.columns.size(); ++k)
        if (const V value = at(i)[some.columns[k]]; value != 0) visit(i, Index(k), factor[i] * double(value));
    }
    return true;
  };
  return gather_by(for_entries, some.columns.size(), out);
}

template <class V, class I>
bool CsrFeatures<V, I>::gather(const SomeColumns& some, const double* factor, ColumnStore& out,
                               const std::function<bool()>& stop) const {
  const auto for_entries = [&](const auto& visit) {
    for (Index i = 0; i < rows(); ++i) {
      if (i % rows_between_looks == 0 && stop()) return false;
      if (factor[i] == 0) continue;
      for (I k = begin(i); k < end(i); ++k)
        if (const Index place = some.place[csr_.indices[k]]; place >= 0) visit(i, place, factor[i] * double(csr_.data[k]));
    }
    return true;
  };
  return gather_by(for_entries, some.columns.size(), out);
}

// A shift to the first row saves the digits of a large mean.
template <class V>
void DenseFeatures<V>::add_moments(Index begin, Index end, double* sum, double* square) const {
  constexpr Index together = 4;  // rows that share a reading of the sums
  const Index d = columns();
  Index i = begin;
  for (; i + together <= end; i += together)
    for (Index k = 0; k < d; ++k) {
      double off[together];
      for (Index r = 0; r < together; ++r) off[r] = double(at(i + r)[k]) - double(at(0)[k]);
      sum[k] += (off[0] + off[1]) + (off[2] + off[3]);
      square[k] += (off[0] * off[0] + off[1] * off[1]) + (off[2] * off[2] + off[3] * off[3]);
    }
  for (; i < end; ++i)
    for (Index k = 0; k < d; ++k) {
      const double off = double(at(i)[k]) - double(at(0)[k]);
      sum[k] += off;
      square[k] += off * off;
    }
}

template <class V, class I>
void CsrFeatures<V, I>::add_moments(Index first, Index last, double* sum, double* square) const {
  for (I k = begin(first); k < begin(last); ++k) {
    const auto value = double(csr_.data[k]);
    sum[csr_.indices[k]] += value;
    square[csr_.indices[k]] += value * value;
  }
}

template bool DenseFeatures<float>::gather(const SomeColumns&, const double*, ColumnStore&, const std::function<bool()>&) const;
template void DenseFeatures<float>::add_moments(Index, Index, double*, double*) const;
template bool DenseFeatures<double>::gather(const SomeColumns&, const double*, ColumnStore&,
                                            const std::function<bool()>&) const;
template void DenseFeatures<double>::add_moments(Index, Index, double*, double*) const;
template bool CsrFeatures<float, std::int32_t>::gather(const SomeColumns&, const double*, ColumnStore&,
                                                       const std::function<bool()>&) const;
template void CsrFeatures<float, std::int32_t>::add_moments(Index, Index, double*, double*) const;
template bool CsrFeatures<double, std::int32_t>::gather(const SomeColumns&, const double*, ColumnStore&,
                                                        const std::function<bool()>&) const;
template void CsrFeatures<double, std::int32_t>::add_moments(Index, Index, double*, double*) const;
template bool CsrFeatures<float, std::int64_t>::gather(const SomeColumns&, const double*, ColumnStore&,
                                                       const std::function<bool()>&) const;
template void CsrFeatures<float, std::int64_t>::add_moments(Index, Index, double*, double*) const;
template bool CsrFeatures<double, std::int64_t>::gather(const SomeColumns&, const double*, ColumnStore&,
                                                        const std::function<bool()>&) const;
template void CsrFeatures<double, std::int64_t>::add_moments(Index, Index, double*, double*) const;

}  // namespace maxmargin
