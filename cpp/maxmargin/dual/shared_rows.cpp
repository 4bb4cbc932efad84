// Float32 rows of problems that share rows of X, as pairs of classes do: a class is in the problems of all its pairs. Among the
// rows of a group that several problems have, a kernel value is computed once and kept for the others; between groups, which
// as classes meet in one problem only, it is not.
#include <algorithm>
#include <atomic>
#include <memory>

#include "maxmargin/dual/pair_search.hpp"
#include "maxmargin/kernels/feature_gram.hpp"
#include "maxmargin/platform/mapping.hpp"

namespace maxmargin {

namespace {

constexpr std::size_t most_bytes = std::size_t(64) << 20;  // beyond, values come from afar, and new memory is dear
constexpr Index fewest_columns = 32;                       // below, to compute a value costs little more than to fetch it

// A group's rows, packed, and what is known of their kernel values among themselves.
class Block {
 public:
  Block(std::vector<Index> rows, float* values) : rows_(std::move(rows)), values_(values), state_(rows_.size()) {}

  const std::vector<Index>& rows() const { return rows_; }
  const Panels<float>& panels(const KernelFunction& kernel, const OrderedRows<float>& source) {
    packed_([&] { panels_.pack(kernel, source, rows_); });
    return panels_;
  }
  // The values of one of its rows, or nothing.
  const float* find(Index r) const { return state_[r].load(std::memory_order_acquire) == State::known ? at(r) : nullptr; }
  // Threads that made the same row have the same values: the first one's are kept.
  void keep(Index r, const float* values) {
    State expected = State::unknown;
    if (!state_[r].compare_exchange_strong(expected, State::being_written, std::memory_order_relaxed)) return;
    std::copy_n(values, rows_.size(), at(r));
    state_[r].store(State::known, std::memory_order_release);
  }

 private:
  enum class State : unsigned char { unknown, being_written, known };
  float* at(Index r) const { return values_ + std::ptrdiff_t(r) * std::ptrdiff_t(rows_.size()); }

  std::vector<Index> rows_;
  float* values_;
  std::vector<std::atomic<State>> state_;
  Once packed_;
  Panels<float> panels_;
};

// What the problems share.
struct Common {
  Common(const DenseGram& gram, std::span<const RowGroup> groups, std::size_t values)
      : kernel(gram.kernel()),
        source(gram.shared_rows_of_x<float>()),
        memory(std::max<std::size_t>(values, 1) * sizeof(float)) {
    auto* next = static_cast<float*>(memory.address());
    for (const RowGroup& group : groups) {
      blocks.push_back(std::make_unique<Block>(group.rows, next));
      next += group.rows.size() * group.rows.size();
    }
  }
  KernelFunction kernel;
  OrderedRows<float> source;
  Mapping memory;
  std::vector<std::unique_ptr<Block>> blocks;
};

// Rows [first, first + its rows) of a problem are those of the block.
struct Part {
  Index first;
  Block* block;
  Index end() const { return first + Index(block->rows().size()); }
};

class PartedRowMaker final : public RowMaker<float> {
 public:
  PartedRowMaker(std::shared_ptr<Common> common, std::vector<Part> parts, const std::vector<Index>& rows)
      : common_(std::move(common)), parts_(std::move(parts)), rows_(rows) {}

  void make(std::span<const Index> positions, float* const* out) override {
    for (const Part& part : parts_) {
      const auto owns = [&](Index p) { return p >= part.first && p < part.end(); };
      wanted_.clear();
      targets_.clear();
      new_.clear();
      for (std::size_t p = 0; p < positions.size(); ++p) {
        const float* const known = owns(positions[p]) ? part.block->find(positions[p] - part.first) : nullptr;
        if (known != nullptr) {
          std::copy_n(known, part.block->rows().size(), out[p] + part.first);
        } else {
          wanted_.push_back(rows_[positions[p]]);
          targets_.push_back(out[p] + part.first);
          if (owns(positions[p])) new_.push_back(p);
        }
      }
      fill(*part.block);
      for (const std::size_t p : new_) part.block->keep(positions[p] - part.first, out[p] + part.first);
    }
  }

 private:
  // The wanted rows against those of the block. The last panel is written aside, since the next part follows its columns.
  void fill(Block& block) {
    if (wanted_.empty()) return;
    constexpr Index width = Panels<float>::width;
    const Panels<float>& panels = block.panels(common_->kernel, common_->source);
    const auto columns = Index(block.rows().size()), whole = columns / width;
    left_.pack(common_->kernel, common_->source, wanted_);
    left_.meet(common_->kernel, 0, left_.count(), panels, 0, whole, targets_.data());
    if (whole == panels.groups()) return;
    last_.reserve(wanted_.size() * std::size_t(width));
    aside_.resize(wanted_.size());
    for (std::size_t r = 0; r < wanted_.size(); ++r) aside_[r] = last_.data() + r * std::size_t(width);
    left_.meet(common_->kernel, 0, left_.count(), panels, whole, whole + 1, aside_.data());
    for (std::size_t r = 0; r < wanted_.size(); ++r)
      std::copy_n(aside_[r], columns - whole * width, targets_[r] + std::ptrdiff_t(whole) * width);
  }

  std::shared_ptr<Common> common_;
  std::vector<Part> parts_;
  const std::vector<Index>& rows_;  // of X
  LeftRows<float> left_;
  Buffer<float> last_;
  std::vector<Index> wanted_;
  std::vector<float*> targets_, aside_;
  std::vector<std::size_t> new_;  // of the positions those whose values are worth keeping
};

class SharingGram final : public Gram {
 public:
  SharingGram(const DenseGram& inner, std::shared_ptr<Common> common, std::vector<Part> parts)
      : inner_(inner), common_(std::move(common)), parts_(std::move(parts)) {}

  Index size() const override { return inner_.size(); }
  void diagonal(double* out) const override { inner_.diagonal(out); }
  void block(std::span<const Index> rows, std::span<const Index> columns, double* out) const override {
    inner_.block(rows, columns, out);
  }
  void product(const double* beta, double* out, const Poll& poll) const override { inner_.product(beta, out, poll); }
  void rough_product(const double* beta, double* out, const Poll& poll) const override {
    inner_.rough_product(beta, out, poll);
  }
  std::unique_ptr<RowMaker<float>> rows_f32(std::span<const Index> active) const override {
    const bool are_all = Index(active.size()) == size() && std::is_sorted(active.begin(), active.end());
    if (!are_all) return inner_.rows_f32(active);  // it packs what remains
    return std::make_unique<PartedRowMaker>(common_, parts_, inner_.used());
  }
  std::unique_ptr<RowMaker<double>> rows_f64(std::span<const Index> active) const override { return inner_.rows_f64(active); }
  bool single_precision_suffices() const override { return inner_.single_precision_suffices(); }

 private:
  const DenseGram& inner_;
  std::shared_ptr<Common> common_;
  std::vector<Part> parts_;
};

}  // namespace

SharedGrams share_rows(std::span<const Gram* const> grams, const Options& options) {
  if (options.origin == Origin::resumed || options.tol < float_tol) return {};  // their rows are in float64
  const std::vector<const DenseGram*> dense = of_one_kernel(grams);
  const auto is_small = [](const DenseGram* gram) { return gram->size() <= float_floor; };
  if (dense.size() < 2 || dense[0]->features().columns() < fewest_columns ||
      std::all_of(dense.begin(), dense.end(), is_small) || !dense[0]->single_precision_suffices())
    return {};
  const std::vector<RowGroup> groups = row_groups(dense);
  std::size_t values = 0;
  for (const RowGroup& group : groups) {
    const auto is_scattered = [](const RowGroup::Place& place) { return !place.scattered.empty(); };
    if (group.places.size() < 2 || std::any_of(group.places.begin(), group.places.end(), is_scattered)) return {};
    values += group.rows.size() * group.rows.size();
  }
  const std::size_t bytes = values * sizeof(float);
  if (bytes > std::min(options.cache_bytes / 4, most_bytes)) return {};

  const auto common = std::make_shared<Common>(*dense[0], groups, values);
  std::vector<std::vector<Part>> parts(dense.size());
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const RowGroup::Place& place : groups[g].places)
      parts[place.problem].push_back({place.first, common->blocks[g].get()});
  SharedGrams shared{std::vector<std::unique_ptr<Gram>>(dense.size()), bytes};
  for (std::size_t p = 0; p < dense.size(); ++p) shared.grams[p] = std::make_unique<SharingGram>(*dense[p], common, parts[p]);
  return shared;
}

}  // namespace maxmargin
