#include "formulations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace maxmargin::playground {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double beyond = 2;  // times what beta can be: a bound that is never met

// `amount` poured into some rows one after the other, each up to its room.
void fill(std::vector<double>& beta, const std::vector<double>& y, double sign, double room, double amount) {
  for (std::size_t i = 0; i < beta.size() && amount > 0; ++i) {
    if (sign != 0 && y[i] != sign) continue;
    const double taken = std::min(room, amount);
    beta[i] = sign == 0 ? taken : sign * taken;
    amount -= taken;
  }
}

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

double largest_diagonal(const Gram& gram) {
  std::vector<double> diagonal(std::size_t(gram.size()));
  gram.diagonal(diagonal.data());
  double largest = 0;
  for (const double value : diagonal) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

bool Dual::is_of_centred_rows(const Settings& settings) {
  const bool sums_to_0 = settings.formulation != Formulation::one_class && settings.formulation != Formulation::ball;
  return settings.offset && sums_to_0;
}

Dual::Dual(const Settings& settings, std::shared_ptr<const Gram> gram, std::vector<double> y)
    : settings_(settings), gram_(std::move(gram)), y_(std::move(y)) {
  const std::size_t n = y_.size();
  q_.assign(n, 0.0);
  lower_.assign(n, 0.0);
  upper_.assign(n, 0.0);
  start_.assign(n, 0.0);
  batch_ = {.grams = {},
            .starts = {0, std::ptrdiff_t(n)},
            .q = q_.data(),
            .lower = lower_.data(),
            .upper = upper_.data(),
            .ridge = nullptr,
            .l1_weight = 0,
            .offset = settings_.offset,
            .sum = &total_,
            .abs_sum = nullptr,
            .abs_sum_may_fall = false};
  switch (settings_.formulation) {
    case Formulation::soft_margin: soft_margin(); break;
    case Formulation::hard_margin: hard_margin(); break;
    case Formulation::nu_classification: nu_classification(); break;
    case Formulation::regression: regression(); break;
    case Formulation::one_class: one_class(); break;
    case Formulation::ball: ball(); break;
  }
  batch_.grams = {gram_.get()};
  near_ = upper_;
  if (total_ > 0)
    for (double& bound : near_) bound = std::min(bound, beyond * total_);
}

void Dual::soft_margin() {
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double end = y_[i] * (settings_.squared ? infinity : settings_.C);
    q_[i] = -y_[i];
    lower_[i] = std::min(end, 0.0);
    upper_[i] = std::max(end, 0.0);
  }
  if (!settings_.squared) return;
  ridge_.assign(y_.size(), 0.5 / settings_.C);
  batch_.ridge = ridge_.data();
}

// The nearest points of two hulls; without an offset the point of one hull, of y_i phi(x_i), that is nearest to 0.
void Dual::hard_margin() {
  if (!settings_.offset) {
    gram_ = make_adjusted_gram(gram_, y_, 0.0);
    upper_.assign(y_.size(), beyond);
    total_ = 1;
    batch_.offset = true;
    start_[0] = 1;
    return;
  }
  for (std::size_t i = 0; i < y_.size(); ++i) {
    lower_[i] = std::min(beyond * y_[i], 0.0);
    upper_[i] = std::max(beyond * y_[i], 0.0);
  }
  abs_sum_ = 2;
  batch_.abs_sum = &abs_sum_;
  fill(start_, y_, 1, 1, 1);
  fill(start_, y_, -1, 1, 1);
}

void Dual::nu_classification() {
  const auto n = double(y_.size()), positive = double(std::count(y_.begin(), y_.end(), 1.0));
  const double largest = 2 * std::min(positive, n - positive) / n;
  if (settings_.nu > largest * (1 + 1e-12))
    throw std::invalid_argument("There is no answer at nu = " + number(settings_.nu) + ": it is more than " + number(largest) +
                                ", twice the share of the smaller class. Choose a smaller nu.");
  for (std::size_t i = 0; i < y_.size(); ++i) {
    lower_[i] = std::min(y_[i], 0.0);
    upper_[i] = std::max(y_[i], 0.0);
  }
  abs_sum_ = std::min(settings_.nu, largest) * n;
  batch_.abs_sum = &abs_sum_;
  fill(start_, y_, 1, 1, 0.5 * abs_sum_);
  fill(start_, y_, -1, 1, 0.5 * abs_sum_);
}

void Dual::regression() {
  for (std::size_t i = 0; i < y_.size(); ++i) {
    q_[i] = -y_[i];
    lower_[i] = -settings_.C;
    upper_[i] = settings_.C;
  }
  batch_.l1_weight = settings_.epsilon;
}

void Dual::one_class() {
  total_ = settings_.nu * double(y_.size());
  upper_.assign(y_.size(), 1.0);
  fill(start_, y_, 0, 1, total_);
}

void Dual::ball() {
  total_ = 1;
  upper_.assign(y_.size(), 1 / (settings_.nu * double(y_.size())));
  gram_->diagonal(q_.data());
  for (double& value : q_) value *= -0.5;
  fill(start_, y_, 0, upper_[0], 1);
}

std::vector<double> Dual::start() const { return start_; }

std::vector<double> Dual::gradient(const std::vector<double>& beta, const std::vector<double>& scores) const {
  std::vector<double> found(scores);
  for (std::size_t i = 0; i < found.size(); ++i) found[i] += q_[i] + (ridge_.empty() ? 0 : ridge_[i] * beta[i]);
  return found;
}

DualBatch Dual::bounded() const {
  DualBatch near = batch_;
  near.upper = near_.data();
  return near;
}

double unit_of(const Dual& dual, const Point& point) {
  const Evaluation& found = point.evaluation;
  if (dual.settings().formulation == Formulation::hard_margin)
    return found.square_norm > 0 ? (dual.settings().offset ? 2 : 1) / found.square_norm : 1;
  if (dual.settings().formulation == Formulation::ball) return found.primal > 1e-300 ? std::max(1.0, 0.5 / found.primal) : 1;
  return 1;
}

bool is_zero(const Dual& dual, const Point& point) {
  if (dual.settings().formulation == Formulation::hard_margin) return false;
  const Evaluation& found = point.evaluation;
  const double gap = found.primal - found.dual;
  const bool large_gap = found.abs_sum > 0 && !(gap <= 1e-3 * std::abs(found.primal));
  const double scale = large_gap ? found.abs_sum * found.abs_sum * largest_diagonal(dual.gram()) : 0;
  const double rounding = found.rounding + 1e-15 * scale;
  return found.dual - rounding <= 0 && 0 <= found.primal + rounding && gap <= 1e-9 * scale;
}

Model model_of(const Dual& dual, const Point& point) {
  const Evaluation& found = point.evaluation;
  const Settings& settings = dual.settings();
  double scale = 1, bias = found.bias;
  if (settings.formulation == Formulation::hard_margin) {
    scale = unit_of(dual, point);
    if (!settings.offset) bias = 0;
  }
  // Divided by rho, which is minus the multiplier of the sum of |beta|.
  if (settings.formulation == Formulation::nu_classification && -found.nu_multiplier > 1e-300 && !is_zero(dual, point))
    scale = -1 / found.nu_multiplier;
  const bool turned = settings.formulation == Formulation::hard_margin && !settings.offset;
  Model model{.beta = point.beta, .scores = point.scores, .primal = found.primal, .dual = found.dual};
  std::vector<double> taken(point.beta.size(), 0.0);
  if (settings.formulation == Formulation::ball) dual.gram().diagonal(taken.data());
  for (std::size_t i = 0; i < model.beta.size(); ++i) {
    const double sign = turned ? dual.y()[i] : 1;
    model.beta[i] *= scale * sign;
    model.scores[i] = scale * (sign * model.scores[i] + bias) - 0.5 * taken[i];
  }
  model.bias = scale * (bias + found.shift);
  model.bias_low = scale == 1 ? found.bias_low + found.shift : model.bias;
  model.bias_high = scale == 1 ? found.bias_high + found.shift : model.bias;
  if (settings.formulation == Formulation::hard_margin) {  // |w|^2 / 2 of w made long enough for all rows
    double nearest = infinity;
    for (std::size_t i = 0; i < model.scores.size(); ++i) nearest = std::min(nearest, dual.y()[i] * model.scores[i]);
    const double norm = scale * (scale * found.square_norm);
    model.primal = nearest > 0 ? 0.5 * norm / (nearest * nearest) : infinity;
    model.dual = std::max(0.0, (settings.offset ? 2 : 1) * scale - 0.5 * norm);
  }
  model.violation = unit_of(dual, point) * found.violation;
  model.radius = std::sqrt(std::max(0.0, found.square_norm + 2 * found.bias));
  return model;
}

}  // namespace maxmargin::playground
