#include "fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "maxmargin/kernels/kernel_traits.hpp"
#include "maxmargin/rows/dense_features.hpp"

namespace maxmargin::playground {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::int64_t automatic_steps(Index n) { return std::min<std::int64_t>(10'000'000, 1'000'000 + 4000 * n) + 100 * n; }

// By how much a row misses what it should have.
double deficit(const Settings& settings, double y, double score) {
  switch (settings.formulation) {
    case Formulation::regression: return std::abs(score - y) - settings.epsilon;
    case Formulation::one_class:
    case Formulation::ball: return -score;
    default: return 1 - y * score;
  }
}

Kind kind_of(double deficit, bool right, double tolerance) {
  if (deficit < -tolerance) return Kind::non_informative;
  if (deficit <= tolerance) return Kind::boundary;
  return right ? Kind::inside_right : Kind::wrong;
}

// Where scores are known to so many places, a row is on the edge that is as near to it.
double tolerance_of(double violation) { return std::max(1e-6, std::min(10 * violation, 0.1)); }

}  // namespace

bool Request::has_classes() const {
  return settings.formulation == Formulation::soft_margin || settings.formulation == Formulation::hard_margin ||
         settings.formulation == Formulation::nu_classification;
}

Fit::Fit(Request request) : request_(std::move(request)) {
  const Index n = request_.rows();
  if (n == 0) throw std::invalid_argument("There are no points. Add some.");
  if (request_.max_steps < 0) request_.max_steps = automatic_steps(n);
  features_ = std::make_shared<DenseFeatures<double>>(request_.x.data(), n, request_.columns);
  make_parts();
  const Limits limits{.tol = request_.tol, .max_steps = request_.max_steps, .deadline = Deadline(request_.max_seconds)};
  if (is_joint()) {
    const std::unique_ptr<Gram> gram = make_feature_gram(features_, request_.kernel, {}, request_.settings.offset);
    std::vector<Index> labels(std::size_t(n), 0);
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = Index(request_.y[i]);
    joint_ = solved_jointly(*gram, labels, classes_, request_.settings.C, request_.settings.offset, limits);
    return;
  }
  for (const auto& part : parts_) part->solved = solved(*part->dual, background(*part), limits);
}

Background Fit::background(const Part& part) const {
  return {part.x.data(), request_.columns, request_.kernel, request_.is_mercer};
}

void Fit::make_parts() {
  if (!request_.has_classes()) return add_part(0, -1, {});
  std::vector<Index> count;
  for (const double label : request_.y) {
    if (label >= double(count.size())) count.resize(std::size_t(label) + 1);
    ++count[std::size_t(label)];
  }
  classes_ = Index(count.size());
  if (classes_ < 2)
    throw std::invalid_argument("All points are of one class. Add points of a second one, or choose One class.");
  if (std::find(count.begin(), count.end(), 0) != count.end()) throw std::invalid_argument("A class has no points.");
  if (request_.scheme == Scheme::joint && classes_ > 2) {
    if (request_.settings.formulation != Formulation::soft_margin || request_.settings.squared)
      throw std::invalid_argument("All classes at once have a soft margin with linear slack only.");
    joint_.classes = classes_;
    return;
  }
  if (classes_ == 2) return add_part(1, 0, {});
  if (request_.scheme == Scheme::rest) {
    for (Index k = 0; k < classes_; ++k) add_part(k, -1, {});
    return;
  }
  for (Index k = 0; k < classes_; ++k)
    for (Index l = k + 1; l < classes_; ++l) {
      std::vector<Index> rows;
      for (std::size_t i = 0; i < request_.y.size(); ++i)
        if (request_.y[i] == k || request_.y[i] == l) rows.push_back(Index(i));
      add_part(k, l, std::move(rows));
    }
}

void Fit::add_part(int positive, int negative, std::vector<Index> rows) {
  auto part = std::make_unique<Part>();
  part->positive = positive;
  part->negative = negative;
  std::vector<double> y;
  const Index n = rows.empty() ? request_.rows() : Index(rows.size()), width = request_.columns;
  part->x.reserve(std::size_t(n) * std::size_t(width));
  for (Index k = 0; k < n; ++k) {
    const Index row = rows.empty() ? k : rows[std::size_t(k)];
    part->x.insert(part->x.end(), request_.x.begin() + row * width, request_.x.begin() + (row + 1) * width);
    const double own = request_.y[std::size_t(row)];
    if (request_.has_classes())
      y.push_back(own == positive ? 1 : -1);
    else
      y.push_back(request_.settings.formulation == Formulation::regression ? own : 1);
  }
  part->rows = std::move(rows);
  part->features = std::make_shared<DenseFeatures<double>>(part->x.data(), n, width);
  std::shared_ptr<const Gram> gram =
      make_feature_gram(part->features, request_.kernel, {}, Dual::is_of_centred_rows(request_.settings));
  part->dual = std::make_unique<Dual>(request_.settings, std::move(gram), std::move(y));
  parts_.push_back(std::move(part));
}

Certificate Fit::certificate(std::size_t k) const {
  if (is_joint()) {
    double support = 0;
    for (Index i = 0; i < request_.rows(); ++i) support += coefficient(std::size_t(request_.y[std::size_t(i)]), i) != 0;
    double square = 0;
    for (std::size_t place = 0; place < joint_.beta.size(); ++place) square += 0.5 * joint_.beta[place] * joint_.scores[place];
    const double bias = joint_.bias[k];
    return {joint_.primal,
            joint_.dual,
            joint_.gap,
            joint_.relative_gap,
            joint_.violation,
            double(joint_.status),
            double(joint_.steps),
            support,
            bias,
            bias,
            bias,
            square,
            0};
  }
  const Solved& found = parts_[k]->solved;
  const Model& model = found.model;
  const auto support = std::count_if(model.beta.begin(), model.beta.end(), [](double b) { return b != 0; });
  const double scale = found.point.evaluation.abs_sum > 0 && !model.beta.empty() ? unit_of(*parts_[k]->dual, found.point) : 1;
  const bool hard = request_.settings.formulation == Formulation::hard_margin;
  const double square = found.point.evaluation.square_norm * (hard ? scale * scale : 1);
  return {model.primal,        model.dual,      found.gap,  found.relative_gap, model.violation, double(found.status),
          double(found.steps), double(support), model.bias, model.bias_low,     model.bias_high, square,
          model.radius};
}

Certificate Fit::certificate() const {
  Certificate all = certificate(0);
  if (is_joint()) return all;
  for (std::size_t k = 1; k < parts_.size(); ++k) {
    const Certificate one = certificate(k);
    all.primal += one.primal;
    all.dual += one.dual;
    all.gap += one.gap;
    if (!(one.relative_gap <= all.relative_gap)) all.relative_gap = one.relative_gap;
    all.violation = std::max(all.violation, one.violation);
    all.status = std::max(all.status, one.status);
    all.steps += one.steps;
  }
  if (parts_.size() > 1) {
    all.support = 0;
    for (Index i = 0; i < request_.rows(); ++i) {
      bool holds = false;
      for (std::size_t k = 0; k < parts_.size() && !holds; ++k) holds = coefficient(k, i) != 0;
      all.support += holds;
    }
  }
  return all;
}

double Fit::coefficient(std::size_t k, Index row) const {
  if (is_joint()) return 0.5 * joint_.beta[std::size_t(row) * std::size_t(joint_.classes) + k];
  const Part& part = *parts_[k];
  if (part.rows.empty()) return part.solved.model.beta[std::size_t(row)];
  const auto found = std::lower_bound(part.rows.begin(), part.rows.end(), row);
  if (found == part.rows.end() || *found != row) return 0;
  return part.solved.model.beta[std::size_t(found - part.rows.begin())];
}

PointColumns Fit::columns(std::size_t k) const {
  PointColumns found;
  if (is_joint()) {
    const auto width = std::size_t(joint_.classes);
    for (Index i = 0; i < request_.rows(); ++i) {
      const auto own = std::size_t(request_.y[std::size_t(i)]), first = std::size_t(i) * width;
      double rival = -infinity;
      for (std::size_t l = 0; l < width; ++l)
        if (l != own) rival = std::max(rival, joint_.scores[first + l]);
      const double lead = joint_.scores[first + own] - rival;
      found.row.push_back(double(i));
      found.y.push_back(double(own));
      found.alpha.push_back(std::abs(joint_.beta[first + k]));
      found.score.push_back(joint_.scores[first + k]);
      found.slack.push_back(std::max(0.0, 1 - lead));
      found.kind.push_back(double(kind_of(1 - lead, lead > 0, tolerance_of(joint_.violation))));
      found.weight.push_back(0);
    }
    return found;
  }
  const Part& part = *parts_[k];
  const Model& model = part.solved.model;
  const double tolerance = tolerance_of(model.violation);
  for (std::size_t i = 0; i < model.beta.size(); ++i) {
    const double y = part.dual->y()[i], score = model.scores[i], missed = deficit(request_.settings, y, score);
    found.row.push_back(part.rows.empty() ? double(i) : double(part.rows[i]));
    found.y.push_back(y);
    found.alpha.push_back(std::abs(model.beta[i]));
    found.score.push_back(score);
    found.slack.push_back(std::max(0.0, missed));
    const bool right = request_.has_classes() && (score >= 0) == (y > 0);
    found.kind.push_back(double(kind_of(missed, right, tolerance)));
    found.weight.push_back(part.solved.proof.empty() ? 0 : part.solved.proof[i]);
  }
  return found;
}

PointColumns Fit::summary() const {
  const auto n = std::size_t(request_.rows());
  const std::vector<double> zero(n, 0.0);
  PointColumns all{.row = zero, .y = request_.y, .alpha = zero, .score = zero, .slack = zero, .kind = zero, .weight = zero};
  for (std::size_t k = 0; k < parts(); ++k) {
    const PointColumns one = columns(k);
    for (std::size_t j = 0; j < one.row.size(); ++j) {
      const auto i = std::size_t(one.row[j]);
      all.row[i] = double(i);
      all.score[i] = parts() == 1 ? one.score[j] : std::max(all.score[i], one.score[j]);
      all.alpha[i] = std::max(all.alpha[i], one.alpha[j]);
      all.slack[i] = std::max(all.slack[i], one.slack[j]);
      all.kind[i] = std::max(all.kind[i], one.kind[j]);
      all.weight[i] = std::max(all.weight[i], one.weight[j]);
    }
  }
  return all;
}

std::vector<double> Fit::values(const std::vector<double>& points) const {
  const Index width = request_.columns, count = Index(points.size()) / width;
  std::vector<Index> support;
  for (Index i = 0; i < request_.rows(); ++i) {
    bool holds = false;
    for (std::size_t k = 0; k < parts() && !holds; ++k) holds = coefficient(k, i) != 0;
    if (holds) support.push_back(i);
  }
  std::vector<double> found(parts() * std::size_t(count), 0.0);
  const DenseFeatures<double> rows(points.data(), count, width);
  if (!support.empty()) {
    std::vector<double> vectors, coefficients;
    for (const Index i : support)
      vectors.insert(vectors.end(), request_.x.begin() + i * width, request_.x.begin() + (i + 1) * width);
    for (std::size_t k = 0; k < parts(); ++k)
      for (const Index i : support) coefficients.push_back(coefficient(k, i));
    const DenseFeatures<double> held(vectors.data(), Index(support.size()), width);
    const std::vector<Index> bounds{0, Index(support.size())};
    weighted_sums(request_.kernel, rows, held, coefficients.data(), Index(parts()), bounds, found.data(), nobody);
  }
  std::vector<double> taken(std::size_t(count), 0.0);
  if (request_.settings.formulation == Formulation::ball) {
    const auto shared = std::make_shared<DenseFeatures<double>>(points.data(), count, width);
    make_feature_gram(shared, request_.kernel, {}, false)->diagonal(taken.data());
  }
  for (std::size_t k = 0; k < parts(); ++k) {
    const double bias = is_joint() ? joint_.bias[k] : parts_[k]->solved.model.bias;
    for (std::size_t a = 0; a < std::size_t(count); ++a) found[k * std::size_t(count) + a] += bias - 0.5 * taken[a];
  }
  return found;
}

std::vector<double> Fit::ahead(const std::vector<double>& values, std::size_t points, int label) const {
  std::vector<double> found(points, infinity);
  const bool by_class = parts() > 1 && (is_joint() || request_.scheme == Scheme::rest);
  for (std::size_t k = 0; k < parts(); ++k) {
    if (by_class && int(k) == label) continue;
    const double* const f = values.data() + k * points;
    if (by_class) {
      const double* const own = values.data() + std::size_t(label) * points;
      for (std::size_t a = 0; a < points; ++a) found[a] = std::min(found[a], own[a] - f[a]);
      continue;
    }
    const bool positive = parts() == 1 ? label == 1 : parts_[k]->positive == label;
    if (!positive && parts() > 1 && parts_[k]->negative != label) continue;
    for (std::size_t a = 0; a < points; ++a) found[a] = std::min(found[a], positive ? f[a] : -f[a]);
  }
  return found;
}

std::vector<double> Fit::winners(const std::vector<double>& values, std::size_t points) const {
  std::vector<double> found(points, 0.0);
  const bool by_pairs = !is_joint() && parts() > 1 && request_.scheme == Scheme::pairs;
  std::vector<double> score(std::size_t(std::max<Index>(classes_, 2)));
  for (std::size_t a = 0; a < points; ++a) {
    if (parts() == 1) {
      found[a] = values[a] > 0 ? 1 : 0;
      continue;
    }
    std::fill(score.begin(), score.end(), 0.0);
    for (std::size_t k = 0; k < parts(); ++k) {
      const double f = values[k * points + a];
      if (by_pairs)
        score[std::size_t(f > 0 ? parts_[k]->positive : parts_[k]->negative)] += 1;
      else
        score[k] = f;
    }
    found[a] = double(std::max_element(score.begin(), score.end()) - score.begin());
  }
  return found;
}

std::vector<double> Fit::weights(std::size_t k) const {
  if (!is_linear(request_.kernel)) return {};
  std::vector<double> w(std::size_t(request_.columns), 0.0);
  for (Index i = 0; i < request_.rows(); ++i)
    for (Index c = 0; c < request_.columns; ++c)
      w[std::size_t(c)] += coefficient(k, i) * request_.x[std::size_t(i) * std::size_t(request_.columns) + std::size_t(c)];
  return w;
}

Walk::Walk(Request request) {
  const double tol = request.tol;
  request.max_steps = 0;
  fit_ = std::make_unique<Fit>(std::move(request));
  if (fit_->is_joint() || fit_->parts() != 1)
    throw std::invalid_argument("Steps are shown of one problem: of two classes, of a regression or of one class.");
  fit_->request_.tol = tol;
  beta_ = fit_->part(0).dual->start();
  look();
}

void Walk::look() {
  const Dual& dual = *fit_->part(0).dual;
  Point point = evaluated(dual, beta_);
  gradient_ = dual.gradient(point.beta, point.scores);
  fit_->replace(0, judged(dual, std::move(point), fit_->request().tol, Termination::step_limit, steps_));
}

bool Walk::step() {
  moved_.clear();
  const Options options{.tol = 1e-12,
                        .max_steps = 1,
                        .deadline = Deadline(),
                        .cache_bytes = std::size_t(64) << 20,
                        .shrinking = false,
                        .finish = false};
  const Outcome outcome = searched(fit_->part(0).dual->bounded(), beta_, gradient_, options);
  for (std::size_t i = 0; i < beta_.size(); ++i)
    if (outcome.beta[i] != beta_[i]) moved_.push_back({Index(i), beta_[i], outcome.beta[i]});
  if (moved_.empty()) return false;
  beta_ = outcome.beta;
  steps_ += outcome.steps;
  look();
  return true;
}

}  // namespace maxmargin::playground
