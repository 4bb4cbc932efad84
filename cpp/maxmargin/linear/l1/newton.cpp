// Proximal Newton for weights that cost their absolute values (Yuan, Ho and Lin 2012), on a working set of features that
// doubles until no other feature wants in.
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/linear/l1/model.hpp"
#include "maxmargin/linear/l1/problem.hpp"
#include "maxmargin/linear/losses.hpp"
#include "maxmargin/newton/line_search.hpp"

namespace maxmargin {

namespace {

constexpr Index widest_gram = 1000;  // beyond that, the columns themselves
constexpr Index fewest_new = 128;
constexpr int most_attempts = 8;
constexpr Index few_columns = 300;
constexpr std::int64_t patience = 60, patience_with_many = 25;  // rounds, which are dear with many columns
constexpr double least_damping = 1e-4, negligible = 1e-9;       // of the largest curvature that a feature can have
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Row {
  double loss, beta, curvature;  // beta: minus the slope in f
};

inline Row row_of(SmoothLoss loss, double epsilon, double C, double y, double f) {
  if (loss == SmoothLoss::logistic) {
    const double z = y * f, e = std::exp(-std::abs(z)), p = (z > 0 ? e : 1.0) / (1.0 + e);
    return {C * (std::max(-z, 0.0) + std::log1p(e)), y * C * p, C * p * (1.0 - p)};
  }
  const bool tube = loss == SmoothLoss::squared_tube;
  const double residual = y - f, excess = tube ? std::abs(residual) - epsilon : 1.0 - y * f;
  if (!(excess > 0)) return {0.0, 0.0, 0.0};
  const double toward = tube ? (residual > 0 ? 1.0 : -1.0) : y;
  return {C * excess * excess, 2 * C * excess * toward, 2 * C};
}

// One row's share of the dual objective.
inline double gain_of(SmoothLoss loss, double epsilon, double C, double y, double beta) {
  if (loss == SmoothLoss::logistic) return logistic_gain(C, y * beta);
  return y * beta - (loss == SmoothLoss::squared_tube ? epsilon * std::abs(beta) : 0.0) - 0.25 * beta * beta / C;
}

class L1Newton {
 public:
  L1Newton(const L1Problem& problem, const LinearOptions& options, const Monitor& monitor)
      : problem_(problem),
        linear_{problem.x, problem.y, problem.C, MarginLoss::squared_hinge, problem.offset, problem.offset_scale, true},
        passes_(*problem.x),
        record_(linear_, options, monitor, problem.x->columns() < few_columns ? patience : patience_with_many,
                problem.x->columns() < widest_gram),
        gram_(passes_),
        columns_(*problem.columns),
        n_(problem.x->rows()),
        d_(problem.x->columns()),
        constant_(problem.offset == LinearOffset::none        ? 0.0
                  : problem.offset == LinearOffset::penalised ? problem.offset_scale
                                                              : 1.0),
        last_cost_(problem.offset == LinearOffset::penalised ? problem.l1 : 0.0),
        last_ridge_(problem.offset == LinearOffset::penalised ? problem.ridge : 0.0),
        w_(d_, 0.0),
        u_(d_),
        f_(n_, 0.0),
        next_f_(n_),
        curvature_(n_),
        beta_(n_),
        slope_(d_) {
    passes_.watch([this] { return record_.poll(); });
    for (int side : {0, 1}) {
      signed_[side].resize(n_);
      combination_[side].resize(d_);
    }
    model_.constant = constant_;
    model_.set.place.assign(d_, -1);
  }

  void begin_at(const LinearOutcome& start) {
    w_ = start.w;
    last_ = constant_ > 0 ? start.b / constant_ : 0.0;
    passes_.scores(w_.data(), f_.data());
    for (double& f : f_) f += constant_ * last_;
  }

  LinearOutcome run() {
    for (std::int64_t round = 0;; ++round) {
      evaluate();
      const double dual = scale_to_the_dual();
      if (record_.see(primal_, w_, constant_ * last_, dual, beta_, 1.0, 1.0, round)) break;
      choose();
      if (model_.worst == 0) break;
      const bool small = model_.size() <= widest_gram;
      if (small) gram_.fill(model_, curvature_);
      Step found = Step::too_far;
      for (int attempt = 0; found == Step::too_far; ++attempt) {
        find_damping();
        if (!(small ? gram_.solve(model_, record_) : by_columns())) return record_.finish();
        found = step(attempt < most_attempts);
      }
      if (found == Step::none) break;
    }
    return record_.finish();
  }

 private:
  enum class Step { taken, too_far, none };
  struct Part {
    double loss = 0, side_sum[2] = {0, 0};
  };

  // Loss, slopes and curvatures at f, and the slope of the loss in every weight.
  void evaluate() {
    std::vector<Part> parts(passes_.chunks());
    passes_.for_rows([&](Index c, Index begin, Index end) {
      Part part;
      for (Index i = begin; i < end; ++i) {
        const Row r = row_of(problem_.loss, problem_.epsilon, problem_.C[i], problem_.y[i], f_[i]);
        const int side = r.beta > 0;
        curvature_[i] = r.curvature;
        part.loss += r.loss;
        part.side_sum[side] += r.beta;
        signed_[side][i] = r.beta;
        signed_[1 - side][i] = 0;
      }
      parts[c] = part;
    });
    primal_ = absolute(w_, last_) + squares(w_, w_, last_, last_, 0.0);
    side_sum_[0] = side_sum_[1] = 0;
    for (const Part& part : parts) {
      primal_ += part.loss;
      for (int side : {0, 1}) side_sum_[side] += part.side_sum[side];
    }
    for (int side : {0, 1}) passes_.combine(signed_[side].data(), combination_[side].data());
    for (Index k = 0; k < d_; ++k) slope_[k] = problem_.ridge * w_[k] - (combination_[0][k] + combination_[1][k]);
    last_slope_ = last_ridge_ * last_ - constant_ * (side_sum_[0] + side_sum_[1]);
  }

  double absolute(const std::vector<double>& w, double last) const {
    double sum = 0;
    for (const double value : w) sum += std::abs(value);
    return problem_.l1 * sum + last_cost_ * std::abs(last);
  }

  // What the ridge costs at t between two points.
  double squares(const std::vector<double>& w, const std::vector<double>& u, double from, double to, double t) const {
    if (problem_.ridge == 0) return 0.0;
    double sum = 0;
    for (Index k = 0; k < d_; ++k) {
      const double value = between(w[k], u[k], t);
      sum += value * value;
    }
    const double last = between(from, to, t);
    return 0.5 * (problem_.ridge * sum + last_ridge_ * last * last);
  }

  // What the dual loses by products with features that are above l1.
  double excess(const double factor[2]) const {
    const auto lost = [this](double v) {
      const double over = std::max(std::abs(v) - problem_.l1, 0.0);
      return 0.5 * over * over / problem_.ridge;
    };
    double sum = last_ridge_ > 0 ? lost(constant_ * (side_sum_[0] + side_sum_[1])) : 0.0;
    for (Index k = 0; k < d_; ++k) sum += lost(factor[0] * combination_[0][k] + factor[1] * combination_[1][k]);
    return sum;
  }

  // Makes of the slopes a point of the dual: their sum 0 where the offset is free, and no feature's product with them above l1,
  // or, where a ridge allows that, the slopes as they are if this bounds the optimum better.
  double scale_to_the_dual() {
    double factor[2] = {1, 1};
    if (problem_.offset == LinearOffset::free) {
      const double level = std::min(-side_sum_[0], side_sum_[1]);
      factor[0] = side_sum_[0] < 0 ? level / -side_sum_[0] : 0.0;
      factor[1] = side_sum_[1] > 0 ? level / side_sum_[1] : 0.0;
    }
    double largest = 0;
    for (Index k = 0; k < d_; ++k)
      largest = std::max(largest, std::abs(factor[0] * combination_[0][k] + factor[1] * combination_[1][k]));
    if (last_cost_ > 0) largest = std::max(largest, std::abs(constant_ * (side_sum_[0] + side_sum_[1])));
    const double most = largest > 0 ? problem_.l1 / largest : infinity;
    const bool logistic = problem_.loss == SmoothLoss::logistic;
    struct Sums {
      double linear = 0, square = 0, gain = 0, whole = 0;
    };
    std::vector<Sums> parts(passes_.chunks());
    const double fixed = std::min(most, 1.0);
    passes_.for_rows([&](Index c, Index begin, Index end) {
      Sums sums;
      for (Index i = begin; i < end; ++i) {
        const double C = problem_.C[i], y = problem_.y[i];
        beta_[i] = factor[0] * signed_[0][i] + factor[1] * signed_[1][i];
        if (logistic) {
          sums.gain += gain_of(problem_.loss, problem_.epsilon, C, y, fixed * beta_[i]);
          if (problem_.ridge > 0) sums.whole += gain_of(problem_.loss, problem_.epsilon, C, y, beta_[i]);
        } else {
          const double square = 0.25 * beta_[i] * beta_[i] / C;
          sums.linear += gain_of(problem_.loss, problem_.epsilon, C, y, beta_[i]) + square;
          sums.square += square;
        }
      }
      parts[c] = sums;
    });
    Sums all;
    for (const Sums& sums : parts) {
      all.linear += sums.linear;
      all.square += sums.square;
      all.gain += sums.gain;
      all.whole += sums.whole;
    }
    // t linear - t^2 square is largest at the root of its slope
    const double best = all.square > 0 ? std::clamp(0.5 * all.linear / all.square, 0.0, most) : 0.0;
    const double t = logistic ? fixed : best;
    const double feasible = logistic ? all.gain : t * all.linear - t * t * all.square;
    if (problem_.ridge > 0) {
      const double whole = (logistic ? all.whole : all.linear - all.square) - excess(factor);
      if (whole >= feasible) return whole;
    }
    for (double& value : beta_) value *= t;
    return feasible;
  }

  // The working set: what is not 0, and of the others those that want in most, at most as many again.
  void choose() {
    for (const Index k : model_.set.columns) model_.set.place[k] = -1;
    model_.set.columns.clear();
    wanting_.clear();
    model_.worst = 0;
    for (Index k = 0; k < d_; ++k) {
      const double away = L1Model::violation(w_[k], slope_[k], problem_.l1);
      model_.worst = std::max(model_.worst, away);
      if (w_[k] != 0)
        model_.set.columns.push_back(k);
      else if (away > 0)
        wanting_.push_back(k);
    }
    const std::size_t room = std::max<std::size_t>(fewest_new, model_.set.columns.size());
    if (wanting_.size() > room) {
      const auto more = [&](Index a, Index b) {
        const double left = std::abs(slope_[a]), right = std::abs(slope_[b]);
        return left != right ? left > right : a < b;
      };
      std::nth_element(wanting_.begin(), wanting_.begin() + std::ptrdiff_t(room), wanting_.end(), more);
      wanting_.resize(room);
    }
    model_.settled = 10 * wanting_.size() <= model_.set.columns.size();
    model_.set.columns.insert(model_.set.columns.end(), wanting_.begin(), wanting_.end());
    std::sort(model_.set.columns.begin(), model_.set.columns.end());
    model_.w.clear();
    model_.g.clear();
    for (std::size_t a = 0; a < model_.set.columns.size(); ++a) {
      const Index k = model_.set.columns[a];
      model_.set.place[k] = Index(a);
      model_.w.push_back(w_[k]);
      model_.g.push_back(slope_[k]);
    }
    model_.cost.assign(model_.w.size(), problem_.l1);
    model_.ridge.assign(model_.w.size(), problem_.ridge);
    if (constant_ > 0) {
      model_.w.push_back(last_);
      model_.g.push_back(last_slope_);
      model_.cost.push_back(last_cost_);
      model_.ridge.push_back(last_ridge_);
      model_.worst = std::max(model_.worst, L1Model::violation(last_, last_slope_, last_cost_));
    }
  }

  void find_damping() {
    model_.damping.assign(model_.size(), 0.0);
    if (damping_ == 0) return;
    if (bound_.empty()) {
      bound_.resize(d_ + 1);
      std::vector<double> most(n_);
      for (Index i = 0; i < n_; ++i) most[i] = (problem_.loss == SmoothLoss::logistic ? 0.25 : 2.0) * problem_.C[i];
      passes_.squares(most.data(), bound_.data());
      bound_[d_] = constant_ * constant_ * std::accumulate(most.begin(), most.end(), 0.0);
    }
    for (std::size_t a = 0; a < model_.set.columns.size(); ++a) model_.damping[a] = damping_ * bound_[model_.set.columns[a]];
    if (constant_ > 0) model_.damping.back() = damping_ * bound_[d_];
  }

  // The logistic loss by its model; squared losses as they are.
  bool by_columns() {
    const bool logistic = problem_.loss == SmoothLoss::logistic, tube = problem_.loss == SmoothLoss::squared_tube;
    rows_.loss = logistic ? RowLoss::square : tube ? RowLoss::outside : RowLoss::above;
    rows_.factor.resize(n_);
    rows_.error.assign(n_, 0.0);
    if (tube) rows_.width.resize(n_);
    for (Index i = 0; i < n_; ++i) {
      const double root = std::sqrt(logistic ? curvature_[i] : 2 * problem_.C[i]), y = problem_.y[i];
      rows_.factor[i] = logistic || tube ? root : -y * root;
      if (logistic) continue;
      rows_.error[i] = root * (tube ? f_[i] - y - problem_.epsilon : 1.0 - y * f_[i]);
      if (tube) rows_.width[i] = 2 * root * problem_.epsilon;
    }
    const std::vector<double> slopes = model_.g, ridges = model_.ridge;
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      if (!logistic) model_.g[k] = ridges[k] * model_.w[k];
      model_.ridge[k] += model_.damping[k];
    }
    const bool done = columns_.solve(model_, rows_, record_);
    model_.g = slopes;
    model_.ridge = ridges;
    return done;
  }

  double loss_at(double t) {
    std::vector<double> parts(passes_.chunks());
    passes_.for_rows([&](Index c, Index begin, Index end) {
      double sum = 0;
      for (Index i = begin; i < end; ++i)
        sum += row_of(problem_.loss, problem_.epsilon, problem_.C[i], problem_.y[i], between(f_[i], next_f_[i], t)).loss;
      parts[c] = sum;
    });
    return std::accumulate(parts.begin(), parts.end(), 0.0);
  }

  static double between(double from, double to, double t) { return t == 1 ? to : from + t * (to - from); }

  // To the model's least point if the objective falls there as it should; else the model is to be made again, or, if it may
  // not, half as far as often as it takes. None: there is nothing left to gain that float64 can tell.
  Step step(bool may_retry) {
    u_ = w_;
    double promised = 0;
    for (std::size_t a = 0; a < model_.set.columns.size(); ++a) {
      u_[model_.set.columns[a]] = model_.u[a];
      promised += model_.g[a] * (model_.u[a] - model_.w[a]);
    }
    double last = last_;
    if (constant_ > 0) {
      last = model_.u.back();
      promised += last_slope_ * (last - last_);
    }
    promised += absolute(u_, last) - absolute(w_, last_);
    passes_.scores(u_.data(), next_f_.data());
    for (double& value : next_f_) value += constant_ * last;
    const double rounding = (promised > -1e-10 * std::abs(primal_) ? 1e-13 : 1e-15) * std::abs(primal_);
    const auto falls_enough = [&](double t) {
      double sum = 0;
      for (Index k = 0; k < d_; ++k) sum += std::abs(between(w_[k], u_[k], t));
      const double paid = problem_.l1 * sum + last_cost_ * std::abs(between(last_, last, t));
      return paid + squares(w_, u_, last_, last, t) + loss_at(t) <= primal_ + 0.01 * t * promised + rounding;
    };
    bool falls = falls_enough(1);
    if (!falls && may_retry) {
      damping_ = std::max(10 * damping_, least_damping);
      return Step::too_far;
    }
    // Where weights pass 0 the slope jumps, and says little of what is ahead: all that is told is whether it was too far.
    const double t = line_search(0.0, [&](double length) {
      if (length < 1) falls = falls_enough(length);
      return AlongDirection{.slope = falls ? 0.0 : 1.0, .curvature = 0.0};
    });
    if (!falls) return Step::none;
    damping_ = damping_ > negligible ? 0.25 * damping_ : 0.0;
    bool moved = between(last_, last, t) != last_;
    last_ = between(last_, last, t);
    for (Index k = 0; k < d_; ++k) {
      const double to = between(w_[k], u_[k], t);
      moved = moved || to != w_[k];
      w_[k] = to;
    }
    for (Index i = 0; i < n_; ++i) f_[i] = between(f_[i], next_f_[i], t);
    return moved ? Step::taken : Step::none;
  }

  const L1Problem& problem_;
  LinearProblem linear_;
  RowPasses passes_;
  LinearRecord record_;
  GramModel gram_;
  ColumnModel columns_;
  Index n_, d_;
  double constant_, last_cost_, last_ridge_;  // the feature that the offset is the weight of, and what that weight costs
  std::vector<double> w_, u_;
  double last_ = 0;  // weight of the constant feature
  std::vector<double> f_, next_f_, curvature_, beta_, slope_;
  double last_slope_ = 0;
  std::vector<double> signed_[2], combination_[2];
  double side_sum_[2] = {0, 0}, primal_ = 0;
  std::vector<Index> wanting_;
  L1Model model_;
  RowTerms rows_;
  std::vector<double> bound_;  // the largest curvature that features can have
  double damping_ = 0;         // as a part of it
};

}  // namespace

LinearOutcome minimise_l1(const L1Problem& problem, const LinearOptions& options, const Monitor& monitor,
                          const LinearOutcome* start) {
  L1Newton search(problem, options, monitor);
  if (start != nullptr) search.begin_at(*start);
  return search.run();
}

}  // namespace maxmargin
