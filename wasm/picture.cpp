#include "picture.hpp"

#include <algorithm>
#include <array>

namespace maxmargin::playground {

Picture::Picture(const Fit& fit, const Grid& grid) : grid_(grid) {
  std::vector<double> points;
  points.reserve(2 * grid_.size());
  for (int j = 0; j < grid_.up; ++j)
    for (int i = 0; i < grid_.across; ++i) {
      points.push_back(grid_.x(i));
      points.push_back(grid_.y(j));
    }
  values_ = fit.values(points);
  winner_ = fit.winners(values_, grid_.size());
  for (int label = 0; label < std::max(2, int(fit.classes())); ++label)
    ahead_.push_back(fit.ahead(values_, grid_.size(), label));
  lead_.resize(grid_.size());
  for (std::size_t a = 0; a < lead_.size(); ++a) lead_[a] = std::max(0.0, ahead_[std::size_t(winner_[a])][a]);
}

std::vector<double> Picture::contour(std::size_t part, double level) const {
  return contour_of(values_.data() + part * grid_.size(), level);
}

std::vector<double> Picture::border(int label) const { return contour_of(ahead_[std::size_t(label)].data(), 0); }

// Marching squares. A cell whose diagonal corners are on one side is cut by its mean value.
std::vector<double> Picture::contour_of(const double* values, double level) const {
  struct End {
    double x, y;
  };
  std::vector<double> segments;
  for (int j = 0; j + 1 < grid_.up; ++j)
    for (int i = 0; i + 1 < grid_.across; ++i) {
      const std::size_t at = std::size_t(j) * std::size_t(grid_.across) + std::size_t(i),
                        above = at + std::size_t(grid_.across);
      const std::array<double, 4> corner{values[at] - level, values[at + 1] - level, values[above + 1] - level,
                                         values[above] - level};
      constexpr std::array<int, 4> right{0, 1, 1, 0}, up{0, 0, 1, 1};
      std::array<End, 4> ends{};
      int found = 0;
      for (std::size_t side = 0; side < 4; ++side) {  // from this corner to the next
        const std::size_t next = (side + 1) % 4;
        if ((corner[side] > 0) == (corner[next] > 0)) continue;
        const double part = corner[side] / (corner[side] - corner[next]);
        const double a = i + right[side] + part * (right[next] - right[side]), b = j + up[side] + part * (up[next] - up[side]);
        ends[std::size_t(found++)] = {grid_.left + (grid_.right - grid_.left) * a / (grid_.across - 1),
                                      grid_.bottom + (grid_.top - grid_.bottom) * b / (grid_.up - 1)};
      }
      const auto draw = [&](std::size_t a, std::size_t b) {
        segments.insert(segments.end(), {ends[a].x, ends[a].y, ends[b].x, ends[b].y});
      };
      if (found == 2) draw(0, 1);
      if (found < 4) continue;
      const bool joined = (corner[0] + corner[1] + corner[2] + corner[3] > 0) == (corner[0] > 0);
      draw(0, joined ? 1 : 3);
      draw(2, joined ? 3 : 1);
    }
  return segments;
}

}  // namespace maxmargin::playground
