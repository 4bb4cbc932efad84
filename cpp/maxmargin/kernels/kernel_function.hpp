// A kernel with its numbers fixed: what remains of a Python kernel object once it is bound to data.
#pragma once

namespace maxmargin {

enum class KernelKind : int { linear = 0, polynomial = 1, rbf = 2, sigmoid = 3 };

//  linear      <u, v>
//  polynomial  (gamma <u, v> + coef0)^degree
//  rbf         exp(-gamma |u - v|^2)
//  sigmoid     tanh(gamma <u, v> + coef0)
struct KernelFunction {
  KernelKind kind = KernelKind::linear;
  double gamma = 1.0;
  double coef0 = 0.0;
  int degree = 1;
  bool operator==(const KernelFunction&) const = default;
};

}  // namespace maxmargin
