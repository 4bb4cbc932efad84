// What Newton's method asks of all rows at a point: slopes, curvatures and losses, and their sums.
#include "maxmargin/linear/newton.hpp"
#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

namespace {

constexpr Index block = 256;  // rows whose numbers stay in the first cache

struct Row {
  double alpha, curvature;
};

}  // namespace

void LinearNewton::rows_at(Index begin, Index count, const double* z, double* alpha, double* curvature, double* loss) const {
  const double* const price = problem_.price + begin;
  if (problem_.loss == MarginLoss::logistic) return hot().logistic(count, z, price, alpha, curvature, loss);
  if (problem_.loss == MarginLoss::squared_hinge && !proximal_)
    return hot().squared_hinge(count, z, price, alpha, curvature, loss);
  if (problem_.loss == MarginLoss::hinge)
    return hot().smoothed_hinge(count, z, price, centre_.data() + begin, rate_.data() + begin, sharpness_, alpha, curvature,
                                loss);
  with_loss(problem_.loss, [&](auto of) {
    const auto row = [&](Index i, double at) -> Row {
      const double price = problem_.price[i], slack = 1.0 - at;
      if constexpr (of() == MarginLoss::squared_hinge) {
        const double rate = sharpness_ * rate_[i], bend = 1 / (0.5 / price + 1 / rate);
        const double wanted = bend * (slack + centre_[i] / rate);
        return {wanted > 0 ? wanted : 0.0, wanted > 0 ? bend : 0.0};
      } else if constexpr (of() == MarginLoss::tube) {
        const double rate = sharpness_ * rate_[i], wanted = centre_[i] + rate * (problem_.target[i] - at);
        const double beyond = std::abs(wanted) - rate * problem_.epsilon;
        if (!(beyond > 0)) return {0.0, 0.0};
        return {std::copysign(std::min(beyond, price), wanted), beyond < price ? rate : 0.0};
      } else if constexpr (of() == MarginLoss::squared_tube) {
        const double residual = problem_.target[i] - at, beyond = std::abs(residual) - problem_.epsilon;
        return {beyond > 0 ? std::copysign(2 * price * beyond, residual) : 0.0, beyond > 0 ? 2 * price : 0.0};
      } else {
        const double lost = price * std::exp(-at);
        return {lost, lost};
      }
    };
    for (Index k = 0; k < count; ++k) {
      const Row r = row(begin + k, z[k]);
      alpha[k] = r.alpha;
      curvature[k] = r.curvature;
    }
    for (Index k = 0; k < count && loss; ++k) loss[k] = loss_of<of()>(problem_, begin + k, z[k]);
  });
}

LinearNewton::Slope LinearNewton::slope_at(Index begin, Index end, double length) const {
  double z[block], alpha[block], curvature[block];
  Slope sum;
  for (Index i = begin; i < end; i += block) {
    const Index count = std::min(block, end - i);
    const double* const along = along_.data() + i;
    for (Index k = 0; k < count; ++k) z[k] = z_[i + k] + length * along[k];
    rows_at(i, count, z, alpha, curvature, nullptr);
    for (Index k = 0; k < count; ++k) {
      sum.first -= alpha[k] * along[k];
      sum.second += curvature[k] * along[k] * along[k];
    }
  }
  return sum;
}

void LinearNewton::evaluate() {
  struct Side {
    double mass = 0, gain = 0, square = 0;
  };
  struct Part {
    double loss = 0, product = 0;
    Side minus, plus;
  };
  const bool apart = problem_.offset == LinearOffset::free, quadratic = is_quadratic(problem_.loss);
  std::vector<Part> parts(passes_.chunks());
  passes_.for_rows([&](Index c, Index begin, Index end) {
    double loss[block];
    Part part;
    for (Index i = begin; i < end; i += block) {
      const Index count = std::min(block, end - i);
      rows_at(i, count, z_.data() + i, alpha_.data() + i, curvature_.data() + i, loss);
      for (Index k = 0; k < count; ++k) {
        const Index row = i + k;
        const double alpha = alpha_[row], share = problem_.y[row] * alpha;
        const bool up = share > 0;
        const double mass = std::abs(alpha), square = quadratic ? 0.25 * alpha * alpha / problem_.price[row] : 0.0;
        const double gain = problem_.target ? linear_gain(problem_, row, alpha) : mass;
        part.loss += loss[k];
        part.product += alpha * z_[row];
        part.plus.mass += up ? mass : 0.0;  // no branches: signs come as they like
        part.minus.mass += up ? 0.0 : mass;
        part.plus.gain += up ? gain : 0.0;
        part.minus.gain += up ? 0.0 : gain;
        part.plus.square += up ? square : 0.0;
        part.minus.square += up ? 0.0 : square;
        signed_[0][row] = apart && up ? 0.0 : share;
        if (apart) signed_[1][row] = up ? share : 0.0;
      }
    }
    parts[c] = part;
  });
  primal_ = 0;
  sums_.of_slopes = 0;  // price (loss(z) + loss*(-alpha / price)) = -alpha z
  for (int side : {0, 1}) {
    sums_.mass[side] = sums_.gain[side] = sums_.square[side] = 0;
    for (const Part& part : parts) {
      const Side& own = side ? part.plus : part.minus;
      sums_.mass[side] += own.mass;
      sums_.gain[side] += own.gain;
      sums_.square[side] += own.square;
    }
    if (side == 0 || apart) passes_.combine(signed_[side].data(), sums_.combination[side].data());
  }
  for (const Part& part : parts) {
    primal_ += part.loss;
    sums_.of_slopes += part.loss + part.product;
  }
  for (Index k = 0; k < size_; ++k) primal_ += 0.5 * ridge_[k] * w_[k] * w_[k];
  for (Index k = 0; k < d_; ++k) gradient_[k] = ridge_[k] * w_[k] - (sums_.combination[0][k] + sums_.combination[1][k]);
  if (size_ > d_) gradient_[d_] = ridge_[d_] * w_[d_] - (sums_.mass[1] - sums_.mass[0]);
}

}  // namespace maxmargin
