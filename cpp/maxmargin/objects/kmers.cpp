#include "maxmargin/objects/kmers.hpp"

#include <limits>
#include <optional>

#include "maxmargin/objects/ranks.hpp"
#include "maxmargin/platform/poll.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace maxmargin {

namespace {

struct Choice {
  std::vector<int> positions;
  std::int64_t weight;
};

// Every choice of `kept` of `length` positions.
void add_choices(int length, const GapRule& rule, std::vector<Choice>& choices) {
  std::vector<int> chosen(std::size_t(rule.kept));
  for (int k = 0; k < rule.kept; ++k) chosen[k] = k;
  for (;;) {
    choices.push_back({chosen, rule.weight});
    int k = rule.kept - 1;
    while (k >= 0 && chosen[k] == length - rule.kept + k) --k;
    if (k < 0) return;
    ++chosen[k];
    for (int later = k + 1; later < rule.kept; ++later) chosen[later] = chosen[later - 1] + 1;
  }
}

// Where substrings begin, and whose they are.
struct Windows {
  std::vector<std::int64_t> begins;
  std::vector<Index> rows;
};

Windows windows_of(const SymbolRuns& runs, int length) {
  Windows windows;
  for (std::size_t s = 0; s < runs.owners.size(); ++s)
    for (std::int64_t begin = runs.starts[s]; begin + length <= runs.starts[s + 1]; ++begin) {
      windows.begins.push_back(begin);
      windows.rows.push_back(runs.owners[s]);
    }
  return windows;
}

Occurrences occurrences_of(const SymbolRuns& runs, const Windows& windows, const Choice& choice) {
  Occurrences found;
  found.weight = choice.weight;
  found.rows = windows.rows;
  found.keys.assign(windows.begins.size(), 0);
  found.range = 1;
  const auto base = std::uint64_t(std::max<std::int64_t>(runs.alphabet, 1));
  for (const int position : choice.positions) {
    if (found.range > std::numeric_limits<std::uint64_t>::max() / base) found.range = make_dense(found.keys, found.range);
    poll_now();
    for (std::size_t w = 0; w < found.keys.size(); ++w)
      found.keys[w] = found.keys[w] * base + std::uint64_t(runs.symbols[windows.begins[w] + position]);
    found.range *= base;
  }
  return found;
}

}  // namespace

std::unique_ptr<Objects> make_kmers(const SymbolRuns& runs, int length, std::span<const GapRule> rules, Index first_column) {
  std::vector<Choice> choices;
  for (const GapRule& rule : rules)
    if (rule.weight != 0) add_choices(length, rule, choices);
  const Windows windows = windows_of(runs, length);
  std::vector<std::optional<FeatureLists>> lists(choices.size());
  parallel_chunks(std::ptrdiff_t(choices.size()), [&](std::ptrdiff_t c) {
    lists[c].emplace(occurrences_of(runs, windows, choices[c]), runs.size, first_column);
  });
  auto counted = std::make_unique<CountedFeatures>(runs.size, first_column);
  for (std::optional<FeatureLists>& list : lists) {
    if (list) counted->add(std::move(*list));  // each was made above
    list.reset();
  }
  counted->finish();
  return counted;
}

}  // namespace maxmargin
