// Features of strings: their substrings of one length, whole or with gaps.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "maxmargin/objects/counted_features.hpp"

namespace maxmargin {

// Strings as runs of symbols from 0 to `alphabet` - 1. Run s is symbols[starts[s]] ... symbols[starts[s + 1] - 1] and belongs
// to object owners[s]; owners ascend.
struct SymbolRuns {
  std::vector<std::int32_t> symbols;
  std::vector<std::int64_t> starts;
  std::vector<Index> owners;
  std::int64_t alphabet = 0;
  Index size = 0;  // objects
};

// What is left of a substring where only some of its positions count: every choice of so many of them is a feature.
struct GapRule {
  int kept;
  std::int64_t weight;
};

// k(s, t) = sum over rules, over choices of `kept` of `length` positions, and over pairs of substrings of that length, one of s
// and one of t, that agree there, of the rule's weight.
std::unique_ptr<Objects> make_kmers(const SymbolRuns& runs, int length, std::span<const GapRule> rules, Index first_column);

}  // namespace maxmargin
