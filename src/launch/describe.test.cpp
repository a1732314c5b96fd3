// SPDX-License-Identifier: BSD-3-Clause
#include "launch/describe.hpp"

#include <vector>

#include "catch.hpp"

using namespace orrery;
using kernel::Deadlock;
using kernel::Waiting;

namespace {

constexpr std::string_view names[] = {"application", "MPI_Recv", "MPI_Allreduce"};

Waiting receive(std::int32_t rank, std::int32_t source, std::int32_t tag) {
  return {.rank = rank,
          .routine = 1,
          .kind = op::Kind::Irecv,
          .peer = source >= 0 ? std::optional(source) : std::nullopt,
          .tag = tag,
          .comm = 0,
          .bytes = {8}};
}

std::size_t lines(const std::string& text) { return 1 + std::count(text.begin(), text.end(), '\n'); }

}  // namespace

TEST_CASE("a deadlock report names the circle first, then all that wait") {
  const Deadlock deadlock{.waiting = {receive(0, 1, 7), receive(1, 0, 7), receive(2, -1, op::any_tag)},
                          .cycle = {0, 1}};
  CHECK(launch::describe(deadlock, names) ==
        "These ranks wait for each other in a circle:\n"
        "  rank 0: MPI_Recv(source=1, tag=7, MPI_COMM_WORLD, 8 bytes) waits for rank 1\n"
        "  rank 1: MPI_Recv(source=0, tag=7, MPI_COMM_WORLD, 8 bytes) waits for rank 0\n"
        "All that wait (3):\n"
        "  rank 0: MPI_Recv(source=1, tag=7, MPI_COMM_WORLD, 8 bytes) waits for rank 1\n"
        "  rank 1: MPI_Recv(source=0, tag=7, MPI_COMM_WORLD, 8 bytes) waits for rank 0\n"
        "  rank 2: MPI_Recv(source=any, tag=any, MPI_COMM_WORLD, 8 bytes) waits");
}

TEST_CASE("a deadlock report says that the awaited rank has ended, and in what the nearest message differs") {
  Deadlock deadlock{.waiting = {receive(1, 0, 2), receive(2, 0, 2), receive(3, -1, 2)}, .cycle = {}};
  deadlock.waiting[0].peer_ended = true;
  deadlock.waiting[0].nearest = kernel::Unmatched{.source = 0, .tag = 1, .comm = 0, .bytes = {4}};
  deadlock.waiting[1].nearest = kernel::Unmatched{.source = 5, .tag = 3, .comm = 2, .bytes = {4}};
  deadlock.waiting[2].nearest = kernel::Unmatched{.source = 5, .tag = 2, .comm = 2, .bytes = {4}};
  CHECK(
      launch::describe(deadlock, names) ==
      "All that wait (3):\n"
      "  rank 1: MPI_Recv(source=0, tag=2, MPI_COMM_WORLD, 8 bytes) waits for rank 0, which has ended; a message from "
      "rank 0, tag 1, MPI_COMM_WORLD, 4 bytes, is there and not received: another tag\n"
      "  rank 2: MPI_Recv(source=0, tag=2, MPI_COMM_WORLD, 8 bytes) waits for rank 0; a message from rank 5, tag 3, "
      "communicator 2, 4 bytes, is there and not received: another source and another tag and another "
      "communicator\n"
      "  rank 3: MPI_Recv(source=any, tag=2, MPI_COMM_WORLD, 8 bytes) waits; a message from rank 5, tag 2, "
      "communicator 2, 4 bytes, is there and not received: another communicator");
}

TEST_CASE("a report of a standstill says in which routine each rank is") {
  const auto memory = mpi::channel::Memory::create(4);
  for (const int rank : {0, 2, 3}) memory.block(rank).routine = 2;
  memory.block(1).routine = 1;
  CHECK(launch::describe_standstill(memory, names)
            .ends_with("where they are:\n"
                       "  ranks 0, 2-3: MPI_Allreduce\n"
                       "  rank 1: MPI_Recv"));
}

TEST_CASE("ranks in the same situation share a line of a deadlock report") {
  Deadlock deadlock;
  for (std::int32_t rank : {1, 2, 3, 5}) deadlock.waiting.push_back(receive(rank, 0, 1));
  CHECK(launch::describe(deadlock, names) ==
        "All that wait (4):\n"
        "  ranks 1-3, 5: MPI_Recv(source=0, tag=1, MPI_COMM_WORLD, 8 bytes) waits for rank 0");
}

TEST_CASE("a collective and a routine without a name are described by what is known") {
  Deadlock deadlock{.waiting = {receive(0, -1, 0), receive(1, -1, 0)}, .cycle = {}};
  deadlock.waiting[0].kind = op::Kind::Collective;
  deadlock.waiting[0].routine = 2;
  deadlock.waiting[0].comm = 4;
  deadlock.waiting[1].kind = op::Kind::WaitAny;
  deadlock.waiting[1].routine = 99;
  CHECK(launch::describe(deadlock, names) ==
        "All that wait (2):\n"
        "  rank 0: MPI_Allreduce(communicator 4) waits\n"
        "  rank 1: routine 99 waits");
}

TEST_CASE("a deadlock report of many ranks stays short and says how many it leaves out") {
  Deadlock deadlock;
  for (std::int32_t rank = 0; rank < 1000; ++rank) {  // a ring: all lines differ
    deadlock.waiting.push_back(receive(rank, (rank + 1) % 1000, 0));
    deadlock.cycle.push_back(rank);
  }
  const std::string text = launch::describe(deadlock, names);
  CHECK(lines(text) == 2 * (1 + 20 + 1));  // twice: a title, 20 lines, what is left out
  CHECK(text.ends_with("... and 980 more"));
}
