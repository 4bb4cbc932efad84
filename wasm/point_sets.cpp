#include "point_sets.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <stdexcept>

#include "maxmargin/platform/shuffle.hpp"

namespace maxmargin::playground {

namespace {

constexpr double turn = 2 * std::numbers::pi;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : shuffle_{seed} {}
  double uniform() { return double(shuffle_.next() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  // Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(turn * uniform());
  }

 private:
  Shuffle shuffle_;
};

struct Maker {
  Dice dice;
  int count, classes;
  double noise;
  Points made;

  void put(double x, double y, int label) {
    const auto rounded = [](double value) { return std::round(1000 * value) / 1000; };
    made.x.push_back(rounded(x));
    made.x.push_back(rounded(y));
    made.label.push_back(label);
  }
  void put_near(double x, double y, int label) { put(x + noise * dice.normal(), y + noise * dice.normal(), label); }
};

void moons(Maker& m) {
  for (int i = 0; i < m.count; ++i) {
    const double angle = std::numbers::pi * m.dice.uniform();
    if (i % 2 == 0)
      m.put_near(1.6 * std::cos(angle) - 0.8, 1.6 * std::sin(angle) - 0.4, 0);
    else
      m.put_near(0.8 - 1.6 * std::cos(angle), 0.4 - 1.6 * std::sin(angle), 1);
  }
}

void circles(Maker& m) {
  for (int i = 0; i < m.count; ++i) {
    const double angle = turn * m.dice.uniform();
    const int label = i % m.classes;
    const double radius = 0.6 + 1.6 * label / std::max(1, m.classes - 1);
    m.put_near(radius * std::cos(angle), radius * std::sin(angle), label);
  }
}

void checkerboard(Maker& m) {
  for (int i = 0; i < m.count; ++i) {
    const double x = i % 2 == 0 ? 1.2 : -1.2, y = i % 4 < 2 ? 1.2 : -1.2;
    const double spread = 0.35 + m.noise;
    m.put(x + spread * m.dice.normal(), y + spread * m.dice.normal(), x * y > 0 ? 1 : 0);
  }
}

void blobs(Maker& m) {
  for (int i = 0; i < m.count; ++i) {
    const int label = i % m.classes;
    const double angle = turn * (label + 0.5) / m.classes + 0.4;
    const double spread = 0.3 + m.noise;
    m.put(1.7 * std::cos(angle) + spread * m.dice.normal(), 1.5 * std::sin(angle) + spread * m.dice.normal(), label);
  }
}

void outliers(Maker& m) {
  blobs(m);
  const int stray = std::max(1, m.count / 20);
  for (int i = 0; i < stray; ++i) {
    const std::size_t place = std::size_t(i) * 7 % m.made.label.size();
    m.made.label[place] = double((int(m.made.label[place]) + 1) % m.classes);
  }
}

void spirals(Maker& m) {
  for (int i = 0; i < m.count; ++i) {
    const int label = i % m.classes;
    const double part = std::sqrt(m.dice.uniform()), angle = turn * (1.1 * part + double(label) / m.classes);
    m.put_near(2.3 * part * std::cos(angle), 2.3 * part * std::sin(angle), label);
  }
}

void overlap(Maker& m) {
  for (int i = 0; i < m.count; ++i) {
    const double side = i % 2 == 0 ? -0.6 : 0.6, spread = 0.7 + m.noise;
    m.put(side + spread * m.dice.normal(), spread * m.dice.normal(), i % 2);
  }
}

// Points with an x on the whole width, and a target.
void curve(Maker& m, const std::function<double(double)>& target) {
  for (int i = 0; i < m.count; ++i) {
    const double x = m.dice.between(-3, 3);
    m.put(x, target(x) + (0.05 + m.noise) * m.dice.normal(), 0);
  }
}

void sine(Maker& m) {
  curve(m, [](double x) { return 1.3 * std::sin(1.7 * x); });
}

void line(Maker& m) {
  curve(m, [](double x) { return 0.5 * x; });
  for (int i = 0; i < std::max(1, m.count / 12); ++i) m.made.x[std::size_t(i) * 10 % m.made.x.size() / 2 * 2 + 1] += 1.8;
}

void step(Maker& m) {
  curve(m, [](double x) { return x > 0 ? 1.0 : -1.0; });
}

void cloud(Maker& m) {
  const int stray = m.count / 12;
  for (int i = 0; i < m.count; ++i) {
    if (i < stray) {
      m.put(m.dice.between(-3, 3), m.dice.between(-2.2, 2.2), 0);
      continue;
    }
    const double x = 0.9 * m.dice.normal();
    m.put(x, 0.5 * x + 0.45 * m.dice.normal(), 0);
  }
}

}  // namespace

Points point_set(const std::string& name, int count, int classes, double noise, std::uint64_t seed) {
  static const std::map<std::string, void (*)(Maker&)> makers{
      {"moons", moons},       {"circles", circles}, {"xor", checkerboard}, {"blobs", blobs},
      {"outliers", outliers}, {"spirals", spirals}, {"overlap", overlap},  {"sine", sine},
      {"line", line},         {"step", step},       {"cloud", cloud}};
  const auto found = makers.find(name);
  if (found == makers.end()) throw std::invalid_argument("There is no point set " + name + ".");
  Maker maker{.dice = Dice(seed), .count = count, .classes = classes, .noise = noise, .made = {}};
  found->second(maker);
  return std::move(maker.made);
}

}  // namespace maxmargin::playground
