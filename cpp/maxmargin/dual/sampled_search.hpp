// A search of a large problem that begins with some of its variables: rows over all of them are long, and most variables end at
// 0 and are never needed. What the sample finds tells which ones matter; they are searched next, and so on until no other one
// violates. Used by the engine only.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "maxmargin/dual/pair_search.hpp"

namespace maxmargin {

// From this size on a sample pays.
constexpr Index sample_floor = 10000;

class SampledSearch {
 public:
  // A run over the active variables to a termination.
  using Search = std::function<void(const Options&, const Monitor&)>;

  SampledSearch(const SignedDual& problem, const Gram& gram, const Options& options, const Monitor& monitor, SearchState& state)
      : problem_(problem), gram_(gram), options_(options), monitor_(monitor), state_(state) {}

  // From 0 to a termination. False if most variables would be active: then all is as it was but the counts of work, and the
  // caller had better run over all of them.
  bool run(const Search& search);

 private:
  struct Levels {
    double lowest, highest;
    double crossed() const { return highest - lowest; }
  };
  Slopes slopes_at(Index i) const {
    return slopes(state_.gradient[i], problem_.l1_weight, state_.beta[i], problem_.lower[i], problem_.upper[i]);
  }
  Levels levels(std::span<const Index> among) const;
  std::vector<Index> near(Levels at, double margin, std::span<const Index> among) const;
  bool search_sample(const Search& search, double width, double margin);
  void catch_up();

  const SignedDual& problem_;
  const Gram& gram_;
  const Options& options_;
  const Monitor& monitor_;
  SearchState& state_;
  std::vector<Index> all_;
  std::vector<double> known_beta_, known_gradient_;  // a point where all gradients are known
};

}  // namespace maxmargin
