// The thin module: arrays in, arrays out, GIL released, interrupts polled. No algorithm lives here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "maxmargin/cpu.hpp"
#include "maxmargin/engine.hpp"
#include "maxmargin/gram.hpp"
#include "maxmargin/thread_pool.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace maxmargin;

namespace {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const Index, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class V>
using Matrix = nb::ndarray<const V, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class V>
using Values = nb::ndarray<const V, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<nb::numpy, double>;

Result to_numpy(std::vector<double> values, std::initializer_list<std::size_t> shape) {
  auto* moved = new std::vector<double>(std::move(values));
  const nb::capsule owner(moved, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return Result(moved->data(), shape, owner);
}

// User's arrays stay alive as long as C++ reads them.
struct FeaturesHandle {
  std::shared_ptr<const Features> features;
  std::vector<nb::object> owners;
};
struct GramHandle {
  std::shared_ptr<const Gram> gram;
  std::vector<nb::object> owners;
};

template <class V>
FeaturesHandle dense_features(const Matrix<V>& x) {
  return {std::make_shared<DenseFeatures<V>>(x.data(), Index(x.shape(0)), Index(x.shape(1))), {nb::cast(x)}};
}

template <class V, class I>
FeaturesHandle csr_features(const Values<I>& indptr, const Values<I>& indices, const Values<V>& data, std::int64_t columns) {
  const auto rows = std::int64_t(indptr.shape(0)) - 1;
  if (rows < 0 || indptr.data()[0] != 0) throw nb::value_error("The CSR matrix has an invalid indptr.");
  for (std::int64_t r = 0; r < rows; ++r)
    if (indptr.data()[r + 1] < indptr.data()[r]) throw nb::value_error("The CSR matrix has a decreasing indptr.");
  const auto stored = std::int64_t(indptr.data()[rows]);
  if (stored > std::int64_t(indices.shape(0)) || stored > std::int64_t(data.shape(0)))
    throw nb::value_error("The CSR matrix holds fewer values than its indptr says.");
  for (std::int64_t k = 0; k < stored; ++k)
    if (indices.data()[k] < 0 || std::int64_t(indices.data()[k]) >= columns)
      throw nb::value_error("The CSR matrix has a column index outside its shape.");
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

GramHandle feature_gram(const FeaturesHandle& x, const KernelFunction& kernel, const std::optional<Indices>& subset) {
  return {make_feature_gram(x.features, kernel, subset_of(subset, x.features->rows())), x.owners};
}

template <class V>
GramHandle precomputed_gram(const Matrix<V>& k, const std::optional<Indices>& subset) {
  if (k.shape(0) != k.shape(1)) throw nb::value_error("A precomputed kernel matrix must be square.");
  const auto n = Index(k.shape(0));
  return {make_precomputed_gram(k.data(), n, subset_of(subset, n)), {nb::cast(k)}};
}

// The function gets two int32 arrays and must return a C-contiguous float64 array of shape (rows, columns).
GramHandle opaque_gram(const nb::callable& function, Index n) {
  auto block = [held = nb::object(function)](std::span<const Index> rows, std::span<const Index> columns, double* out) {
    const nb::gil_scoped_acquire gil;
    const auto as_array = [](std::span<const Index> list) {
      return nb::ndarray<nb::numpy, const Index>(list.data(), {list.size()}, nb::handle()).cast(nb::rv_policy::copy);
    };
    const nb::object answer = held(as_array(rows), as_array(columns));
    const auto values = nb::cast<Matrix<double>>(answer);
    if (values.shape(0) != rows.size() || values.shape(1) != columns.size())
      throw nb::value_error("A kernel block has the wrong shape.");
    std::copy(values.data(), values.data() + rows.size() * columns.size(), out);
  };
  // The function may only be dropped with the GIL held.
  auto* raw = make_opaque_gram(std::move(block), n).release();
  return {std::shared_ptr<const Gram>(raw,
                                      [](const Gram* gram) {
                                        const nb::gil_scoped_acquire gil;
                                        delete gram;
                                      }),
          {}};
}

// Lets Python handle signals every 50 ms or so, from a thread that has released the GIL.
class SignalPoll {
 public:
  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

Result gram_diagonal(const GramHandle& self) {
  std::vector<double> out(self.gram->size());
  {
    const nb::gil_scoped_release release;
    self.gram->diagonal(out.data());
  }
  const auto n = out.size();
  return to_numpy(std::move(out), {n});
}

Result gram_block(const GramHandle& self, const Indices& rows, const Indices& columns) {
  const auto left = checked(rows, self.gram->size()), right = checked(columns, self.gram->size());
  std::vector<double> out(left.size() * right.size());
  {
    const nb::gil_scoped_release release;
    self.gram->block(left, right, out.data());
  }
  return to_numpy(std::move(out), {left.size(), right.size()});
}

Result gram_product(const GramHandle& self, const Vector& beta) {
  if (beta.shape(0) != std::size_t(self.gram->size())) throw nb::value_error("beta must have one value per row.");
  std::vector<double> out(beta.shape(0));
  {
    const nb::gil_scoped_release release;
    self.gram->product(beta.data(), out.data(), SignalPoll());
  }
  return to_numpy(std::move(out), {beta.shape(0)});
}

Result cross(const KernelFunction& kernel, const FeaturesHandle& left, const FeaturesHandle& right) {
  if (left.features->columns() != right.features->columns()) throw nb::value_error("Both sides must have the same features.");
  const std::size_t rows = left.features->rows(), columns = right.features->rows();
  std::vector<double> out(rows * columns);
  {
    const nb::gil_scoped_release release;
    cross_kernel(kernel, *left.features, *right.features, out.data(), SignalPoll());
  }
  return to_numpy(std::move(out), {rows, columns});
}

nb::tuple minimise_signed(const GramHandle& gram, const Vector& q, const Vector& lower, const Vector& upper,
                          const std::optional<Vector>& ridge, bool keep_total, const Vector& beta, const Vector& gradient,
                          double tol, std::int64_t max_steps, double max_seconds, std::size_t cache_bytes, bool shrinking,
                          const nb::object& monitor) {
  const std::size_t n = gram.gram->size();
  for (const Vector* v : {&q, &lower, &upper, &beta, &gradient})
    if (v->shape(0) != n) throw nb::value_error("All vectors of the problem must have one value per row.");
  if (ridge && ridge->shape(0) != n) throw nb::value_error("ridge must have one value per row.");
  const SignedDual problem{Index(n), q.data(), lower.data(), upper.data(), ridge ? ridge->data() : nullptr, keep_total};
  const Options options{tol, max_steps, max_seconds, cache_bytes, shrinking};
  bool interrupted = false;
  const Monitor at_checkpoint = [&](const Progress& p) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) {
      // Ctrl-C ends the run and keeps what it has; any other exception of a signal handler goes its way.
      if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
      PyErr_Clear();
      interrupted = true;
      return true;
    }
    if (monitor.is_none()) return false;
    return nb::cast<bool>(monitor(p.seconds, p.steps, p.objective, p.violation, p.n_support));
  };
  Outcome outcome;
  {
    const nb::gil_scoped_release release;
    outcome = minimise(problem, *gram.gram, beta.data(), gradient.data(), options, at_checkpoint);
  }
  std::vector<double> trace;
  for (const Progress& p : outcome.trace)
    trace.insert(trace.end(), {p.seconds, double(p.steps), p.objective, p.violation, double(p.n_support)});
  return nb::make_tuple(to_numpy(std::move(outcome.beta), {n}), int(outcome.ending), interrupted, outcome.steps,
                        outcome.rows_made, outcome.newton_rounds, outcome.negative_curvature,
                        to_numpy(std::move(trace), {outcome.trace.size(), std::size_t(5)}));
}

}  // namespace

// For threadpoolctl, which finds them in the loaded library.
extern "C" {
__attribute__((visibility("default"))) int maxmargin_get_num_threads() { return thread_count(); }
__attribute__((visibility("default"))) void maxmargin_set_num_threads(int count) { set_thread_count(count); }
}

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // a module that is alive at interpreter exit is no leak
  m.def("get_threads", &thread_count);
  m.def("set_threads", &set_thread_count, "count"_a);
  m.def("cpu_level", [] { return std::string(hot().level); });
  m.def("cpu_levels", &cpu_levels);

  nb::class_<KernelFunction>(m, "KernelFunction")
      .def(
          "__init__",
          [](KernelFunction* self, int kind, double gamma, double coef0, int degree) {
            if (kind < 0 || kind > int(KernelKind::sigmoid)) throw nb::value_error("unknown kernel kind");
            new (self) KernelFunction{KernelKind(kind), gamma, coef0, degree};
          },
          "kind"_a, "gamma"_a, "coef0"_a, "degree"_a);

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
      .def("product", &gram_product, "beta"_a);
  m.def("feature_gram", &feature_gram, "features"_a, "kernel"_a, "subset"_a.none());
  m.def("precomputed_gram", &precomputed_gram<double>, "matrix"_a.noconvert(), "subset"_a.none());
  m.def("precomputed_gram", &precomputed_gram<float>, "matrix"_a.noconvert(), "subset"_a.none());
  m.def("opaque_gram", &opaque_gram, "function"_a, "size"_a);
  m.def("cross_kernel", &cross, "kernel"_a, "left"_a, "right"_a);
  m.def("minimise", &minimise_signed, "gram"_a, "q"_a, "lower"_a, "upper"_a, "ridge"_a.none(), "keep_total"_a, "beta"_a,
        "gradient"_a, "tol"_a, "max_steps"_a, "max_seconds"_a, "cache_bytes"_a, "shrinking"_a, "monitor"_a.none());
}
