// All kernel values of some rows, computed once: for fits that differ in everything but these.
#pragma once

#include <cstddef>
#include <memory>

#include "maxmargin/kernels/gram.hpp"
#include "maxmargin/platform/threads.hpp"

namespace maxmargin {

// The values are those of a Gram, which must live as long. Float32 rows and float64 rows are made when they are first asked
// for; threads that ask meanwhile make some of them.
class KernelMatrix {
 public:
  explicit KernelMatrix(const Gram& gram);
  ~KernelMatrix();
  KernelMatrix(const KernelMatrix&) = delete;
  KernelMatrix& operator=(const KernelMatrix&) = delete;
  static std::size_t bytes(Index n);  // at most

  const Gram& gram() const { return gram_; }
  template <class R>
  HeldRows<R> rows() const;

 private:
  template <class R>
  class Rows;

  template <class R>
  const std::unique_ptr<Rows<R>>& room() const;

  const Gram& gram_;
  mutable Mutex lock_;  // of the two below
  mutable std::unique_ptr<Rows<float>> float32_;
  mutable std::unique_ptr<Rows<double>> float64_;
};

}  // namespace maxmargin
