#include "maxmargin/text/number.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace maxmargin {

namespace {

constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::int64_t exact_power = 22;                        // 10^22 is the largest power of ten that a double has exactly
constexpr std::uint64_t exact_digits = std::uint64_t(1) << 53;  // below it every whole number is a double
constexpr int most_digits = 19;                                 // that 64 bits hold
constexpr std::int64_t far = 1'000'000;                         // an exponent beyond it is as good as this

bool is_digit(char c) { return '0' <= c && c <= '9'; }

// The digits and the decimal point: their first 19 digits as a whole number, and the power of ten it is to be multiplied by.
struct Mantissa {
  std::uint64_t digits = 0;
  std::int64_t exponent = 0;
  int significant = 0;
  bool any = false, cut = false;

  void take(char c, bool behind_point) {
    any = true;
    if (significant == most_digits) {
      cut = cut || c != '0';
      exponent += behind_point ? 0 : 1;
      return;
    }
    digits = 10 * digits + std::uint64_t(c - '0');
    significant += digits != 0 ? 1 : 0;
    exponent -= behind_point ? 1 : 0;
  }
};

}  // namespace

ReadNumber read_number(std::string_view text) {
  const char *const begin = text.data(), *const end = begin + text.size();
  const char* at = begin;
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  const char* const unsigned_begin = at;
  Mantissa mantissa;
  for (; at != end && is_digit(*at); ++at) mantissa.take(*at, false);
  if (at != end && *at == '.')
    for (++at; at != end && is_digit(*at); ++at) mantissa.take(*at, true);
  if (!mantissa.any) return {};
  if (at != end && (*at == 'e' || *at == 'E')) {  // without digits behind it the letter is not part of the number
    const char* ahead = at + 1;
    const bool down = ahead != end && *ahead == '-';
    if (ahead != end && (*ahead == '-' || *ahead == '+')) ++ahead;
    if (ahead != end && is_digit(*ahead)) {
      std::int64_t exponent = 0;
      for (; ahead != end && is_digit(*ahead); ++ahead)
        if (exponent < far) exponent = 10 * exponent + (*ahead - '0');
      mantissa.exponent += down ? -exponent : exponent;
      at = ahead;
    }
  }
  ReadNumber found{.value = 0.0, .length = std::size_t(at - begin), .fault = NumberFault::none};
  if (mantissa.digits == 0) {
    found.value = 0.0;
  } else if (!mantissa.cut && mantissa.digits <= exact_digits && std::abs(mantissa.exponent) <= exact_power) {
    const double whole = double(mantissa.digits);  // both are exact, so that one rounding remains
    found.value = mantissa.exponent < 0 ? whole / powers[-mantissa.exponent] : whole * powers[mantissa.exponent];
  } else if (std::from_chars(unsigned_begin, at, found.value).ec != std::errc()) {
    if (mantissa.exponent + mantissa.significant > 0) found.fault = NumberFault::too_large;
    found.value = 0.0;  // too small for a double
  }
  if (negative) found.value = -found.value;
  return found;
}

}  // namespace maxmargin
