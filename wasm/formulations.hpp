// The questions of the playground, each as one canonical dual (ARCHITECTURE.md, "One canonical problem"), and the answer in the
// question's own terms.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "maxmargin/dual/batch.hpp"

namespace maxmargin::playground {

enum class Formulation : int { soft_margin, hard_margin, nu_classification, regression, one_class, ball };

// What the user has chosen. A row costs C, whatever its class.
struct Settings {
  Formulation formulation = Formulation::soft_margin;
  bool offset = true;
  bool squared = false;
  double C = 1, nu = 0.5, epsilon = 0.1;
};

// A dual with its arrays. It is not copied: the batch points into it.
class Dual {
 public:
  // Is its Gram that of centred rows? It is where beta sums to 0: then only the offset notices.
  static bool is_of_centred_rows(const Settings& settings);
  // y: labels -1 and 1, targets, or ones; as many as the Gram has rows. Throws std::invalid_argument for a nu that no point of
  // the dual satisfies.
  Dual(const Settings& settings, std::shared_ptr<const Gram> gram, std::vector<double> y);
  Dual(const Dual&) = delete;
  Dual& operator=(const Dual&) = delete;

  const Settings& settings() const { return settings_; }
  const std::vector<double>& y() const { return y_; }
  const Gram& gram() const { return *gram_; }
  Index size() const { return Index(y_.size()); }
  const DualBatch& batch() const { return batch_; }
  // A point that satisfies the constraints.
  std::vector<double> start() const;
  // The gradient at a point with these scores K beta.
  std::vector<double> gradient(const std::vector<double>& beta, const std::vector<double>& scores) const;
  // The same problem for a search, with bounds not far beyond what beta can be: larger ones only lose digits.
  DualBatch bounded() const;

 private:
  void soft_margin();
  void hard_margin();
  void nu_classification();
  void regression();
  void one_class();
  void ball();

  Settings settings_;
  std::shared_ptr<const Gram> gram_;
  std::vector<double> y_, q_, lower_, upper_, near_, ridge_, start_;
  double total_ = 0, abs_sum_ = 0;
  DualBatch batch_;
};

// A point of the dual as a model f = K beta + b, with its objectives.
struct Model {
  std::vector<double> beta, scores;  // of f: with the offset
  double bias = 0, bias_low = 0, bias_high = 0;
  double primal = 0, dual = 0, violation = 0;
  double radius = 0;  // of a ball
};

struct Point {
  std::vector<double> beta, scores;  // scores K beta
  Evaluation evaluation;
};

// What a violation of 1 in the dual is in the question's own terms.
double unit_of(const Dual& dual, const Point& point);
// Can the optimum not be told from 0? Then the scores tell nothing.
bool is_zero(const Dual& dual, const Point& point);
Model model_of(const Dual& dual, const Point& point);

}  // namespace maxmargin::playground
