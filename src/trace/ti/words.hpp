// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::trace::ti {

/// The words of a line, from the left; blanks and tabs lie between them.
class Words {
 public:
  explicit Words(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) { skip_blanks(); }

  [[nodiscard]] bool at_end() const { return at_ == end_; }

  /// The next word; empty at the end.
  std::string_view word() {
    const char* const begin = at_;
    while (at_ != end_ && !is_blank(*at_)) ++at_;
    const std::string_view found(begin, static_cast<std::size_t>(at_ - begin));
    skip_blanks();
    return found;
  }

  /// The next word as a whole number. SimGrid reads sizes as real numbers and cuts off what is behind the point.
  std::optional<std::int64_t> integer() {
    std::int64_t value = 0;
    const auto [after, error] = std::from_chars(at_, end_, value);
    if (error == std::errc{} && (after == end_ || is_blank(*after))) {
      at_ = after;
      skip_blanks();
      return value;
    }
    const std::optional<double> number = real();
    constexpr double most = 9e18;
    if (!number || !(*number > -most && *number < most)) return std::nullopt;
    return static_cast<std::int64_t>(*number);
  }

  std::optional<double> real() {
    double value = 0;
    const std::string_view text = word();
    const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || after != text.data() + text.size()) return std::nullopt;
    return value;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }

  const char* at_;
  const char* end_;
};

}  // namespace orrery::trace::ti
