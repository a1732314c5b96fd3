// SPDX-License-Identifier: BSD-3-Clause
#include "program/plain.hpp"

#include <initializer_list>

#include "catch.hpp"

using namespace orrery::program;

namespace {

std::optional<PlainLogGOPS> read(std::initializer_list<const char*> words) {
  return plain_loggops({words.begin(), words.size()});
}

}  // namespace

TEST_CASE("a replay of one schedule under LogGOPS is read in any order of its words") {
  for (const auto& found : {read({"replay", "a.goal", "--loggops", "L=1"}), read({"replay", "--loggops=L=1", "a.goal"}),
                            read({"replay", "--loggops", "L=1", "a.goal", "--json"})}) {
    REQUIRE(found);
    CHECK(found->schedule == "a.goal");
    CHECK(found->parameters == "L=1");
  }
  CHECK(read({"replay", "a.goal", "--loggops", "", "--json"})->as_json);
  CHECK_FALSE(read({"replay", "a.goal", "--loggops", ""})->as_json);
}

TEST_CASE("whatever else a command line says is left to Python") {
  CHECK_FALSE(read({}));
  CHECK_FALSE(read({"replay"}));
  CHECK_FALSE(read({"--help"}));
  CHECK_FALSE(read({"replay", "a.goal"}));                                    // on a platform
  CHECK_FALSE(read({"run", "a.goal", "--loggops", ""}));                      // another command
  CHECK_FALSE(read({"replay", "a.goal", "--loggops"}));                       // its value is missing
  CHECK_FALSE(read({"replay", "a.goal", "--loggops", "--json"}));             // the same, as it looks
  CHECK_FALSE(read({"replay", "a.goal", "b.goal", "--loggops", ""}));         // two schedules
  CHECK_FALSE(read({"replay", "--loggops", ""}));                             // none
  CHECK_FALSE(read({"replay", "a.goal", "--loggops", "", "--loggops", ""}));  // twice
  CHECK_FALSE(read({"replay", "a.goal", "--loggops", "", "-h"}));             // another option
  CHECK_FALSE(read({"replay", "--", "a.goal", "--loggops", ""}));
}
