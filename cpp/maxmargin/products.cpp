// Products of several Grams at once. Machines of one training set share rows: those of pairs of classes all but one class in
// turn, those of one class against the rest all of them. A kernel value is computed once for all the machines that need it.
#include <map>
#include <thread>

#include "maxmargin/feature_gram.hpp"
#include "maxmargin/thread_pool.hpp"

namespace maxmargin {

namespace {

struct Place {
  Index problem, position;
};

// Rows that are in the same problems.
struct Group {
  std::vector<Index> problems;            // ascending
  std::vector<Index> rows;                // of X, ascending
  std::vector<std::vector<Index>> where;  // [problem][row]: its position there
};

std::vector<Group> group_rows(std::span<const DenseGram* const> grams) {
  std::vector<std::vector<Place>> places(grams[0]->features().rows());
  for (std::size_t p = 0; p < grams.size(); ++p)
    for (Index k = 0; k < grams[p]->size(); ++k) places[grams[p]->used()[k]].push_back({Index(p), k});
  std::map<std::vector<Index>, Index> number;
  std::vector<Group> groups;
  std::vector<Index> problems;
  for (std::size_t row = 0; row < places.size(); ++row) {
    if (places[row].empty()) continue;
    problems.clear();
    for (const Place& place : places[row]) problems.push_back(place.problem);
    const auto [at, is_new] = number.try_emplace(problems, Index(groups.size()));
    if (is_new) groups.push_back({problems, {}, std::vector<std::vector<Index>>(problems.size())});
    Group& group = groups[at->second];
    group.rows.push_back(Index(row));
    for (std::size_t p = 0; p < problems.size(); ++p) group.where[p].push_back(places[row][p].position);
  }
  return groups;
}

// The problems that two groups have in common, by their numbers in both.
std::vector<std::pair<std::size_t, std::size_t>> common_problems(const Group& a, const Group& b) {
  std::vector<std::pair<std::size_t, std::size_t>> common;
  for (std::size_t p = 0, q = 0; p < a.problems.size() && q < b.problems.size();) {
    if (a.problems[p] == b.problems[q]) common.emplace_back(p, q);
    const Index least = std::min(a.problems[p], b.problems[q]);
    p += a.problems[p] == least;
    q += b.problems[q] == least;
  }
  return common;
}

// The scores of one group's rows in all its problems: from each group the rows that have a coefficient in a common one.
void fill_scores(const Group& to, std::span<const Group> groups, const DenseGram& gram, std::span<const double* const> betas,
                 std::span<double* const> outs, const Poll& poll) {
  std::vector<Index> support;
  std::vector<WeightedRun> runs;
  for (const Group& from : groups) {
    const auto common = common_problems(from, to);
    const auto beta = [&](std::size_t c, std::size_t r) {
      const std::size_t p = common[c].first;
      return betas[from.problems[p]][from.where[p][r]];
    };
    std::vector<std::size_t> kept;
    for (std::size_t r = 0; r < from.rows.size(); ++r)
      for (std::size_t c = 0; c < common.size(); ++c)
        if (beta(c, r) != 0.0) {
          kept.push_back(r);
          break;
        }
    const auto first = Index(support.size());
    for (const std::size_t r : kept) support.push_back(from.rows[r]);
    for (std::size_t c = 0; c < common.size(); ++c) {
      runs.push_back({first, Index(support.size()), Index(common[c].second), {}});
      for (const std::size_t r : kept) runs.back().coefficients.push_back(beta(c, r));
    }
  }
  const std::size_t n = to.rows.size();
  std::vector<double> sums(to.problems.size() * n, 0.0);
  gram.add_sums(support, runs, to.rows, sums.data(), poll);
  for (std::size_t q = 0; q < to.problems.size(); ++q)
    for (std::size_t r = 0; r < n; ++r) outs[to.problems[q]][to.where[q][r]] = sums[q * n + r];
}

void shared_products(std::span<const DenseGram* const> grams, std::span<const double* const> betas,
                     std::span<double* const> outs, const Poll& poll) {
  const std::vector<Group> groups = group_rows(grams);
  const auto one = [&](std::ptrdiff_t g) { fill_scores(groups[g], groups, *grams[0], betas, outs, poll); };
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
