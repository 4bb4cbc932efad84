#include "verified.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace maxmargin::playground {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// Row-major.
struct Matrix {
  std::size_t rows, columns;
  std::vector<double> values;
  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c) {}
  double& at(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  double at(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
};

// The monomials of a row, of degree `least` to `most`.
std::vector<double> monomials(const double* row, Index columns, int least, int most) {
  std::vector<double> found;
  for (int degree = least; degree <= most; ++degree)
    for (int second = 0; second <= (columns > 1 ? degree : 0); ++second) {
      double product = 1;
      for (int k = 0; k < degree - second; ++k) product *= row[0];
      for (int k = 0; k < second; ++k) product *= row[1];
      found.push_back(product);
    }
  return found;
}

// One column for each of the rows: what it adds to the two means' difference, and to the sums that must be 1.
Matrix equations(const Background& background, const std::vector<double>& y, const std::vector<std::size_t>& rows,
                 bool offset) {
  const int degree = background.kernel.degree;
  const bool all_degrees = background.kernel.coef0 > 0;
  const int least = !all_degrees ? degree : offset ? 1 : 0;  // what is constant follows from the sums
  const std::size_t features = monomials(background.x, background.columns, least, degree).size();
  Matrix found(features + (offset ? 2 : 1), rows.size());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const double sign = y[rows[j]];
    const std::vector<double> own =
        monomials(background.x + std::ptrdiff_t(rows[j]) * background.columns, background.columns, least, degree);
    for (std::size_t k = 0; k < features; ++k) found.at(k, j) = sign * own[k];
    found.at(features + (offset && sign < 0 ? 1 : 0), j) = 1;
  }
  return found;
}

// Gauss and Jordan, with the largest pivot of all: which of the candidates, the first columns, are a basis, and all others in
// terms of it. False if the rows
// depend on each other.
bool reduce(Matrix& table, std::vector<std::size_t>& basis, std::size_t candidates) {
  basis.assign(table.rows, 0);
  std::vector<bool> used(table.columns, false);
  for (std::size_t r = 0; r < table.rows; ++r) {
    std::size_t row = r, column = 0;
    double largest = 0;
    for (std::size_t i = r; i < table.rows; ++i)
      for (std::size_t j = 0; j < candidates; ++j)
        if (!used[j] && std::abs(table.at(i, j)) > largest) largest = std::abs(table.at(i, j)), row = i, column = j;
    if (!(largest > 0)) return false;
    for (std::size_t j = 0; j < table.columns; ++j) std::swap(table.at(r, j), table.at(row, j));
    const double pivot = table.at(r, column);
    for (std::size_t j = 0; j < table.columns; ++j) table.at(r, j) /= pivot;
    for (std::size_t i = 0; i < table.rows; ++i) {
      const double factor = table.at(i, column);
      if (i == r || factor == 0) continue;
      for (std::size_t j = 0; j < table.columns; ++j) table.at(i, j) -= factor * table.at(r, j);
    }
    used[column] = true;
    basis[r] = column;
  }
  return true;
}

// Caratheodory: leaves out rows as long as there are more than equations, along directions that change no mean.
bool make_basic(const Background& background, const std::vector<double>& y, bool offset, std::vector<std::size_t>& rows,
                std::vector<double>& weights) {
  for (;;) {
    Matrix table = equations(background, y, rows, offset);
    if (rows.size() <= table.rows) return rows.size() == table.rows;
    std::vector<std::size_t> basis;
    if (!reduce(table, basis, table.columns)) return false;
    std::size_t free = 0;
    while (std::find(basis.begin(), basis.end(), free) != basis.end()) ++free;
    std::vector<double> direction(rows.size(), 0.0);
    direction[free] = 1;
    for (std::size_t r = 0; r < basis.size(); ++r) direction[basis[r]] = -table.at(r, free);
    double length = std::numeric_limits<double>::infinity();
    std::size_t first = rows.size();
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (direction[j] < 0 && weights[j] / -direction[j] < length) length = weights[j] / -direction[j], first = j;
    if (first == rows.size()) return false;
    for (std::size_t j = 0; j < rows.size(); ++j) weights[j] += length * direction[j];
    rows.erase(rows.begin() + std::ptrdiff_t(first));
    weights.erase(weights.begin() + std::ptrdiff_t(first));
  }
}

// The weights that solve the equations, if a verified inverse shows that exact ones exist and are positive.
std::vector<double> verified(const Matrix& M, std::size_t sums, double relative_error) {
  const std::size_t m = M.rows;
  Matrix table(m, 2 * m);
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t c = 0; c < m; ++c) table.at(r, c) = M.at(r, c);
    table.at(r, m + r) = 1;
  }
  std::vector<std::size_t> basis;
  if (!reduce(table, basis, m)) return {};
  Matrix R(m, m);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c < m; ++c) R.at(basis[r], c) = table.at(r, m + c);
  std::vector<double> x(m, 0.0);
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t s = m - sums; s < m; ++s) x[r] += R.at(r, s);
  // Of every row of I - R M and of R (e - M x), a bound with the errors of M and of the sums.
  const double error = relative_error + 2 * double(m + 2) * epsilon;
  double norm = 0, away = 0;
  std::vector<double> residual(m), of_residual(m);
  for (std::size_t k = 0; k < m; ++k) {
    double sum = k + sums >= m ? 1.0 : 0.0, size = sum;
    for (std::size_t c = 0; c < m; ++c) {
      sum -= M.at(k, c) * x[c];
      size += std::abs(M.at(k, c) * x[c]);
    }
    residual[k] = sum;
    of_residual[k] = error * size;
  }
  for (std::size_t r = 0; r < m; ++r) {
    double row = 0, moved = 0;
    for (std::size_t c = 0; c < m; ++c) {
      double sum = r == c ? 1.0 : 0.0, size = sum;
      for (std::size_t k = 0; k < m; ++k) {
        sum -= R.at(r, k) * M.at(k, c);
        size += std::abs(R.at(r, k) * M.at(k, c));
      }
      row += std::abs(sum) + error * size;
    }
    for (std::size_t k = 0; k < m; ++k) moved += std::abs(R.at(r, k)) * (std::abs(residual[k]) + of_residual[k]);
    norm = std::max(norm, row);
    away = std::max(away, moved);
  }
  if (!(norm < 1)) return {};
  const double bound = 2 * away / (1 - norm);
  if (!std::all_of(x.begin(), x.end(), [&](double weight) { return weight > bound; })) return {};
  return x;
}

}  // namespace

std::vector<double> verified_coincidence(const Background& background, const std::vector<double>& y,
                                         const std::vector<double>& beta, bool offset) {
  std::vector<std::size_t> rows;
  std::vector<double> weights;
  for (std::size_t i = 0; i < beta.size(); ++i)
    if (beta[i] != 0) {
      rows.push_back(i);
      weights.push_back(std::abs(beta[i]));
    }
  if (!make_basic(background, y, offset, rows, weights)) return {};
  const Matrix M = equations(background, y, rows, offset);
  const std::vector<double> found = verified(M, offset ? 2 : 1, background.kernel.degree * epsilon);
  if (found.empty()) return {};
  std::vector<double> all(y.size(), 0.0);
  for (std::size_t j = 0; j < rows.size(); ++j) all[rows[j]] = found[j];
  return all;
}

}  // namespace maxmargin::playground
