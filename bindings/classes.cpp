// Linear models of all classes at once.
#include "maxmargin/linear/multiclass/problem.hpp"

#include "classes_spec.hpp"
#include "common.hpp"
#include "maxmargin/linear/multiclass/passes.hpp"
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

enum class ClassesMethod { newton, rows, proximal };

// Weights, offsets and multipliers, and how the search ended there.
struct ClassesResult {
  nb::object w, b, alpha, trace;
  Termination termination;
  bool interrupted, separates;
  std::int64_t rounds;
};

// Where a search begins.
struct ClassesStart {
  ClassOutcome point;
};

void make_classes_start(ClassesStart* place, const Matrix<double>& w, const Vector& b, const Matrix<double>& alpha) {
  auto* const made = new (place) ClassesStart;
  made->point.w.assign(w.data(), w.data() + w.size());
  made->point.b.assign(b.data(), b.data() + b.size());
  made->point.alpha.assign(alpha.data(), alpha.data() + alpha.size());
}

ClassesResult minimise(const ClassesSpec& spec, const ClassesStart* start, const LimitsHandle& limits, ClassesMethod method,
                       const nb::object& monitor) {
  if (method == ClassesMethod::rows && spec.loss != ClassLoss::crammer_singer)
    throw nb::value_error("Rows are for the loss of Crammer and Singer.");
  if ((method == ClassesMethod::proximal) != (spec.l1 > 0))
    throw nb::value_error("Absolute values are for the proximal method.");
  const Features& x = *spec.features.features;
  const auto n = std::size_t(x.rows()), K = std::size_t(spec.classes);
  if (start != nullptr && (start->point.w.size() != K * std::size_t(x.columns()) || start->point.b.size() != K ||
                           start->point.alpha.size() != n * K))
    throw nb::value_error("A start must have one weight per class and column, and one multiplier per row and class.");
  if (start != nullptr && method == ClassesMethod::rows) throw nb::value_error("Rows begin at 0.");
  ClassOutcome outcome;
  Watch watch(monitor, limits.max_seconds);
  const Poll poll = [&] { watch.insist(); };
  {
    const WithoutGil release;
    const Watched watched(poll);
    const ClassProblem problem = spec.problem();
    const LinearOptions options{limits.tol, limits.max_steps, watch.deadline()};
    const Monitor monitored = [&](const Progress& p) { return watch.at_checkpoint(p); };
    outcome = with_room_for(n, K, 6, "the search", [&] {
      const ClassOutcome* const begin = start ? &start->point : nullptr;
      if (method == ClassesMethod::proximal) return minimise_classes_with_l1(problem, options, monitored, begin);
      return method == ClassesMethod::rows ? minimise_classes_by_rows(problem, options, monitored)
                                           : minimise_classes_by_newton(problem, options, monitored, begin);
    });
    if (!outcome.trace.empty()) watch.at_end(0, outcome.trace.back());
  }
  return {.w = nb::cast(to_numpy(std::move(outcome.w), {K, std::size_t(x.columns())})),
          .b = nb::cast(to_numpy(std::move(outcome.b))),
          .alpha = nb::cast(to_numpy(std::move(outcome.alpha), {n, K})),
          .trace = nb::cast(as_bytes(std::move(outcome.trace))),
          .termination = outcome.termination,
          .interrupted = watch.interrupted() && outcome.termination == Termination::stopped,
          .separates = outcome.separates,
          .rounds = outcome.rounds};
}

}  // namespace

void bind_classes(nb::module_& m) {
  m.def("class_products", &class_products, "features"_a, "W"_a);
  m.def("class_sums", &class_sums, "features"_a, "U"_a);
  nb::enum_<ClassLoss>(m, "ClassLoss").value("multinomial", ClassLoss::multinomial).value("joint", ClassLoss::crammer_singer);
  nb::class_<ClassesSpec>(m, "MulticlassSpec")
      .def("__init__", &make_classes_spec, nb::kw_only(), "features"_a, "label"_a, "cost"_a, "classes"_a, "loss"_a, "offset"_a,
           "offset_scale"_a, "penalty"_a, "l1"_a);
  nb::class_<ClassesStart>(m, "MulticlassStart").def("__init__", &make_classes_start, "w"_a, "b"_a, "alpha"_a);
  nb::class_<ClassesResult>(m, "MulticlassResult")
      .def_ro("w", &ClassesResult::w)
      .def_ro("b", &ClassesResult::b)
      .def_ro("alpha", &ClassesResult::alpha)
      .def_ro("trace", &ClassesResult::trace)
      .def_ro("termination", &ClassesResult::termination)
      .def_ro("interrupted", &ClassesResult::interrupted)
      .def_ro("separates", &ClassesResult::separates)
      .def_ro("rounds", &ClassesResult::rounds);
  nb::enum_<ClassesMethod>(m, "MulticlassMethod")
      .value("newton", ClassesMethod::newton)
      .value("rows", ClassesMethod::rows)
      .value("proximal", ClassesMethod::proximal);
  m.def("minimise_multiclass", &minimise, "spec"_a, "start"_a.none(), "limits"_a, "method"_a, "monitor"_a.none());
}

}  // namespace maxmargin::python
