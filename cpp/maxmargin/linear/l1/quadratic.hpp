// A quadratic model whose coordinates cost their absolute values, with its matrix,
//
//     minimise over u  g'(u - w) + 1/2 (u - w)' H (u - w) + sum_k cost_k |u_k|
//
// by coordinate descent, and Newton's steps on the face of constant signs, which end it exactly.
#pragma once

#include <vector>

#include "maxmargin/newton/record.hpp"

namespace maxmargin {

// The coordinates of a working set, where they are and what they cost.
struct L1Coordinates {
  std::vector<double> w, g, cost, ridge;  // g has the slope of the ridge
  std::vector<double> u;                  // where it is least: the answer
  std::vector<double> damping;            // more curvature, on the diagonal
  double worst = 0;                       // violation at w, the largest of all coordinates

  Index size() const { return Index(w.size()); }
  // How far a coordinate is from its optimum, from the slope r of the smooth part.
  static double violation(double u, double r, double cost);
  // The least point along one coordinate of curvature h.
  static double least(double u, double r, double h, double cost);
};

class QuadraticModel {
 public:
  // Room for a matrix, filled with 0.
  void begin(Index size);
  double* row(Index k) { return H_.data() + std::ptrdiff_t(k) * stride_; }
  Index stride() const { return stride_; }
  // With the lower triangle of H filled: ridge and damping come to its diagonal here, and may be others when it is called
  // again. False if the record says to stop.
  bool solve(L1Coordinates& model, NewtonRecord& record);

 private:
  void complete(Index size);
  double sweep(L1Coordinates& model);
  void on_the_face(L1Coordinates& model, NewtonRecord& record);
  void move(L1Coordinates& model, Index k, double to);

  Index stride_ = 0;
  double floor_ = 0;
  std::vector<double> H_, r_;     // r: g + H (u - w)
  std::vector<double> diagonal_;  // of the matrix as it was filled; none: its upper triangle is not there yet
};

}  // namespace maxmargin
