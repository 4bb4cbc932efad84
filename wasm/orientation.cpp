#include "orientation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

// Errors of products and sums are computed here: a contraction would take them away.
#pragma clang fp contract(off)

namespace maxmargin::playground {

namespace {

// A sum without rounding: terms of growing size that do not overlap.
class Expansion {
 public:
  void add_product(double a, double b) {
    const double product = a * b;
    const auto [a_high, a_low] = split(a);
    const auto [b_high, b_low] = split(b);
    add(((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low);
    add(product);
  }
  // The nearest number; its sign is exact.
  double value() const {
    double sum = 0;
    for (int k = 0; k < size_; ++k) sum += terms_[k];
    return sum;
  }

 private:
  struct Halves {
    double high, low;
  };
  static Halves split(double a) {
    constexpr double factor = 134217729;  // 2^27 + 1
    const double shifted = factor * a, high = shifted - (shifted - a);
    return {high, a - high};
  }
  void add(double value) {
    int kept = 0;
    for (int k = 0; k < size_; ++k) {
      const double sum = value + terms_[k], part = sum - value;
      const double error = (value - (sum - part)) + (terms_[k] - part);
      if (error != 0) terms_[kept++] = error;
      value = sum;
    }
    terms_[kept++] = value;
    size_ = kept;
  }
  std::array<double, 16> terms_{};
  int size_ = 0;
};

using Points = std::vector<PlanePoint>;

bool same(const PlanePoint& a, const PlanePoint& b) { return a.x == b.x && a.y == b.y; }

// Is c, which is on the line through a and b, between them?
bool between(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c) {
  return std::min(a.x, b.x) <= c.x && c.x <= std::max(a.x, b.x) && std::min(a.y, b.y) <= c.y && c.y <= std::max(a.y, b.y);
}

// The weights of c on the segment from a to b, where it is.
Combination on_segment(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c) {
  if (same(a, c)) return {{a.row, 1}};
  if (same(b, c)) return {{b.row, 1}};
  const bool wide = std::abs(b.x - a.x) >= std::abs(b.y - a.y);
  const double part = wide ? (c.x - a.x) / (b.x - a.x) : (c.y - a.y) / (b.y - a.y);
  return {{a.row, 1 - part}, {b.row, part}};
}

// The weights of a point in the hull whose corners these are; empty if it is outside.
Combination inside(const Points& hull, const PlanePoint& point) {
  if (hull.size() == 1) return same(hull[0], point) ? Combination{{hull[0].row, 1}} : Combination{};
  if (hull.size() == 2) {
    if (orientation(hull[0], hull[1], point) != 0 || !between(hull[0], hull[1], point)) return {};
    return on_segment(hull[0], hull[1], point);
  }
  for (std::size_t k = 1; k + 1 < hull.size(); ++k) {
    const double a = orientation(hull[k], hull[k + 1], point), b = orientation(hull[k + 1], hull[0], point),
                 c = orientation(hull[0], hull[k], point);
    if (a < 0 || b < 0 || c < 0) continue;
    const double area = a + b + c;
    return {{hull[0].row, a / area}, {hull[k].row, b / area}, {hull[k + 1].row, c / area}};
  }
  return {};
}

// Two sides that cross each other, each with one end on either side of the other.
CommonPoint crossing(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c, const PlanePoint& d) {
  const double at_a = orientation(c, d, a), at_b = orientation(c, d, b), at_c = orientation(a, b, c),
               at_d = orientation(a, b, d);
  if (!((at_a < 0 && at_b > 0) || (at_a > 0 && at_b < 0)) || !((at_c < 0 && at_d > 0) || (at_c > 0 && at_d < 0))) return {};
  const double first = at_a / (at_a - at_b), second = at_c / (at_c - at_d);
  return {{{a.row, 1 - first}, {b.row, first}}, {{c.row, 1 - second}, {d.row, second}}};
}

}  // namespace

double orientation(const PlanePoint& a, const PlanePoint& b, const PlanePoint& c) {
  Expansion sum;
  sum.add_product(a.x, b.y);
  sum.add_product(-a.x, c.y);
  sum.add_product(-a.y, b.x);
  sum.add_product(a.y, c.x);
  sum.add_product(b.x, c.y);
  sum.add_product(-b.y, c.x);
  return sum.value();
}

std::vector<PlanePoint> convex_hull(std::vector<PlanePoint> points) {
  std::sort(points.begin(), points.end(), [](const PlanePoint& a, const PlanePoint& b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.row < b.row;
  });
  points.erase(std::unique(points.begin(), points.end(), same), points.end());
  if (points.size() < 3) return points;
  Points hull;
  const auto chain = [&](const auto& begin, const auto& end, std::size_t kept) {
    for (auto next = begin; next != end; ++next) {
      while (hull.size() > kept && orientation(hull[hull.size() - 2], hull.back(), *next) <= 0) hull.pop_back();
      hull.push_back(*next);
    }
  };
  chain(points.begin(), points.end(), 1);
  const std::size_t lower = hull.size();
  chain(points.rbegin() + 1, points.rend(), lower);
  hull.pop_back();
  return hull;
}

CommonPoint common_point(const std::vector<PlanePoint>& first, const std::vector<PlanePoint>& second) {
  const Points a = convex_hull(first), b = convex_hull(second);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) {
      CommonPoint found = crossing(a[i], a[(i + 1) % a.size()], b[j], b[(j + 1) % b.size()]);
      if (found.exists()) return found;
    }
  for (const PlanePoint& corner : a)
    if (Combination shares = inside(b, corner); !shares.empty()) return {{{corner.row, 1}}, std::move(shares)};
  for (const PlanePoint& corner : b)
    if (Combination shares = inside(a, corner); !shares.empty()) return {std::move(shares), {{corner.row, 1}}};
  return {};
}

}  // namespace maxmargin::playground
