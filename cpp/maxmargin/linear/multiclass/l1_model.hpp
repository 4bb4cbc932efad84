// One round of proximal Newton for weights of all classes that cost their absolute values, over a working set of weights.
//
// The model of the loss has the curvature  sum_i H_i (x) x_i x_i',  H_i = diag(alpha_i) - alpha_i alpha_i' / C_i. Few weights:
// its matrix. Many: the columns of their features, by coordinate descent and conjugate gradients on the face of constant signs.
// All offsets that are free may rise together: their sum has a curvature of its own, which does not change the answer.
#pragma once

#include <vector>

#include "maxmargin/linear/l1/quadratic.hpp"
#include "maxmargin/linear/multiclass/problem.hpp"
#include "maxmargin/rows/row_passes.hpp"

namespace maxmargin {

struct ClassWorkingSet : L1Coordinates {
  SomeColumns set;                  // features of which some class is in the set
  std::vector<Index> place, klass;  // of each weight: of its feature in the set, which has its size for the offset
  bool free_offsets = false;        // there are, of all classes
  bool settled = false;             // whether the set hardly grows
  double gauge = 0;                 // the curvature of their sum

  bool is_offset(Index p) const { return place[p] == Index(set.columns.size()); }
};

class ClassGramModel {
 public:
  ClassGramModel(const ClassProblem& problem, RowPasses& passes) : problem_(problem), passes_(passes) {}
  // The matrix, from `alpha` [n][width]. False if the record says to stop.
  bool fill(const ClassWorkingSet& model, const std::vector<double>& alpha, NewtonRecord& record);
  // As often as damping changes; also false if the record says to stop.
  bool solve(ClassWorkingSet& model, NewtonRecord& record) { return quadratic_.solve(model, record); }

 private:
  const ClassProblem& problem_;
  RowPasses& passes_;
  QuadraticModel quadratic_;
  std::vector<double> weight_, part_, sum_;
};

class ClassColumnModel {
 public:
  ClassColumnModel(const ClassProblem& problem, const ColumnAccess& x);
  bool solve(ClassWorkingSet& model, const std::vector<double>& alpha, NewtonRecord& record);

 private:
  template <class Visit>
  void for_entries(const ClassWorkingSet& model, Index p, const Visit& visit) const;  // visit(row, value)
  double slope(const ClassWorkingSet& model, Index p) const;
  void move(ClassWorkingSet& model, Index p, double to);
  bool descend(ClassWorkingSet& model, NewtonRecord& record);
  double value(const ClassWorkingSet& model) const;
  double on_the_face(ClassWorkingSet& model, int gradients, NewtonRecord& record);
  void conjugate_gradients(const ClassWorkingSet& model, const std::vector<Index>& free, int most, NewtonRecord& record);

  const ClassProblem& problem_;
  const ColumnAccess& x_;
  std::size_t n_;
  ColumnStore columns_;
  std::vector<double> ones_, inverse_;    // of the rows: 1, and 1 / C
  std::vector<double> alpha_, z_, mean_;  // [classes][n]: alpha, X (u - w), and sum_k alpha_k z_k / C of a row
  std::vector<double> curvature_;         // of each weight
  double floor_ = 0, offset_sum_ = 0;     // what is added to it; sum of u - w of free offsets
  // Of the conjugate gradients; toward_: their answer.
  std::vector<double> residual_, toward_, search_, image_, image_mean_;
};

}  // namespace maxmargin
