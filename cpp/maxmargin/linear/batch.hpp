// Linear models over the same rows, one for each class or output, in one call; and paths of them while C grows.
#pragma once

#include <span>
#include <vector>

#include "maxmargin/linear/problem.hpp"
#include "maxmargin/platform/events.hpp"

namespace maxmargin {

enum class LinearMethod { newton, coordinates };

// The problems have the same rows. They run in parallel; what depends on the rows alone is made once. A start without weights
// is none. Of the options the seconds are not read: `events` has the clock.
std::vector<LinearOutcome> minimise_linear_batch(std::span<const LinearProblem> problems, std::span<const LinearOutcome> starts,
                                                 LinearMethod method, std::uint64_t seed, const LinearOptions& options,
                                                 Events& events);

// Of each path the same problem with one cost after the other, by Newton's method, each from the one before where that is
// shorter. Paths may have different rows, and run in parallel. `events` hears of paths.
std::vector<std::vector<LinearOutcome>> minimise_linear_paths(std::span<const std::vector<LinearProblem>> paths,
                                                              const LinearOptions& options, Events& events);

}  // namespace maxmargin
