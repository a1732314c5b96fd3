// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

namespace orrery::trace::ti {

/// The words of the line that a text begins with, from the left; blanks and tabs lie between them.
///
/// Traces are mostly short numbers, as many as a replay has operations: these are read here, in the same bits that
/// `std::from_chars` gives, which takes the others.
class Words {
 public:
  explicit Words(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) { skip_blanks(); }

  /// Nothing more in this line.
  [[nodiscard]] bool at_end() const { return at_ == end_ || *at_ == '\n'; }
  /// What follows: the rest of the line, then other lines.
  [[nodiscard]] std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

  /// The next word; empty at the end.
  std::string_view word() {
    const char* const begin = at_;
    at_ += letters_in_eight();
    while (!is_over(at_)) ++at_;
    const std::string_view found(begin, static_cast<std::size_t>(at_ - begin));
    skip_blanks();
    return found;
  }

  /// The next word as a whole number. SimGrid reads sizes as real numbers and cuts off what is behind the point.
  std::optional<std::int64_t> integer() {
    // Nearly all: up to seven digits without a sign.
    Digits digits = {at_};
    if (eight_at_once && end_ - at_ > 8 && take_eight(digits) - 1u < 7u && is_over(digits.after)) {
      at_ = digits.after;
      skip_blanks();
      return digits.value;
    }
    digits = {at_};
    const bool negative = digits.after != end_ && *digits.after == '-';
    if (negative) ++digits.after;
    take(digits);
    if (digits.are_exact() && is_over(digits.after)) {
      at_ = digits.after;
      skip_blanks();
      return negative ? -digits.value : digits.value;
    }
    const std::string_view text = word();
    std::int64_t value = 0;
    if (is_all(text, std::from_chars(text.data(), text.data() + text.size(), value))) return value;
    const std::optional<double> number = real_of(text);
    constexpr double most = 9e18;
    if (!number || !(*number > -most && *number < most)) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  }

  std::optional<double> real() {
    Digits digits = {at_};
    take(digits);
    const int before_point = digits.count;
    if (digits.after != end_ && *digits.after == '.') {
      ++digits.after;
      take(digits);
    }
    int exponent = before_point - digits.count;
    if (digits.after != end_ && *digits.after == 'e') exponent += take_exponent(digits);
    // Both are exact as doubles, so that what they make is rounded once (Clinger 1990, doi:10.1145/93542.93557).
    if (before_point > 0 && digits.are_exact() && is_over(digits.after) && std::abs(exponent) <= most_power) {
      at_ = digits.after;
      skip_blanks();
      const auto value = static_cast<double>(digits.value);
      return exponent < 0 ? value / powers[-exponent] : value * powers[exponent];
    }
    return real_of(word());
  }

 private:
  static constexpr bool eight_at_once = std::endian::native == std::endian::little;
  static constexpr std::uint64_t high = 0x8080808080808080;  ///< the highest bit of each character
  static constexpr int most_power = 22;
  static constexpr double powers[most_power + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

  static constexpr std::int64_t tens[9] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

  struct Digits {
    const char* after;
    std::int64_t value = 0;
    int count = 0;

    /// Fewer than 10^15 are whole numbers that a double can be.
    [[nodiscard]] bool are_exact() const { return count > 0 && count <= 15; }
  };

  void take(Digits& digits) const {
    while (eight_at_once && end_ - digits.after >= 8) {
      if (take_eight(digits) < 8) return;
    }
    for (; digits.after != end_ && *digits.after >= '0' && *digits.after <= '9'; ++digits.after) {
      if (++digits.count <= 15) digits.value = 10 * digits.value + (*digits.after - '0');
    }
  }

  /// Takes as many of the next eight characters as are digits, all at once: how many there are cannot be predicted.
  /// @return their number
  static int take_eight(Digits& digits) {
    constexpr std::uint64_t zeros = 0x3030303030303030, beyond_nine = 0x7676767676767676;
    std::uint64_t text;
    std::memcpy(&text, digits.after, sizeof text);
    text ^= zeros;  // a digit is its value now, all else is more than nine
    const int taken = std::countr_zero(((text + beyond_nine) | text) & high) / 8;
    if (taken == 0) return 0;
    text <<= 64 - 8 * taken;  // zeros in front
    // Two digits to a number below 100, two of those to one below 10,000, two of those to the value.
    text = 10 * text + (text >> 8);
    constexpr std::uint64_t every_fourth = 0x000000ff000000ff;
    text = ((text & every_fourth) * (100 + (std::uint64_t{1'000'000} << 32)) +
            ((text >> 16) & every_fourth) * (1 + (std::uint64_t{10'000} << 32))) >>
           32;
    digits.count += taken;
    digits.after += taken;
    if (digits.count <= 15) digits.value = digits.value * tens[taken] + static_cast<std::int64_t>(text);
    return taken;
  }

  /// How many of the next eight characters stand before the first that could end a word.
  [[nodiscard]] int letters_in_eight() const {
    if (!eight_at_once || end_ - at_ < 8) return 0;
    constexpr std::uint64_t first_visible = 0x2121212121212121;
    std::uint64_t text;
    std::memcpy(&text, at_, sizeof text);
    return std::countr_zero((text - first_visible) & ~text & high) / 8;
  }

  /// Behind an e. More than any double has if it is none that is read here.
  int take_exponent(Digits& digits) const {
    Digits power = {digits.after + 1};
    const bool negative = power.after != end_ && *power.after == '-';
    if (negative || (power.after != end_ && *power.after == '+')) ++power.after;
    take(power);
    constexpr int too_many = 1000;
    if (power.count == 0 || power.count > 3) return too_many;
    digits.after = power.after;
    return static_cast<int>(negative ? -power.value : power.value);
  }

  static std::optional<double> real_of(std::string_view text) {
    double value = 0;
    if (!is_all(text, std::from_chars(text.data(), text.data() + text.size(), value))) return std::nullopt;
    return value;
  }
  static bool is_all(std::string_view text, const std::from_chars_result& read) {
    return read.ec == std::errc{} && read.ptr == text.data() + text.size();
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  [[nodiscard]] bool is_over(const char* at) const { return at == end_ || *at == '\n' || is_blank(*at); }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }

  const char* at_;
  const char* end_;
};

}  // namespace orrery::trace::ti
