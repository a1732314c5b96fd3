// SPDX-License-Identifier: BSD-3-Clause
#include <deque>
#include <random>

#include "catch.hpp"
#include "kernel/test_support.hpp"

/// Ranks that go on ahead of simulated time (Cursors::goes_ahead): whatever they do, it comes out as in its time.
namespace orrery::kernel {
namespace {

using namespace testing;

/// Some ranks that send, receive, probe, wait and call collectives as it comes. Times are multiples of a quarter of a
/// second, so that many things happen at one instant. Some of these programs end in a deadlock.
class RandomProgram {
 public:
  explicit RandomProgram(std::uint32_t seed) : random_(seed), ranks_(2 + below(4)), streams(ranks_), next_(ranks_) {
    for (int step = 0; step < 60; ++step) add();
    for (std::size_t rank = 0; rank < ranks_; ++rank) wait_for_all(rank);
  }

 private:
  std::mt19937 random_;
  std::size_t ranks_;
  std::deque<std::vector<op::RequestId>> lists_;

 public:
  std::vector<std::vector<op::Operation>> streams;

  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }

 private:
  void add() {
    const std::size_t from = below(static_cast<std::uint32_t>(ranks_));
    switch (below(10)) {
      case 0: return wait_for_all(from);
      case 1: return push(from, probe(op::Kind::Iprobe, below(2) == 0 ? op::any_source : peer_of(from)));
      case 2: {
        for (std::size_t rank = 0; rank < ranks_; ++rank)
          push(rank, collective_call(op::CollectiveKind::Allreduce, 8, calls_));
        ++calls_;
        return;
      }
      default: return message(from, static_cast<std::size_t>(peer_of(from)));
    }
  }

  void message(std::size_t from, std::size_t to) {
    constexpr std::int64_t sizes[] = {0, 8, 8, 1500, 3000};
    const std::int64_t bytes = sizes[below(5)];
    const int tag = static_cast<int>(below(2));
    push(from, send(static_cast<int>(to), bytes, tag, below(2) == 0 ? request(from) : 0));
    const int source = below(6) == 0 ? op::any_source : static_cast<int>(from);
    const int wanted = below(6) == 0 ? op::any_tag : tag;
    op::Operation receive = recv(source, 3000, wanted, below(2) == 0 ? request(to) : 0);
    if (!receive.has(op::Blocking)) receive.flags &= static_cast<std::uint8_t>(~op::WantsMatch);
    push(to, receive);
  }

  void wait_for_all(std::size_t rank) {
    if (pending_[rank].empty()) return;
    const std::vector<op::RequestId>& list = lists_.emplace_back(std::move(pending_[rank]));
    pending_[rank].clear();
    op::Operation look = on_requests(op::Kind::TestAll, list);
    look.flags |= op::Peek;
    if (below(3) == 0) push(rank, look);
    push(rank, on_requests(op::Kind::WaitAll, list));
  }

  op::RequestId request(std::size_t rank) { return pending_[rank].emplace_back(++next_[rank]); }
  int peer_of(std::size_t rank) {
    const std::size_t others = 1 + below(static_cast<std::uint32_t>(ranks_ - 1));
    return static_cast<int>((rank + others) % ranks_);
  }
  void push(std::size_t rank, op::Operation operation) {
    if (below(2) == 0) operation.compute_s = 0.25 * below(12);
    streams[rank].push_back(operation);
  }

  std::vector<op::RequestId> next_;
  std::map<std::size_t, std::vector<op::RequestId>> pending_;
  int calls_ = 0;
};

/// All that can be seen of a run, but for the number of events.
struct Seen {
  bool deadlock = false;
  std::vector<double> ends_s;
  std::vector<std::tuple<bool, std::int32_t, std::int32_t, std::int64_t, double, std::vector<std::uint32_t>>> answers;
  std::vector<std::tuple<std::uint32_t, op::RoutineId, std::uint64_t, double, std::uint64_t>> profile;

  bool operator==(const Seen&) const = default;
};

Seen look(Bench& bench) {
  Seen seen;
  seen.deadlock = bench.run().has_value();
  for (const SimTime end : bench.simulation->end_of_ranks()) seen.ends_s.push_back(end.s);
  for (const auto& of_rank : bench.streams.answers) {
    for (const auto& [reply, completed] : of_rank)
      seen.answers.emplace_back(reply.flag, reply.source, reply.tag, reply.bytes.count, reply.now.s, completed);
  }
  for (const ProfileRow& row : bench.simulation->profile())
    seen.profile.emplace_back(row.rank, row.routine, row.calls, row.time.s, row.messages);
  return seen;
}

}  // namespace

TEST_CASE("ranks that go ahead of simulated time do what they do in its course") {
  std::uint64_t events[2] = {0, 0};
  int deadlocks = 0;
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    RandomProgram program(seed);
    const bool in_calls = program.below(4) == 0, optimistic = program.below(4) == 0;
    const std::uint32_t processors = program.below(4) == 0 ? 2 : 0;
    const double overhead = 0.25 * program.below(3), late = 0.5 * program.below(3);
    const double noise = program.below(8) == 0 ? 0.25 : 0;
    Seen seen[2];
    for (const bool ahead : {false, true}) {
      Bench bench(program.streams);
      bench.streams.ahead = ahead;
      bench.config.node = sharing_node({.count = processors, .slice_s = 0.75});
      bench.config.node.progress = in_calls ? settings::Progress::InCalls : settings::Progress::Always;
      if (optimistic) bench.network.long_protocol = network::Protocol::Optimistic;
      bench.network.send_overhead = overhead;
      bench.network.recv_overhead = overhead;
      bench.config.node.handling_noise_s = noise;
      bench.network.per_byte = 1. / 1024;
      bench.network.extra_latency[0] = late;
      bench.config.poll_cost = {0.25};
      seen[ahead ? 1 : 0] = look(bench);
      events[ahead ? 1 : 0] += bench.simulation->events();
    }
    INFO("seed " << seed);
    REQUIRE(seen[0] == seen[1]);
    deadlocks += seen[0].deadlock ? 1 : 0;
  }
  CHECK(deadlocks < 1500);
  CHECK(events[1] < events[0] * 0.98);
}

}  // namespace orrery::kernel
