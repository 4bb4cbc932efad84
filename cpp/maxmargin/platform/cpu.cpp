#include "maxmargin/platform/cpu.hpp"

#include <cstdlib>
#include <stdexcept>

namespace maxmargin {

namespace {

std::vector<const SimdTable*> tables() {
  std::vector<const SimdTable*> found{&simd_baseline()};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    found.push_back(&simd_x86_64_v3());
  if (found.size() == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    found.push_back(&simd_x86_64_v4());
#endif
  return found;
}

const SimdTable& choose() {
  const auto found = tables();
  const char* wanted = std::getenv("MAXMARGIN_CPU");
  if (wanted == nullptr || *wanted == '\0') return *found.back();
  std::string names;
  for (const SimdTable* table : found) {
    if (std::string(wanted) == table->level) return *table;
    names += (names.empty() ? "" : ", ") + std::string(table->level);
  }
  throw std::invalid_argument("MAXMARGIN_CPU must be one of " + names + ". Got " + wanted + " instead.");
}

}  // namespace

std::vector<std::string> cpu_levels() {
  std::vector<std::string> names;
  for (const SimdTable* table : tables()) names.emplace_back(table->level);
  return names;
}

const SimdTable& simd() {
  static const SimdTable& chosen = choose();
  return chosen;
}

}  // namespace maxmargin
