// Bags of members with a kernel of their own: k(A, B) = sum over a in A and b in B of k(a, b).
#pragma once

#include <memory>
#include <vector>

#include "maxmargin/kernels/gram.hpp"
#include "maxmargin/objects/objects.hpp"

namespace maxmargin {

class Bags final : public Objects {
 public:
  // Bag i has the members starts[i] ... starts[i + 1] - 1 of the Gram.
  Bags(std::shared_ptr<const Gram> members, std::vector<Index> starts);
  Index size() const override { return Index(starts_.size()) - 1; }
  void values(std::span<const Index> rows, std::span<const Index> columns, double* out) const override;
  double own(Index row) const override;
  Index columns_at_once() const override { return 64; }
  bool is_opaque() const override { return members_->is_opaque(); }

 private:
  void row_values(Index row, std::span<const Index> columns, double* out) const;
  Index count(Index bag) const { return starts_[bag + 1] - starts_[bag]; }

  std::shared_ptr<const Gram> members_;
  std::vector<Index> starts_;
};

}  // namespace maxmargin
