// Memory that the system does not give: how much, and what for.
#pragma once

#include <array>
#include <cmath>
#include <new>
#include <string>

namespace maxmargin {

class OutOfMemory : public std::bad_alloc {
 public:
  OutOfMemory(double bytes, const std::string& what_for) {
    constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
    const auto tenths = std::llround(10 * bytes);
    text_ = "Unable to allocate " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " + units[unit] +
            " for " + what_for;
  }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

}  // namespace maxmargin
