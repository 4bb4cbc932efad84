#include "annotations.hpp"

#include <algorithm>
#include <cmath>

namespace maxmargin::playground {

namespace {

constexpr double apart = 1e-4;  // of the points that a gradient is taken from
constexpr double longest_step = 0.5, farthest = 6;
constexpr double near = 1e-6;
constexpr int most_steps = 24;

struct Walker {
  double x, y, begin_x, begin_y, target;
  bool arrived = false, lost = false;
};

// Newton's method along the gradient, all rows at a time.
void go(const Fit& fit, std::vector<Walker>& walkers) {
  const std::size_t count = walkers.size();
  for (int step = 0; step < most_steps; ++step) {
    std::vector<double> points;
    const auto look = [&](double dx, double dy) {
      for (const Walker& w : walkers) points.insert(points.end(), {w.x + dx, w.y + dy});
    };
    look(0, 0);
    look(apart, 0);
    look(-apart, 0);
    look(0, apart);
    look(0, -apart);
    const std::vector<double> f = fit.values(points);
    for (std::size_t k = 0; k < count; ++k) {
      Walker& w = walkers[k];
      const double missing = w.target - f[k];
      w.arrived = std::abs(missing) <= near * std::max(1.0, std::abs(w.target));
      if (w.arrived || w.lost) continue;
      const double gx = (f[count + k] - f[2 * count + k]) / (2 * apart),
                   gy = (f[3 * count + k] - f[4 * count + k]) / (2 * apart);
      const double square = gx * gx + gy * gy;
      if (!(square > 1e-12)) {
        w.lost = true;
        continue;
      }
      const double length = std::abs(missing) / std::sqrt(square), part = std::min(1.0, longest_step / length);
      w.x += part * missing * gx / square;
      w.y += part * missing * gy / square;
      w.lost = std::hypot(w.x - w.begin_x, w.y - w.begin_y) > farthest;
    }
  }
}

}  // namespace

std::vector<double> slack_lines(const Fit& fit) {
  if (fit.parts() != 1) return {};
  const Request& request = fit.request();
  const PointColumns columns = fit.columns(0);
  std::vector<double> segments;
  std::vector<Walker> walkers;
  for (std::size_t i = 0; i < columns.row.size(); ++i) {
    if (!(columns.slack[i] > 1e-4)) continue;
    const double* const row = request.x.data() + std::ptrdiff_t(i) * request.columns;
    if (request.settings.formulation == Formulation::regression) {
      const double side = columns.y[i] > columns.score[i] ? 1 : -1;
      segments.insert(segments.end(), {row[0], columns.y[i], row[0], columns.score[i] + side * request.settings.epsilon});
      continue;
    }
    const double target = request.has_classes() ? columns.y[i] : 0;
    walkers.push_back({row[0], row[1], row[0], row[1], target});
  }
  if (walkers.empty()) return segments;
  go(fit, walkers);
  for (const Walker& w : walkers)
    if (w.arrived) segments.insert(segments.end(), {w.begin_x, w.begin_y, w.x, w.y});
  return segments;
}

std::vector<double> proof_means(const Fit& fit, std::size_t part) {
  if (fit.is_joint() || fit.part(part).solved.proof.empty() || fit.request().columns != 2) return {};
  const PointColumns columns = fit.columns(part);
  std::vector<double> means(4, 0.0);
  for (std::size_t i = 0; i < columns.row.size(); ++i) {
    const double* const row = fit.request().x.data() + 2 * std::ptrdiff_t(columns.row[i]);
    const bool turned = !fit.request().settings.offset;
    const std::size_t at = columns.y[i] > 0 || turned ? 0 : 2;
    const double weight = columns.weight[i] * (turned ? columns.y[i] : 1);
    means[at] += weight * row[0];
    means[at + 1] += weight * row[1];
  }
  return means;
}

std::vector<double> standardised(const std::vector<double>& x, Index columns) {
  std::vector<double> found(x);
  const std::size_t width = std::size_t(columns), n = x.size() / width;
  for (std::size_t c = 0; c < width; ++c) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < n; ++i) mean += x[i * width + c] / double(n);
    for (std::size_t i = 0; i < n; ++i) square += (x[i * width + c] - mean) * (x[i * width + c] - mean) / double(n);
    const double scale = square > 0 ? std::sqrt(square) : 1;
    for (std::size_t i = 0; i < n; ++i) found[i * width + c] = std::round(1000 * (x[i * width + c] - mean) / scale) / 1000;
  }
  return found;
}

}  // namespace maxmargin::playground
