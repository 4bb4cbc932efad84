// What is drawn of a fit: its values on a grid, and the lines on which they have a level.
#pragma once

#include <vector>

#include "fit.hpp"

namespace maxmargin::playground {

struct Grid {
  double left, right, bottom, top;
  int across, up;

  double x(int i) const { return left + (right - left) * i / (across - 1); }
  double y(int j) const { return bottom + (top - bottom) * j / (up - 1); }
  std::size_t size() const { return std::size_t(across) * std::size_t(up); }
};

class Picture {
 public:
  Picture(const Fit& fit, const Grid& grid);
  // [part][row from the bottom][column]
  const std::vector<double>& values() const { return values_; }
  // Of each point of the grid: who wins, and by how much.
  const std::vector<double>& winner() const { return winner_; }
  const std::vector<double>& lead() const { return lead_; }
  // Segments x, y, x, y on which a part has this value, straight between the sides of cells.
  std::vector<double> contour(std::size_t part, double level) const;
  // The same for where a class begins to win.
  std::vector<double> border(int label) const;

 private:
  std::vector<double> contour_of(const double* values, double level) const;

  Grid grid_;
  std::vector<double> values_, winner_, lead_;
  std::vector<std::vector<double>> ahead_;  // of each class
};

}  // namespace maxmargin::playground
