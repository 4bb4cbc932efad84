// Some rows that stand for all of them.
#pragma once

#include <memory>
#include <vector>

#include "maxmargin/linear/problem.hpp"

namespace maxmargin {

// Every `step`-th row, at so many times its cost.
struct RowsForAll {
  RowsForAll(const LinearProblem& all, Index step) : x(all.x->every(step)), problem(all) {
    for (Index i = 0; i < all.x->rows(); i += step) {
      y.push_back(all.y[i]);
      C.push_back(step * all.C[i]);
      if (all.target) target.push_back(all.target[i]);
    }
    problem.x = x.get();
    problem.y = y.data();
    problem.C = C.data();
    problem.target = all.target ? target.data() : nullptr;
  }
  RowsForAll(const RowsForAll&) = delete;
  RowsForAll& operator=(const RowsForAll&) = delete;

  std::unique_ptr<LinearRows> x;
  std::vector<double> y, C, target;
  LinearProblem problem;
};

}  // namespace maxmargin
