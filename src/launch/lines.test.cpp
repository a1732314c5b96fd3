// SPDX-License-Identifier: BSD-3-Clause
#include "launch/lines.hpp"

#include <vector>

#include "catch.hpp"

using namespace orrery::launch;

namespace {

std::vector<std::string> cut(Lines& lines, const std::vector<std::string>& chunks) {
  std::vector<std::string> delivered;
  const auto deliver = [&](std::string_view text) { delivered.emplace_back(text); };
  for (const std::string& chunk : chunks) lines.feed(chunk, deliver);
  lines.flush(deliver);
  return delivered;
}

}  // namespace

TEST_CASE("lines come whole however the pipe cuts them") {
  Lines lines(Lines::Unit::Line);
  CHECK(cut(lines, {"al", "pha\nbe", "ta\n", "\ngamma\n"}) ==
        std::vector<std::string>{"alpha\n", "beta\n", "\n", "gamma\n"});
}

TEST_CASE("a last line without newline is delivered too") {
  Lines lines(Lines::Unit::Line);
  CHECK(cut(lines, {"one\ntw", "o"}) == std::vector<std::string>{"one\n", "two"});
}

TEST_CASE("a block holds as many whole lines as one read gave") {
  Lines lines(Lines::Unit::Block);
  CHECK(cut(lines, {"a\nb\nc", "d\ne\n"}) == std::vector<std::string>{"a\nb\n", "cd\ne\n"});
}

TEST_CASE("a stream without newlines is delivered in pieces of bounded size") {
  Lines lines(Lines::Unit::Line);
  const std::string chunk(Lines::longest / 2, 'x');
  const auto pieces = cut(lines, {chunk, chunk, chunk});
  // Two halves make the longest line; the third is what is left.
  CHECK(pieces == std::vector<std::string>{chunk + chunk, chunk});
}
