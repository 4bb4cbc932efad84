// What one row adds to the objective of all classes: its loss, its multipliers and its curvature.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "maxmargin/linear/multiclass/problem.hpp"
#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

// alpha becomes the nearest point with alpha >= 0 and sum `C`, by leaving out what falls below the mean excess (Michelot
// 1986).
inline void project_to_simplex(Index K, double C, double* alpha) {
  const double top = *std::max_element(alpha, alpha + K);
  for (Index k = 0; k < K; ++k) alpha[k] -= top;
  double level = -C;  // below it nothing is left
  for (Index kept = K + 1;;) {
    double sum = 0;
    Index count = 0;
    for (Index k = 0; k < K; ++k)
      if (alpha[k] > level) sum += alpha[k], ++count;
    if (count == kept) break;
    kept = count;
    level = std::max(level, (sum - C) / count);
  }
  for (Index k = 0; k < K; ++k) alpha[k] = alpha[k] > level ? alpha[k] - level : 0.0;
}

// The loss of the highest score, max over alpha >= 0 with sum C of  <alpha, f + [k != y]> - C f_y,  gets curvature from
//
//     - |alpha - centre|^2 / (2 penalty_parameter C),
//
// whose alpha = the projection of  centre + penalty_parameter C (f + [k != y])  becomes the next centre: see linear/newton.hpp.
class ClassRows {
 public:
  explicit ClassRows(const ClassProblem& problem) : problem_(problem), width_(problem.width()) {
    if (smoothed()) {
      const Index n = problem.x->rows();
      centre_.assign(std::size_t(n) * std::size_t(width_), 0.0);
      double square = 0;
      for (Index i = 0; i < n; ++i) {
        centre_[at(i, problem.label[i])] = problem.C[i];
        square += problem.C[i] * (problem.x->square(i) + 1.0);
      }
      // Multipliers are of the size 1/|x|^2 where C is larger than that.
      penalty_parameter_ = std::min(0.3, 4.0 * n / square);
    }
  }

  bool smoothed() const { return problem_.loss == ClassLoss::crammer_singer; }
  double penalty_parameter() const { return smoothed() ? penalty_parameter_ : 1.0; }

  // Loss and multipliers of some rows [first, first + count) at scores f; both [count][width]. For the multinomial loss also
  // log sum exp f.
  double multipliers(Index first, Index count, const double* f, double* alpha, double* log_sums) const {
    double sum = 0;
    if (smoothed()) {
      for (Index r = 0; r < count; ++r)
        sum += project(first + r, f + std::ptrdiff_t(r) * width_, alpha + std::ptrdiff_t(r) * width_);
      return sum;
    }
    constexpr Index most = 64;
    double top[most], rest[most];
    simd().exponentials(count, problem_.classes, width_, f, alpha, top, rest);
    for (Index r = 0; r < count; ++r) {
      const Index i = first + r;
      const double C = problem_.C[i], factor = C / (1.0 + rest[r]);
      double* const row = alpha + std::ptrdiff_t(r) * width_;
      for (Index k = 0; k < width_; ++k) row[k] *= factor;
      const double log = std::log1p(rest[r]);
      log_sums[r] = top[r] + log;
      sum += C * (log + (top[r] - f[std::ptrdiff_t(r) * width_ + problem_.label[i]]));
    }
    return sum;
  }

  // alpha - C e_y, whose own entry is minus the sum of the others.
  void slopes(Index i, const double* alpha, double* out) const {
    const Index y = problem_.label[i];
    double others = 0;
    for (Index k = 0; k < width_; ++k) {
      out[k] = alpha[k];
      if (k != y) others += alpha[k];
    }
    out[y] = -others;
  }

  // z becomes the curvature times z.
  void curve(Index i, const double* alpha, double* z) const {
    const Index K = problem_.classes;
    if (!smoothed()) {
      double mean = 0;
      for (Index k = 0; k < K; ++k) mean += alpha[k] * z[k];
      mean /= problem_.C[i];
      for (Index k = 0; k < K; ++k) z[k] = alpha[k] * (z[k] - mean);
      return;
    }
    double mean = 0, count = 0;
    for (Index k = 0; k < K; ++k)
      if (alpha[k] > 0) mean += z[k], ++count;
    mean /= std::max(count, 1.0);
    const double rate = penalty_parameter_ * problem_.C[i];
    for (Index k = 0; k < K; ++k) z[k] = alpha[k] > 0 ? rate * (z[k] - mean) : 0.0;
  }

  // How many classes a row has multipliers of.
  Index count(const double* alpha) const {
    return Index(std::count_if(alpha, alpha + problem_.classes, [](double a) { return a > 0; }));
  }

  // The entry (k, l) of the curvature of a row that has multipliers of `count` classes.
  double curvature(Index i, Index count, const double* alpha, Index k, Index l) const {
    if (!smoothed()) return alpha[k] * ((k == l) - alpha[l] / problem_.C[i]);
    if (!(alpha[k] > 0 && alpha[l] > 0)) return 0;
    return penalty_parameter_ * problem_.C[i] * ((k == l) - 1.0 / count);
  }

  // The centre of the first smoothing.
  void begin_at(const std::vector<double>& alpha) { centre_ = alpha; }

  static constexpr double increase = 4.0;
  // What alpha has become is the centre of the next smoothing, which is closer to the loss.
  void update_multipliers(const std::vector<double>& alpha) {
    centre_ = alpha;
    if (penalty_parameter_ < 1e9) penalty_parameter_ *= increase;
  }

 private:
  std::size_t at(Index i, Index k) const { return std::size_t(i) * std::size_t(width_) + std::size_t(k); }

  double project(Index i, const double* f, double* alpha) const {
    const Index K = problem_.classes, y = problem_.label[i];
    const double C = problem_.C[i], rate = penalty_parameter_ * C;
    const double* const centre = centre_.data() + at(i, 0);
    double highest = f[y];
    for (Index k = 0; k < K; ++k) {
      const double score = f[k] + (k != y);
      highest = std::max(highest, score);
      alpha[k] = centre[k] + rate * (score - f[y]);
    }
    for (Index k = K; k < width_; ++k) alpha[k] = 0;
    project_to_simplex(K, C, alpha);
    return C * (highest - f[y]);
  }

  const ClassProblem& problem_;
  Index width_;
  std::vector<double> centre_;
  double penalty_parameter_ = 0.3;
};

}  // namespace maxmargin
