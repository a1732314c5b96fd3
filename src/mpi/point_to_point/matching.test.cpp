// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/point_to_point/matching.hpp"

#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>
#include <numeric>

#include "catch.hpp"

using namespace orrery::mpi;
using orrery::op::CommId;

namespace {

/// Ranks of one process: what one posts, the other finds when it makes progress.
struct PostingRanks {
  explicit PostingRanks(std::uint32_t count) : memory(channel::Memory::create(count)) {
    for (std::uint32_t i = 0; i < count; ++i) {
      ranks.emplace_back(memory, static_cast<int>(i));
      memory.block(static_cast<int>(i)).pid = getpid();
    }
  }
  Rank& operator[](int rank) { return ranks[static_cast<std::size_t>(rank)]; }

  /// Sends one int.
  void send(int from, int to, int tag, int value, CommId comm = 0) {
    const std::span values(&value, 1);
    (void)send_bytes(from, to, tag, std::as_bytes(values), comm);
  }
  Rank::SendToken send_bytes(int from, int to, int tag, std::span<const std::byte> bytes, CommId comm = 0) {
    channel::Message head{};
    head.source = from;
    head.comm = comm;
    head.tag = tag;
    head.sequence = (*this)[from].next_send_sequence();
    return (*this)[from].payloads().post(to, head, Data::of(bytes), Reuse::Later);
  }

  channel::Memory memory;
  std::deque<Rank> ranks;
};

/// A receive of one int.
struct IntReceive : Receive {
  IntReceive(int from, int with_tag, CommId in = 0) {
    into = {&value, sizeof value, nullptr};
    source = from;
    tag = with_tag;
    comm = in;
  }
  int value = -1;
};

}  // namespace

TEST_CASE("messages of one source are received in the order in which they were sent") {
  PostingRanks world(2);
  for (int i = 0; i < 10; ++i) world.send(1, 0, 5, i);
  world[0].progress();
  for (int i = 0; i < 10; ++i) {
    IntReceive receive(1, 5);
    world[0].matching().post(receive);
    REQUIRE(receive.done);
    CHECK(receive.value == i);
    CHECK(receive.sequence == static_cast<std::uint32_t>(i));
    world[0].matching().forget(receive);
  }
}

TEST_CASE("a message goes to the first posted receive that accepts its tag") {
  PostingRanks world(2);
  IntReceive seven(1, 7), any(1, any_tag), again(1, any_tag);
  for (Receive* receive : {static_cast<Receive*>(&seven), static_cast<Receive*>(&any), static_cast<Receive*>(&again)}) {
    world[0].matching().post(*receive);
  }
  world.send(1, 0, 3, 30);
  world.send(1, 0, 7, 70);
  world.send(1, 0, 7, 71);
  world[0].progress();
  CHECK(any.value == 30);
  CHECK(any.matched_tag == 3);
  CHECK(seven.value == 70);
  CHECK(again.value == 71);
  for (Receive* receive : {static_cast<Receive*>(&seven), static_cast<Receive*>(&any), static_cast<Receive*>(&again)}) {
    world[0].matching().forget(*receive);
  }
}

TEST_CASE("communicators and sources do not mix") {
  PostingRanks world(3);
  IntReceive right(2, 1, 4), other_comm(2, 1, 5), other_source(1, 1, 4);
  for (Receive* receive : std::array<Receive*, 3>{&other_comm, &other_source, &right})
    world[0].matching().post(*receive);
  world.send(2, 0, 1, 42, 4);
  world[0].progress();
  CHECK(right.value == 42);
  CHECK_FALSE(other_comm.done);
  CHECK_FALSE(other_source.done);
  for (Receive* receive : std::array<Receive*, 3>{&other_comm, &other_source, &right})
    world[0].matching().forget(*receive);
}

TEST_CASE("a rank can send to itself") {
  PostingRanks world(1);
  IntReceive receive(0, 9);
  world.send(0, 0, 9, 99);
  world[0].matching().post(receive);
  world[0].progress();
  CHECK(receive.value == 99);
  world[0].matching().forget(receive);
}

TEST_CASE("a message longer than the buffer is cut, and its length reported") {
  PostingRanks world(2);
  std::array<int, 3> sent{1, 2, 3};
  (void)world.send_bytes(1, 0, 0, std::as_bytes(std::span(sent)));
  std::array<int, 3> got{-1, -1, -1};
  Receive receive;
  receive.into = {got.data(), 2 * sizeof(int), nullptr};
  receive.source = 1;
  world[0].matching().post(receive);
  world[0].progress();
  CHECK(receive.bytes == 3 * sizeof(int));
  CHECK(got == std::array{1, 2, -1});
  world[0].matching().forget(receive);
}

TEST_CASE("payloads arrive whole, whichever way they take") {
  // In the record; through the arena; through the arena, beyond the smallest size to be read from the sender but within
  // what a standard send buffers; read from the sender.
  const auto [bytes, waits] = GENERATE(table<std::size_t, bool>(
      {{0, false}, {1, false}, {2048, false}, {2049, false}, {20'000, false}, {1'000'000, true}}));
  PostingRanks world(2);
  world.memory.header().buffered_limit = 64 * 1024;
  std::vector<unsigned char> sent(bytes), got(bytes, 0xee);
  std::iota(sent.begin(), sent.end(), static_cast<unsigned char>(bytes));
  Rank::SendToken token = world.send_bytes(1, 0, 0, std::as_bytes(std::span(sent)));
  CHECK((token.done() || waits));  // and where the system forbids reading, it need not wait either
  Receive receive;
  receive.into = {got.data(), static_cast<std::int64_t>(bytes), nullptr};
  receive.source = 1;
  world[0].matching().post(receive);
  world[0].progress();
  CHECK(receive.done);
  CHECK(got == sent);
  CHECK(token.done());
  world[0].matching().forget(receive);
}

TEST_CASE("the arena is used again once a message is received") {
  PostingRanks world(2);
  const std::vector<std::byte> sent(10'000);
  std::vector<std::byte> got(10'000);
  std::uint64_t used = 0;
  for (int i = 0; i < 100; ++i) {
    (void)world.send_bytes(1, 0, 0, sent);
    Receive receive;
    receive.into = {got.data(), 10'000, nullptr};
    receive.source = 1;
    world[0].matching().post(receive);
    world[0].progress();
    world[0].matching().forget(receive);
    if (i == 0) used = world.memory.header().arena_top;
  }
  CHECK(world.memory.header().arena_top == used);
}

TEST_CASE("the kernel chooses for receives of any source and for those behind them that could take the same") {
  PostingRanks world(2);
  MatchingQueues& queues = world[0].matching();
  CHECK(queues.kernel_chooses(0, any_source, 1));
  CHECK_FALSE(queues.kernel_chooses(0, 1, 1));

  IntReceive wildcard(any_source, 1);
  queues.post_undecided(wildcard);
  CHECK(queues.kernel_chooses(0, 1, 1));
  CHECK(queues.kernel_chooses(0, 1, any_tag));
  CHECK_FALSE(queues.kernel_chooses(0, 1, 2));  // another tag
  CHECK_FALSE(queues.kernel_chooses(3, 1, 1));  // another communicator

  // One that is undecided itself leaves open what those behind it take.
  IntReceive behind(1, any_tag);
  queues.post_undecided(behind);
  CHECK(queues.kernel_chooses(0, 1, 2));
  CHECK_FALSE(queues.kernel_chooses(0, 0, 2));  // another source than the one behind

  world.send(1, 0, 1, 10);
  world.send(1, 0, 1, 11);
  world[0].progress();
  REQUIRE(queues.decide(wildcard, 1, 1));
  REQUIRE(queues.decide(behind, 1, 0));
  CHECK(wildcard.value == 11);
  CHECK(behind.value == 10);
  CHECK_FALSE(queues.kernel_chooses(0, 1, 1));
}

TEST_CASE("a message that the kernel chose may still be on its way between the processes") {
  PostingRanks world(2);
  IntReceive wildcard(any_source, any_tag);
  world[0].matching().post_undecided(wildcard);
  CHECK_FALSE(world[0].matching().decide(wildcard, 1, 0));
  world.send(1, 0, 4, 40);
  world[0].progress();
  REQUIRE(world[0].matching().decide(wildcard, 1, 0));
  CHECK(wildcard.value == 40);
  CHECK(wildcard.matched_tag == 4);
}

TEST_CASE("a message that came here before the cancellation in simulated time goes to the next receive") {
  PostingRanks world(2);
  IntReceive cancelled(1, any_tag), second(1, any_tag), third(1, 8), fourth(1, any_tag);
  std::array<Receive*, 4> all{&cancelled, &second, &third, &fourth};
  for (Receive* receive : all) world[0].matching().post(*receive);
  world.send(1, 0, 8, 0);
  world.send(1, 0, 9, 1);
  world[0].progress();
  REQUIRE(cancelled.value == 0);
  REQUIRE(second.value == 1);

  world[0].matching().withdraw(cancelled);
  CHECK(second.value == 0);
  CHECK_FALSE(third.done);  // its tag 8 went to the second
  CHECK(fourth.value == 1);

  world.send(1, 0, 8, 2);
  world[0].progress();
  CHECK(third.value == 2);
  for (Receive* receive : {all[1], all[2], all[3]}) world[0].matching().forget(*receive);
}

TEST_CASE("a cancelled receive that no message has met leaves nothing behind") {
  PostingRanks world(2);
  IntReceive cancelled(1, 1), next(1, 1);
  world[0].matching().post(cancelled);
  world[0].matching().withdraw(cancelled);
  world[0].matching().post(next);
  world.send(1, 0, 1, 5);
  world[0].progress();
  CHECK_FALSE(cancelled.done);
  CHECK(next.value == 5);
  world[0].matching().forget(next);
}
