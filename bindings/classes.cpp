// Linear models of all classes at once.
#include "maxmargin/classes.hpp"

#include "common.hpp"
#include "maxmargin/classes_passes.hpp"
#include "watch.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

// [n][classes] = rows times weights [d][classes]
Result class_products(const FeaturesHandle& x, const Matrix<double>& W) {
  const auto d = std::size_t(x.features->columns()), n = std::size_t(x.features->rows()), K = std::size_t(W.shape(1));
  if (W.shape(0) != d) throw nb::value_error("W must have one row per column of X.");
  const std::size_t width = (K + 3) / 4 * 4;
  std::vector<double> out = room_for(n, K, "scores"), padded = room_for(d, width, "weights");
  without_gil([&](const Poll&) {
    for (std::size_t a = 0; a < d; ++a) std::copy(W.data() + a * K, W.data() + (a + 1) * K, padded.data() + a * width);
    ClassPasses passes(*x.features, Index(d), Index(width));
    passes.pass(
        passes.all(), padded.data(),
        [&](const ClassPasses::Block& block) {
          for (std::size_t r = 0; r < std::size_t(block.count); ++r)
            std::copy(block.values + r * width, block.values + r * width + K, out.data() + (std::size_t(block.first) + r) * K);
        },
        nullptr);
  });
  return to_numpy(std::move(out), {n, K});
}

// [d][classes] = sum over rows of x_i U_i', U [n][classes]
Result class_sums(const FeaturesHandle& x, const Matrix<double>& U) {
  const auto d = std::size_t(x.features->columns()), n = std::size_t(x.features->rows()), K = std::size_t(U.shape(1));
  if (U.shape(0) != n) throw nb::value_error("There must be one row of coefficients per row of X.");
  const std::size_t width = (K + 3) / 4 * 4;
  std::vector<double> out = room_for(d, K, "weights"), padded = room_for(d, width, "weights");
  without_gil([&](const Poll&) {
    ClassPasses passes(*x.features, Index(d), Index(width));
    passes.pass(
        passes.all(), nullptr,
        [&](const ClassPasses::Block& block) {
          std::fill(block.values, block.values + std::size_t(block.count) * width, 0.0);
          for (std::size_t r = 0; r < std::size_t(block.count); ++r) {
            const double* const row = U.data() + (std::size_t(block.first) + r) * K;
            std::copy(row, row + K, block.values + r * width);
          }
        },
        padded.data());
    for (std::size_t a = 0; a < d; ++a) std::copy(padded.data() + a * width, padded.data() + a * width + K, out.data() + a * K);
  });
  return to_numpy(std::move(out), {d, K});
}

// w, b, alpha, ending, interrupted, rounds, separates, trace
nb::tuple minimise(const FeaturesHandle& x, const Indices& label, const Vector& price, Index classes, int loss, int offset,
                   double offset_scale, bool penalty, bool by_rows, double tol, std::int64_t max_rounds, double max_seconds,
                   const nb::object& monitor) {
  const auto n = std::size_t(x.features->rows());
  if (label.shape(0) != n || price.shape(0) != n) throw nb::value_error("Labels and prices must have one value per row.");
  if (n == 0 || classes < 2) throw nb::value_error("There must be rows, and two classes or more.");
  if (loss < 0 || loss > int(ClassLoss::joint)) throw nb::value_error("unknown loss");
  if (offset < 0 || offset > int(LinearOffset::penalised)) throw nb::value_error("unknown offset");
  if (!penalty && loss != int(ClassLoss::multinomial)) throw nb::value_error("This loss needs a penalty.");
  if (by_rows && loss != int(ClassLoss::joint)) throw nb::value_error("Rows are for the joint loss.");
  for (std::size_t i = 0; i < n; ++i)
    if (label.data()[i] < 0 || label.data()[i] >= classes) throw nb::value_error("A label is outside the classes.");
  ClassOutcome outcome;
  Watch watch(monitor, max_seconds);
  const Poll poll = [&] { watch.insist(); };
  {
    const WithoutGil release;
    const Watched watched(poll);
    const ClassProblem problem{x.features.get(), label.data(),         price.data(), classes,
                               ClassLoss(loss),  LinearOffset(offset), offset_scale, penalty};
    const LinearOptions options{tol, max_rounds, max_seconds};
    const Monitor monitored = [&](const Progress& p) { return watch.at_checkpoint(p); };
    outcome = with_room_for(n, std::size_t(classes), 6, "the search", [&] {
      return by_rows ? minimise_classes_by_rows(problem, options, monitored)
                     : minimise_classes_by_newton(problem, options, monitored);
    });
  }
  const auto K = std::size_t(classes);
  return nb::make_tuple(to_numpy(std::move(outcome.w), {K, std::size_t(x.features->columns())}), to_numpy(std::move(outcome.b)),
                        to_numpy(std::move(outcome.alpha), {n, K}), int(outcome.ending),
                        watch.interrupted() && outcome.ending == Ending::stopped, outcome.rounds, outcome.separates,
                        as_table(outcome.trace));
}

}  // namespace

void bind_classes(nb::module_& m) {
  m.def("class_products", &class_products, "features"_a, "W"_a);
  m.def("class_sums", &class_sums, "features"_a, "U"_a);
  m.def("minimise_classes", &minimise, "features"_a, "label"_a, "price"_a, "classes"_a, "loss"_a, "offset"_a, "offset_scale"_a,
        "penalty"_a, "by_rows"_a, "tol"_a, "max_rounds"_a, "max_seconds"_a, "monitor"_a.none());
}

}  // namespace maxmargin::python
