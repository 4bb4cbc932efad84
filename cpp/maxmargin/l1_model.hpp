// The quadratic model of one Newton round over a working set of features:
//
//     minimise over u  g'(u - w) + 1/2 (u - w)' H (u - w) + sum_k cost_k |u_k|,   H = sum_i h_i x_i x_i'
//
// by coordinate descent. Two ways to hold H: as a matrix, where few features are in the set, with Newton's steps on the face of
// constant signs, which end exactly; or as the columns of the rows that curve, scaled by sqrt(h_i).
#pragma once

#include <vector>

#include "maxmargin/linear_passes.hpp"
#include "maxmargin/linear_state.hpp"

namespace maxmargin {

// Columns of some features, one after the other; what is 0 is left out.
struct ColumnStore {
  std::vector<std::int64_t> start;  // one more than there are columns
  std::vector<Index> row;
  std::vector<double> value;
};

struct L1Model {
  SomeColumns set;                // features in the working set
  double constant = 0;            // value of the feature that the offset is the weight of, 0 where there is none; it comes last
  std::vector<double> w, g, cost;  // of the set, then of the offset
  std::vector<double> u;          // where the model is least: the answer
  double worst = 0;               // violation at w, the largest of all coordinates

  Index size() const { return Index(w.size()); }
  // How far a coordinate is from its optimum, from the slope r of the smooth part.
  static double violation(double u, double r, double cost);
  // The least point along one coordinate of curvature h.
  static double least(double u, double r, double h, double cost);
};

// False if the record says to stop. `curvature` is h.
class GramModel {
 public:
  explicit GramModel(LinearPasses& passes) : passes_(passes) {}
  bool solve(L1Model& model, const std::vector<double>& curvature, LinearRecord& record);

 private:
  void fill(const L1Model& model, const std::vector<double>& curvature);
  double sweep(L1Model& model);
  void on_the_face(L1Model& model);
  void move(L1Model& model, Index k, double to);

  LinearPasses& passes_;
  Index stride_ = 0;
  double floor_ = 0;
  std::vector<double> H_, r_, sum_;  // r: g + H (u - w)
};

class ColumnModel {
 public:
  explicit ColumnModel(const Features& x) : x_(x) {}
  bool solve(L1Model& model, const std::vector<double>& curvature, LinearRecord& record);

 private:
  double slope(const L1Model& model, Index k) const;
  void move(L1Model& model, Index k, double to);

  const Features& x_;
  ColumnStore columns_;
  std::vector<double> root_, along_, diagonal_;  // sqrt(h), sqrt(h_i) <u - w, x_i>, diagonal of H
};

}  // namespace maxmargin
