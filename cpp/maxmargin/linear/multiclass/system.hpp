// Newton's system of a model of all classes: (ridge + sum_i curvature_i (x) x_i x_i') direction = -gradient.
//
// Conjugate gradients, whose preconditioner is the part of each class by itself, or one for all classes where that would cost
// too much, or the diagonal where features are many. A small system is factored if that is cheaper than the steps it saves.
#pragma once

#include <vector>

#include "maxmargin/linear/multiclass/passes.hpp"
#include "maxmargin/linear/multiclass/record.hpp"
#include "maxmargin/linear/multiclass/rows.hpp"
#include "maxmargin/rows/row_passes.hpp"

namespace maxmargin {

class ClassSystem {
 public:
  // Vectors are [size][width]: weights of all classes feature by feature, the offsets last.
  ClassSystem(const ClassProblem& problem, const ClassRows& rows, ClassPasses& passes, const std::vector<double>& ridge);

  // To a residual of `forcing` times the gradient, in the norm of the preconditioner, or to one that leaves no more than `goal`
  // unsolved. False: the record stopped it.
  bool solve(const std::vector<double>& alpha, const std::vector<double>& gradient, double forcing, double goal,
             std::vector<double>& direction, ClassRecord& record);
  // What the gap of the two objectives is at a point with this gradient: 1/2 |gradient|^2, and what it costs to make
  // multipliers level where offsets are free: scores are about 1 apart.
  double unsolved(const std::vector<double>& gradient) const;

  static constexpr Index widest_part = 1024;  // features of a preconditioner that is a factor

 private:
  enum class Kind { by_class, shared, diagonal };

  double held(Index a) const;
  void look(const std::vector<double>& alpha, bool coarse);
  bool factor(const std::vector<double>& alpha, const std::vector<double>& gradient, std::vector<double>& direction,
              ClassRecord& record);
  bool descend(const std::vector<double>& alpha, const std::vector<double>& gradient, double forcing, double goal,
               std::vector<double>& direction, ClassRecord& record);
  void times(const std::vector<double>& alpha, const std::vector<double>& v, std::vector<double>& out);
  void prepare(const std::vector<double>& alpha);
  void sample(Index rows);
  void find_diagonals(const std::vector<double>& alpha);
  void weigh(const std::vector<double>& alpha, Index k);
  void outer(const std::vector<double>& weight, double* H);
  void factor_part(Index k, double* H);
  void precondition(const std::vector<double>& r, std::vector<double>& z);
  const double* row(const std::vector<double>& alpha, Index i) const { return alpha.data() + std::ptrdiff_t(i) * width_; }

  const ClassProblem& problem_;
  const ClassRows& rows_;
  ClassPasses& passes_;
  RowPasses linear_;
  const std::vector<double>& ridge_;
  Index n_, d_, K_, width_, size_, stride_;
  Kind kind_;
  double in_row_, product_cost_ = 0, part_cost_ = 0, factor_cost_ = 0;  // costs in multiplications
  double thinned_ = 1;                                                  // one of so many rows stands for all
  double shared_at_ = 0;                                                // what was spent when the shared part was made
  double spent_ = 0;                                                    // on steps since the preconditioner was made
  int steps_ = 0;                                                       // that were more than a factor is worth
  bool prepared_ = false;
  std::vector<Index> live_, counts_;
  std::vector<double> weight_, parts_, part_, column_, diagonals_, H_, r_, z_, p_, Hp_;
  double mean_C_;
};

}  // namespace maxmargin
