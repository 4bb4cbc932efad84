#include "maxmargin/linear/row_terms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "maxmargin/linear/losses.hpp"

namespace maxmargin {

RowTerms& RowTerms::operator+=(const RowTerms& other) {
  loss += other.loss;
  of_slopes += other.of_slopes;
  for (const auto& [own, its] : {std::pair(&minus, &other.minus), std::pair(&plus, &other.plus)}) {
    own->abs_sum += its->abs_sum;
    own->gain += its->gain;
    own->square += its->square;
  }
  return *this;
}

RowTerms row_terms(const LinearProblem& problem, const RowLosses& losses, Index begin, Index end, const double* z,
                   double* alpha, double* curvature, double* share, double* negative) {
  constexpr Index block = RowLosses::block;
  const bool quadratic = is_quadratic(problem.loss);
  double loss[block], product = 0;
  RowTerms terms;
  for (Index i = begin; i < end; i += block) {
    const Index count = std::min(block, end - i);
    losses.at(i, count, z + i, alpha + i, curvature + i, loss);
    for (Index k = 0; k < count; ++k) {
      const Index row = i + k;
      const double own = alpha[row], signed_alpha = problem.y[row] * own;
      const bool up = signed_alpha > 0;
      const double abs_sum = std::abs(own), square = quadratic ? 0.25 * own * own / problem.C[row] : 0.0;
      const double gain = problem.target ? linear_gain(problem, row, own) : abs_sum;
      terms.loss += loss[k];
      product += own * z[row];
      terms.plus.abs_sum += up ? abs_sum : 0.0;  // no branches: signs come as they like
      terms.minus.abs_sum += up ? 0.0 : abs_sum;
      terms.plus.gain += up ? gain : 0.0;
      terms.minus.gain += up ? 0.0 : gain;
      terms.plus.square += up ? square : 0.0;
      terms.minus.square += up ? 0.0 : square;
      share[row] = negative && !up ? 0.0 : signed_alpha;
      if (negative) negative[row] = up ? 0.0 : signed_alpha;
    }
  }
  terms.of_slopes = terms.loss + product;
  return terms;
}

}  // namespace maxmargin
