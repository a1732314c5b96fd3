// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/heap/blocks.hpp"

#include <memory>
#include <random>
#include <unordered_map>

#include "catch.hpp"

namespace orrery::mpi::heap {

TEST_CASE("blocks are found by their addresses, whatever was added and taken before") {
  const auto blocks = std::make_unique<Blocks>();
  std::unordered_map<void*, std::size_t> expected;
  std::mt19937 draw(7);
  for (int step = 0; step < 20'000; ++step) {
    void* const first = reinterpret_cast<void*>(std::uintptr_t{4096} * (1 + draw() % 2'000));
    if (const auto known = expected.find(first); known != expected.end()) {
      const auto taken = blocks->take(first);
      REQUIRE(taken.has_value());
      REQUIRE(taken->bytes == known->second);
      expected.erase(known);
    } else {
      REQUIRE_FALSE(blocks->find(first).has_value());
      REQUIRE(blocks->add(first, {static_cast<std::size_t>(step) + 1, nullptr}));
      expected[first] = static_cast<std::size_t>(step) + 1;
    }
  }
  std::size_t seen = 0;
  blocks->for_each([&](void* first, const Block& block) {
    ++seen;
    CHECK(expected.at(first) == block.bytes);
  });
  CHECK(seen == expected.size());
}

TEST_CASE("blocks for which there is no room are refused, and what is there is still found") {
  const auto blocks = std::make_unique<Blocks>();
  const auto at = [](std::size_t i) { return reinterpret_cast<void*>((i + 1) * 4096); };
  std::size_t added = 0;
  while (blocks->add(at(added), {added, nullptr})) ++added;
  CHECK(added == 32768);
  CHECK_FALSE(blocks->take(at(added)).has_value());
  for (std::size_t i = 0; i < added; ++i) REQUIRE(blocks->take(at(i)).has_value());
  CHECK(blocks->add(at(0), {1, nullptr}));
}

}  // namespace orrery::mpi::heap
