// Plane geometry that decides exactly: on which side of a line a point is, for coordinates as they are stored.
#pragma once

#include <vector>

namespace maxmargin::playground {

struct PlanePoint {
  double x, y;
  int row;  // of the data
};

// Twice the area of the triangle, positive if a, b and c turn to the left. Its sign is that of the exact value: the products
// and their sum are kept as expansions, without rounding (Shewchuk 1997).
double orientation(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c);

// The corners of the convex hull, turning left; two for points on a line, one where all are the same.
std::vector<PlanePoint> convex_hull(std::vector<PlanePoint> points);

// The weights of a convex combination, by row.
struct Share {
  int row;
  double weight;
};
using Combination = std::vector<Share>;

// Two combinations that are the same point, one of each hull; both empty if the hulls have no point in common.
struct CommonPoint {
  Combination first, second;
  bool exists() const { return !first.empty(); }
};
CommonPoint common_point(const std::vector<PlanePoint>& first, const std::vector<PlanePoint>& second);

}  // namespace maxmargin::playground
