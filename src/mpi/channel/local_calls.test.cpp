// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/local_calls.hpp"

#include "catch.hpp"

using namespace orrery::mpi::channel;

TEST_CASE("local calls are counted by rank, phase and routine") {
  Memory memory = Memory::create(2);
  LocalCalls& outside = local_calls(memory, memory.block(1), 0);
  outside.calls[9] = 3;
  local_calls(memory, memory.block(1), 4).calls[2] = std::uint64_t{1} << 40;
  outside.calls[1] = 1;
  CHECK(&local_calls(memory, memory.block(1), 0) == &outside);
  CHECK(counted_calls(memory, 1) == std::vector<CountedCalls>{{0, 1, 1}, {0, 9, 3}, {4, 2, std::uint64_t{1} << 40}});
  CHECK(counted_calls(memory, 0).empty());
}
