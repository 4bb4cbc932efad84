#include "maxmargin/objects/object_gram.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "maxmargin/platform/cpu.hpp"

namespace maxmargin {

class KeptRows {
 public:
  KeptRows(std::shared_ptr<const Objects> objects, std::size_t bytes)
      : objects_(std::move(objects)), rows_(std::size_t(objects_->size())), every_(rows_.size()) {
    std::iota(every_.begin(), every_.end(), 0);
    room_ = std::ptrdiff_t(bytes / (sizeof(double) * std::max<std::size_t>(1, rows_.size())));
  }
  ~KeptRows() {
    for (const auto& row : rows_) delete[] row.load();
  }
  KeptRows(const KeptRows&) = delete;
  KeptRows& operator=(const KeptRows&) = delete;

  const Objects& objects() const { return *objects_; }

  // Calls use(k, row) for each of the wanted rows, whose values stand against all objects.
  void with(std::span<const Index> wanted, const std::function<void(std::size_t, const double*)>& use) const {
    constexpr std::size_t batch = 64;
    std::vector<double> made;
    for (std::size_t begin = 0; begin < wanted.size(); begin += batch) {
      const auto some = wanted.subspan(begin, std::min(batch, wanted.size() - begin));
      std::vector<const double*> found(some.size(), nullptr);
      std::vector<Index> missing;
      for (std::size_t k = 0; k < some.size(); ++k) {
        found[k] = rows_[some[k]].load();
        if (found[k] == nullptr) missing.push_back(some[k]);
      }
      if (!missing.empty() && make_all_at_once()) {
        keep_all();
        for (std::size_t k = 0; k < some.size(); ++k) found[k] = rows_[some[k]].load();
        missing.clear();
      }
      std::sort(missing.begin(), missing.end());
      missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
      made.resize(missing.size() * every_.size());
      make(missing, made);
      for (std::size_t k = 0; k < some.size(); ++k) {
        if (found[k] == nullptr) {
          const auto place = std::lower_bound(missing.begin(), missing.end(), some[k]) - missing.begin();
          found[k] = made.data() + std::size_t(place) * every_.size();
        }
        use(begin + k, found[k]);
      }
      for (std::size_t k = 0; k < missing.size(); ++k) keep(missing[k], made.data() + k * every_.size());
    }
  }

 private:
  // Small matrices whose rows cost less together.
  bool make_all_at_once() const {
    constexpr std::size_t most = std::size_t(1) << 24;
    return objects_->columns_at_once() == 0 && every_.size() * every_.size() <= most &&
           room_.load() >= std::ptrdiff_t(every_.size());
  }

  void keep_all() const {
    std::vector<double> all(every_.size() * every_.size());
    object_block(*objects_, every_, every_, all.data());
    for (const Index row : every_) keep(row, all.data() + std::size_t(row) * every_.size());
  }

  void make(const std::vector<Index>& missing, std::vector<double>& out) const {
    const std::size_t n = every_.size();
    if (missing.empty()) return;
    if (objects_->columns_at_once() == 0) return object_block(*objects_, missing, every_, out.data());
    // Columns that no kept row has, and of the missing rows themselves the half that is needed.
    std::vector<Index> columns, known;
    std::vector<bool> is_missing(n, false);
    for (const Index row : missing) is_missing[row] = true;
    for (Index j = 0; j < Index(n); ++j) {
      if (is_missing[j]) continue;
      (rows_[j].load() == nullptr ? columns : known).push_back(j);
    }
    std::vector<double> values(missing.size() * columns.size());
    object_block(*objects_, missing, columns, values.data());
    for (std::size_t k = 0; k < missing.size(); ++k) {
      double* const row = out.data() + k * n;
      for (std::size_t c = 0; c < columns.size(); ++c) row[columns[c]] = values[k * columns.size() + c];
      for (const Index j : known) row[j] = rows_[j].load()[missing[k]];
      const auto rest = std::span(missing).subspan(k);
      values.resize(std::max(values.size(), missing.size() * columns.size() + rest.size()));
      double* const own = values.data() + missing.size() * columns.size();
      object_block(*objects_, std::span(&missing[k], 1), rest, own);
      for (std::size_t c = 0; c < rest.size(); ++c) {
        row[rest[c]] = own[c];
        out[(k + c) * n + std::size_t(missing[k])] = own[c];
      }
    }
  }

  void keep(Index row, const double* values) const {
    if (rows_[row].load() != nullptr) return;
    if (room_.fetch_sub(1) <= 0) {
      room_.fetch_add(1);
      return;
    }
    auto copy = std::make_unique<double[]>(every_.size());
    std::copy_n(values, every_.size(), copy.get());
    double* nobody = nullptr;
    if (rows_[row].compare_exchange_strong(nobody, copy.get()))
      static_cast<void>(copy.release());
    else
      room_.fetch_add(1);
  }

  std::shared_ptr<const Objects> objects_;
  mutable std::vector<std::atomic<double*>> rows_;
  std::vector<Index> every_;
  mutable std::atomic<std::ptrdiff_t> room_;  // rows
};

namespace {

class ObjectGram final : public Gram {
 public:
  ObjectGram(std::shared_ptr<const KeptRows> rows, std::vector<Index> subset)
      : kept_(std::move(rows)), used_(std::move(subset)) {
    if (!used_.empty()) return;
    used_.resize(std::size_t(kept_->objects().size()));
    std::iota(used_.begin(), used_.end(), 0);
  }
  Index size() const override { return Index(used_.size()); }
  bool is_opaque() const override { return kept_->objects().is_opaque(); }
  void diagonal(double* out) const override {
    for (Index i = 0; i < size(); ++i) {
      poll_now();
      out[i] = kept_->objects().own(used_[i]);
    }
  }
  void block(std::span<const Index> rows, std::span<const Index> columns, double* out) const override {
    const std::vector<Index> places = places_of(columns);
    if (2 * places.size() < std::size_t(kept_->objects().size()) && kept_->objects().columns_at_once() > 0)
      return object_block(kept_->objects(), places_of(rows), places, out);
    kept_->with(places_of(rows), [&](std::size_t k, const double* row) {
      for (std::size_t c = 0; c < places.size(); ++c) out[k * places.size() + c] = row[places[c]];
    });
  }
  void product(const double* beta, double* out, const Poll& poll) const override {
    std::vector<Index> support;
    std::vector<double> coefficients, values(used_.size());
    for (Index i = 0; i < size(); ++i)
      if (beta[i] != 0.0) {
        support.push_back(used_[i]);
        coefficients.push_back(beta[i]);
      }
    std::fill(out, out + size(), 0.0);
    kept_->with(support, [&](std::size_t k, const double* row) {
      poll();
      for (std::size_t c = 0; c < used_.size(); ++c) values[c] = row[used_[c]];
      simd().axpy(size(), coefficients[k], values.data(), out);
    });
  }
  std::unique_ptr<RowMaker<float>> rows_f32(std::span<const Index> active) const override {
    return std::make_unique<Copies<float>>(*this, active);
  }
  std::unique_ptr<RowMaker<double>> rows_f64(std::span<const Index> active) const override {
    return std::make_unique<Copies<double>>(*this, active);
  }
  bool single_precision_suffices() const override { return score_scale() < 1e30; }

 private:
  template <class R>
  class Copies final : public RowMaker<R> {
   public:
    Copies(const ObjectGram& gram, std::span<const Index> active) : gram_(gram), places_(gram.places_of(active)) {}
    void make(std::span<const Index> positions, R* const* out) override {
      std::vector<Index> wanted(positions.size());
      for (std::size_t p = 0; p < positions.size(); ++p) wanted[p] = places_[positions[p]];
      gram_.kept_->with(wanted, [&](std::size_t k, const double* row) {
        for (std::size_t c = 0; c < places_.size(); ++c) out[k][c] = R(row[places_[c]]);
      });
    }

   private:
    const ObjectGram& gram_;
    std::vector<Index> places_;
  };

  std::vector<Index> places_of(std::span<const Index> some) const {
    std::vector<Index> places(some.size());
    for (std::size_t k = 0; k < some.size(); ++k) places[k] = used_[some[k]];
    return places;
  }

  std::shared_ptr<const KeptRows> kept_;
  std::vector<Index> used_;
};

}  // namespace

std::shared_ptr<const KeptRows> keep_rows(std::shared_ptr<const Objects> objects, std::size_t bytes) {
  return std::make_shared<KeptRows>(std::move(objects), bytes);
}

std::unique_ptr<Gram> make_object_gram(std::shared_ptr<const KeptRows> rows, std::vector<Index> subset) {
  return std::make_unique<ObjectGram>(std::move(rows), std::move(subset));
}

}  // namespace maxmargin
