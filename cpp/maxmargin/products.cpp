// Products of several Grams at once. Machines of one training set share rows: those of pairs of classes all but one class in
// turn, those of one class against the rest all of them. A kernel value is computed once for all the machines that need it.
#include <algorithm>
#include <thread>

#include "maxmargin/feature_gram.hpp"
#include "maxmargin/thread_pool.hpp"

namespace maxmargin {

namespace {

// Rows that are in the same problems.
struct Group {
  std::vector<Index> problems;            // ascending
  std::vector<Index> rows;                // of X, ascending
  std::vector<std::vector<Index>> where;  // [problem][row]: its position there
  std::vector<Index> support;             // of its rows those that have a coefficient in any problem
  std::vector<Index> number;              // what the source calls these
};

constexpr std::size_t most_copied = std::size_t(1) << 20;  // values: beyond, new memory costs more than packing anew

// Which group each row is in, or -1. Problem by problem, the rows of a group that are in it part from those that are not.
std::vector<Index> group_numbers(std::span<const DenseGram* const> grams) {
  std::vector<Index> group(std::size_t(grams[0]->features().rows()), 0);
  std::vector<Index> part(1, 0);  // the group that those of a group go to now
  std::vector<std::size_t> since(1, 0);
  for (std::size_t p = 0; p < grams.size(); ++p)
    for (const Index row : grams[p]->used()) {
      const Index from = group[row];
      if (since[from] != p + 1) {
        since[from] = p + 1;
        part[from] = Index(part.size());
        part.push_back(0);
        since.push_back(0);
      }
      group[row] = part[from];
    }
  std::vector<Index> number(part.size(), -1);  // of those that have rows, by their first one; group 0 is in no problem
  Index count = 0;
  for (Index& g : group) {
    if (g != 0 && number[g] < 0) number[g] = count++;
    g = number[g];
  }
  return group;
}

std::vector<Group> group_rows(std::span<const DenseGram* const> grams) {
  const std::vector<Index> group = group_numbers(grams);
  std::vector<Group> groups(std::size_t(1 + *std::max_element(group.begin(), group.end())));
  std::vector<Index> place(group.size()), seen(group.size(), 0);  // in its group; in how many problems so far
  for (std::size_t row = 0; row < group.size(); ++row)
    if (group[row] >= 0) {
      place[row] = Index(groups[group[row]].rows.size());
      groups[group[row]].rows.push_back(Index(row));
    }
  for (std::size_t p = 0; p < grams.size(); ++p)
    for (Index k = 0; k < grams[p]->size(); ++k) {
      const Index row = grams[p]->used()[k];
      Group& own = groups[group[row]];
      const auto among = std::size_t(seen[row]++);
      if (among == own.problems.size()) {
        own.problems.push_back(Index(p));
        own.where.emplace_back(own.rows.size());
      }
      own.where[among][place[row]] = k;
    }
  return groups;
}

// The problems that two groups have in common, by their numbers in both. A row that a problem has twice meets itself twice.
std::vector<std::pair<std::size_t, std::size_t>> common_problems(const Group& a, const Group& b) {
  std::vector<std::pair<std::size_t, std::size_t>> common;
  for (std::size_t p = 0, first = 0; p < a.problems.size(); ++p) {
    while (first < b.problems.size() && b.problems[first] < a.problems[p]) ++first;
    for (std::size_t q = first; q < b.problems.size() && b.problems[q] == a.problems[p]; ++q) common.emplace_back(p, q);
  }
  return common;
}

void find_support(std::span<Group> groups, std::span<const double* const> betas) {
  for (Group& group : groups)
    for (std::size_t r = 0; r < group.rows.size(); ++r)
      for (std::size_t p = 0; p < group.problems.size(); ++p)
        if (betas[group.problems[p]][group.where[p][r]] != 0.0) {
          group.support.push_back(Index(r));
          break;
        }
}

// The scores of one group's rows in all its problems: from each group the rows that have a coefficient in a common one.
void fill_scores(const Group& to, std::span<const Group> groups, const DenseGram& gram, const OrderedRows<double>& source,
                 std::span<const double* const> betas, std::span<double* const> outs, const Poll& poll) {
  std::vector<Index> support;
  std::vector<WeightedRun> runs;
  std::vector<std::size_t> kept;
  for (const Group& from : groups) {
    const auto common = common_problems(from, to);
    const auto beta = [&](std::size_t c, std::size_t s) {
      const std::size_t p = common[c].first;
      return betas[from.problems[p]][from.where[p][from.support[s]]];
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
  std::vector<double> sums(to.problems.size() * n, 0.0);
  gram.add_sums(source, support, runs, to.rows, sums.data(), poll);
  for (std::size_t q = 0; q < to.problems.size(); ++q)
    for (std::size_t r = 0; r < n; ++r) outs[to.problems[q]][to.where[q][r]] = sums[q * n + r];
}

void shared_products(std::span<const DenseGram* const> grams, std::span<const double* const> betas,
                     std::span<double* const> outs, const Poll& poll) {
  std::vector<Group> groups = group_rows(grams);
  find_support(groups, betas);
  std::vector<Index> rows;
  for (const Group& group : groups)
    for (const Index r : group.support) rows.push_back(group.rows[r]);
  // What is packed for many groups is read, put in order and squared once.
  const bool copies = rows.size() * std::size_t(grams[0]->features().columns()) <= most_copied;
  const OrderedCopy<double> copy = copies ? grams[0]->copy_of(rows) : OrderedCopy<double>{};
  Index next = 0;
  for (Group& group : groups)
    for (const Index r : group.support) group.number.push_back(copies ? next++ : group.rows[r]);
  const OrderedRows<double> source = copies ? grams[0]->rows_of(copy) : grams[0]->rows_of_x();
  const auto one = [&](std::ptrdiff_t g) { fill_scores(groups[g], groups, *grams[0], source, betas, outs, poll); };
  constexpr std::size_t enough = 8;  // for threads to have equal shares; else they share each one
  if (groups.size() >= enough)
    parallel_chunks(std::ptrdiff_t(groups.size()), one);
  else
    for (std::size_t g = 0; g < groups.size(); ++g) one(std::ptrdiff_t(g));
}

}  // namespace

void products(std::span<const Gram* const> grams, std::span<const double* const> betas, std::span<double* const> outs,
              const Poll& poll) {
  const auto caller = std::this_thread::get_id();
  const Poll on_caller = [&] {
    if (std::this_thread::get_id() == caller) poll();
  };
  std::vector<const DenseGram*> dense;
  bool opaque = false;
  for (const Gram* gram : grams) {
    opaque |= gram->is_opaque();
    const auto* const same = dynamic_cast<const DenseGram*>(gram);
    if (same != nullptr && (dense.empty() || same->shares_kernel_with(*dense[0]))) dense.push_back(same);
  }
  if (grams.size() > 1 && dense.size() == grams.size()) return shared_products(dense, betas, outs, on_caller);
  const auto one = [&](std::ptrdiff_t k) { grams[k]->product(betas[k], outs[k], on_caller); };
  if (opaque)
    for (std::size_t k = 0; k < grams.size(); ++k) one(std::ptrdiff_t(k));
  else
    parallel_chunks(std::ptrdiff_t(grams.size()), one);
}

}  // namespace maxmargin
