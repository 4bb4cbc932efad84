// Proximal Newton for weights of all classes that cost their absolute values (Yuan, Ho and Lin 2012), on a working set of
// weights that doubles until no other wants in.
#include <cmath>
#include <limits>

#include "maxmargin/linear/multiclass/bound.hpp"
#include "maxmargin/linear/multiclass/l1_model.hpp"
#include "maxmargin/linear/multiclass/record.hpp"
#include "maxmargin/linear/multiclass/rows.hpp"

namespace maxmargin {

namespace {

using Block = ClassPasses::Block;

constexpr std::int64_t patience = 60;   // rounds
constexpr Index widest_gram = 1000;     // weights; beyond that, the columns of their features
constexpr double sweeps_a_gram = 1000;  // what its matrix may cost, in sweeps over the columns
constexpr Index fewest_new = 128;
constexpr int most_attempts = 8, most_halves = 40;
constexpr double least_damping = 1e-4, negligible = 1e-9;  // of the largest curvature that a weight can have

double between(double from, double to, double t) { return t == 1 ? to : from + t * (to - from); }

class ClassProximal {
 public:
  ClassProximal(const ClassProblem& problem, ClassRecord& record)
      : problem_(problem),
        record_(record),
        n_(problem.x->rows()),
        d_(problem.x->columns()),
        K_(problem.classes),
        width_(problem.width()),
        size_(d_ + (problem.offset != LinearOffset::none)),
        rows_(problem),
        passes_(*problem.x, size_, width_),
        linear_(*problem.x),
        bound_(problem, passes_),
        gram_(problem, linear_),
        columns_(problem, *problem.columns) {
    const bool free = problem.offset == LinearOffset::free;
    ridge_.assign(size_, problem.ridge);
    cost_.assign(size_, problem.l1);
    if (size_ > d_) {
      ridge_[d_] = free ? 0.0 : problem.ridge / (problem.offset_scale * problem.offset_scale);
      cost_[d_] = free ? 0.0 : problem.l1 / problem.offset_scale;
    }
    for (std::vector<double>* vector : {&W_, &to_, &gradient_, &combined_}) vector->assign(area(size_), 0.0);
    for (std::vector<double>* matrix : {&scores_, &next_scores_, &alpha_, &next_}) matrix->assign(area(n_), 0.0);
    log_sums_.resize(n_);
    linear_.watch([this] { return record_.poll(); });
    model_.set.place.assign(d_, -1);
    model_.free_offsets = free;
    std::vector<double> most(n_);
    for (Index i = 0; i < n_; ++i) {
      most[i] = 0.25 * problem.C[i];
      mean_cost_ += most[i];
    }
    bound_curvature_.assign(size_, mean_cost_);
    linear_.squares(most.data(), bound_curvature_.data());
    model_.gauge = mean_cost_ / K_;
  }

  void begin_at(const ClassOutcome& start) {
    for (Index k = 0; k < K_; ++k) {
      for (Index j = 0; j < d_; ++j) W_[area(j) + std::size_t(k)] = start.w[std::size_t(k) * std::size_t(d_) + std::size_t(j)];
      if (size_ > d_) W_[area(d_) + std::size_t(k)] = start.b[k];
    }
    find_scores(W_, scores_);
  }

  ClassOutcome run() {
    record_.begin(patience);
    for (std::int64_t round = 0;; ++round) {
      evaluate();  // also where it is to stop at once: there is a point to hand back
      record_.see_primal(primal_, W_, round);
      record_.see_dual(bound_.find(alpha_, combined_, scores_, log_sums_, next_), next_);
      if (record_.stops() || record_.poll()) break;
      choose();
      if (model_.worst == 0) break;
      const bool gram = by_gram();
      if (gram && !gram_.fill(model_, alpha_, record_)) break;
      Step found = Step::too_far;
      for (int attempt = 0; found == Step::too_far; ++attempt) {
        find_damping();
        if (!(gram ? gram_.solve(model_, record_) : columns_.solve(model_, alpha_, record_))) return record_.finish(alpha_);
        found = step(attempt < most_attempts);
      }
      if (found == Step::none) break;
    }
    return record_.finish(alpha_);
  }

 private:
  enum class Step { taken, too_far, none };

  std::size_t area(Index rows) const { return std::size_t(rows) * std::size_t(width_); }

  void find_scores(const std::vector<double>& W, std::vector<double>& scores) {
    passes_.pass(
        passes_.all(), W.data(),
        [&](const Block& block) {
          std::copy(block.values, block.values + std::ptrdiff_t(block.count) * width_, scores.data() + area(block.first));
        },
        nullptr);
  }

  // Loss and multipliers at the scores, and the slope of the loss in every weight.
  void evaluate() {
    ChunkSums loss;
    passes_.pass(
        passes_.all(), nullptr,
        [&](const Block& block) {
          const std::size_t at = area(block.first);
          loss[block.chunk] += rows_.multipliers(block.first, block.count, scores_.data() + at, alpha_.data() + at,
                                                 log_sums_.data() + block.first);
          for (Index r = 0; r < block.count; ++r)
            rows_.slopes(block.first + r, alpha_.data() + at + area(r), block.values + area(r));
        },
        gradient_.data());
    primal_ = loss.total() + paid([&](std::size_t at) { return W_[at]; });
    for (Index a = 0; a < size_; ++a)
      for (Index k = 0; k < width_; ++k) {
        const std::size_t at = area(a) + std::size_t(k);
        combined_[at] = -gradient_[at];
        gradient_[at] += ridge_[a] * W_[at];
      }
  }

  // The penalty of weights.
  template <class At>
  double paid(const At& weight) const {
    double sum = 0;
    for (Index a = 0; a < size_; ++a) {
      double absolute = 0, square = 0;
      for (Index k = 0; k < K_; ++k) {
        const double value = weight(area(a) + std::size_t(k));
        absolute += std::abs(value);
        square += value * value;
      }
      sum += cost_[a] * absolute + 0.5 * ridge_[a] * square;
    }
    return sum;
  }

  // The working set: what is not 0, and of the others those that want in most, at most as many again; all offsets.
  void choose() {
    struct Wanting {
      double away;
      std::size_t at;
    };
    std::vector<Wanting> wanting;
    std::vector<std::size_t> chosen;
    model_.worst = 0;
    for (Index a = 0; a < size_; ++a)
      for (Index k = 0; k < K_; ++k) {
        const std::size_t at = area(a) + std::size_t(k);
        const double away = L1Coordinates::violation(W_[at], gradient_[at], cost_[a]);
        model_.worst = std::max(model_.worst, away);
        if (W_[at] != 0 || cost_[a] == 0)
          chosen.push_back(at);
        else if (away > 0)
          wanting.push_back({away, at});
      }
    const std::size_t room = std::max<std::size_t>(fewest_new, chosen.size());
    if (wanting.size() > room) {
      const auto more = [](const Wanting& a, const Wanting& b) { return a.away != b.away ? a.away > b.away : a.at < b.at; };
      std::nth_element(wanting.begin(), wanting.begin() + std::ptrdiff_t(room), wanting.end(), more);
      wanting.resize(room);
    }
    model_.settled = 10 * wanting.size() <= chosen.size();
    for (const Wanting& each : wanting) chosen.push_back(each.at);
    std::sort(chosen.begin(), chosen.end());
    for (const Index j : model_.set.columns) model_.set.place[j] = -1;
    model_.set.columns.clear();
    for (const std::size_t at : chosen) {
      const auto a = Index(at / std::size_t(width_));
      if (a == d_ || (!model_.set.columns.empty() && model_.set.columns.back() == a)) continue;
      model_.set.place[a] = Index(model_.set.columns.size());
      model_.set.columns.push_back(a);
    }
    for (std::vector<double>* part : {&model_.w, &model_.g, &model_.cost, &model_.ridge}) part->clear();
    model_.place.clear();
    model_.klass.clear();
    for (const std::size_t at : chosen) {
      const auto a = Index(at / std::size_t(width_));
      model_.place.push_back(a == d_ ? Index(model_.set.columns.size()) : model_.set.place[a]);
      model_.klass.push_back(Index(at % std::size_t(width_)));
      model_.w.push_back(W_[at]);
      model_.g.push_back(gradient_[at]);
      model_.cost.push_back(cost_[a]);
      model_.ridge.push_back(ridge_[a]);
    }
    chosen_ = std::move(chosen);
  }

  void find_damping() {
    model_.damping.resize(chosen_.size());
    for (std::size_t p = 0; p < chosen_.size(); ++p)
      model_.damping[p] = damping_ * bound_curvature_[chosen_[p] / std::size_t(width_)];
  }

  // Whether the matrix is small, and costs no more than some sweeps over the columns.
  bool by_gram() const {
    if (model_.size() > widest_gram) return false;
    const double stored = double(problem_.x->stored_values()), in_row = stored / n_,
                 share = double(model_.set.columns.size()) / d_;
    const double filled = std::max(in_row * share, 1.0), sweep = filled * double(n_) * model_.size() / (share * d_ + 1);
    const double matrix = 0.5 * K_ * (K_ + 1) * (0.25 * filled * filled * double(n_) + (size_ > d_ ? stored : 0.0));
    return matrix <= sweeps_a_gram * sweep + 1e7;
  }

  double loss_at(double t) {
    ChunkSums loss;
    passes_.for_rows([&](const Block& block) {
      const std::size_t at = area(block.first);
      double log_sums[ClassPasses::block];
      for (std::size_t k = 0; k < area(block.count); ++k) block.values[k] = between(scores_[at + k], next_scores_[at + k], t);
      loss[block.chunk] += rows_.multipliers(block.first, block.count, block.values, next_.data() + at, log_sums);
    });
    return loss.total();
  }

  // To the model's least point if the objective falls there as it should; else the model is to be made again, or, if it may
  // not, half as far as often as it takes. None: there is nothing left to gain that float64 can tell.
  Step step(bool may_retry) {
    to_ = W_;
    double promised = 0;
    for (std::size_t p = 0; p < chosen_.size(); ++p) {
      to_[chosen_[p]] = model_.u[p];
      promised += model_.g[p] * (model_.u[p] - model_.w[p]) + model_.cost[p] * (std::abs(model_.u[p]) - std::abs(model_.w[p]));
    }
    find_scores(to_, next_scores_);
    const double rounding = (promised > -1e-10 * std::abs(primal_) ? 1e-13 : 1e-15) * std::abs(primal_);
    const auto falls = [&](double t) {
      const double now = paid([&](std::size_t at) { return between(W_[at], to_[at], t); }) + loss_at(t);
      return now <= primal_ + 0.01 * t * promised + rounding;
    };
    double t = 1;
    if (!falls(t)) {
      if (may_retry) {
        damping_ = std::max(10 * damping_, least_damping);
        return Step::too_far;
      }
      int halves = 0;
      while (halves < most_halves && !falls(t *= 0.5)) ++halves;
      if (halves == most_halves) return Step::none;
    }
    damping_ = damping_ > negligible ? 0.25 * damping_ : 0.0;
    bool moved = false;
    for (const std::size_t at : chosen_) {
      const double to = between(W_[at], to_[at], t);
      moved = moved || to != W_[at];
      W_[at] = to;
    }
    for (std::size_t at = 0; at < scores_.size(); ++at) scores_[at] = between(scores_[at], next_scores_[at], t);
    return moved ? Step::taken : Step::none;
  }

  const ClassProblem& problem_;
  ClassRecord& record_;
  Index n_, d_, K_, width_, size_;
  ClassRows rows_;
  ClassPasses passes_;
  RowPasses linear_;
  ClassBound bound_;
  ClassGramModel gram_;
  ClassColumnModel columns_;
  std::vector<double> ridge_, cost_;  // of each feature, the offset last
  std::vector<double> W_, to_, gradient_, combined_;
  std::vector<double> scores_, next_scores_, alpha_, next_, log_sums_;
  std::vector<double> bound_curvature_;  // the largest that a weight of each feature can have
  std::vector<std::size_t> chosen_;      // the places in W of the working set
  ClassWorkingSet model_;
  double primal_ = 0, damping_ = 0, mean_cost_ = 0;
};

}  // namespace

ClassOutcome minimise_classes_with_l1(const ClassProblem& problem, const LinearOptions& options, const Monitor& monitor,
                                      const ClassOutcome* start) {
  ClassRecord record(problem, options, monitor);
  ClassProximal search(problem, record);
  if (start != nullptr) search.begin_at(*start);
  return search.run();
}

}  // namespace maxmargin
