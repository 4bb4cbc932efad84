// A linear model of all classes at once as Python hands it over.
#pragma once

#include "common.hpp"
#include "maxmargin/linear/multiclass/problem.hpp"

namespace maxmargin::python {

// A linear model of all classes with its arrays.
struct ClassesSpec {
  FeaturesHandle features;
  Indices label;
  Vector cost;
  Index classes;
  ClassLoss loss;
  LinearOffset offset;
  double offset_scale;
  bool penalty;
  double l1;

  ClassProblem problem() const {
    const Features& x = *features.features;
    return {.x = &x,
            .label = label.data(),
            .C = cost.data(),
            .classes = classes,
            .loss = loss,
            .offset = offset,
            .offset_scale = offset_scale,
            .penalty = penalty,
            .l1 = l1,
            .ridge = 1.0 - l1,
            .columns = &x};
  }
};

inline void make_classes_spec(ClassesSpec* place, const FeaturesHandle& features, const Indices& label, const Vector& cost,
                              Index classes, ClassLoss loss, LinearOffset offset, double offset_scale, bool penalty,
                              double l1) {
  const auto n = std::size_t(features.features->rows());
  if (label.shape(0) != n || cost.shape(0) != n) throw nb::value_error("Labels and costs must have one value per row.");
  if (n == 0 || classes < 2) throw nb::value_error("There must be rows, and two classes or more.");
  if (!penalty && loss != ClassLoss::multinomial) throw nb::value_error("This loss needs a penalty.");
  if (!(l1 >= 0 && l1 <= 1) || (l1 > 0 && (!penalty || loss != ClassLoss::multinomial)))
    throw nb::value_error("The share of absolute values is between 0 and 1, and for the multinomial loss with a penalty.");
  for (std::size_t i = 0; i < n; ++i)
    if (label.data()[i] < 0 || label.data()[i] >= classes) throw nb::value_error("A label is outside the classes.");
  new (place) ClassesSpec{features, label, cost, classes, loss, offset, offset_scale, penalty, l1};
}

}  // namespace maxmargin::python
