// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "mpi/collective/inbox.hpp"
#include "mpi/point_to_point/payload.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;

namespace {

channel::Memory memory_of(std::uint32_t ranks) {
  channel::Memory memory = channel::Memory::create(ranks);
  for (std::uint32_t i = 0; i < ranks; ++i) memory.block(static_cast<int>(i)).pid = getpid();
  return memory;
}

/// Sends bytes to a world rank as a collective call does. @param key with the sender as source
Rank::SendToken post(Rank& sender, int dest, const CollectiveInbox::Key& key, std::span<const std::byte> data) {
  channel::Message head{};
  head.source = key.source;
  head.comm = key.comm;
  head.tag = key.call;
  head.sequence = key.part;
  head.use = channel::Use::Collective;
  return sender.payloads().post(dest, head, Data::of(data), Reuse::Later);
}

void read_message(Rank& receiver, Kept& message, std::span<std::byte> into) {
  const Kept::Owner owner = receiver.collectives().remove(message);
  receiver.payloads().fetch(owner->head, owner->payload(), Data::of(into));
}

}  // namespace

TEST_CASE("messages of collective calls are found by source, communicator, call and part") {
  channel::Memory memory = memory_of(2);
  Rank sender(memory, 1), receiver(memory, 0);
  int value = 7;
  REQUIRE(post(sender, 0, {1, 3, 12, 2}, std::as_bytes(std::span(&value, 1))).done());
  receiver.progress();
  CHECK(receiver.collectives().find({0, 3, 12, 2}) == nullptr);
  CHECK(receiver.collectives().find({1, 4, 12, 2}) == nullptr);
  CHECK(receiver.collectives().find({1, 3, 11, 2}) == nullptr);
  CHECK(receiver.collectives().find({1, 3, 12, 1}) == nullptr);
  Kept* arrived = receiver.collectives().find({1, 3, 12, 2});
  REQUIRE(arrived != nullptr);
  CHECK(arrived->head.bytes == sizeof value);
  int got = 0;
  read_message(receiver, *arrived, std::as_writable_bytes(std::span(&got, 1)));
  CHECK(got == 7);
  CHECK(receiver.collectives().find({1, 3, 12, 2}) == nullptr);
}

TEST_CASE("tasks advance with progress and are dropped when they are done") {
  struct CountDown final : Task {
    int left = 3;
    bool advance() override { return --left == 0; }
  };
  channel::Memory memory = memory_of(1);
  Rank rank(memory, 0);
  const auto task = std::make_shared<CountDown>();
  rank.add_task(task);
  for (int i = 0; i < 5; ++i) rank.progress();
  CHECK(task->left == 0);
  CHECK_FALSE(rank.has_tasks());
}

TEST_CASE("a task that waits for room in an inbox is not advanced inside of itself") {
  struct Flood final : Task {
    Rank& rank;
    int running = 0;
    int deepest = 0;
    explicit Flood(Rank& r) : rank(r) {}
    bool advance() override {
      deepest = std::max(deepest, ++running);
      const std::vector<std::byte> block(2000);
      for (std::uint32_t part = 0; part < 40; ++part) (void)post(rank, 1, {0, 0, 0, part}, block);
      --running;
      return true;
    }
  };
  channel::Memory memory = memory_of(2);
  Rank sender(memory, 0), receiver(memory, 1);
  const auto task = std::make_shared<Flood>(sender);
  sender.add_task(task);
  // 40 × 2,000 bytes do not fit into an inbox of 32 KiB.
  std::thread drains([&] {
    receiver.wait_until([&] { return receiver.collectives().find({0, 0, 0, 39}) != nullptr; });
  });
  sender.progress();
  drains.join();
  CHECK(task->deepest == 1);
}

TEST_CASE("ranks that flood each other before they receive do not block each other") {
  constexpr int messages = 1000;
  constexpr int ints = 256;  // 1 KiB each: thirty times what an inbox holds
  const RunRecord record = run(2, [](int rank) {
    std::vector<int> out(ints, rank), in(ints);
    for (int i = 0; i < messages; ++i) send(out.data(), ints, int_type(), 1 - rank, i % 7, comm_world());
    for (int i = 0; i < messages; ++i) {
      recv(in.data(), ints, int_type(), 1 - rank, i % 7, comm_world(), nullptr);
      expect(in == std::vector<int>(ints, 1 - rank), "a message arrived damaged");
    }
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("many senders fill one inbox and all get through") {
  constexpr int senders = 6;
  constexpr int messages = 200;
  const RunRecord record = run(senders + 1, [](int rank) {
    std::vector<int> data(400, rank);
    if (rank > 0) {
      for (int i = 0; i < messages; ++i) send(data.data(), 400, int_type(), 0, i, comm_world());
      return;
    }
    for (int i = 0; i < messages; ++i) {
      for (int source = senders; source > 0; --source) {
        recv(data.data(), 400, int_type(), source, i, comm_world(), nullptr);
        expect(data[399] == source, "a message of another rank arrived");
      }
    }
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a large message is read from the memory of the sending process") {
  constexpr int count = 1'000'000;
  const RunRecord record = run(2, [](int rank) {
    std::vector<int> data(count);
    if (rank == 0) {
      std::iota(data.begin(), data.end(), 3);
      send(data.data(), count, int_type(), 1, 0, comm_world());
      data.assign(count, -1);  // the send has returned: the receiver has its bytes
    } else {
      recv(data.data(), count, int_type(), 0, 0, comm_world(), nullptr);
      for (int i = 0; i < count; ++i) expect(data[static_cast<std::size_t>(i)] == i + 3, "wrong byte");
    }
  });
  CHECK(record.all_ended_well());
}

TEST_CASE("a sender of a large message goes on although its receiver waits for something else first") {
  const bool collective = GENERATE(false, true);
  const RunRecord record = run(
      2,
      [collective](int rank) {
        constexpr int count = 100'000;
        std::vector<int> data(count, 4 + rank);
        int after = 9;
        if (rank == 1) {
          if (collective) {
            auto token = post(this_rank(), 0, {1, 0, 0, 0}, std::as_bytes(std::span(data)));
            this_rank().wait_until([&] { return token.done(); });
          } else {
            send(data.data(), count, int_type(), 0, 0, comm_world());
          }
          data.assign(count, -1);
          send(&after, 1, int_type(), 0, 1, comm_world());
          return;
        }
        Request* request = nullptr;
        if (!collective) irecv(data.data(), count, int_type(), any_source, 0, comm_world(), request);
        recv(&after, 1, int_type(), 1, 1, comm_world(), nullptr);
        if (collective) {
          auto* arrived = this_rank().collectives().find({1, 0, 0, 0});
          expect(arrived != nullptr, "the collective's message is there");
          read_message(this_rank(), *arrived, std::as_writable_bytes(std::span(data)));
        } else {
          wait(request, nullptr);
        }
        expect(data == std::vector<int>(count, 5), "data");
      },
      [](int, const Sent&) -> op::Reply { return {.flag = true, .source = 1, .sequence = 0}; });
  CHECK(record.all_ended_well());
}

TEST_CASE("a rank that runs far ahead of the kernel waits for room in its ring") {
  const RunRecord record = run(2, [](int rank) {
    int value = 0;
    for (int i = 0; i < 10'000; ++i) {
      if (rank == 0) {
        send(&i, 1, int_type(), 1, 0, comm_world());
      } else {
        recv(&value, 1, int_type(), 0, 0, comm_world(), nullptr);
        expect(value == i, "out of order");
      }
    }
  });
  CHECK(record.all_ended_well());
  CHECK(record.kinds(0).size() == 10'000);
}
