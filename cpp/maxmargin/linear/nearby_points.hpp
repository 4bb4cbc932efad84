// The best primal point near weights that multipliers make.
#pragma once

#include <vector>

#include "maxmargin/linear/problem.hpp"

namespace maxmargin {

// The best of all multiples t w of weights of squared length `square` and the primal objective there, for the hinge and its
// square; of other losses w itself. Multipliers that are nearly right make margins that miss 1 by a little, some on each side:
// what those below it cost, a w that is a little longer saves. At large C that is most of the gap.
struct Multiple {
  double t, primal;
};
Multiple best_multiple(const LinearProblem& problem, const std::vector<double>& margins, double square);

// The best of the points t w, b for any t and b, near t = 1 and the b that is given, for the hinge and its square: first one,
// then the other. An offset is what all rows see; a little too much of it costs as much as all that sweeps have left of the
// gap. The margins, which have the offset, are overwritten; `first` is how far they may be off.
struct Plane {
  double t, b, primal;
};
Plane best_in_plane(const LinearProblem& problem, std::vector<double>& margins, double square, double b, double first);

}  // namespace maxmargin
