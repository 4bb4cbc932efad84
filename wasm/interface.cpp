// What JavaScript calls: C functions, arrays in and arrays out. No exception leaves them: where one is thrown they return 0,
// and `message` says why.
#include <cmath>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "annotations.hpp"
#include "fit.hpp"
#include "maxmargin/kernels/kernel_traits.hpp"
#include "picture.hpp"
#include "point_sets.hpp"

#if defined(__wasm__)
#define EXPORT(name) extern "C" __attribute__((export_name(#name), visibility("default")))
#else  // for tools that read this file as any other
#define EXPORT(name) extern "C"
#endif

namespace {

using namespace maxmargin;
using namespace maxmargin::playground;

std::string last_message;
std::vector<double> last_array;  // what was handed out last; it lives until the next one
KernelFunction kernel;           // what is being put together
bool kernel_is_mercer = true;

template <class Body>
auto guarded(const Body& body) -> decltype(body()) {
  try {
    last_message.clear();
    return body();
  } catch (const std::bad_alloc&) {
    last_message = "There is not enough memory for so many points.";
  } catch (const std::exception& error) {
    last_message = error.what();
  }
  return {};
}

const double* handed_out(std::vector<double> values) {
  last_array = std::move(values);
  return last_array.data();
}

constexpr const char* number_names[] = {"primal",  "dual", "gap",     "relativeGap", "violation",  "status", "steps",
                                        "support", "bias", "biasLow", "biasHigh",    "squareNorm", "radius"};
constexpr const char* column_names[] = {"row", "y", "alpha", "score", "slack", "kind", "weight"};

std::vector<double> numbers_of(const Certificate& c) {
  return {c.primal,  c.dual, c.gap,      c.relative_gap, c.violation,   c.status, c.steps,
          c.support, c.bias, c.bias_low, c.bias_high,    c.square_norm, c.radius};
}

std::vector<double> joined(const PointColumns& columns) {
  std::vector<double> all;
  for (const std::vector<double>* each :
       {&columns.row, &columns.y, &columns.alpha, &columns.score, &columns.slack, &columns.kind, &columns.weight})
    all.insert(all.end(), each->begin(), each->end());
  return all;
}

Request request_of(int formulation, int scheme, int offset, int squared, double C, double nu, double epsilon, double tol,
                   double max_seconds, const double* x, const double* y, int rows, int columns) {
  Request request;
  request.settings = {.formulation = Formulation(formulation),
                      .offset = offset != 0,
                      .squared = squared != 0,
                      .C = C,
                      .nu = nu,
                      .epsilon = epsilon};
  request.scheme = Scheme(scheme);
  request.kernel = kernel;
  request.is_mercer = kernel_is_mercer;
  request.tol = tol;
  request.max_seconds = max_seconds;
  request.columns = columns;
  request.x.assign(x, x + std::ptrdiff_t(rows) * columns);
  request.y.assign(y, y + rows);
  return request;
}

}  // namespace

// Memory for arrays that go in.
EXPORT(room) double* room(int count) { return new (std::nothrow) double[std::size_t(count)]; }
EXPORT(release) void release(const double* values) { delete[] values; }

EXPORT(message) const char* message() { return last_message.c_str(); }
EXPORT(number_count) int number_count() { return int(std::size(number_names)); }
EXPORT(number_name) const char* number_name(int k) { return number_names[k]; }
EXPORT(column_count) int column_count() { return int(std::size(column_names)); }
EXPORT(column_name) const char* column_name(int k) { return column_names[k]; }

// A kernel is put together in postfix order. A formula alone of the first four kinds is one that the core knows as a whole.
EXPORT(kernel_begin) void kernel_begin() {
  kernel = KernelFunction();
  kernel_is_mercer = true;
}
EXPORT(kernel_formula) int kernel_formula(int kind, double gamma, double coef0, int degree, int columns) {
  if (KernelKind(kind) == KernelKind::sigmoid) kernel_is_mercer = false;
  return push(kernel, {KernelKind(kind), degree, gamma, coef0}, 0, columns) ? 1 : 0;
}
// 1: a + b, 2: a b, 3: factor a, 4: a^exponent
EXPORT(kernel_operator) int kernel_operator(int op, double factor, int exponent) {
  return push(kernel, Operator(op), factor, exponent) ? 1 : 0;
}
EXPORT(kernel_end) int kernel_end() {
  if (kernel.height != 1) return 0;
  if (kernel.operation_count == 1 && kernel.operations[0].formula.kind <= KernelKind::sigmoid) {
    const Formula formula = kernel.operations[0].formula;
    kernel = KernelFunction();
    static_cast<Formula&>(kernel) = formula;
  }
  return 1;
}

EXPORT(fit_new)
Fit* fit_new(int formulation, int scheme, int offset, int squared, double C, double nu, double epsilon, double tol,
             double max_seconds, const double* x, const double* y, int rows, int columns) {
  return guarded([&] {
    return new Fit(request_of(formulation, scheme, offset, squared, C, nu, epsilon, tol, max_seconds, x, y, rows, columns));
  });
}
EXPORT(fit_delete) void fit_delete(const Fit* fit) { delete fit; }
EXPORT(fit_parts) int fit_parts(const Fit* fit) { return int(fit->parts()); }
EXPORT(fit_classes) int fit_classes(const Fit* fit) { return int(fit->classes()); }
EXPORT(fit_positive) int fit_positive(const Fit* fit, int part) { return fit->is_joint() ? part : fit->part(part).positive; }
EXPORT(fit_negative) int fit_negative(const Fit* fit, int part) { return fit->is_joint() ? -1 : fit->part(part).negative; }
// The certificate of all parts for part -1.
EXPORT(fit_numbers) const double* fit_numbers(const Fit* fit, int part) {
  return handed_out(numbers_of(part < 0 ? fit->certificate() : fit->certificate(std::size_t(part))));
}
EXPORT(fit_rows) int fit_rows(const Fit* fit, int part) {
  return part < 0 || fit->is_joint() ? int(fit->request().rows()) : int(fit->part(std::size_t(part)).dual->size());
}
// One column after the other; of all points for part -1.
EXPORT(fit_columns) const double* fit_columns(const Fit* fit, int part) {
  return handed_out(joined(part < 0 ? fit->summary() : fit->columns(std::size_t(part))));
}
// w, where the kernel is linear: as many values as columns, or null.
EXPORT(fit_weights) const double* fit_weights(const Fit* fit, int part) {
  std::vector<double> w = fit->weights(std::size_t(part));
  return w.empty() ? nullptr : handed_out(std::move(w));
}
// f of all parts at some points, part after part.
EXPORT(fit_values) const double* fit_values(const Fit* fit, const double* x, int points) {
  return guarded([&] { return handed_out(fit->values({x, x + std::ptrdiff_t(points) * fit->request().columns})); });
}

// How many segments there are from rows to where they would have no slack; `array` has their ends.
EXPORT(fit_slack_lines) int fit_slack_lines(const Fit* fit) {
  return guarded([&] {
    handed_out(slack_lines(*fit));
    return int(last_array.size() / 4);
  });
}
// The two means of a proof, x, y, x, y, or null.
EXPORT(fit_proof) const double* fit_proof(const Fit* fit, int part) {
  std::vector<double> means = proof_means(*fit, std::size_t(part));
  return means.empty() ? nullptr : handed_out(std::move(means));
}

EXPORT(picture_new)
Picture* picture_new(const Fit* fit, double left, double right, double bottom, double top, int across, int up) {
  return guarded([&] { return new Picture(*fit, Grid{left, right, bottom, top, across, up}); });
}
EXPORT(picture_delete) void picture_delete(const Picture* picture) { delete picture; }
EXPORT(picture_values) const double* picture_values(const Picture* picture) { return picture->values().data(); }
EXPORT(picture_winner) const double* picture_winner(const Picture* picture) { return picture->winner().data(); }
EXPORT(picture_lead) const double* picture_lead(const Picture* picture) { return picture->lead().data(); }
// How many segments there are; `array` has their ends.
EXPORT(picture_contour) int picture_contour(const Picture* picture, int part, double level) {
  handed_out(picture->contour(std::size_t(part), level));
  return int(last_array.size() / 4);
}
EXPORT(picture_border) int picture_border(const Picture* picture, int label) {
  handed_out(picture->border(label));
  return int(last_array.size() / 4);
}
EXPORT(array) const double* array() { return last_array.data(); }

EXPORT(walk_new)
Walk* walk_new(int formulation, int scheme, int offset, int squared, double C, double nu, double epsilon, double tol,
               double max_seconds, const double* x, const double* y, int rows, int columns) {
  return guarded([&] {
    return new Walk(request_of(formulation, scheme, offset, squared, C, nu, epsilon, tol, max_seconds, x, y, rows, columns));
  });
}
EXPORT(walk_delete) void walk_delete(const Walk* walk) { delete walk; }
EXPORT(walk_fit) const Fit* walk_fit(const Walk* walk) { return &walk->fit(); }
// How many coefficients a step has moved, 0 at the end; `array` has row, before and after of each.
EXPORT(walk_step) int walk_step(Walk* walk) {
  return guarded([&] {
    walk->step();
    std::vector<double> told;
    for (const Walk::Move& move : walk->moved()) told.insert(told.end(), {double(move.row), move.before, move.after});
    handed_out(std::move(told));
    return int(walk->moved().size());
  });
}

// Points x, y and then labels; the number of points, or 0.
EXPORT(points_new) int points_new(const char* name, int count, int classes, double noise, double seed) {
  return guarded([&] {
    Points made = point_set(name, count, classes, noise, std::uint64_t(seed));
    const int found = int(made.label.size());
    made.x.insert(made.x.end(), made.label.begin(), made.label.end());
    handed_out(std::move(made.x));
    return found;
  });
}

EXPORT(points_standardised) const double* points_standardised(const double* x, int points, int columns) {
  return guarded([&] { return handed_out(standardised({x, x + std::ptrdiff_t(points) * columns}, columns)); });
}
