// Newton's system of a linear model with many features, by conjugate gradients.
//
// With more rows with curvature than features, over the features. Few of them are heavy in most data (the offset, common
// words), and make the system ill-conditioned: the preconditioner has their block of the Hessian exactly, factored, and of the
// others the diagonal. With fewer rows, over the rows, whose diagonal evens out long and short ones; of a smooth loss, all of
// whose rows curve somewhat, where few curve much.
#pragma once

#include <vector>

#include "maxmargin/linear/dual_sums.hpp"
#include "maxmargin/linear/record.hpp"

namespace maxmargin {

// Some rows, and (1 / curvature + Y X R^-1 X' Y) change = wanted for their multipliers.
struct Face {
  std::vector<Index> rows;
  std::vector<double> curvature, wanted, change;
  double balance = 0, offset = 0;  // where the offset is free: of y'change; the multiplier of that
  void clear() {
    rows.clear();
    curvature.clear();
    wanted.clear();
  }
  void add(Index row, double row_curvature, double row_wanted) {
    rows.push_back(row);
    curvature.push_back(row_curvature);
    wanted.push_back(row_wanted);
  }
};

class ConjugateGradients {
 public:
  // size: features, and one more if there is an offset
  ConjugateGradients(const LinearProblem& problem, RowPasses& passes, Index size);

  // (ridge + X' diag(curvature) X) direction = -gradient, until the residual is `forcing` of what it was. `offset_floor` is
  // what the offset has at least. False if the record says to stop.
  bool solve(const std::vector<double>& curvature, const std::vector<double>& ridge, double offset_floor,
             const std::vector<double>& gradient, double forcing, std::vector<double>& direction, LinearRecord& record);

  // out_i = y_i <direction, x_i> of the last system's direction: in a smooth loss' first rounds mostly without reading the
  // rows.
  void margins(const std::vector<double>& direction, std::vector<double>& out) const;

  // The same as the first of some multipliers, for face.change.
  bool solve(Face& face, const std::vector<double>& ridge, double forcing, LinearRecord& record);

 private:
  bool solve_by_features(const std::vector<double>& curvature, const std::vector<double>& gradient, double forcing,
                         std::vector<double>& direction, LinearRecord& record);
  bool solve_by_rows(const std::vector<double>& gradient, double forcing, std::vector<double>& direction, LinearRecord& record);
  bool iterate_rows(Face& face, double enough, double forcing, LinearRecord& record);
  void combine_rows(const Face& face, const std::vector<double>& p, std::vector<double>& out);
  void products_of_rows(const Face& face, const std::vector<double>& v, std::vector<double>& out);
  void choose_columns();
  void prepare(const std::vector<double>& curvature);
  void precondition(const std::vector<double>& residual, std::vector<double>& out);
  void multiply(const std::vector<double>& p, std::vector<double>& out);

  const LinearRows& x_;
  const double *y_, *C_;
  bool penalty_, smooth_, tells_ = false;  // tells: the last system, its rows' margins along the direction
  RowPasses& passes_;
  Index size_, d_, heavy_ = 0, stride_ = 0;
  std::vector<double> square_;  // |x_i|^2
  SomeColumns some_;
  std::vector<Index> active_;  // rows with curvature
  std::vector<double> curve_;  // their curvatures
  std::vector<double> image_, ridge_, diagonal_, block_, heavy_part_, sum_, residual_, fitted_, search_, room_;
  Face face_;
  std::vector<double> row_fitted_, row_search_, row_image_, row_diagonal_;
};

}  // namespace maxmargin
