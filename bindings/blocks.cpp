// One block of the rows of a linear model: what it adds to the sums of a round.
#include <nanobind/stl/optional.h>

#include <optional>

#include "common.hpp"
#include "linear_spec.hpp"
#include "maxmargin/linear/block.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

void check(const LinearSpec& spec, const Vector& w, const std::optional<Vector>& centre) {
  if (w.shape(0) != std::size_t(spec.features.features->columns())) throw nb::value_error("w must have one value per column.");
  if (centre && centre->shape(0) != spec.y.shape(0)) throw nb::value_error("The centre must have one value per row.");
}

template <class Body>
auto with_block(const LinearSpec& spec, const std::optional<Vector>& centre, double penalty_parameter, const Body& body) {
  const LinearProblem problem = spec.problem();
  return without_gil([&](const Poll&) {
    LinearBlock block(problem, centre ? centre->data() : nullptr, penalty_parameter);
    return body(block);
  });
}

// The numbers in the order of BLOCK_NUMBERS; sums by sign; the curvature as a matrix, a diagonal, or empty.
struct Terms {
  nb::object numbers, minus, plus, curvature;
};

Terms terms_of(const LinearSpec& spec, const Vector& w, double b, const std::optional<Vector>& centre, double penalty_parameter,
               BlockCurvature kind) {
  check(spec, w, centre);
  BlockTerms found =
      with_block(spec, centre, penalty_parameter, [&](LinearBlock& block) { return block.terms(w.data(), b, kind); });
  const RowTerms& r = found.rows;
  std::vector<double> numbers{r.loss,       r.of_slopes, r.minus.abs_sum, r.plus.abs_sum,
                              r.minus.gain, r.plus.gain, r.minus.square,  r.plus.square};
  const auto size = std::size_t(spec.features.features->columns()) + (spec.offset != LinearOffset::none);
  found.combination[1].resize(w.shape(0));
  Terms terms;
  terms.numbers = nb::cast(to_numpy(std::move(numbers)));
  terms.minus = nb::cast(to_numpy(std::move(found.combination[0])));
  terms.plus = nb::cast(to_numpy(std::move(found.combination[1])));
  terms.curvature = kind == BlockCurvature::matrix ? nb::cast(to_numpy(std::move(found.curvature), {size, size}))
                                                   : nb::cast(to_numpy(std::move(found.curvature)));
  return terms;
}

// First and second derivatives of the losses, one column a length.
nb::object along(const LinearSpec& spec, const Vector& w, double b, const Vector& p, double p_offset, const Vector& lengths,
                 const std::optional<Vector>& centre, double penalty_parameter) {
  check(spec, w, centre);
  check(spec, p, centre);
  const std::size_t count = lengths.shape(0);
  std::vector<double> both(2 * count);
  with_block(spec, centre, penalty_parameter, [&](LinearBlock& block) {
    block.along(w.data(), b, p.data(), p_offset, Index(count), lengths.data(), both.data(), both.data() + count);
  });
  return nb::cast(to_numpy(std::move(both), {2, count}));
}

Result multipliers(const LinearSpec& spec, const Vector& w, double b, const std::optional<Vector>& centre,
                   double penalty_parameter) {
  check(spec, w, centre);
  std::vector<double> alpha(spec.y.shape(0));
  with_block(spec, centre, penalty_parameter, [&](LinearBlock& block) { block.multipliers(w.data(), b, alpha.data()); });
  return to_numpy(std::move(alpha));
}

Result product(const LinearSpec& spec, const Vector& w, double b, const Vector& p, double p_offset,
               const std::optional<Vector>& centre, double penalty_parameter) {
  check(spec, w, centre);
  check(spec, p, centre);
  return to_numpy(with_block(spec, centre, penalty_parameter,
                             [&](LinearBlock& block) { return block.product(w.data(), b, p.data(), p_offset); }));
}

}  // namespace

void bind_blocks(nb::module_& m) {
  nb::enum_<BlockCurvature>(m, "BlockCurvature")
      .value("none", BlockCurvature::none)
      .value("diagonal", BlockCurvature::diagonal)
      .value("matrix", BlockCurvature::matrix);
  nb::class_<Terms>(m, "BlockTerms")
      .def_ro("numbers", &Terms::numbers)
      .def_ro("minus", &Terms::minus)
      .def_ro("plus", &Terms::plus)
      .def_ro("curvature", &Terms::curvature);
  m.def("block_terms", &terms_of, "spec"_a, "w"_a, "b"_a, "centre"_a.none(), "penalty_parameter"_a, "kind"_a);
  m.def("block_along", &along, "spec"_a, "w"_a, "b"_a, "p"_a, "p_offset"_a, "lengths"_a, "centre"_a.none(),
        "penalty_parameter"_a);
  m.def("block_multipliers", &multipliers, "spec"_a, "w"_a, "b"_a, "centre"_a.none(), "penalty_parameter"_a);
  m.def("block_product", &product, "spec"_a, "w"_a, "b"_a, "p"_a, "p_offset"_a, "centre"_a.none(), "penalty_parameter"_a);
}

}  // namespace maxmargin::python
