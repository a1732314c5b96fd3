// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/quiet_turn.hpp"

#include <atomic>
#include <thread>

#include "catch.hpp"
#include "mpi/channel/channel.hpp"

using namespace orrery::mpi::channel;

namespace {

constexpr std::int64_t long_ns = 60'000'000'000;

/// Three ranks that run, inside of MPI.
Memory three_inside() {
  Memory memory = Memory::create(3);
  for (int rank = 0; rank < 3; ++rank) {
    memory.block(rank).phase = static_cast<std::uint32_t>(RankPhase::Running);
    memory.block(rank).in_call = 1;
  }
  return memory;
}

}  // namespace

TEST_CASE("a rank is alone once all others are inside of MPI, or have not begun") {
  Memory memory = three_inside();
  QuietTurn& turn = memory.header().quiet_turn;
  memory.block(2).phase = static_cast<std::uint32_t>(RankPhase::Unborn);
  memory.block(2).in_call = 0;
  CHECK(turn.begin(memory, 0, long_ns));
  CHECK(turn.taken());
  turn.end(0);
  CHECK_FALSE(turn.taken());
}

TEST_CASE("a rank that computes is waited for, up to a limit") {
  Memory memory = three_inside();
  QuietTurn& turn = memory.header().quiet_turn;
  memory.block(1).in_call = 0;
  CHECK_FALSE(turn.begin(memory, 0, 0));
  turn.end(0);
  std::thread rank([&] { memory.block(1).in_call = 1; });
  CHECK(turn.begin(memory, 0, long_ns));
  turn.end(0);
  rank.join();
}

TEST_CASE("others wait until the turn is over, and one of them has the next") {
  Memory memory = three_inside();
  QuietTurn& turn = memory.header().quiet_turn;
  REQUIRE(turn.begin(memory, 0, long_ns));
  std::atomic<bool> over{false}, early{false};
  std::thread computes([&] {
    turn.await_end();
    early = early || !over;
  });
  std::thread measures([&] {
    (void)turn.begin(memory, 2, long_ns);
    early = early || !over;
    turn.end(2);
  });
  over = true;
  turn.end(0);
  computes.join();
  measures.join();
  CHECK_FALSE(early);
  CHECK_FALSE(turn.taken());
}

TEST_CASE("a turn that is not given back is over after a second, and its late end takes nobody else's") {
  Memory memory = three_inside();
  QuietTurn& turn = memory.header().quiet_turn;
  REQUIRE(turn.begin(memory, 0, long_ns));
  turn.await_end();
  CHECK_FALSE(turn.taken());
  REQUIRE(turn.begin(memory, 1, long_ns));
  turn.end(0);
  CHECK(turn.taken());
}
