// Decimal numbers in text, rounded to the nearest double, as the C library reads them but without its locale.
#pragma once

#include <string_view>

namespace maxmargin {

enum class NumberFault { none, missing, too_large };

struct ReadNumber {
  double value = 0.0;
  std::size_t length = 0;  // characters that belong to it
  NumberFault fault = NumberFault::missing;
};

// The number that text begins with: [+-] digits [. digits] [e [+-] digits]. Words such as "inf" and "nan" are none.
ReadNumber read_number(std::string_view text);

}  // namespace maxmargin
