// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/channel.hpp"

#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "catch.hpp"

using namespace orrery;
using namespace orrery::mpi::channel;

TEST_CASE("memory that was released is used again, memory that was not is never given twice") {
  const Memory memory = Memory::create(1);
  auto& shared = const_cast<Memory&>(memory);
  for (const std::size_t bytes : {1, 64, 65, 256, 257, 320, 321, 1000, 5000, 100'000, 3'000'000}) {
    const Offset first = shared.allocate(bytes);
    const Offset second = shared.allocate(bytes);
    CHECK(first % 64 == 0);
    CHECK((second >= first + bytes || first >= second + bytes));
    std::memset(shared.at(first), 1, bytes);
    shared.release(first, bytes);
    CHECK(shared.allocate(bytes) == first);
  }
}

TEST_CASE("several threads may allocate and release at once") {
  Memory memory = Memory::create(1);
  const auto churn = [&memory](unsigned char mark) {
    for (int i = 0; i < 20'000; ++i) {
      const std::size_t bytes = 64 + static_cast<std::size_t>(i % 5) * 64;
      const Offset block = memory.allocate(bytes);
      std::memset(memory.at(block), mark, bytes);
      std::this_thread::yield();
      for (std::size_t k = 0; k < bytes; k += 63) {
        if (memory.at(block)[k] != std::byte{mark}) throw std::logic_error("two owners of one block");
      }
      memory.release(block, bytes);
    }
  };
  std::thread other([&] { churn(1); });
  churn(2);
  other.join();
}

TEST_CASE("an operation arrives as it was pushed, with lists of any length") {
  Memory memory = Memory::create(2);
  RankEnd rank(memory, 1);
  KernelEnd kernel(memory);
  op::Operation out;
  CHECK(kernel.next(WorldRank{1}, out) == op::Pull::NotYet);
  for (const std::size_t length : {0, 1, 4, 5, 1000}) {
    std::vector<op::RequestId> requests;
    for (std::size_t i = 0; i < length; ++i) requests.push_back(static_cast<op::RequestId>(i + 7));
    op::Operation in;
    in.kind = op::Kind::WaitAll;
    in.compute_s = 0.25;
    in.bytes = {std::int64_t{1} << 40};
    in.tag = -3;
    in.requests = requests;
    rank.push(in);
    REQUIRE(kernel.next(WorldRank{1}, out) == op::Pull::Ready);
    CHECK(out.kind == op::Kind::WaitAll);
    CHECK(out.compute_s == 0.25);
    CHECK(out.bytes.count == std::int64_t{1} << 40);
    CHECK(out.tag == -3);
    CHECK(std::vector(out.requests.begin(), out.requests.end()) == requests);
  }
  const std::vector<std::int64_t> counts{1, 2, std::int64_t{1} << 50};
  op::Operation in;
  in.kind = op::Kind::Collective;
  in.counts = counts;
  in.extent = -(std::int64_t{1} << 40);
  rank.push(in);
  REQUIRE(kernel.next(WorldRank{1}, out) == op::Pull::Ready);
  CHECK(std::vector(out.counts.begin(), out.counts.end()) == counts);
  CHECK(out.extent == in.extent);
}

TEST_CASE("a ring has room for so many operations, and again once the kernel has read them") {
  Memory memory = Memory::create(1);
  RankEnd rank(memory, 0);
  KernelEnd kernel(memory);
  op::Operation out;
  for (std::uint32_t i = 0; i < ring_records - 1; ++i) {  // an operation may take two records
    REQUIRE(rank.has_room());
    rank.push({});
  }
  CHECK_FALSE(rank.has_room());
  // The kernel says so when it has read a part of them.
  for (std::uint32_t i = 0; i < ring_part; ++i) {
    CHECK_FALSE(rank.has_room());
    REQUIRE(kernel.next(WorldRank{0}, out) == op::Pull::Ready);
  }
  CHECK(rank.has_room());
}

TEST_CASE("computation of whole nanoseconds travels with its call site, and any other without") {
  const Computation measured = Computation::of(1'234'567'891e-9, 77);
  CHECK(measured.seconds() == 1'234'567'891e-9);
  CHECK(measured.site() == 77);
  const Computation nothing = Computation::of(0, 5);
  CHECK(nothing.seconds() == 0);
  CHECK(nothing.site() == 5);
  for (const double seconds :
       {0.1234567891234, 1e-15, 3600.0}) {  // a fraction of a nanosecond; longer than nine minutes
    const Computation other = Computation::of(seconds, 77);
    CHECK(other.seconds() == seconds);
    CHECK(other.site() == 0);
  }
  CHECK(Computation::of(1e-9, 1U << Computation::site_bits).site() == 0);
}

TEST_CASE("page faults and instructions travel before their operation, over many laps of the ring") {
  Memory memory = Memory::create(1);
  RankEnd rank(memory, 0);
  KernelEnd kernel(memory);
  op::Operation in, out;
  bool same = true;
  for (std::uint32_t i = 0; i < 3 * ring_records; ++i) {
    in.compute_s = i * 1e-9;
    in.measured = {.site = i % 5,
                   .faults = i % 3,
                   .instructions = i % 2 == 0 ? std::uint64_t{i} << 33 : 0,
                   .warm = static_cast<std::uint16_t>(i % 7 == 0 ? 1 + i % 1'000 : 0)};
    in.tag = static_cast<std::int32_t>(i);
    REQUIRE(rank.has_room());
    rank.push(in);
    REQUIRE(kernel.next(WorldRank{0}, out) == op::Pull::Ready);
    same = same && out.measured == in.measured && out.tag == in.tag && out.compute_s == in.compute_s;
  }
  CHECK(same);
  CHECK(kernel.next(WorldRank{0}, out) == op::Pull::NotYet);
}

TEST_CASE("messages of several writers arrive whole and in the order of each writer, over many laps of the inbox") {
  Memory memory = Memory::create(3);
  constexpr std::uint32_t messages = 5000;
  const auto write = [&memory](int self) {
    RankEnd end(memory, self);
    for (std::uint32_t i = 0; i < messages; ++i) {
      const std::vector<std::byte> payload(i % 700, std::byte{static_cast<unsigned char>(self + i)});
      Message head{};
      head.source = self;
      head.sequence = i;
      head.bytes = static_cast<std::int64_t>(payload.size());
      while (!end.try_post(0, head, payload)) std::this_thread::yield();
    }
  };
  std::thread first([&] { write(1); });
  std::thread second([&] { write(2); });
  RankEnd reader(memory, 0);
  std::uint32_t next[3] = {};
  bool whole = true;
  while (next[1] + next[2] < 2 * messages) {
    const Message* message = reader.front();
    if (message == nullptr) continue;
    whole = whole && message->sequence == next[message->source]++;
    const auto* payload = reinterpret_cast<const std::byte*>(message + 1);
    for (std::int64_t k = 0; k < message->bytes; ++k) {
      whole = whole && payload[k] == std::byte{static_cast<unsigned char>(message->source + message->sequence)};
    }
    reader.pop();
  }
  first.join();
  second.join();
  CHECK(whole);
  CHECK(reader.front() == nullptr);
}

TEST_CASE("an answer with many positions arrives whole") {
  Memory memory = Memory::create(1);
  RankEnd rank(memory, 0);
  KernelEnd kernel(memory);
  const std::vector<std::uint32_t> positions(100, 3);
  op::Reply reply;
  reply.now = {1.5};
  reply.completed = positions;
  kernel.reply(WorldRank{0}, reply);
  CHECK(rank.replies() == 1);
  CHECK(rank.reply().now_s == 1.5);
  REQUIRE(rank.reply().completed_length == 100);
  CHECK(memory.as<std::uint32_t>(rank.reply().completed_list)[99] == 3);
}

TEST_CASE("members of a communicator are known to all once defined, and the number of communicators is bounded") {
  Memory memory = Memory::create(4);
  CHECK(memory.comm_members(0).size() == 4);
  CHECK(memory.comm_members(7).empty());
  const std::vector<std::int32_t> members{3, 1};
  memory.define_comm(7, members);
  const auto seen = memory.comm_members(7);
  CHECK(std::vector(seen.begin(), seen.end()) == members);
  memory.release_comm(7);
  CHECK(memory.comm_members(7).empty());
  CHECK_THROWS_AS(memory.define_comm(max_comms, members), InputError);
}

TEST_CASE("a descriptor that is not the channel is refused") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  CHECK_THROWS_AS(Memory::attach(ends[0]), InputError);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("what a rank said before the kernel waited for any is heard at once") {
  Memory memory = Memory::create(2);
  RankEnd rank(memory, 1);
  KernelEnd kernel(memory);
  const auto waited_s = [&](double longest_s) {
    const auto start = std::chrono::steady_clock::now();
    kernel.wait_for_any(longest_s);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  rank.push({.kind = op::Kind::Clock});
  CHECK(waited_s(30) < 20);
  op::Operation read;
  REQUIRE(kernel.next(WorldRank{1}, read) == op::Pull::Ready);
  rank.push({.kind = op::Kind::Clock});
  CHECK(waited_s(0.01) >= 0.01);  // nobody waits for what it says now: the operation before is not over
}
