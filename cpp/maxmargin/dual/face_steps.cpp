#include "maxmargin/dual/face_steps.hpp"

#include <algorithm>
#include <vector>

#include "maxmargin/newton/face_newton.hpp"

namespace maxmargin {

namespace {

constexpr Index face_limit = 1500;  // systems up to this size are factored

}  // namespace

template <class R>
double FaceSteps<R>::factor_work() const {
  double m = 0;
  for (Index k = 0; k < active_.size(); ++k) m += active_.variables.is_free(k);
  return m * m * m / 3;
}

template <class R>
auto FaceSteps<R>::take() -> Result {
  Variables<R>& v = active_.variables;
  const Keep keep = active_.problem().keep;
  std::vector<Index> free, moved;
  std::vector<int> part;  // which sum a free variable belongs to
  for (Index k = 0; k < v.n; ++k) {
    if (v.is_free(k)) {
      free.push_back(k);
      part.push_back(keep == Keep::sides && v.beta[k] < 0 ? 1 : 0);
    }
    if (v.is_free(k) || active_.has_moved(k)) moved.push_back(k);
  }
  const auto m = free.size();
  cost_ = double(m) * double(m) * double(m) / 3 + 4.0 * double(v.n) * double(moved.size());
  if (m == 0 || (m == 1 && keep != Keep::nothing)) return Result::nothing_free;
  if (keep == Keep::nothing) part.clear();
  RowStore<R>& rows = active_.rows();
  if (Index(m) > face_limit || Index(moved.size()) > rows.capacity()) return Result::unfit;
  active_.fetch(moved, -1);
  std::vector<double> K(m * m, 0.0);
  for (std::size_t a = 0; a < m; ++a) {
    const R* const from = rows.row(free[a]);
    for (std::size_t b = 0; b < a; ++b) K[a * m + b] = double(from[free[b]]);
    K[a * m + a] = double(v.diagonal[free[a]]);
  }
  // The ridge that float32 rows need hides small negative eigenvalues: only float64 rows can tell.
  const double rounding = sizeof(R) == 4 ? 1e-9 : active_.is_of_float32() ? 1e-12 : 2.5e-16;
  FaceNewton face(std::move(K), Index(m), std::move(part), rounding);
  if (!face.positive()) {
    state_.outcome.negative_curvature |= sizeof(R) == 8;
    return Result::unfit;
  }
  ++state_.outcome.newton_rounds;
  // A second and third solution with the same factor wash out the ridge and the rounding.
  for (int refinement = 0; refinement < 3 && !face.fixed_any(); ++refinement) {
    std::vector<double> g(m), lower(m), upper(m);
    for (std::size_t a = 0; a < m; ++a) {
      const Index k = free[a];
      g[a] = active_.gradient(k) + v.bend(k);
      lower[a] = v.floor(k) - v.beta[k];
      upper[a] = v.ceiling(k) - v.beta[k];
    }
    const std::vector<double> d = face.minimise(g, lower, upper);
    for (std::size_t a = 0; a < m; ++a) {
      const Index k = free[a];
      const double floor = v.floor(k), ceiling = v.ceiling(k);
      v.beta[k] = d[a] == upper[a] ? ceiling : d[a] == lower[a] ? floor : std::clamp(v.beta[k] + d[a], floor, ceiling);
      v.set_masks(k);
    }
    active_.refresh_gradient();
  }
  active_.take_gradient();
  return Result::done;
}

template <class R>
bool FaceSteps<R>::refresh() {
  std::vector<Index> moved;
  for (Index k = 0; k < active_.size(); ++k)
    if (active_.has_moved(k)) moved.push_back(k);
  if (active_.size() > face_limit || Index(moved.size()) > active_.rows().capacity()) return false;
  active_.fetch(moved, -1);
  active_.refresh_gradient();
  return true;
}

template class FaceSteps<float>;
template class FaceSteps<double>;

}  // namespace maxmargin
