// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/effects.hpp"

#include <new>
#include <vector>

#include "catch.hpp"

using namespace orrery;
using namespace orrery::mpi::channel;

TEST_CASE("effects lie in their queue in the order in which the kernel linked them") {
  Memory memory = Memory::create(1);
  const Offset queue = memory.allocate(sizeof(EffectQueue));
  new (memory.at(queue)) EffectQueue;
  KernelEnd kernel(memory);
  std::vector<Offset> effects;
  for (int i = 0; i < 3; ++i) {
    effects.push_back(memory.allocate(sizeof(Effect)));
    (new (memory.at(effects.back())) Effect)->queue = queue;
  }
  for (const int i : {1, 0, 2}) {
    kernel.take_effect(WorldRank{0}, static_cast<std::int64_t>(effects[static_cast<std::size_t>(i)]));
  }
  std::vector<Offset> taken;
  auto& entry = *memory.as<EffectQueue>(queue);
  for (Offset at = entry.take(); at != 0; at = memory.as<Effect>(at)->next) taken.push_back(at);
  CHECK(taken == std::vector{effects[2], effects[0], effects[1]});  // the latest first
  CHECK(entry.take() == 0);
}

TEST_CASE("pages that are given back read as zero") {
  Memory memory = Memory::create(1);
  constexpr std::size_t bytes = 1 << 20;
  const Offset block = memory.allocate(bytes);
  memory.at(block)[bytes / 2] = std::byte{1};
  memory.discard(block, bytes);
  CHECK(memory.at(block)[bytes / 2] == std::byte{0});
}
