// The thin module: arrays in, arrays out, GIL released, interrupts polled. No algorithm lives here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
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

Result sums(const KernelFunction& kernel, const FeaturesHandle& rows, const FeaturesHandle& support,
            const Matrix<double>& coefficients, const Indices& bounds) {
  if (rows.features->columns() != support.features->columns()) throw nb::value_error("Both sides must have the same features.");
  const Index count = support.features->rows();
  if (coefficients.shape(1) != std::size_t(count)) throw nb::value_error("Each support row needs a column of coefficients.");
  const std::span<const Index> groups(bounds.data(), bounds.shape(0));
  if (groups.empty() || groups.front() != 0 || groups.back() != count || !std::is_sorted(groups.begin(), groups.end()))
    throw nb::value_error("The bounds must rise from 0 to the number of support rows.");
  const std::size_t height = coefficients.shape(0), n = rows.features->rows();
  std::vector<double> out((groups.size() - 1) * height * n);
  {
    const nb::gil_scoped_release release;
    weighted_sums(kernel, *rows.features, *support.features, coefficients.data(), Index(height), groups, out.data(),
                  SignalPoll());
  }
  return to_numpy(std::move(out), {groups.size() - 1, height, n});
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

// Several products at once, each on one thread; the rows of an opaque source are asked for one problem after the other.
nb::list products(const std::vector<const GramHandle*>& grams, const std::vector<Vector>& betas) {
  if (grams.size() != betas.size()) throw nb::value_error("Each Gram needs its beta.");
  if (grams.size() == 1) {
    nb::list single;
    single.append(gram_product(*grams[0], betas[0]));
    return single;
  }
  std::vector<std::vector<double>> out(grams.size());
  bool opaque = false;
  for (std::size_t k = 0; k < grams.size(); ++k) {
    if (betas[k].shape(0) != std::size_t(grams[k]->gram->size())) throw nb::value_error("beta must have one value per row.");
    out[k].resize(betas[k].shape(0));
    opaque |= grams[k]->gram->is_opaque();
  }
  {
    const nb::gil_scoped_release release;
    const auto caller = std::this_thread::get_id();
    SignalPoll poll;
    const auto one = [&](std::ptrdiff_t k) {
      grams[k]->gram->product(betas[k].data(), out[k].data(), [&] {
        if (std::this_thread::get_id() == caller) poll();
      });
    };
    if (opaque)
      for (std::size_t k = 0; k < grams.size(); ++k) one(std::ptrdiff_t(k));
    else
      parallel_chunks(std::ptrdiff_t(grams.size()), one);
  }
  nb::list result;
  for (auto& values : out) {
    const std::size_t n = values.size();
    result.append(to_numpy(std::move(values), {n}));
  }
  return result;
}

// What the run of several problems shares: the clock, the wish to stop, and Python, which only the calling thread talks to.
class Watch {
 public:
  explicit Watch(const nb::object& monitor, double max_seconds) : monitor_(monitor), max_seconds_(max_seconds) {}

  // True stops the run.
  bool at_checkpoint(const Progress& p) {
    if (std::this_thread::get_id() != caller_) return stop_;
    const nb::gil_scoped_acquire gil;
    try {
      check_signals();
      if (!monitor_.is_none() && nb::cast<bool>(monitor_(p.seconds, p.steps, p.objective, p.violation, p.n_support)))
        stop_ = true;
    } catch (...) {
      stop_ = true;
      throw;
    }
    return stop_;
  }

  void while_waiting() noexcept {
    const nb::gil_scoped_acquire gil;
    try {
      check_signals();
    } catch (...) {
      stop_ = true;
      error_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }
  bool interrupted() const { return interrupted_; }

  // Seconds left for a run that begins now; 0 stands for no limit.
  double seconds_left() const {
    if (max_seconds_ <= 0) return 0;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    return std::max(1e-9, max_seconds_ - passed.count());
  }

 private:
  // Ctrl-C ends the run and keeps what it has; any other exception of a signal handler goes its way.
  void check_signals() {
    if (PyErr_CheckSignals() == 0) return;
    if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw nb::python_error();
    PyErr_Clear();
    interrupted_ = true;
    stop_ = true;
  }

  const nb::object& monitor_;
  double max_seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<bool> stop_{false};
  bool interrupted_ = false;
  std::exception_ptr error_;
};

// One problem as Python hands it over, in the order of the canonical dual's fields.
struct Task {
  const GramHandle* gram;
  Vector q, lower, upper;
  std::optional<Vector> ridge;
  bool keep_total;
  Vector beta, gradient;

  explicit Task(const nb::tuple& t)
      : gram(nb::cast<const GramHandle*>(t[0])),
        q(nb::cast<Vector>(t[1])),
        lower(nb::cast<Vector>(t[2])),
        upper(nb::cast<Vector>(t[3])),
        ridge(nb::cast<std::optional<Vector>>(t[4])),
        keep_total(nb::cast<bool>(t[5])),
        beta(nb::cast<Vector>(t[6])),
        gradient(nb::cast<Vector>(t[7])) {
    const std::size_t n = gram->gram->size();
    for (const Vector* v : {&q, &lower, &upper, &beta, &gradient})
      if (v->shape(0) != n) throw nb::value_error("All vectors of a problem must have one value per row.");
    if (ridge && ridge->shape(0) != n) throw nb::value_error("ridge must have one value per row.");
  }
  SignedDual problem() const {
    return {gram->gram->size(), q.data(), lower.data(), upper.data(), ridge ? ridge->data() : nullptr, keep_total};
  }
};

nb::tuple as_tuple(Outcome outcome, bool interrupted) {
  std::vector<double> trace;
  for (const Progress& p : outcome.trace)
    trace.insert(trace.end(), {p.seconds, double(p.steps), p.objective, p.violation, double(p.n_support)});
  const std::size_t n = outcome.beta.size();
  return nb::make_tuple(to_numpy(std::move(outcome.beta), {n}), int(outcome.ending),
                        interrupted && outcome.ending == Ending::stopped, outcome.steps, outcome.rows_made,
                        outcome.newton_rounds, outcome.negative_curvature,
                        to_numpy(std::move(trace), {outcome.trace.size(), std::size_t(5)}));
}

nb::list minimise_all(const nb::list& problems, double tol, std::int64_t max_steps, double max_seconds, std::size_t cache_bytes,
                      bool shrinking, const nb::object& monitor) {
  std::vector<Task> tasks;
  bool opaque = false;
  for (const nb::handle item : problems) {
    tasks.emplace_back(nb::cast<nb::tuple>(item));
    opaque |= tasks.back().gram->gram->is_opaque();
  }
  std::vector<Outcome> outcomes(tasks.size());
  Watch watch(monitor, max_seconds);
  {
    const nb::gil_scoped_release release;
    const Monitor at_checkpoint = [&](const Progress& p) { return watch.at_checkpoint(p); };
    const bool together = tasks.size() > 1 && !opaque;
    const std::size_t share = together ? cache_bytes / std::size_t(thread_count()) : cache_bytes;
    const auto one = [&](std::ptrdiff_t k) {
      const Options options{tol, max_steps, watch.seconds_left(), share, shrinking};
      outcomes[k] = minimise(tasks[k].problem(), *tasks[k].gram->gram, tasks[k].beta.data(), tasks[k].gradient.data(), options,
                             at_checkpoint);
    };
    if (together)
      parallel_chunks(std::ptrdiff_t(tasks.size()), one, [&] { watch.while_waiting(); });
    else
      for (std::size_t k = 0; k < tasks.size(); ++k) one(std::ptrdiff_t(k));
    watch.rethrow();
  }
  nb::list result;
  for (Outcome& outcome : outcomes) result.append(as_tuple(std::move(outcome), watch.interrupted()));
  return result;
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
  m.def("weighted_sums", &sums, "kernel"_a, "rows"_a, "support"_a, "coefficients"_a, "bounds"_a);
  m.def("products", &products, "grams"_a, "betas"_a);
  m.def("minimise", &minimise_all, "problems"_a, "tol"_a, "max_steps"_a, "max_seconds"_a, "cache_bytes"_a, "shrinking"_a,
        "monitor"_a.none());
}
