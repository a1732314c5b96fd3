// SPDX-License-Identifier: BSD-3-Clause
#include "structured.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

namespace orrery::fuzz {
namespace {

using Draws = std::minstd_rand;

std::size_t below(Draws& draws, std::size_t end) { return end == 0 ? 0 : draws() % end; }

constexpr std::array<std::uint64_t, 14> integers{0,
                                                 1,
                                                 2,
                                                 127,
                                                 128,
                                                 255,
                                                 65535,
                                                 INT32_MAX,
                                                 std::uint64_t{1} << 31,
                                                 UINT32_MAX,
                                                 std::uint64_t{1} << 53,
                                                 INT64_MAX,
                                                 std::uint64_t{1} << 63,
                                                 UINT64_MAX};

/// A number in binary, or another one of the file, in place of one.
void replace_integer(std::string& content, Draws& draws) {
  const std::size_t width = draws() % 2 == 0 ? 4 : 8;
  if (content.size() < width) return;
  const std::size_t place = below(draws, content.size() - width + 1);
  if (draws() % 2 == 0) {
    const std::string other = content.substr(below(draws, content.size() - width + 1), width);
    content.replace(place, width, other);
  } else {
    const std::uint64_t value = integers[below(draws, integers.size())];
    std::memcpy(&content[place], &value, width);
  }
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }

/// Where a word is: begin and length.
std::pair<std::size_t, std::size_t> word(const std::string& content, Draws& draws) {
  std::size_t begin = below(draws, content.size());
  while (begin < content.size() && !is_word(content[begin])) ++begin;
  std::size_t end = begin;
  while (end < content.size() && is_word(content[end])) ++end;
  return {begin, end - begin};
}

/// A number in words, or another word of the file, in place of one.
void replace_word(std::string& content, Draws& draws) {
  static const std::array<std::string, 8> numbers{
      "-1", "2147483647", "-2147483648", "4294967296", "9223372036854775807", "1e999", "nan", std::string(5000, '9')};
  const auto [begin, length] = word(content, draws);
  const auto [other, other_length] = word(content, draws);
  const std::string by = draws() % 2 == 0 ? content.substr(other, other_length) : numbers[below(draws, numbers.size())];
  content.replace(begin, length, by);
}

/// A piece, or a line, of the file a few or many times.
void repeat(std::string& content, Draws& draws, std::size_t most) {
  constexpr std::array<std::size_t, 4> times{1, 2, 50, 2000};
  std::size_t begin = below(draws, content.size()), length = 1 + below(draws, 64);
  if (draws() % 2 == 0) {
    const std::size_t before = content.rfind('\n', begin), after = content.find('\n', begin);
    begin = before == std::string::npos ? 0 : before;
    length = after == std::string::npos ? 1 : after - begin;
  }
  const std::string piece = content.substr(begin, length);
  std::string repeated;
  for (std::size_t i = times[below(draws, times.size())]; i > 0 && repeated.size() < most; --i) repeated += piece;
  content.insert(begin, repeated);
}

}  // namespace

std::size_t restructure(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Draws draws(seed);
  std::string content(reinterpret_cast<const char*>(data), size);
  for (std::size_t changes = 1 + below(draws, 3); changes > 0; --changes) {
    switch (draws() % 3) {
      case 0: replace_integer(content, draws); break;
      case 1: replace_word(content, draws); break;
      default: repeat(content, draws, most); break;
    }
  }
  size = std::min(content.size(), most);
  std::memcpy(data, content.data(), size);
  return size;
}

}  // namespace orrery::fuzz
