// One block of the rows of a model of all classes at once: what it adds to the sums of a round.
#include "classes_spec.hpp"
#include "common.hpp"
#include "maxmargin/linear/multiclass/block.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

void check(const ClassesSpec& spec, const Matrix<double>& W) {
  const auto size = std::size_t(spec.features.features->columns()) + (spec.offset != LinearOffset::none);
  if (W.shape(0) != size || W.shape(1) != std::size_t(spec.classes))
    throw nb::value_error("Weights must have one row per column, one for offsets if there are any, and one column per class.");
  if (spec.loss != ClassLoss::multinomial) throw nb::value_error("Blocks have the multinomial loss only.");
}

template <class Body>
auto with_block(const ClassesSpec& spec, const Body& body) {
  const ClassProblem problem = spec.problem();
  return without_gil([&](const Poll& poll) {
    ClassBlock block(problem, poll);
    return body(block);
  });
}

// The sum of losses and what the multipliers gain; sums of slopes; the curvature as ClassBlockTerms has it.
struct ClassTerms {
  nb::object numbers, slopes, curvature;
};

ClassTerms terms_of(const ClassesSpec& spec, const Matrix<double>& W, ClassCurvature kind) {
  check(spec, W);
  ClassBlockTerms found = with_block(spec, [&](ClassBlock& block) { return block.terms(W.data(), kind); });
  const std::size_t size = W.shape(0), K = W.shape(1);
  std::vector<double> numbers{found.loss, found.of_slopes};
  ClassTerms terms;
  terms.numbers = nb::cast(to_numpy(std::move(numbers)));
  terms.slopes = nb::cast(to_numpy(std::move(found.slopes), {size, K}));
  switch (kind) {
    case ClassCurvature::none: terms.curvature = nb::cast(to_numpy(std::move(found.curvature))); break;
    case ClassCurvature::diagonal: terms.curvature = nb::cast(to_numpy(std::move(found.curvature), {size, K})); break;
    case ClassCurvature::shared: terms.curvature = nb::cast(to_numpy(std::move(found.curvature), {size, size})); break;
    case ClassCurvature::matrix: terms.curvature = nb::cast(to_numpy(std::move(found.curvature), {size * K, size * K})); break;
  }
  return terms;
}

// First and second derivatives of the losses, one column a length.
Result along(const ClassesSpec& spec, const Matrix<double>& W, const Matrix<double>& P, const Vector& lengths) {
  check(spec, W);
  check(spec, P);
  const std::size_t count = lengths.shape(0);
  std::vector<double> both(2 * count);
  with_block(spec, [&](ClassBlock& block) {
    block.along(W.data(), P.data(), Index(count), lengths.data(), both.data(), both.data() + count);
  });
  return to_numpy(std::move(both), {2, count});
}

Result product(const ClassesSpec& spec, const Matrix<double>& W, const Matrix<double>& P) {
  check(spec, W);
  check(spec, P);
  const std::size_t size = W.shape(0), K = W.shape(1);
  return to_numpy(with_block(spec, [&](ClassBlock& block) { return block.product(W.data(), P.data()); }), {size, K});
}

}  // namespace

void bind_class_blocks(nb::module_& m) {
  nb::enum_<ClassCurvature>(m, "ClassCurvature")
      .value("none", ClassCurvature::none)
      .value("diagonal", ClassCurvature::diagonal)
      .value("shared", ClassCurvature::shared)
      .value("matrix", ClassCurvature::matrix);
  nb::class_<ClassTerms>(m, "ClassBlockTerms")
      .def_ro("numbers", &ClassTerms::numbers)
      .def_ro("slopes", &ClassTerms::slopes)
      .def_ro("curvature", &ClassTerms::curvature);
  m.def("class_block_terms", &terms_of, "spec"_a, "W"_a, "kind"_a);
  m.def("class_block_along", &along, "spec"_a, "W"_a, "P"_a, "lengths"_a);
  m.def("class_block_product", &product, "spec"_a, "W"_a, "P"_a);
}

}  // namespace maxmargin::python
