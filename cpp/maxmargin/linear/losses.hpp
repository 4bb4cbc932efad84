// What a row of a linear model loses, and what its multiplier gains.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "maxmargin/linear/problem.hpp"

namespace maxmargin {

// A loss with kinks has no curvature of its own.
inline bool has_kinks(MarginLoss loss) { return loss == MarginLoss::hinge || loss == MarginLoss::tube; }

// Losses whose gain has a part that is linear in alpha and one that is quadratic; the others are sums of logarithms.
inline bool is_quadratic(MarginLoss loss) { return loss != MarginLoss::logistic && loss != MarginLoss::exponential; }

// The largest |alpha| of a row.
inline double most_alpha(MarginLoss loss, double C) {
  const bool boxed = has_kinks(loss) || loss == MarginLoss::logistic;
  return boxed ? C : std::numeric_limits<double>::infinity();
}

// Calls body(loss), the loss as a constant, so that a loop over rows does not ask for each which one it is.
template <class Body>
decltype(auto) with_loss(MarginLoss loss, const Body& body) {
  switch (loss) {
    case MarginLoss::hinge: return body(std::integral_constant<MarginLoss, MarginLoss::hinge>());
    case MarginLoss::squared_hinge: return body(std::integral_constant<MarginLoss, MarginLoss::squared_hinge>());
    case MarginLoss::logistic: return body(std::integral_constant<MarginLoss, MarginLoss::logistic>());
    case MarginLoss::exponential: return body(std::integral_constant<MarginLoss, MarginLoss::exponential>());
    case MarginLoss::tube: return body(std::integral_constant<MarginLoss, MarginLoss::tube>());
    case MarginLoss::squared_tube: break;
  }
  return body(std::integral_constant<MarginLoss, MarginLoss::squared_tube>());
}

// One row's share of the primal objective.
template <MarginLoss loss>
double loss_of(const LinearProblem& problem, Index i, double z) {
  const double C = problem.C[i], slack = 1.0 - z;
  if constexpr (loss == MarginLoss::hinge) return C * std::max(slack, 0.0);
  if constexpr (loss == MarginLoss::squared_hinge) return slack > 0 ? C * slack * slack : 0.0;
  if constexpr (loss == MarginLoss::logistic) return C * (std::max(-z, 0.0) + std::log1p(std::exp(-std::abs(z))));
  if constexpr (loss == MarginLoss::exponential) return C * std::exp(-z);
  if constexpr (loss == MarginLoss::tube || loss == MarginLoss::squared_tube) {
    const double excess = std::max(std::abs(problem.target[i] - z) - problem.epsilon, 0.0);
    return C * (loss == MarginLoss::tube ? excess : excess * excess);
  }
}
inline double loss_of(const LinearProblem& problem, Index i, double z) {
  return with_loss(problem.loss, [&](auto loss) { return loss_of<loss()>(problem, i, z); });
}

// The linear part of one row's share of the dual objective, -C loss*(-alpha / C); 0 where there is none.
inline double linear_gain(const LinearProblem& problem, Index i, double alpha) {
  if (!is_quadratic(problem.loss)) return 0.0;
  return problem.target ? problem.target[i] * alpha - problem.epsilon * std::abs(alpha) : alpha;
}

inline double entropy(double q) { return q > 0 ? -q * std::log(q) : 0.0; }
inline double logistic_gain(double C, double alpha) { return C * (entropy(alpha / C) + entropy(1.0 - alpha / C)); }

// All of it.
inline double gain_of(const LinearProblem& problem, Index i, double alpha) {
  const double C = problem.C[i], p = alpha / C;
  switch (problem.loss) {
    case MarginLoss::logistic: return logistic_gain(C, alpha);
    case MarginLoss::exponential: return C * (entropy(p) + p);
    case MarginLoss::squared_hinge:
    case MarginLoss::squared_tube: return linear_gain(problem, i, alpha) - 0.25 * alpha * alpha / C;
    default: return linear_gain(problem, i, alpha);
  }
}

}  // namespace maxmargin
