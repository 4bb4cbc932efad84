// Products of several Grams at once. Subproblems of one training set share rows: those of pairs of classes all but one class in
// turn, those of one class against the rest all of them. A kernel value is computed once for all the subproblems that need it.
#include <algorithm>

#include "maxmargin/kernels/feature_gram.hpp"
#include "maxmargin/platform/thread_pool.hpp"
#include "maxmargin/platform/threads.hpp"

namespace maxmargin {

namespace {

// Rows that are in the same problems, and those of them that count.
struct Group : RowGroup {
  std::vector<Index> support;  // its rows that have a coefficient in any problem
  std::vector<Index> number;   // what the source calls these
};

constexpr std::size_t most_copied = std::size_t(1) << 20;  // values: beyond, new memory costs more than packing anew

std::vector<Group> groups_of(std::span<const DenseGram* const> grams) {
  std::vector<Group> groups;
  for (RowGroup& found : row_groups(grams)) groups.push_back({std::move(found), {}, {}});
  return groups;
}

// The problems that two groups have in common, by their places in both. A row that a problem has twice meets itself twice.
std::vector<std::pair<std::size_t, std::size_t>> common_problems(const Group& a, const Group& b) {
  std::vector<std::pair<std::size_t, std::size_t>> common;
  for (std::size_t p = 0, first = 0; p < a.places.size(); ++p) {
    const Index problem = a.places[p].problem;
    while (first < b.places.size() && b.places[first].problem < problem) ++first;
    for (std::size_t q = first; q < b.places.size() && b.places[q].problem == problem; ++q) common.emplace_back(p, q);
  }
  return common;
}

void find_support(std::span<Group> groups, std::span<const double* const> betas) {
  std::vector<char> counts;
  for (Group& group : groups) {
    counts.assign(group.rows.size(), 0);
    for (const RowGroup::Place& place : group.places)
      for (std::size_t r = 0; r < group.rows.size(); ++r) counts[r] |= betas[place.problem][place.at(r)] != 0.0;
    for (std::size_t r = 0; r < group.rows.size(); ++r)
      if (counts[r]) group.support.push_back(Index(r));
  }
}

// The scores of one group's rows in all its problems: from each group the rows that have a coefficient in a common one.
template <class T>
void fill_scores(const Group& to, std::span<const Group> groups, const DenseGram& gram, const OrderedRows<T>& source,
                 const OrderedRows<T>& x, std::span<const double* const> betas, std::span<double* const> outs,
                 const Poll& poll) {
  std::vector<Index> support;
  std::vector<WeightedRun> runs;
  std::vector<std::size_t> kept;
  for (const Group& from : groups) {
    const auto common = common_problems(from, to);
    const auto beta = [&](std::size_t c, std::size_t s) {
      const RowGroup::Place& place = from.places[common[c].first];
      return betas[place.problem][place.at(std::size_t(from.support[s]))];
    };
    kept.clear();
    for (std::size_t s = 0; s < from.support.size(); ++s)
      for (std::size_t c = 0; c < common.size(); ++c)
        if (beta(c, s) != 0.0) {
          kept.push_back(s);
          break;
        }
    const auto first = Index(support.size());
    for (const std::size_t s : kept) support.push_back(from.number[s]);
    for (std::size_t c = 0; c < common.size(); ++c) {
      runs.push_back({first, Index(support.size()), Index(common[c].second), {}});
      runs.back().coefficients.reserve(kept.size());
      for (const std::size_t s : kept) runs.back().coefficients.push_back(beta(c, s));
    }
  }
  const std::size_t n = to.rows.size();
  std::vector<double> sums(to.places.size() * n, 0.0);
  gram.add_sums(source, support, runs, x, to.rows, sums.data(), poll);
  for (std::size_t q = 0; q < to.places.size(); ++q)
    for (std::size_t r = 0; r < n; ++r) outs[to.places[q].problem][to.places[q].at(r)] = sums[q * n + r];
}

template <class T>
void shared_products(std::span<const DenseGram* const> grams, std::span<const double* const> betas,
                     std::span<double* const> outs, const Poll& poll) {
  std::vector<Group> groups = groups_of(grams);
  find_support(groups, betas);
  std::vector<Index> rows;
  for (const Group& group : groups)
    for (const Index r : group.support) rows.push_back(group.rows[r]);
  // What is packed for many groups is read, put in order and squared once.
  const OrderedRows<T> x = grams[0]->shared_rows_of_x<T>();
  const bool copies = x.copy() == nullptr && rows.size() * std::size_t(grams[0]->features().columns()) <= most_copied;
  const OrderedCopy<T> copy = copies ? grams[0]->copy_of<T>(rows) : OrderedCopy<T>{};
  Index next = 0;
  for (Group& group : groups)
    for (const Index r : group.support) group.number.push_back(copies ? next++ : group.rows[r]);
  const OrderedRows<T> source = copies ? grams[0]->rows_of(copy) : x;
  const auto one = [&](std::ptrdiff_t g) { fill_scores(groups[g], groups, *grams[0], source, x, betas, outs, poll); };
  constexpr std::size_t enough = 8;  // for threads to have equal shares; else they share each one
  if (groups.size() >= enough)
    parallel_chunks(std::ptrdiff_t(groups.size()), one);
  else
    for (std::size_t g = 0; g < groups.size(); ++g) one(std::ptrdiff_t(g));
}

}  // namespace

void products(std::span<const Gram* const> grams, std::span<const double* const> betas, std::span<double* const> outs,
              const Poll& poll) {
  const auto caller = this_thread();
  const Poll on_caller = [&] {
    if (this_thread() == caller) poll();
  };
  const auto is_zero = [&](std::size_t p) {
    return std::all_of(betas[p], betas[p] + grams[p]->size(), [](double b) { return b == 0.0; });
  };
  std::size_t zeros = 0;
  while (zeros < grams.size() && is_zero(zeros)) ++zeros;
  if (zeros == grams.size()) {  // before the first step: X need not be looked at
    for (std::size_t p = 0; p < grams.size(); ++p) std::fill(outs[p], outs[p] + grams[p]->size(), 0.0);
    return;
  }
  const std::vector<const DenseGram*> dense = of_one_kernel(grams);
  // products with the linear kernel have a short cut
  if (dense.size() > 1 && !is_linear(dense[0]->kernel()))
    return (dense[0]->is_whole() ? shared_products<float> : shared_products<double>)(dense, betas, outs, on_caller);
  // all classes at once, and points to choose from: several vectors for one source
  const auto* const sparse = dynamic_cast<const SparseGram*>(grams[0]);
  const bool same = std::all_of(grams.begin(), grams.end(), [&](const Gram* gram) { return gram == grams[0]; });
  if (grams.size() > 1 && same && sparse != nullptr && !is_linear(sparse->kernel()))
    return sparse->products_of(betas, outs, on_caller);
  const bool opaque = std::any_of(grams.begin(), grams.end(), [](const Gram* gram) { return gram->is_opaque(); });
  const auto one = [&](std::ptrdiff_t k) { grams[k]->product(betas[k], outs[k], on_caller); };
  if (opaque)
    for (std::size_t k = 0; k < grams.size(); ++k) one(std::ptrdiff_t(k));
  else
    parallel_chunks(std::ptrdiff_t(grams.size()), one);
}

}  // namespace maxmargin
