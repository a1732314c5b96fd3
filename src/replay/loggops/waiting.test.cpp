// SPDX-License-Identifier: BSD-3-Clause
#include "replay/loggops/waiting.hpp"

#include <random>
#include <vector>

#include "catch.hpp"

using namespace orrery::replay::loggops;
using orrery::trace::goal::any;

namespace {

/// What a list in the order of coming would give.
std::optional<Waiting> take_plainly(std::vector<Waiting>& list, const Waiting& other) {
  for (auto at = list.begin(); at != list.end(); ++at) {
    if (!at->meets(other)) continue;
    const Waiting found = *at;
    list.erase(at);
    return found;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("messages and receives meet in the order of their coming, be they few or many, of any source or not") {
  for (const bool wild : {false, true}) {
    for (const std::uint32_t sources : {1u, 4u, 40u}) {
      std::mt19937_64 bits(sources);
      const auto draw = [&] { return static_cast<std::uint32_t>(bits() >> 32); };
      Few few;
      Crowds crowds(1);
      std::vector<Waiting> plain;
      if (wild) few.take_any();
      for (std::uint32_t step = 0; step < 20000; ++step) {
        const std::uint32_t is_message = draw() % 2;
        Waiting coming{draw() % sources, draw() % 3, step, is_message};
        if (wild && is_message == 0 && draw() % 3 == 0) coming.source = any;
        if (wild && is_message == 0 && draw() % 3 == 0) coming.tag = any;
        const auto wanted = take_plainly(plain, coming);
        const auto found = few.take(coming, 0, crowds);
        REQUIRE(found.has_value() == wanted.has_value());
        if (found) {
          REQUIRE(found->node == wanted->node);
          REQUIRE(found->source == wanted->source);
          REQUIRE(found->is_message == wanted->is_message);
        } else {
          few.append(coming, 0, crowds);
          plain.push_back(coming);
        }
      }
      CHECK(few.size() + crowds.pool.alive() == plain.size());
      CHECK(crowds.pool.alive() > 0);  // the crowd was needed
    }
  }
}
