// One round over a working set of features.
//
// Few features: the quadratic model of the loss, with its matrix H = sum_i h_i x_i x_i',
//
//     minimise over u  g'(u - w) + 1/2 (u - w)' (H + ridge + damping) (u - w) + sum_k cost_k |u_k|
//
// by coordinate descent, and Newton's steps on the face of constant signs, which end it exactly. Many features: their columns,
// scaled by a factor for each row, a_ik = factor_i x_ik, in
//
//     minimise over u  g'(u - w) + 1/2 sum_k ridge_k (u_k - w_k)^2 + 1/2 sum_i v_i(e_i + sum_k a_ik (u_k - w_k))^2
//                      + sum_k cost_k |u_k|
//
// where v_i is what an error has above 0 or outside of a tube. That is the same model with e = 0 and v(e) = e; and it is a
// squared hinge or a squared tube itself with g = ridge w, so that rows may come to curve or cease to while coordinates move: a
// model without them goes too far where there are as many features as rows with curvature. By coordinate descent and conjugate
// gradients on the face.
#pragma once

#include <vector>

#include "maxmargin/linear/dual_sums.hpp"
#include "maxmargin/linear/l1/quadratic.hpp"
#include "maxmargin/linear/record.hpp"
#include "maxmargin/rows/row_passes.hpp"

namespace maxmargin {

struct L1Model : L1Coordinates {
  SomeColumns set;       // features in the working set; w, g, cost and ridge are of the set, then of the offset
  double constant = 0;   // value of the feature that the offset is the weight of, 0 where there is none; it comes last
  bool settled = false;  // whether the set hardly grows
};

class GramModel {
 public:
  explicit GramModel(RowPasses& passes) : passes_(passes) {}
  // The matrix. `curvature` is h.
  void fill(const L1Model& model, const std::vector<double>& curvature);
  // As often as damping changes. False if the record says to stop.
  bool solve(L1Model& model, LinearRecord& record) { return quadratic_.solve(model, record); }

 private:
  RowPasses& passes_;
  QuadraticModel quadratic_;
  std::vector<double> sum_;
};

// What rows lose: half the square of the error; of the error above 0; of the error above 0 or below -width.
enum class RowLoss { square, above, outside };
struct RowTerms {
  RowLoss loss = RowLoss::square;
  std::vector<double> factor, error, width;
};

class ColumnModel {
 public:
  explicit ColumnModel(const ColumnAccess& x) : x_(x) {}
  bool solve(L1Model& model, RowTerms& rows, LinearRecord& record);

 private:
  struct Local {
    double slope, curvature;
  };
  template <class Visit>
  void for_entries(Index k, const RowTerms& rows, const Visit& visit) const;  // visit(row, a)
  template <RowLoss loss>
  bool descend(L1Model& model, RowTerms& rows, LinearRecord& record);
  template <RowLoss loss>
  Local look(const L1Model& model, const RowTerms& rows, Index k) const;
  template <RowLoss loss>
  void move(L1Model& model, RowTerms& rows, Index k, const Local& here);
  template <RowLoss loss>
  double value(const L1Model& model, const RowTerms& rows, const std::vector<double>& u,
               const std::vector<double>& error) const;
  template <RowLoss loss>
  double on_the_face(L1Model& model, RowTerms& rows, int gradients, LinearRecord& record);
  void conjugate_gradients(std::size_t rows, int most, LinearRecord& record);

  const ColumnAccess& x_;
  ColumnStore columns_, face_;  // face_: what is not 0, in rows with curvature
  double constant_ = 0, floor_ = 0;
  int gradients_ = 1;
  std::vector<double> curvature_;  // of squares, which does not change
  // Of the conjugate gradients; toward_: their answer.
  std::vector<double> diagonal_, ridge_, residual_, toward_, search_, image_, next_;
};

}  // namespace maxmargin
