// A fit of the playground: points, one or several subproblems, and what is drawn of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "joint.hpp"
#include "maxmargin/rows/features.hpp"
#include "solving.hpp"

namespace maxmargin::playground {

enum class Scheme : int { pairs, rest, joint };

struct Request {
  Settings settings;
  Scheme scheme = Scheme::pairs;
  KernelFunction kernel;
  bool is_mercer = true;
  double tol = 1e-8, max_seconds = 1e30;
  std::int64_t max_steps = -1;  // as many as maxmargin.solve allows
  std::vector<double> x;        // [row][column]
  Index columns = 2;
  std::vector<double> y;  // class numbers 0, 1, ...; targets; or nothing that is looked at

  Index rows() const { return Index(x.size()) / columns; }
  bool has_classes() const;
};

// The numbers of a certificate; the interface hands them out by name.
struct Certificate {
  double primal, dual, gap, relative_gap, violation, status, steps, support, bias, bias_low, bias_high, square_norm, radius;
};

// What a point is to the answer.
enum class Kind : int { non_informative, boundary, inside_right, wrong };

// What is said of each row.
struct PointColumns {
  std::vector<double> row, y, alpha, score, slack, kind, weight;
};

struct Part {
  int positive = 0, negative = -1;  // classes; -1: all others, or none
  std::vector<Index> rows;          // empty: all
  std::vector<double> x;            // of its rows
  std::shared_ptr<Features> features;
  std::unique_ptr<Dual> dual;
  Solved solved;
};

class Fit {
 public:
  // Throws std::invalid_argument where no problem can be made of what is asked.
  explicit Fit(Request request);

  const Request& request() const { return request_; }
  Index classes() const { return classes_; }
  bool is_joint() const { return joint_.classes > 0; }
  std::size_t parts() const { return is_joint() ? std::size_t(joint_.classes) : parts_.size(); }
  const Part& part(std::size_t k) const { return *parts_[k]; }
  // Of all parts: objectives summed, the worst of the rest.
  Certificate certificate() const;
  Certificate certificate(std::size_t part) const;
  // Of one part, for its rows; of the joint problem the scores of one class.
  PointColumns columns(std::size_t part) const;
  // Of all rows: the largest alpha and slack, and the most serious kind.
  PointColumns summary() const;
  // f of each part at some points, [part][point].
  std::vector<double> values(const std::vector<double>& points) const;
  // By how much a class is ahead of the next best at each point, from the values of all parts; of two classes the value itself,
  // or minus it. By pairs, the least of its values against the others: above 0 it wins all of them.
  std::vector<double> ahead(const std::vector<double>& values, std::size_t points, int label) const;
  // Which class wins at each point; by pairs, the one that wins most of them.
  std::vector<double> winners(const std::vector<double>& values, std::size_t points) const;
  // w in the plane, of a linear kernel: the normal of a line, or the centre of a ball. Else empty.
  std::vector<double> weights(std::size_t part) const;
  // Takes another answer to a part's problem, as a walk has it.
  void replace(std::size_t part, Solved solved) { parts_[part]->solved = std::move(solved); }

 private:
  void make_parts();
  void add_part(int positive, int negative, std::vector<Index> rows);
  Background background(const Part& part) const;
  double coefficient(std::size_t part, Index row) const;

  Request request_;
  Index classes_ = 0;
  std::shared_ptr<Features> features_;
  std::vector<std::unique_ptr<Part>> parts_;
  Joint joint_;

  friend class Walk;
};

// The engine's search, one step at a time: which two coefficients it moves, and what is left to do.
class Walk {
 public:
  // Throws std::invalid_argument for more than one problem, and where it is joint.
  explicit Walk(Request request);
  // Moves the pair that gains most; false where none is left.
  bool step();
  const Fit& fit() const { return *fit_; }
  // The rows whose coefficients moved last, at most two, and what they were before.
  struct Move {
    Index row;
    double before, after;
  };
  const std::vector<Move>& moved() const { return moved_; }
  std::int64_t steps() const { return steps_; }

 private:
  void look();

  std::unique_ptr<Fit> fit_;
  std::vector<double> beta_, gradient_;
  std::vector<Move> moved_;
  std::int64_t steps_ = 0;
};

}  // namespace maxmargin::playground
