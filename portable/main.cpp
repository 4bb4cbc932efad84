// The core by itself, without Python: solves a table of problems and prints what their certificates say, a line for each.
// portable/check.py compiles it for other platforms, and compares the lines of those that can run here.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "../wasm/fit.hpp"
#include "../wasm/point_sets.hpp"
#include "maxmargin/kernels/kernel_traits.hpp"
#include "maxmargin/platform/cpu.hpp"
#include "maxmargin/platform/thread_pool.hpp"

namespace {

using namespace maxmargin;
using namespace maxmargin::playground;

struct Case {
  const char* name;
  const char* points;
  int count, classes;
  Settings settings;
  Formula formula;
  Scheme scheme = Scheme::pairs;
};

// Four kernels and all questions; the last is large enough for mappings, samples and several threads.
const Case cases[] = {
    {"hard margin, linear", "blobs", 60, 2, {.formulation = Formulation::hard_margin}, {KernelKind::linear}},
    {"soft margin, rbf", "moons", 200, 2, {.C = 10}, {KernelKind::rbf, 3, 1.0, 0.0}},
    {"squared slack, polynomial", "circles", 150, 2, {.squared = true, .C = 2}, {KernelKind::polynomial, 2, 1.0, 1.0}},
    {"without offset, laplacian", "xor", 120, 2, {.offset = false, .C = 5}, {KernelKind::laplacian, 3, 0.7, 0.0}},
    {"nu", "overlap", 150, 2, {.formulation = Formulation::nu_classification, .nu = 0.4}, {KernelKind::rbf, 3, 0.5, 0.0}},
    {"tube", "sine", 150, 2, {.formulation = Formulation::regression, .C = 10}, {KernelKind::rbf, 3, 0.5, 0.0}},
    {"one class", "cloud", 150, 2, {.formulation = Formulation::one_class, .nu = 0.2}, {KernelKind::rbf, 3, 0.5, 0.0}},
    {"ball", "cloud", 150, 2, {.formulation = Formulation::ball, .nu = 0.2}, {KernelKind::linear}},
    {"four classes at once", "blobs", 160, 4, {.C = 3}, {KernelKind::rbf, 3, 0.5, 0.0}, Scheme::joint},
    {"5000 rows", "overlap", 5000, 2, {.C = 10}, {KernelKind::rbf, 3, 2.0, 0.0}},
};

Request request_of(const Case& each) {
  Request request;
  request.settings = each.settings;
  request.scheme = each.scheme;
  request.tol = 1e-6;
  push(request.kernel, each.formula, 0, each.settings.formulation == Formulation::regression ? 1 : 2);
  if (each.formula.kind <= KernelKind::sigmoid) {
    request.kernel = KernelFunction();
    static_cast<Formula&>(request.kernel) = each.formula;
  }
  const Points points = point_set(each.points, each.count, each.classes, 0.2, 7);
  if (each.settings.formulation == Formulation::regression) {
    request.columns = 1;
    for (std::size_t k = 0; k < points.x.size(); k += 2) {
      request.x.push_back(points.x[k]);
      request.y.push_back(points.x[k + 1]);
    }
  } else {
    request.x = points.x;
    request.y = points.label;
  }
  return request;
}

}  // namespace

int main() {
  set_thread_count(2);
  std::printf("instruction set %s\n", simd().level);
  int failed = 0;
  for (const Case& each : cases) {
    try {
      const Fit fit(request_of(each));
      const auto found = fit.certificate();
      std::printf("%s: primal %.12g, dual %.12g, relative gap %.2g, status %g\n", each.name, found.primal, found.dual,
                  found.relative_gap, found.status);
      if (found.status != 0) ++failed;
    } catch (const std::exception& error) {
      std::printf("%s: %s\n", each.name, error.what());
      ++failed;
    }
  }
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
