// A linear model as Python hands it over.
#pragma once

#include <nanobind/stl/optional.h>

#include <optional>

#include "common.hpp"
#include "maxmargin/linear/problem.hpp"

namespace maxmargin::python {

// A linear model with its arrays.
struct LinearSpec {
  FeaturesHandle features;
  Vector y, cost;
  MarginLoss loss;
  std::optional<Vector> target;
  double epsilon;
  LinearOffset offset;
  double offset_scale;
  bool penalty;

  LinearProblem problem() const {
    return {.x = features.features.get(),
            .y = y.data(),
            .C = cost.data(),
            .loss = loss,
            .offset = offset,
            .offset_scale = offset_scale,
            .penalty = penalty,
            .target = target ? target->data() : nullptr,
            .epsilon = epsilon};
  }
};

inline void make_spec(LinearSpec* place, const FeaturesHandle& features, const Vector& y, const Vector& cost, MarginLoss loss,
                      const std::optional<Vector>& target, double epsilon, LinearOffset offset, double offset_scale,
                      bool penalty) {
  const auto n = std::size_t(features.features->rows());
  if (y.shape(0) != n || cost.shape(0) != n) throw nb::value_error("Labels and costs must have one value per row.");
  if ((loss >= MarginLoss::tube) != target.has_value() || (target && target->shape(0) != n))
    throw nb::value_error("A tube must have one target per row, other losses none.");
  new (place) LinearSpec{features, y, cost, loss, target, epsilon, offset, offset_scale, penalty};
}

}  // namespace maxmargin::python
