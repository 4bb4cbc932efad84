// Blocks of rows, and within a block one row at a time: all coefficients of a row have a closed solution when the others are
// fixed (Crammer and Singer 2001). Offsets are multipliers of the class totals; the method of multipliers finds them: a
// constant is added to the kernel, which pulls the totals to 0, and the offsets learn what it has to pull.
#include "maxmargin/joint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "maxmargin/passes.hpp"
#include "maxmargin/row_store.hpp"
#include "maxmargin/thread_pool.hpp"

namespace maxmargin {

namespace {

constexpr Index block_size = 256;
constexpr std::int64_t shrink_every = 50;
// The pull, times the rows of a class, beside the diagonal: much more makes steps short, much less makes offsets learn slowly.
constexpr double pulled = 16;
// Few rows are solved down to rounding, so that a weight of 2 is the row twice; it costs next to nothing.
constexpr Index finish_limit = 200;
constexpr std::int64_t finish_steps = 100000;
constexpr double finish_violation = 1e-10;
constexpr double first_violation = 0.1;  // before, the totals have nothing to say
constexpr std::int64_t steps_a_row = 20;
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class R>
class JointSearch {
 public:
  JointSearch(const JointDual& problem, const Gram& gram, const Options& options, const Monitor& monitor)
      : problem_(problem),
        gram_(gram),
        options_(options),
        monitor_(monitor),
        width_((problem.classes + 7) / 8 * 8),
        rows_(problem.n, options.cache_bytes),
        shift_(width_, -1e300),
        bias_(width_, 0.0),
        total_(width_, 0.0) {
    const auto size = std::size_t(problem.n) * std::size_t(problem.classes);
    all_beta_.assign(size, 0.0);
    all_gradient_.assign(size, 0.0);
    for (Index i = 0; i < problem.n; ++i) all_gradient_[std::ptrdiff_t(problem.label[i]) * problem.n + i] = -1.0;
    all_diagonal_.resize(problem.n);
    gram.diagonal(all_diagonal_.data());
    for (double& d : all_diagonal_) d *= 0.5;
    scale_ = std::accumulate(all_diagonal_.begin(), all_diagonal_.end(), 0.0) / problem.n;
    active_.resize(problem.n);
    std::iota(active_.begin(), active_.end(), 0);
    std::fill(shift_.begin(), shift_.begin() + problem.classes, 0.0);
    load();
  }

  JointOutcome run() {
    start_ = last_report_ = std::chrono::steady_clock::now();
    std::int64_t rounds = 0, last_step = 0;
    bool finishing = false;
    for (;;) {
      const double worst = look(), off = imbalance();
      if (problem_.offsets && pull_ == 0 && worst < first_violation) {
        pull_ = pulled * problem_.classes / problem_.n * scale_;
        set_shift();
        continue;
      }
      if (worst <= target_ && off <= target_) {
        if (n_ < problem_.n) {
          unshrink();
          continue;
        }
        if (gap_is_small()) {
          if (finishing || sizeof(R) == 4 || n_ > finish_limit) break;
          finishing = true;
          last_step = outcome_.steps + finish_steps;
          target_ = std::min(target_, finish_violation);
          continue;
        }
        target_ *= 0.5;
      }
      if (finishing && outcome_.steps >= last_step) break;
      if (checkpoint(std::max(worst, off))) break;
      if (outcome_.steps >= options_.max_steps) {
        outcome_.ending = Ending::step_limit;
        break;
      }
      const bool settled = worst <= std::max(0.04 * pull_ / scale_ * off, target_);
      if (off > target_ && settled && pull_ > 0) {
        learn_offsets();
        continue;
      }
      choose_block();
      if (!solve_block(std::max(0.1 * worst, 0.5 * target_))) {
        if (!finishing) outcome_.ending = Ending::stalled;
        break;
      }
      spread_block();
      if (++rounds % shrink_every == 0) shrink(worst);
    }
    balance();
    store();
    outcome_.rows_made = rows_.rows_made();
    const Index K = problem_.classes;
    outcome_.beta.reserve(all_beta_.size());
    for (Index i = 0; i < problem_.n; ++i)
      for (Index k = 0; k < K; ++k) outcome_.beta.push_back(all_beta_[std::ptrdiff_t(k) * problem_.n + i]);
    outcome_.bias.assign(shift_.begin(), shift_.begin() + K);
    return std::move(outcome_);
  }

 private:
  std::ptrdiff_t at(Index row, Index k) const { return std::ptrdiff_t(k) * n_ + row; }
  std::ptrdiff_t in_block(Index a) const { return std::ptrdiff_t(a) * width_; }
  double room(Index row, Index k) const { return k == label_[row] ? upper_[row] : 0.0; }

  void load() {
    n_ = Index(active_.size());
    const auto size = std::size_t(n_) * std::size_t(problem_.classes);
    beta_.resize(size);
    gradient_.resize(size);
    up_.resize(size);
    label_.resize(n_);
    upper_.resize(n_);
    diagonal_.resize(n_);
    violations_.resize(n_);
    for (Index a = 0; a < n_; ++a) {
      const Index i = active_[a];
      label_[a] = problem_.label[i];
      upper_[a] = problem_.upper[i];
      diagonal_[a] = all_diagonal_[i];
      for (Index k = 0; k < problem_.classes; ++k) {
        const std::ptrdiff_t from = std::ptrdiff_t(k) * problem_.n + i;
        beta_[at(a, k)] = all_beta_[from];
        gradient_[at(a, k)] = all_gradient_[from];
        set_mask(a, k);
      }
    }
    every_.resize(n_);
    std::iota(every_.begin(), every_.end(), 0);
    maker_ = maker_for(gram_, active_, R());
  }
  void store() {
    for (Index k = 0; k < problem_.classes; ++k)
      for (Index a = 0; a < n_; ++a) {
        all_beta_[std::ptrdiff_t(k) * problem_.n + active_[a]] = beta_[at(a, k)];
        all_gradient_[std::ptrdiff_t(k) * problem_.n + active_[a]] = gradient_[at(a, k)];
      }
  }
  void set_mask(Index row, Index k) {
    up_[at(row, k)] = beta_[at(row, k)] < room(row, k) ? 0.0F : std::numeric_limits<float>::infinity();
  }

  // Leaves out rows without coefficients whose own class is far ahead of all others.
  void shrink(double worst) {
    std::vector<Index> keep;
    for (Index a = 0; a < n_; ++a) {
      const Index y = label_[a];
      double rival = -infinity;
      bool holds = false;
      for (Index k = 0; k < problem_.classes; ++k) {
        holds |= beta_[at(a, k)] != 0;
        if (k != y) rival = std::max(rival, gradient_[at(a, k)] + shift_[k]);
      }
      if (holds || gradient_[at(a, y)] + shift_[y] - rival < 0.5 * worst) keep.push_back(a);
    }
    if (10 * Index(keep.size()) > 7 * n_ || Index(keep.size()) < block_size) return;
    store();
    std::vector<Index> active(keep.size());
    for (std::size_t k = 0; k < keep.size(); ++k) active[k] = active_[keep[k]];
    active_ = std::move(active);
    rows_.compact(keep);
    load();
  }

  // All rows again, with gradients computed anew.
  void unshrink() {
    store();
    std::vector<const Gram*> grams(problem_.classes, &gram_);
    std::vector<const double*> betas;
    std::vector<double*> outs;
    for (Index k = 0; k < problem_.classes; ++k) {
      betas.push_back(all_beta_.data() + std::ptrdiff_t(k) * problem_.n);
      outs.push_back(all_gradient_.data() + std::ptrdiff_t(k) * problem_.n);
    }
    products(grams, betas, outs, [] {});
    for (double& g : all_gradient_) g *= 0.5;
    for (Index i = 0; i < problem_.n; ++i) all_gradient_[std::ptrdiff_t(problem_.label[i]) * problem_.n + i] -= 1.0;
    active_.resize(problem_.n);
    std::iota(active_.begin(), active_.end(), 0);
    rows_ = RowStore<R>(problem_.n, options_.cache_bytes);
    load();
  }

  // By how much each row violates the conditions: mass goes from the class with the highest slope to the lowest that has room.
  double look() {
    constexpr Index piece = 1024;
    parallel_chunks((n_ + piece - 1) / piece, [&](std::ptrdiff_t chunk) {
      const Index begin = Index(chunk) * piece, end = std::min(n_, begin + piece);
      double highest[piece], lowest[piece];
      std::fill(highest, highest + piece, -infinity);
      std::fill(lowest, lowest + piece, infinity);
      for (Index k = 0; k < problem_.classes; ++k) {
        const double* const gradient = gradient_.data() + at(0, k);
        const float* const up = up_.data() + at(0, k);
        const double shift = shift_[k];
        for (Index i = begin; i < end; ++i) {
          const double g = gradient[i] + shift, rise = g + double(up[i]);
          highest[i - begin] = g > highest[i - begin] ? g : highest[i - begin];
          lowest[i - begin] = rise < lowest[i - begin] ? rise : lowest[i - begin];
        }
      }
      for (Index i = begin; i < end; ++i) violations_[i] = std::max(0.0, highest[i - begin] - lowest[i - begin]);
    });
    return *std::max_element(violations_.begin(), violations_.end());
  }

  // The totals of the classes, as the change of the scores that would make up for them.
  double imbalance() const {
    if (!problem_.offsets) return 0;
    double most = 0;
    for (Index k = 0; k < problem_.classes; ++k) most = std::max(most, std::abs(total_[k]));
    return 8 * most * scale_;  // a row that takes it all changes its scores by that much, and others follow
  }

  void learn_offsets() {
    for (Index k = 0; k < problem_.classes; ++k) bias_[k] += pull_ * total_[k];
    set_shift();
  }
  void set_shift() {
    for (Index k = 0; k < problem_.classes; ++k) shift_[k] = bias_[k] + pull_ * total_[k];
  }

  void choose_block() {
    const Index size = std::min({n_, block_size, rows_.capacity()});
    block_ = every_;
    std::nth_element(block_.begin(), block_.begin() + (size - 1), block_.end(), [&](Index a, Index b) {
      return violations_[a] != violations_[b] ? violations_[a] > violations_[b] : a < b;
    });
    block_.resize(size);
    std::sort(block_.begin(), block_.end());
    rows_.fetch(*maker_, block_, -1);
    inner_.resize(std::size_t(size) * std::size_t(size));
    constexpr Index piece = 32;
    parallel_chunks((size + piece - 1) / piece, [&](std::ptrdiff_t chunk) {
      for (Index a = Index(chunk) * piece; a < std::min(size, Index(chunk + 1) * piece); ++a) {
        const R* const from = rows_.at(block_[a]);
        float* const into = inner_.data() + std::ptrdiff_t(a) * size;
        for (Index b = 0; b < size; ++b) into[b] = 0.5F * float(from[block_[b]]);
      }
    });
  }

  // Steps in the row of the block that violates most until none violates more than the goal; false if nothing moved.
  bool solve_block(double goal) {
    const auto size = Index(block_.size());
    const auto values = std::size_t(size) * std::size_t(width_);
    before_.assign(values, 0.0);
    near_.assign(values, 0.0);
    rise_.assign(values, infinity);
    for (Index a = 0; a < size; ++a)
      for (Index k = 0; k < problem_.classes; ++k) {
        before_[in_block(a) + k] = beta_[at(block_[a], k)];
        near_[in_block(a) + k] = gradient_[at(block_[a], k)];
        rise_[in_block(a) + k] = up_[at(block_[a], k)];
      }
    now_ = before_;
    std::vector<double> change(width_, 0.0);
    const auto follow = [&](Index a) {
      return hot().follow_row(size, width_, inner_.data() + std::ptrdiff_t(a) * size, change.data(), shift_.data(),
                              rise_.data(), near_.data());
    };
    const std::int64_t most = std::min<std::int64_t>(options_.max_steps - outcome_.steps, steps_a_row * std::int64_t(size));
    Extreme worst = follow(0);
    std::int64_t steps = 0;
    for (; steps < most && worst.value > goal; ++steps) {
      const Index a = worst.index;
      double* const beta = now_.data() + in_block(a);
      solve_row(block_[a], beta, near_.data() + in_block(a), change.data());
      for (Index k = 0; k < problem_.classes; ++k) {
        beta[k] += change[k];
        total_[k] += change[k];
        rise_[in_block(a) + k] = beta[k] < room(block_[a], k) ? 0.0 : infinity;
      }
      set_shift();
      worst = follow(a);
    }
    outcome_.steps += steps;
    return steps > 0;
  }

  // The best coefficients of one row: min(room, z + theta), theta such that they sum to 0.
  void solve_row(Index row, const double* beta, const double* gradient, double* change) {
    const Index K = problem_.classes;
    const double curvature = std::max(diagonal_[row] + pull_, 1e-300);
    order_.resize(K);
    z_.resize(K);
    double sum = 0;
    for (Index k = 0; k < K; ++k) {
      z_[k] = beta[k] - (gradient[k] + shift_[k]) / curvature;
      sum += z_[k];
      order_[k] = {room(row, k) - z_[k], k};
    }
    std::sort(order_.begin(), order_.end());
    double theta = -sum / K;
    Index left = K;
    for (const auto& [limit, k] : order_) {  // those with least room reach it first
      if (limit >= theta || left == 1) break;
      sum += limit;
      theta = -sum / --left;
    }
    double total = 0;
    Index free_class = 0;
    for (Index k = 0; k < K; ++k) {
      const double top = room(row, k), value = std::min(top, z_[k] + theta);
      change[k] = value - beta[k];
      total += value;
      if (value < top) free_class = k;
    }
    change[free_class] -= total;  // what rounding left of the sum
  }

  // Brings all gradients to where the block has led; a row moves in a few classes only.
  void spread_block() {
    const auto size = Index(block_.size());
    constexpr Index piece = 4096;
    for (Index k = 0; k < problem_.classes; ++k) {
      std::vector<const R*> from;
      std::vector<double> deltas;
      for (Index a = 0; a < size; ++a) {
        const double now = now_[in_block(a) + k], change = now - before_[in_block(a) + k];
        if (change == 0) continue;
        from.push_back(rows_.at(block_[a]));
        deltas.push_back(0.5 * change);
        beta_[at(block_[a], k)] = now;
        set_mask(block_[a], k);
      }
      if (from.empty()) continue;
      double* const gradient = gradient_.data() + at(0, k);
      parallel_chunks((n_ + piece - 1) / piece, [&](std::ptrdiff_t chunk) {
        const Index begin = Index(chunk) * piece, end = std::min(begin + piece, n_);
        accumulate_with(begin, end, Index(from.size()), deltas.data(), from.data(), gradient);
      });
    }
  }

  struct Objectives {
    double primal, dual;
  };
  Objectives objectives() const {
    double square = 0, own = 0, slack = 0;
    for (Index i = 0; i < n_; ++i) {
      const Index y = label_[i];
      double highest = -infinity;
      for (Index k = 0; k < problem_.classes; ++k) {
        const double g = gradient_[at(i, k)];
        square += beta_[at(i, k)] * g;
        highest = std::max(highest, g + shift_[k]);
      }
      own += beta_[at(i, y)];
      const double xi = highest - gradient_[at(i, y)] - shift_[y];
      if (xi > 0) slack += upper_[i] * xi;
    }
    square += own;  // the gradient has -1 at a row's own class
    return {0.5 * square + slack, own - 0.5 * square};
  }

  bool gap_is_small() const {
    if (std::isinf(problem_.upper[0])) return true;
    const auto [primal, dual] = objectives();
    return primal - dual <= 0.8 * std::max(options_.tol, 1e-3) * std::abs(primal);
  }

  // Makes the totals exactly 0. What one class has too much goes to one that has too little, in a row where both are among
  // those with the highest slope: there it costs nothing. A class without such a row passes it on by way of a third.
  void balance() {
    if (!problem_.offsets) return;
    const Index K = problem_.classes;
    std::vector<double> left(K, 0.0);
    for (Index k = 0; k < K; ++k)
      for (Index i = 0; i < n_; ++i) left[k] += beta_[at(i, k)];
    for (int turn = 0; turn < 8 * K; ++turn) {
      const auto high = Index(std::max_element(left.begin(), left.end()) - left.begin());
      const auto low = Index(std::min_element(left.begin(), left.end()) - left.begin());
      const double amount = std::min(left[high], -left[low]);
      if (!(amount > 0)) break;
      Transfer best = cheapest(high, low, amount);
      for (Index by = 0; by < K && best.cost > target_; ++by) {
        if (by == high || by == low) continue;
        const Transfer first = cheapest(high, by, amount), second = cheapest(by, low, amount);
        if (std::max(first.cost, second.cost) < best.cost && first.row != second.row) {
          best = first;
          best.to = by;
          best.cost = std::max(first.cost, second.cost);
        }
      }
      const double moved = std::min(amount, room(best.row, best.to) - beta_[at(best.row, best.to)]);
      if (!(moved > 0)) break;
      beta_[at(best.row, high)] -= moved;
      beta_[at(best.row, best.to)] += moved;
      left[high] -= moved;
      left[best.to] += moved;
    }
  }

  struct Transfer {
    Index row, to;
    double cost;  // the violation it makes
  };
  Transfer cheapest(Index from, Index to, double amount) const {
    Transfer best{0, to, infinity};
    for (Index i = 0; i < n_; ++i) {
      if (room(i, to) - beta_[at(i, to)] < amount) continue;
      double highest = -infinity;
      for (Index k = 0; k < problem_.classes; ++k) highest = std::max(highest, gradient_[at(i, k)] + shift_[k]);
      const double cost = highest - std::min(gradient_[at(i, from)] + shift_[from], gradient_[at(i, to)] + shift_[to]);
      if (cost < best.cost) best = {i, to, cost};
    }
    return best;
  }

  bool checkpoint(double violation) {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const bool report = now - last_report_ > std::chrono::milliseconds(50);
    if (outcome_.steps >= next_checkpoint_ || report) {
      Index support = 0;
      for (Index i = 0; i < n_; ++i) support += beta_[at(i, label_[i])] != 0.0;
      const Progress progress{seconds, outcome_.steps, -objectives().dual, violation, support};
      if (outcome_.steps >= next_checkpoint_) {
        outcome_.trace.push_back(progress);
        next_checkpoint_ = outcome_.steps + std::max<std::int64_t>(256, outcome_.steps / 4);
      }
      if (report) {
        last_report_ = now;
        if (monitor_(progress)) return outcome_.ending = Ending::stopped, true;
      }
    }
    if (options_.max_seconds > 0 && seconds > options_.max_seconds) return outcome_.ending = Ending::time_limit, true;
    return false;
  }

  const JointDual& problem_;
  const Gram& gram_;
  const Options& options_;
  const Monitor& monitor_;
  Index width_;  // classes, padded to whole vectors
  RowStore<R> rows_;

  std::vector<double> all_beta_, all_gradient_, all_diagonal_;  // of all rows; the first two [class][row]
  std::vector<Index> active_;                                   // the rows that the search looks at
  // Of these: the gradient is without offsets and pull, masks are 0 where a coefficient can rise, else infinity.
  Index n_ = 0;
  std::vector<double> beta_, gradient_, upper_, diagonal_, violations_;
  std::vector<float> up_;
  std::vector<Index> label_, every_;
  std::unique_ptr<RowMaker<R>> maker_;

  double scale_ = 0;                          // mean of the diagonal of K/2
  double pull_ = 0;                           // the constant added to K/2
  std::vector<double> shift_, bias_, total_;  // by class; the shift is what offset and pull add to the gradient
  double target_ = 0.7 * options_.tol;

  std::vector<Index> block_;
  std::vector<float> inner_;                            // their part of K/2
  std::vector<double> before_, now_, near_, rise_, z_;  // [row of the block][class]
  std::vector<std::pair<double, Index>> order_;

  JointOutcome outcome_;
  std::chrono::steady_clock::time_point start_, last_report_;
  std::int64_t next_checkpoint_ = 0;
};

}  // namespace

JointOutcome minimise_joint(const JointDual& problem, const Gram& gram, const Options& options, const Monitor& monitor) {
  constexpr Index exact_limit = 6000;
  constexpr double float_tol = 1e-4;
  const bool exact = problem.n <= exact_limit && (options.tol < float_tol || problem.n <= 200);
  if (exact || !gram.single_precision_suffices()) return JointSearch<double>(problem, gram, options, monitor).run();
  return JointSearch<float>(problem, gram, options, monitor).run();
}

}  // namespace maxmargin
