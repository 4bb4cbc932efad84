// A batch of duals as Python holds it.
#pragma once

#include "common.hpp"
#include "maxmargin/dual/batch.hpp"

namespace maxmargin::python {

// A batch with its arrays, which Python can read back by name.
struct BatchHandle {
  std::vector<const GramHandle*> handles;
  nb::object grams, q, lower, upper, ridge, total, abs_sum;
  std::vector<std::size_t> sizes;
  DualBatch batch;

  void require_rows(const Vector& v) const {
    if (v.shape(0) != std::size_t(batch.rows())) throw nb::value_error("All vectors must have one value per row.");
  }
};

}  // namespace maxmargin::python
