// The engine, several problems at once, with signals and progress; and the judge of what it finds.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <optional>
#include <span>

#include "common.hpp"
#include "maxmargin/assembly.hpp"
#include "maxmargin/class_pairs.hpp"
#include "maxmargin/engine.hpp"
#include "maxmargin/joint.hpp"
#include "maxmargin/judge.hpp"
#include "maxmargin/thread_pool.hpp"
#include "watch.hpp"

using namespace nb::literals;

namespace maxmargin::python {

namespace {

// Several problems as Python hands them over, in the order of the fields of `DualStack`, whose sizes are known here. Vectors
// stand one problem after the other.
class Stack {
 public:
  explicit Stack(const nb::tuple& t)
      : grams_(nb::cast<std::vector<const GramHandle*>>(t[0])),
        q_(nb::cast<Vector>(t[1])),
        lower_(nb::cast<Vector>(t[2])),
        upper_(nb::cast<Vector>(t[3])),
        ridge_(nb::cast<std::optional<Vector>>(t[4])),
        kink_(nb::cast<double>(t[5])),
        offset_(nb::cast<bool>(t[6])),
        total_(nb::cast<Vector>(t[7])),
        mass_(nb::cast<std::optional<Vector>>(t[8])),
        mass_may_fall_(nb::cast<bool>(t[9])) {
    for (const GramHandle* gram : grams_) starts_.push_back(starts_.back() + gram->gram->size());
    for (const Vector* v : {&q_, &lower_, &upper_}) require_rows(*v);
    if (ridge_) require_rows(*ridge_);
    if (total_.shape(0) != size() || (mass_ && mass_->shape(0) != size()))
      throw nb::value_error("There must be one total and one mass per problem.");
  }
  void require_rows(const Vector& v) const {
    if (v.shape(0) != std::size_t(rows())) throw nb::value_error("All vectors must have one value per row.");
  }
  std::size_t size() const { return grams_.size(); }
  std::ptrdiff_t rows() const { return starts_.back(); }
  std::ptrdiff_t start(std::size_t k) const { return starts_[k]; }
  const Gram& gram(std::size_t k) const { return *grams_[k]->gram; }
  std::vector<const Gram*> grams() const {
    std::vector<const Gram*> grams(size());
    for (std::size_t k = 0; k < size(); ++k) grams[k] = &gram(k);
    return grams;
  }
  bool is_opaque() const {
    return std::any_of(grams_.begin(), grams_.end(), [](const GramHandle* gram) { return gram->gram->is_opaque(); });
  }
  SignedDual problem(std::size_t k) const {
    const std::ptrdiff_t at = starts_[k];
    return {.n = gram(k).size(),
            .q = q_.data() + at,
            .lower = lower_.data() + at,
            .upper = upper_.data() + at,
            .ridge = ridge_ ? ridge_->data() + at : nullptr,
            .kink = kink_,
            .keep = mass_     ? Keep::sides
                    : offset_ ? Keep::total
                              : Keep::nothing,
            .total = total_.data()[k],
            .mass = mass_ ? mass_->data()[k] : 0.0,
            .mass_may_fall = mass_may_fall_};
  }

 private:
  std::vector<const GramHandle*> grams_;
  std::vector<std::ptrdiff_t> starts_{0};
  Vector q_, lower_, upper_;
  std::optional<Vector> ridge_;
  double kink_;
  bool offset_;
  Vector total_;
  std::optional<Vector> mass_;
  bool mass_may_fall_;
};

nb::tuple minimise_all(const nb::tuple& problems, const Vector& beta, const Vector& gradient, double tol,
                       std::int64_t max_steps, double max_seconds, std::size_t cache_bytes, bool shrinking, bool resumed,
                       const nb::object& monitor) {
  const Stack stack(problems);
  stack.require_rows(beta);
  stack.require_rows(gradient);
  std::vector<Outcome> outcomes(stack.size());
  Watch watch(monitor, max_seconds);
  {
    const WithoutGil release;
    const Monitor at_checkpoint = [&](const Progress& p) { return watch.at_checkpoint(p); };
    const bool together = stack.size() > 1 && !stack.is_opaque();
    // At most so many run at once, so that each one's share of the memory does not depend on the number of threads.
    const std::size_t at_once = together ? std::min<std::size_t>(stack.size(), 16) : 1;
    Options options{tol, max_steps, 0, cache_bytes, shrinking, stack.size() == 1, resumed};
    SharedGrams shared;
    std::optional<Ending> early;
    if (together) try {
        const Poll poll = [&] { watch.poll(); };
        const Watched watched(poll);
        stack.gram(0).prepare();
        shared = share_rows(stack.grams(), options);
      } catch (const Stopped& stop) {
        early = stop.ending();
      }
    options.cache_bytes = (cache_bytes - shared.bytes) / at_once;
    const auto one = [&](std::size_t k) {
      const double* const point = beta.data() + stack.start(k);
      if (early || watch.stopped()) {  // before it began
        outcomes[k].beta.assign(point, point + stack.gram(k).size());
        outcomes[k].ending = early.value_or(Ending::stopped);
        return;
      }
      Options own = options;
      own.max_seconds = watch.seconds_left();
      const Gram& gram = shared.grams.empty() ? stack.gram(k) : *shared.grams[k];
      outcomes[k] = minimise(stack.problem(k), gram, point, gradient.data() + stack.start(k), own, at_checkpoint);
    };
    std::atomic<std::size_t> next{0};
    const auto in_turn = [&](std::ptrdiff_t) {
      for (std::size_t k = next++; k < stack.size(); k = next++) one(k);
    };
    const Poll while_waiting = [&] { watch.while_waiting(); };
    const Watched watched(while_waiting);
    parallel_chunks(std::ptrdiff_t(at_once), in_turn);
    watch.rethrow();
  }
  std::vector<double> points;
  std::vector<std::int64_t> counts;
  std::vector<Progress> trace;
  points.reserve(stack.rows());
  for (const Outcome& outcome : outcomes) {
    points.insert(points.end(), outcome.beta.begin(), outcome.beta.end());
    trace.insert(trace.end(), outcome.trace.begin(), outcome.trace.end());
    const bool by_signal = watch.interrupted() && outcome.ending == Ending::stopped;
    counts.insert(counts.end(), {std::int64_t(outcome.ending), outcome.steps, outcome.rows_made, outcome.newton_rounds,
                                 outcome.negative_curvature, by_signal, std::int64_t(outcome.trace.size())});
  }
  return nb::make_tuple(to_numpy(std::move(points)), to_numpy(std::move(counts), {outcomes.size(), std::size_t(7)}),
                        as_table(trace));
}

nb::tuple minimise_classes(const GramHandle& gram, const Indices& label, const Vector& upper, const Matrix<double>& beta,
                           const Vector& bias, bool offsets, double tol, std::int64_t max_steps, double max_seconds,
                           std::size_t cache_bytes, const nb::object& monitor) {
  const auto n = std::size_t(gram.gram->size());
  if (label.shape(0) != n || upper.shape(0) != n || beta.shape(0) != n)
    throw nb::value_error("Labels, bounds and coefficients must have one value per row.");
  if (bias.shape(0) != beta.shape(1)) throw nb::value_error("There must be as many offsets as classes.");
  const auto classes = Index(beta.shape(1));
  for (std::size_t i = 0; i < n; ++i)
    if (label.data()[i] < 0 || label.data()[i] >= classes) throw nb::value_error("A label is outside the classes.");
  JointOutcome outcome;
  Watch watch(monitor, max_seconds);
  {
    const WithoutGil release;
    const Poll poll = [&] { watch.insist(); };
    const Watched watched(poll);
    const JointDual problem{Index(n), classes, label.data(), upper.data(), offsets};
    const Options options{.tol = tol, .max_steps = max_steps, .max_seconds = max_seconds, .cache_bytes = cache_bytes};
    const Monitor monitored = [&](const Progress& p) { return watch.at_checkpoint(p); };
    outcome = with_room_for(n, std::size_t(classes), 6, "the search",
                            [&] { return minimise_joint(problem, *gram.gram, beta.data(), bias.data(), options, monitored); });
  }
  return nb::make_tuple(to_numpy(std::move(outcome.beta), {n, std::size_t(classes)}), to_numpy(std::move(outcome.bias)),
                        int(outcome.ending), watch.interrupted() && outcome.ending == Ending::stopped, outcome.steps,
                        outcome.rows_made, as_table(outcome.trace));
}

// Without scores they are computed, and offsets are shifted to rows as they are. They come first in what is found.
nb::tuple judge_all(const nb::tuple& problems, const Vector& beta, const std::optional<Vector>& known) {
  const Stack stack(problems);
  stack.require_rows(beta);
  if (known) stack.require_rows(*known);
  std::vector<double> made(known ? 0 : std::size_t(stack.rows()));
  const double* const scores = known ? known->data() : made.data();
  std::vector<Judgement> found(stack.size());
  std::vector<double> scales(stack.size(), 0.0), shifts(stack.size(), 0.0);
  without_gil([&](const Poll& poll) {
    for (std::size_t k = 0; k < stack.size(); ++k) {  // scores of 0 have no rounding: X need not be looked at
      const double* const point = beta.data() + stack.start(k);
      if (std::any_of(point, point + stack.gram(k).size(), [](double b) { return b != 0.0; }))
        scales[k] = stack.gram(k).score_scale();
    }
    if (!known) {
      std::vector<const double*> points(stack.size());
      std::vector<double*> targets(stack.size());
      for (std::size_t k = 0; k < stack.size(); ++k) {
        points[k] = beta.data() + stack.start(k);
        targets[k] = made.data() + stack.start(k);
      }
      products(stack.grams(), points, targets, poll);
    }
    const auto one = [&](std::ptrdiff_t k) {
      const double* const point = beta.data() + stack.start(k);
      found[k] = judge(stack.problem(k), point, scores + stack.start(k), scales[k]);
      if (!known) shifts[k] = stack.gram(k).offset_shift(point);
    };
    if (stack.rows() < 4096)  // some nanoseconds a row: threads would take longer to wake
      for (std::size_t k = 0; k < stack.size(); ++k) one(std::ptrdiff_t(k));
    else
      parallel_chunks(std::ptrdiff_t(stack.size()), one);
  });
  std::vector<std::int64_t> support, boundary;  // places among the rows of all problems
  std::vector<std::int64_t> counts;
  std::vector<double> numbers;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const Judgement& j = found[k];
    for (const Index i : j.support) support.push_back(stack.start(k) + i);
    for (const Index i : j.boundary) boundary.push_back(stack.start(k) + i);
    counts.insert(counts.end(), {std::int64_t(j.support.size()), std::int64_t(j.boundary.size())});
    numbers.insert(numbers.end(), {j.bias, j.bias_low, j.bias_high, j.price, j.primal, j.dual, j.violation, j.square_norm,
                                   j.mass, j.infeasibility, j.rounding, shifts[k], scales[k]});
  }
  return nb::make_tuple(known ? nb::cast(*known) : nb::cast(to_numpy(std::move(made))), to_numpy(std::move(support)),
                        to_numpy(std::move(boundary)), to_numpy(std::move(counts), {found.size(), std::size_t(2)}),
                        to_numpy(std::move(numbers), {found.size(), std::size_t(13)}));
}

// Are all from 0 to `end` - 1?
bool are_within(std::span<const std::int64_t> values, std::int64_t end) {
  return std::all_of(values.begin(), values.end(), [&](std::int64_t value) { return 0 <= value && value < end; });
}

nb::tuple pairs_of(const Values<std::int64_t>& codes, Index classes) {
  const std::span held(codes.data(), codes.size());
  if (!are_within(held, classes)) throw nb::value_error("A label is outside the classes.");
  ClassPairs pairs = class_pairs(held, classes);
  return nb::make_tuple(to_numpy(std::move(pairs.rows)), to_numpy(std::move(pairs.signs)), to_numpy(std::move(pairs.starts)));
}

nb::tuple box_of(const Vector& signs, const std::optional<Values<Index>>& rows, const Vector& prices) {
  const auto is_row = [&](Index row) { return 0 <= row && std::size_t(row) < prices.size(); };
  if (rows ? rows->size() != signs.size() : prices.size() == 0 || signs.size() % prices.size() != 0)
    throw nb::value_error("There must be one sign for each row of each problem.");
  if (rows && !std::all_of(rows->data(), rows->data() + rows->size(), is_row))
    throw nb::value_error("A row of a problem has no price.");
  MarginBox box = margin_box({signs.data(), signs.size()}, rows ? rows->data() : nullptr, {prices.data(), prices.size()});
  return nb::make_tuple(to_numpy(std::move(box.q)), to_numpy(std::move(box.lower)), to_numpy(std::move(box.upper)));
}

nb::tuple assembled(const Values<std::int64_t>& codes, Index classes, const Values<std::int64_t>& support,
                    const Values<std::int64_t>& counts, const Vector& beta, const Matrix<std::int64_t>& heights,
                    Index coefficients) {
  const std::span of_rows(codes.data(), codes.size()), rows_held(support.data(), support.size()),
      machines(counts.data(), counts.size()), places(heights.data(), heights.size());
  const std::size_t total = support.size();
  if (classes < 1 || !are_within(of_rows, classes) || !are_within(rows_held, std::int64_t(codes.size())) ||
      !are_within(places, coefficients) || !are_within(machines, std::int64_t(total) + 1))
    throw nb::value_error("A class, a row or a height is outside its range.");
  if (std::accumulate(machines.begin(), machines.end(), std::int64_t(0)) != std::int64_t(total) || total != beta.size() ||
      heights.shape(0) != counts.size() || heights.shape(1) != std::size_t(classes))
    throw nb::value_error("Support vectors, coefficients and heights must belong to the same machines.");
  Assembly found = assemble(of_rows, classes, rows_held, machines, {beta.data(), total}, places, coefficients);
  const std::size_t rows = found.rows.size();
  return nb::make_tuple(to_numpy(std::move(found.rows)), to_numpy(std::move(found.counts)),
                        to_numpy(std::move(found.dual), {std::size_t(coefficients), rows}));
}

}  // namespace

void bind_solving(nb::module_& m) {
  m.def("class_pairs", &pairs_of, "codes"_a, "classes"_a);
  m.def("margin_box", &box_of, "signs"_a, "rows"_a.none(), "prices"_a);
  m.def("assemble", &assembled, "codes"_a, "classes"_a, "support"_a, "counts"_a, "beta"_a, "heights"_a, "coefficients"_a);
  m.def("minimise", &minimise_all, "problems"_a, "beta"_a, "gradient"_a, "tol"_a, "max_steps"_a, "max_seconds"_a,
        "cache_bytes"_a, "shrinking"_a, "resumed"_a, "monitor"_a.none());
  m.def("minimise_joint", &minimise_classes, "gram"_a, "label"_a, "upper"_a, "beta"_a, "bias"_a, "offsets"_a, "tol"_a,
        "max_steps"_a, "max_seconds"_a, "cache_bytes"_a, "monitor"_a.none());
  m.def("judge", &judge_all, "problems"_a, "beta"_a, "scores"_a.none());
}

}  // namespace maxmargin::python
