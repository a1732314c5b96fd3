// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <deque>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "catch.hpp"
#include "kernel/test_support.hpp"

using namespace orrery;
using namespace orrery::kernel;
using namespace orrery::kernel::testing;

namespace {

op::Operation apart(op::Operation operation, std::uint32_t thread) {
  operation.flags |= op::Apart;
  operation.request = thread;
  return operation;
}

/// Streams of processes: what a thread does next comes only when it was answered. Who has nothing to say is not to be
/// waited for.
class LiveStreams final : public op::Streams {
 public:
  struct Rank {
    std::deque<op::Operation> ready = {};
    std::vector<std::deque<op::Operation>> after_answer = {};  ///< by thread - 1: one operation after each answer
    std::vector<op::Reply> answers = {};
  };
  std::vector<Rank> ranks;

  op::Pull next(WorldRank rank, op::Operation& operation) override {
    auto& ready = of(rank).ready;
    if (ready.empty()) return op::Pull::NotYet;
    operation = ready.front();
    ready.pop_front();
    return op::Pull::Ready;
  }
  void wait(WorldRank rank) override { throw std::logic_error("waits for rank " + std::to_string(index(rank))); }
  bool ready(WorldRank rank) override { return !of(rank).ready.empty(); }
  void reply(WorldRank rank, const op::Reply& reply) override {
    of(rank).answers.push_back(reply);
    if (reply.thread == 0) return;
    auto& more = of(rank).after_answer.at(reply.thread - 1);
    if (more.empty()) return;
    of(rank).ready.push_back(more.front());
    more.pop_front();
  }

 private:
  Rank& of(WorldRank rank) { return ranks[static_cast<std::size_t>(index(rank))]; }
};

struct LiveBench {
  PlainNetwork network;
  LiveStreams streams;
  World world;
  std::unique_ptr<collective::Selector> selector = collective::make_selector();
  std::unique_ptr<Simulation> simulation;

  explicit LiveBench(std::vector<LiveStreams::Rank> ranks) : world(ranks.size()) { streams.ranks = std::move(ranks); }
  void run() {
    Config config;
    for (std::size_t rank = 0; rank < streams.ranks.size(); ++rank) {
      config.host_of_rank.push_back(static_cast<platform::HostId>(rank));
      config.compute_factor.push_back(1);
    }
    simulation = std::make_unique<Simulation>(config, network, *selector, streams, world);
    REQUIRE_FALSE(simulation->run().has_value());
  }
  double end(std::size_t rank) const { return simulation->end_of_ranks()[rank].s; }
};

op::Operation finalize() { return simple(op::Kind::Finalize); }

/// On hosts of their own.
struct TwoRanks {
  explicit TwoRanks(op::Streams& streams) : simulation(config(), network, *selector, streams, world) {}
  static Config config() {
    Config config;
    config.host_of_rank = {0, 1};
    config.compute_factor = {1, 1};
    return config;
  }

  PlainNetwork network;
  World world{2};
  std::unique_ptr<collective::Selector> selector = collective::make_selector();
  Simulation simulation;
};

/// Rank 0 computes until rank 1 has finalised, as a loop does that reads a flag; then it reports what is left.
class Loop final : public op::Streams {
 public:
  explicit Loop(double left_s) : left_s_(left_s) {}

  op::Pull next(WorldRank rank, op::Operation& operation) override {
    if (index(rank) == 0 && std::exchange(part_, false)) {
      operation = compute(0.5);
      return op::Pull::Ready;
    }
    if (!ready(rank)) return op::Pull::NotYet;
    auto& left = streams_[static_cast<std::size_t>(index(rank))];
    operation = left.front();
    if (index(rank) == 0 && left.size() == 2) operation.compute_s = left_s_;
    left.pop_front();
    return op::Pull::Ready;
  }
  void wait(WorldRank rank) override { REQUIRE(index(rank) == 0); }
  bool ready(WorldRank rank) override {
    return (index(rank) == 1 || streams_[1].empty()) && !streams_[static_cast<std::size_t>(index(rank))].empty();
  }
  bool computes_on(WorldRank rank) override {
    ++parts;
    return part_ = index(rank) == 0;
  }
  void reply(WorldRank rank, const op::Reply& reply) override {
    if (index(rank) == 0 && times.empty()) times.push_back(reply.now.s);
  }
  std::vector<double> times;
  int parts = 0;

 private:
  double left_s_;
  bool part_ = false;
  std::array<std::deque<op::Operation>, 2> streams_{std::deque<op::Operation>{simple(op::Kind::Clock), finalize()},
                                                    {compute(2), simple(op::Kind::Clock), compute(1), finalize()}};
};

TEST_CASE("what a rank has computed so far lets others go on, and counts once") {
  Loop streams(0.25);
  TwoRanks ranks(streams);
  REQUIRE_FALSE(ranks.simulation.run().has_value());
  // Rank 1 finalises at 3, for which rank 0 has to have computed 6 parts of 0.5 s.
  CHECK(streams.parts >= 6);
  CHECK(streams.times.at(0) == 0.5 * streams.parts + 0.25);
}

}  // namespace

TEST_CASE("an operation apart does not hold up those behind it, and its thread is answered") {
  // One thread receives what another one sends to the same rank: a message takes 1 s.
  Bench bench({{apart(recv(0, 8), 3), send(0, 8), compute(2), finalize()}});
  REQUIRE_FALSE(bench.run());
  REQUIRE(bench.streams.answers[0].size() == 2);
  CHECK(bench.streams.answers[0][0].reply.thread == 3);
  CHECK(bench.streams.answers[0][0].reply.now.s == 1);
  CHECK(bench.end(0) == 2);
}

TEST_CASE("while a thread waits for an answer the kernel goes on, though the stream brings nothing") {
  LiveBench bench({{.ready = {apart(recv(1, 8), 1)}, .after_answer = {{finalize()}}},
                   {.ready = {compute(5), send(0, 8), finalize()}}});
  bench.run();
  CHECK(bench.end(0) == 6);  // 5 s of computation, and a message of 1 s
  CHECK(bench.streams.ranks[0].answers.front().now.s == 6);
}

TEST_CASE("two threads wait at the same time, and each goes on when its own message has come") {
  // Rank 1 sends to the second thread first. The first thread ends the run, after an operation of the second.
  LiveBench bench({{.ready = {apart(recv(1, 8, 1), 1), apart(recv(1, 8, 2), 2)},
                    .after_answer = {{finalize()}, {apart(send(1, 8, 3), 2)}}},
                   {.ready = {send(0, 8, 2), recv(0, 8, 3), compute(1), send(0, 8, 1), finalize()}}});
  bench.run();
  const auto& answers = bench.streams.ranks[0].answers;
  REQUIRE(answers.size() == 4);  // two receives, a send, the end
  CHECK((answers[0].thread == 2 && answers[0].now.s == 1));
  CHECK((answers[1].thread == 2 && answers[1].now.s == 1));  // a send is over at once
  CHECK((answers[2].thread == 1 && answers[2].now.s == 4));  // there and back 2 s, 1 s, and a message
}

TEST_CASE("a thread waits in a probe, a wait or a collective while others go on") {
  const std::vector<op::RequestId> requests{7};
  Bench bench(
      {{apart(probe(op::Kind::Probe, 1), 1), recv(1, 8, 0, 7), apart(on_requests(op::Kind::WaitAll, requests), 2),
        apart(collective_call(op::CollectiveKind::Barrier, 0, 0), 3), compute(9), finalize()},
       {send(0, 8), compute(3), collective_call(op::CollectiveKind::Barrier, 0, 0), finalize()}});
  REQUIRE_FALSE(bench.run());
  std::vector<double> answered(4);
  for (const auto& answer : bench.streams.answers[0]) answered[answer.reply.thread] = answer.reply.now.s;
  CHECK(answered[2] == 1);
  CHECK(answered[3] == 4);
  CHECK(bench.end(0) == 9);
}

TEST_CASE("an operation of no thread, or a thread inside of a thread, is no stream of MPI") {
  Bench bench({{apart(recv(0, 8), 0), finalize()}});
  CHECK_THROWS_AS(bench.run(), InputError);
}

TEST_CASE("who asks for the time while a late rank computes is told") {
  // Rank 0 computes until rank 1, which is ahead of it, has been told the time twice; messages stay for their time.
  class Slow final : public op::Streams {
   public:
    op::Pull next(WorldRank rank, op::Operation& operation) override {
      if (!ready(rank)) return op::Pull::NotYet;
      operation = left_[static_cast<std::size_t>(index(rank))].front();
      left_[static_cast<std::size_t>(index(rank))].pop_front();
      return op::Pull::Ready;
    }
    void wait(WorldRank rank) override {
      REQUIRE(index(rank) == 0);
      REQUIRE(++waits < 10);
    }
    bool ready(WorldRank rank) override {
      return (index(rank) == 1 || times.size() >= 2) && !left_[static_cast<std::size_t>(index(rank))].empty();
    }
    void reply(WorldRank rank, const op::Reply& reply) override {
      if (index(rank) == 1) times.push_back(reply.now.s);
    }
    bool computes(WorldRank rank) override { return index(rank) == 0 && !ready(rank); }
    std::vector<double> times;
    int waits = 0;

   private:
    std::array<std::deque<op::Operation>, 2> left_{
        std::deque<op::Operation>{compute(1), send(1, 8), finalize()},
        {compute(5), simple(op::Kind::Clock), compute(2), simple(op::Kind::Clock), recv(0, 8), finalize()}};
  };
  Slow streams;
  TwoRanks ranks(streams);
  REQUIRE_FALSE(ranks.simulation.run().has_value());
  CHECK(streams.times[0] == 5);
  CHECK(streams.times[1] == 7);
  CHECK(ranks.simulation.now() == SimTime{7});  // the message was there at 2
}

TEST_CASE("a rank that waits for something outside is not waited for until it speaks") {
  // Rank 1's answer makes rank 0 speak: a pipe, say.
  class Outside final : public op::Streams {
   public:
    op::Pull next(WorldRank rank, op::Operation& operation) override {
      auto& left = ready_[static_cast<std::size_t>(index(rank))];
      if (left.empty()) return op::Pull::NotYet;
      operation = left.front();
      left.pop_front();
      return op::Pull::Ready;
    }
    void wait(WorldRank rank) override { CHECK(index(rank) == 0); }
    bool ready(WorldRank rank) override { return !ready_[static_cast<std::size_t>(index(rank))].empty(); }
    bool waits_outside(WorldRank rank) override { return index(rank) == 0; }
    void reply(WorldRank rank, const op::Reply& reply) override {
      if (index(rank) == 1 && ready_[1].size() == 1) ready_[0] = {simple(op::Kind::Clock), finalize()};
      if (index(rank) == 0 && times.size() < 2) times.push_back(reply.now.s);
    }
    std::vector<double> times;

   private:
    std::array<std::deque<op::Operation>, 2> ready_{std::deque<op::Operation>{},
                                                    {compute(5), simple(op::Kind::Clock), finalize()}};
  };
  Outside streams;
  TwoRanks ranks(streams);
  REQUIRE_FALSE(ranks.simulation.run().has_value());
  REQUIRE_FALSE(streams.times.empty());
  CHECK(streams.times[0] == 5);
  CHECK(ranks.simulation.outside_waits() == 1);
}
