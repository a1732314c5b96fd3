// SPDX-License-Identifier: BSD-3-Clause
#include "trace/ti/words.hpp"

#include <bit>
#include <random>
#include <string>

#include "base/error.hpp"
#include "catch.hpp"

using namespace orrery;
using orrery::trace::ti::Words;

TEST_CASE("words end with their line, numbers too") {
  Words words("19 compute 1.56961e+06 -3\n20 send");
  CHECK(words.integer() == 19);
  CHECK(words.word() == "compute");
  CHECK(words.real() == 1.56961e6);
  CHECK(words.integer() == -3);
  CHECK(words.at_end());
  CHECK(words.rest() == "\n20 send");
  CHECK(words.word().empty());
}

TEST_CASE("a word ends at the first blank, and no other character ends it") {
  std::string letters;
  for (int length = 1; length <= 20; ++length) {
    letters += length % 3 == 0 ? '\x01' : length % 3 == 1 ? '\xe4' : 'w';
    for (const char* behind : {"", " ", "\t12345678", "\n90 send 1 0", "\r\n", "  next word"}) {
      CAPTURE(letters, behind);
      const std::string line = letters + behind;
      CHECK(Words(line).word() == letters);
    }
  }
}

TEST_CASE("what is no number is none, and a size may be written as a real one") {
  for (const char* text : {"", "-", "e5", "1e", "1e+", "1.5.2", "12a", "+1", "0x10", "1e999"}) {
    CAPTURE(text);
    CHECK(!Words(text).real());
  }
  CHECK(!Words("1e30").integer());
  CHECK(Words("2.75e2").integer() == 275);
  CHECK(Words("123456789012345678").integer() == 123456789012345678);
  CHECK(Words(".5").real() == 0.5);
  CHECK(Words("5.").real() == 5.0);
  CHECK(Words("0.1e-300").real() == 0.1e-300);
}

TEST_CASE("short numbers have the bits that from_chars gives them") {
  std::mt19937_64 draw(6);
  for (int i = 0; i < 100000; ++i) {
    const auto digits = std::to_string(draw() >> (draw() % 64));
    const std::size_t point = draw() % (digits.size() + 1);
    std::string text = concat(digits.substr(0, point), draw() % 2 == 0 ? "." : "", digits.substr(point));
    if (draw() % 2 == 0) text += concat("e", draw() % 2 == 0 ? "-" : "+", draw() % 40);
    double wanted = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), wanted);
    REQUIRE(read.ec == std::errc{});
    CAPTURE(text);
    for (const char* behind : {"", " ", "\n", "\t-1234567 send", " 00000000000000000000"}) {
      const std::string line = text + behind;  // eight characters are read at once where there are eight
      Words words(line);
      const std::optional<double> found = words.real();
      REQUIRE(found);
      REQUIRE(std::bit_cast<std::uint64_t>(*found) == std::bit_cast<std::uint64_t>(wanted));
    }
  }
}

TEST_CASE("whole numbers of any length end where their digits do") {
  std::string digits;
  for (int length = 1; length <= 18; ++length) {
    digits += static_cast<char>('0' + length % 10);
    for (const char* behind : {"", " ", "\n", " 99999999", "\r\n88888888"}) {
      CAPTURE(digits, behind);
      const std::string line = digits + behind;
      CHECK(Words(line).integer() == std::stoll(digits));
      const std::string negative = "-" + line;
      CHECK(Words(negative).integer() == -std::stoll(digits));
      for (const char* wrong : {"/", ":", "\xb9", "x1234567"}) {
        const std::string other = digits + wrong + behind;
        CHECK(!Words(other).integer());
      }
    }
  }
}
