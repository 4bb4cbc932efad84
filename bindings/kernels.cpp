// Features, kernels and Gram sources.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <thread>

#include "common.hpp"
#include "maxmargin/kernels/indefinite.hpp"
#include "maxmargin/kernels/matrix_products.hpp"
#include "maxmargin/rows/checks.hpp"
#include "maxmargin/rows/csr_features.hpp"
#include "maxmargin/rows/dense_features.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

void require_index(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t most = std::numeric_limits<Index>::max();
  if (rows > most || columns > most)
    throw nb::value_error("X has more than 2147483647 rows or columns, which is more than the core can number.");
}

template <class V>
FeaturesHandle dense_features(const Matrix<V>& x) {
  require_index(std::int64_t(x.shape(0)), std::int64_t(x.shape(1)));
  return {std::make_shared<DenseFeatures<V>>(x.data(), Index(x.shape(0)), Index(x.shape(1))), {nb::cast(x)}};
}

template <class V, class I>
FeaturesHandle csr_features(const Values<I>& indptr, const Values<I>& indices, const Values<V>& data, std::int64_t columns) {
  const auto rows = std::int64_t(indptr.shape(0)) - 1;
  require_index(rows, columns);
  const auto held = std::int64_t(std::min(indices.shape(0), data.shape(0)));
  const CsrCheck found =
      without_gil([&](const Poll&) { return check_csr(indptr.data(), rows, indices.data(), held, columns); });
  if (found.fault == CsrFault::starts) throw nb::value_error("The CSR matrix has an indptr that does not fit its values.");
  if (found.fault == CsrFault::columns) throw nb::value_error("The CSR matrix has a column index outside its shape.");
  const CsrView<V, I> view{indptr.data(), indices.data(), data.data()};
  return {std::make_shared<CsrFeatures<V, I>>(view, Index(rows), Index(columns)),
          {nb::cast(indptr), nb::cast(indices), nb::cast(data)}};
}

std::vector<Index> checked(const Indices& indices, Index size) {
  std::vector<Index> result(indices.data(), indices.data() + indices.shape(0));
  for (const Index i : result)
    if (i < 0 || i >= size) throw nb::index_error("A row index is outside the training set.");
  return result;
}

std::vector<Index> subset_of(const std::optional<Indices>& subset, Index size) {
  return subset ? checked(*subset, size) : std::vector<Index>();
}

// A combined kernel leaves one value, and has no columns that the rows do not have.
void require_fits(const KernelFunction& kernel, const Features& rows) {
  if (kernel.is_combined() && kernel.height != 1) throw nb::value_error("The combined kernel is not complete.");
  for (int s = 0; s < kernel.accumulator_count; ++s)
    if (kernel.accumulators[s].end > rows.columns()) throw nb::value_error("The kernel has columns that the rows do not have.");
}

GramHandle feature_gram(const FeaturesHandle& x, const KernelFunction& kernel, const std::optional<Indices>& subset,
                        bool centred) {
  require_fits(kernel, *x.features);
  return {make_feature_gram(x.features, kernel, subset_of(subset, x.features->rows()), centred), x.owners};
}

// Part k has the rows from cuts[k] to cuts[k + 1].
std::vector<GramHandle> feature_grams(const FeaturesHandle& x, const KernelFunction& kernel, const Indices& rows,
                                      const std::vector<std::ptrdiff_t>& cuts, bool centred) {
  require_fits(kernel, *x.features);
  const std::vector<Index> all = checked(rows, x.features->rows());
  if (cuts.empty() || cuts.front() < 0 || cuts.back() > std::ptrdiff_t(all.size()) || !std::is_sorted(cuts.begin(), cuts.end()))
    throw nb::value_error("The cuts must ascend within the rows.");
  std::vector<GramHandle> grams;
  grams.reserve(cuts.size() - 1);
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    if (cuts[k] == cuts[k + 1]) throw nb::value_error("A part of the rows is empty.");
    std::vector<Index> part(all.begin() + cuts[k], all.begin() + cuts[k + 1]);
    grams.push_back({make_feature_gram(x.features, kernel, std::move(part), centred), x.owners});
  }
  return grams;
}

template <class V>
GramHandle precomputed_gram(const Matrix<V>& k, const std::optional<Indices>& subset) {
  if (k.shape(0) != k.shape(1)) throw nb::value_error("A precomputed kernel matrix must be square.");
  const auto n = Index(k.shape(0));
  return {make_precomputed_gram(k.data(), n, subset_of(subset, n)), {nb::cast(k)}};
}

// `block` gets two int32 arrays and must return a C-contiguous float64 array of shape (rows, columns); `diagonal` gets nothing
// and must return n values.
GramHandle opaque_gram(const nb::callable& block, const nb::callable& diagonal, Index n) {
  auto ask_block = [held = nb::object(block)](std::span<const Index> rows, std::span<const Index> columns, double* out) {
    const WithGil gil;
    const auto as_array = [](std::span<const Index> list) {
      return nb::ndarray<nb::numpy, const Index>(list.data(), {list.size()}, nb::handle()).cast(nb::rv_policy::copy);
    };
    const nb::object left = as_array(rows), right = as_array(columns);
    const auto values = nb::cast<Matrix<double>>(call_python(held, left, right));
    if (values.shape(0) != rows.size() || values.shape(1) != columns.size())
      throw nb::value_error("A kernel block has the wrong shape.");
    std::copy(values.data(), values.data() + rows.size() * columns.size(), out);
  };
  auto ask_diagonal = [held = nb::object(diagonal), n](double* out) {
    const WithGil gil;
    const auto values = nb::cast<Vector>(call_python(held));
    if (values.shape(0) != std::size_t(n)) throw nb::value_error("The diagonal has the wrong length.");
    std::copy(values.data(), values.data() + n, out);
  };
  // The functions may only be dropped with the GIL held.
  auto* raw = make_opaque_gram(std::move(ask_block), std::move(ask_diagonal), n).release();
  return {std::shared_ptr<const Gram>(raw,
                                      [](const Gram* gram) {
                                        const WithGil gil;
                                        delete gram;
                                      }),
          {}};
}

GramHandle adjusted_gram(const GramHandle& inner, const Vector& signs, double constant) {
  if (signs.shape(0) != std::size_t(inner.gram->size())) throw nb::value_error("Each row needs its sign.");
  return {make_adjusted_gram(inner.gram, {signs.data(), signs.data() + signs.shape(0)}, constant), inner.owners};
}

GramHandle kept_gram(const GramHandle& inner, std::size_t bytes) { return {make_kept_gram(inner.gram, bytes), inner.owners}; }

Result gram_diagonal(const GramHandle& self) {
  std::vector<double> out(self.gram->size());
  without_gil([&](const Poll&) { self.gram->diagonal(out.data()); });
  return to_numpy(std::move(out));
}

Result gram_block(const GramHandle& self, const Indices& rows, const Indices& columns) {
  const auto left = checked(rows, self.gram->size()), right = checked(columns, self.gram->size());
  std::vector<double> out = room_for(left.size(), right.size(), "kernel values");
  without_gil([&](const Poll&) { self.gram->block(left, right, out.data()); });
  return to_numpy(std::move(out), {left.size(), right.size()});
}

// Seconds that a block takes, without what is made for all blocks; infinity if the time is over before that.
double seconds_of_block(const GramHandle& self, const Indices& rows, const Indices& columns, double max_seconds) {
  const auto left = checked(rows, self.gram->size()), right = checked(columns, self.gram->size());
  std::vector<double> out = room_for(left.size(), right.size(), "kernel values");
  const WithoutGil release;
  const Poll poll = TimedPoll(max_seconds);
  const Watched watched(poll);
  try {
    self.gram->prepare();
    const auto begin = std::chrono::steady_clock::now();
    self.gram->block(left, right, out.data());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  } catch (const Stopped&) {
    return std::numeric_limits<double>::infinity();
  }
}

// The rows that a search is steered by, as float32 has them.
nb::ndarray<nb::numpy, float> gram_float32_rows(const GramHandle& self, const Indices& rows) {
  const auto wanted = checked(rows, self.gram->size());
  const std::size_t n = std::size_t(self.gram->size()), padded = n + TileShape<float>::panel;
  std::vector<float> made(wanted.size() * padded), out(wanted.size() * n);
  without_gil([&](const Poll&) {
    std::vector<Index> every(n);
    std::iota(every.begin(), every.end(), 0);
    std::vector<float*> targets(wanted.size());
    for (std::size_t r = 0; r < wanted.size(); ++r) targets[r] = made.data() + r * padded;
    self.gram->rows_f32(every)->make(wanted, targets.data());
    for (std::size_t r = 0; r < wanted.size(); ++r) std::copy_n(targets[r], n, out.data() + r * n);
  });
  return to_numpy(std::move(out), {wanted.size(), n});
}

bool gram_float32_suffices(const GramHandle& self) {
  return without_gil([&](const Poll&) { return self.gram->single_precision_suffices(); });
}

bool gram_is_indefinite(const GramHandle& self, double part) {
  return without_gil([&](const Poll&) { return is_indefinite(*self.gram, part); });
}

double gram_score_scale(const GramHandle& self) {
  return without_gil([&](const Poll&) { return self.gram->score_scale(); });
}

double gram_off_sum_scale(const GramHandle& self) {
  return without_gil([&](const Poll&) { return self.gram->off_sum_scale(); });
}

double gram_offset_shift(const GramHandle& self, const Vector& beta) {
  if (beta.shape(0) != std::size_t(self.gram->size())) throw nb::value_error("beta must have one value per row.");
  return without_gil([&](const Poll&) { return self.gram->offset_shift(beta.data()); });
}

Result gram_product(const GramHandle& self, const Vector& beta) {
  if (beta.shape(0) != std::size_t(self.gram->size())) throw nb::value_error("beta must have one value per row.");
  std::vector<double> out(beta.shape(0));
  without_gil([&](const Poll& poll) { self.gram->product(beta.data(), out.data(), poll); });
  return to_numpy(std::move(out));
}

Result sums(const KernelFunction& kernel, const FeaturesHandle& rows, const FeaturesHandle& support,
            const Matrix<double>& coefficients, const Indices& bounds) {
  if (rows.features->columns() != support.features->columns()) throw nb::value_error("Both sides must have the same features.");
  require_fits(kernel, *rows.features);
  const Index count = support.features->rows();
  if (coefficients.shape(1) != std::size_t(count)) throw nb::value_error("Each support row needs a column of coefficients.");
  const std::span<const Index> groups(bounds.data(), bounds.shape(0));
  if (groups.empty() || groups.front() != 0 || groups.back() != count || !std::is_sorted(groups.begin(), groups.end()))
    throw nb::value_error("The bounds must rise from 0 to the number of support rows.");
  const std::size_t height = coefficients.shape(0), n = rows.features->rows();
  std::vector<double> out = room_for((groups.size() - 1) * height, n, "scores");
  without_gil([&](const Poll& poll) {
    weighted_sums(kernel, *rows.features, *support.features, coefficients.data(), Index(height), groups, out.data(), poll);
  });
  return to_numpy(std::move(out), {groups.size() - 1, height, n});
}

Result cross(const KernelFunction& kernel, const FeaturesHandle& left, const FeaturesHandle& right) {
  if (left.features->columns() != right.features->columns()) throw nb::value_error("Both sides must have the same features.");
  require_fits(kernel, *left.features);
  const std::size_t rows = left.features->rows(), columns = right.features->rows();
  std::vector<double> out = room_for(rows, columns, "kernel values");
  without_gil([&](const Poll& poll) { cross_kernel(kernel, *left.features, *right.features, out.data(), poll); });
  return to_numpy(std::move(out), {rows, columns});
}

// K v for each row v of `vectors`.
Result products_of_matrix(const Matrix<double>& k, const Matrix<double>& vectors) {
  if (k.shape(0) != k.shape(1) || vectors.shape(1) != k.shape(0))
    throw nb::value_error("The matrix must be square, and each vector as long as it is wide.");
  require_index(std::int64_t(k.shape(0)), std::int64_t(vectors.shape(0)));
  std::vector<double> out = room_for(vectors.shape(0), vectors.shape(1), "products");
  without_gil(
      [&](const Poll&) { matrix_products(k.data(), Index(k.shape(0)), vectors.data(), Index(vectors.shape(0)), out.data()); });
  return to_numpy(std::move(out), {vectors.shape(0), vectors.shape(1)});
}

// A product of one Gram, as a start may have it.
Result start_product(const GramHandle& self, const Vector& beta) {
  if (beta.shape(0) != std::size_t(self.gram->size())) throw nb::value_error("beta must have one value per row.");
  std::vector<double> out(beta.shape(0));
  without_gil([&](const Poll& poll) { self.gram->start_product(beta.data(), out.data(), poll); });
  return to_numpy(std::move(out));
}

// Several products at once; vectors stand one Gram after the other. Nothing if the time is over before.
std::optional<Result> all_products(const std::vector<const GramHandle*>& grams, const Vector& beta, double max_seconds) {
  std::vector<double> out(beta.shape(0));
  std::vector<const Gram*> sources;
  std::vector<const double*> points;
  std::vector<double*> targets;
  std::size_t begin = 0;
  for (const GramHandle* gram : grams) {
    sources.push_back(gram->gram.get());
    points.push_back(beta.data() + begin);
    targets.push_back(out.data() + begin);
    begin += std::size_t(gram->gram->size());
  }
  if (begin != out.size()) throw nb::value_error("beta must have one value per row.");
  try {
    const WithoutGil release;
    const Poll poll = TimedPoll(max_seconds);
    const Watched watched(poll);
    products(sources, points, targets, poll);
  } catch (const Stopped&) {
    return std::nullopt;
  }
  return to_numpy(std::move(out));
}

template <class V>
bool all_finite(const nb::ndarray<const V, nb::c_contig, nb::device::cpu>& x) {
  return without_gil([&](const Poll&) { return are_finite(x.data(), std::int64_t(x.size())); });
}

template <class S, class I>
CsrCheck csr_check(const Values<S>& indptr, const Values<I>& indices, std::int64_t rows, std::int64_t columns,
                   std::int64_t held) {
  if (std::int64_t(indptr.shape(0)) != rows + 1) return {CsrFault::starts, false};
  held = std::min(held, std::int64_t(indices.shape(0)));
  return without_gil([&](const Poll&) { return check_csr(indptr.data(), rows, indices.data(), held, columns); });
}

template <class V>
SquareCheck square_check(const Matrix<V>& matrix) {
  if (matrix.shape(0) != matrix.shape(1)) throw nb::value_error("A precomputed kernel matrix must be square.");
  require_index(std::int64_t(matrix.shape(0)), std::int64_t(matrix.shape(1)));
  return without_gil([&](const Poll&) { return check_square(matrix.data(), Index(matrix.shape(0))); });
}

}  // namespace

void bind_kernels(nb::module_& m) {
  nb::enum_<KernelKind> kinds(m, "KernelKind");
  for (const KernelTraits& each : kernel_traits) kinds.value(each.name, each.kind);
  nb::enum_<Operator>(m, "Operator")
      .value("add", Operator::add)
      .value("multiply", Operator::multiply)
      .value("scale", Operator::scale)
      .value("power", Operator::power)
      .value("normalise", Operator::normalise);
  nb::class_<KernelFunction>(m, "KernelFunction")
      .def(
          "__init__",
          [](KernelFunction* self, KernelKind kind, double gamma, double coef0, int degree) {
            if (kind > KernelKind::sigmoid) throw nb::value_error("This formula is an operation of a combined kernel.");
            new (self) KernelFunction{{kind, degree, gamma, coef0}};
          },
          "kind"_a, "gamma"_a, "coef0"_a, "degree"_a)
      .def_static("empty", [] { return KernelFunction(); })
      .def(
          "push_formula",
          [](KernelFunction& self, KernelKind kind, double gamma, double coef0, int degree, Index begin, Index end) {
            if (begin < 0 || end < begin) throw nb::value_error("The columns must ascend from 0.");
            return push(self, Formula{kind, degree, gamma, coef0}, begin, end);
          },
          "kind"_a, "gamma"_a, "coef0"_a, "degree"_a, "begin"_a, "end"_a)
      .def(
          "push_operator",
          [](KernelFunction& self, Operator op, double factor, int exponent) {
            if (exponent < 1) throw nb::value_error("The exponent must be positive.");
            return push(self, op, factor, exponent);
          },
          "op"_a, "factor"_a = 1.0, "exponent"_a = 1);

  const nb::class_<FeaturesHandle> features(m, "Features");
  m.def("dense_features", &dense_features<double>, "x"_a.noconvert());
  m.def("dense_features", &dense_features<float>, "x"_a.noconvert());
  m.def("csr_features", &csr_features<double, std::int32_t>, "indptr"_a.noconvert(), "indices"_a.noconvert(),
        "data"_a.noconvert(), "columns"_a);
  m.def("csr_features", &csr_features<float, std::int32_t>, "indptr"_a.noconvert(), "indices"_a.noconvert(),
        "data"_a.noconvert(), "columns"_a);
  m.def("csr_features", &csr_features<double, std::int64_t>, "indptr"_a.noconvert(), "indices"_a.noconvert(),
        "data"_a.noconvert(), "columns"_a);
  m.def("csr_features", &csr_features<float, std::int64_t>, "indptr"_a.noconvert(), "indices"_a.noconvert(),
        "data"_a.noconvert(), "columns"_a);

  nb::class_<GramHandle>(m, "Gram")
      .def_prop_ro("size", [](const GramHandle& self) { return self.gram->size(); })
      .def("diagonal", &gram_diagonal)
      .def("block", &gram_block, "rows"_a, "columns"_a)
      .def("seconds_of_block", &seconds_of_block, "rows"_a, "columns"_a, "max_seconds"_a)
      .def("float32_rows", &gram_float32_rows, "rows"_a)
      .def("float32_suffices", &gram_float32_suffices)
      .def("is_indefinite", &gram_is_indefinite, "part"_a = 1e-10)
      .def("is_of_float32", [](const GramHandle& self) { return self.gram->is_of_float32(); })
      .def("off_sum_scale", &gram_off_sum_scale)
      .def("score_scale", &gram_score_scale)
      .def("offset_shift", &gram_offset_shift, "beta"_a)
      .def("product", &gram_product, "beta"_a)
      .def("start_product", &start_product, "beta"_a);
  m.def("feature_gram", &feature_gram, "features"_a, "kernel"_a, "subset"_a.none(), "centred"_a);
  m.def("feature_grams", &feature_grams, "features"_a, "kernel"_a, "rows"_a, "cuts"_a, "centred"_a);
  m.def("precomputed_gram", &precomputed_gram<double>, "matrix"_a.noconvert(), "subset"_a.none());
  m.def("precomputed_gram", &precomputed_gram<float>, "matrix"_a.noconvert(), "subset"_a.none());
  m.def("opaque_gram", &opaque_gram, "block"_a, "diagonal"_a, "size"_a);
  m.def("adjusted_gram", &adjusted_gram, "inner"_a, "signs"_a, "constant"_a);
  m.def("kept_gram", &kept_gram, "inner"_a, "bytes"_a);
  m.def("matrix_products", &products_of_matrix, "matrix"_a.noconvert(), "vectors"_a.noconvert());
  m.def("cross_kernel", &cross, "kernel"_a, "left"_a, "right"_a);
  m.def("weighted_sums", &sums, "kernel"_a, "rows"_a, "support"_a, "coefficients"_a, "bounds"_a);
  m.def("products", &all_products, "grams"_a, "beta"_a, "max_seconds"_a = std::numeric_limits<double>::infinity());

  nb::enum_<CsrFault>(m, "CsrFault")
      .value("none", CsrFault::none)
      .value("starts", CsrFault::starts)
      .value("columns", CsrFault::columns);
  nb::class_<CsrCheck>(m, "CsrCheck").def_ro("fault", &CsrCheck::fault).def_ro("canonical", &CsrCheck::canonical);
  nb::class_<SquareCheck>(m, "SquareCheck")
      .def_ro("largest", &SquareCheck::largest)
      .def_ro("asymmetry", &SquareCheck::asymmetry);
  m.def("all_finite", &all_finite<double>, "x"_a.noconvert());
  m.def("all_finite", &all_finite<float>, "x"_a.noconvert());
  m.def("csr_check", &csr_check<std::int32_t, std::int32_t>, "indptr"_a.noconvert(), "indices"_a.noconvert(), "rows"_a,
        "columns"_a, "held"_a);
  m.def("csr_check", &csr_check<std::int32_t, std::int64_t>, "indptr"_a.noconvert(), "indices"_a.noconvert(), "rows"_a,
        "columns"_a, "held"_a);
  m.def("csr_check", &csr_check<std::int64_t, std::int32_t>, "indptr"_a.noconvert(), "indices"_a.noconvert(), "rows"_a,
        "columns"_a, "held"_a);
  m.def("csr_check", &csr_check<std::int64_t, std::int64_t>, "indptr"_a.noconvert(), "indices"_a.noconvert(), "rows"_a,
        "columns"_a, "held"_a);
  m.def("square_check", &square_check<double>, "matrix"_a.noconvert());
  m.def("square_check", &square_check<float>, "matrix"_a.noconvert());
}

}  // namespace maxmargin::python
