// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/kernel.hpp"

#include <array>

#include "base/error.hpp"
#include "catch.hpp"
#include "kernel/test_support.hpp"

using namespace orrery;
using namespace orrery::kernel;
using namespace orrery::kernel::testing;
using op::Kind;

// Unless a test says otherwise: latency 1 s, nothing per byte, no overheads; up to 1,000 bytes Asynchronous, up to
// 2,000 Detached.

TEST_CASE("computation takes its time scaled by the rank's host") {
  Bench bench({{compute(2)}, {compute(2)}});
  bench.config.compute_factor[1] = 0.5;
  REQUIRE_FALSE(bench.run());
  CHECK(bench.end(0) == 2);
  CHECK(bench.end(1) == 1);
  CHECK(bench.simulation->now().s == 2);
}

TEST_CASE("sleep takes nanoseconds and no processor") {
  auto sleep = simple(Kind::Sleep);
  sleep.bytes = {1'500'000'000};
  Bench bench({{sleep}});
  bench.config.compute_factor[0] = 7;
  bench.run();
  CHECK(bench.end(0) == 1.5);
}

TEST_CASE("an asynchronous send costs T1, its receive ends at max(t_s + T2, t_r) + T3") {
  // T1 = 0.25, T2 = 1, T3 = 0.5. Posted at 0: sender free at 0.25.
  SECTION("receive posted early: 0 + 1 + 0.5") {
    Bench bench({{send(1, 8)}, {recv(0, 8)}});
    bench.network.send_overhead = 0.25;
    bench.network.recv_overhead = 0.5;
    bench.run();
    CHECK(bench.end(0) == 0.25);
    CHECK(bench.end(1) == 1.5);
  }
  SECTION("receive posted late, at 3: 3 + 0.5") {
    Bench bench({{send(1, 8)}, {compute(3), recv(0, 8)}});
    bench.network.send_overhead = 0.25;
    bench.network.recv_overhead = 0.5;
    bench.run();
    CHECK(bench.end(1) == 3.5);
  }
}

TEST_CASE("a detached transfer waits for the receive, its sender does not") {
  // 1,500 bytes: Detached. Receive at 3, transfer 1: there at 4.
  Bench bench({{send(1, 1500)}, {compute(3), recv(0, 1500)}});
  bench.run();
  CHECK(bench.end(0) == 0);
  CHECK(bench.end(1) == 4);
}

TEST_CASE("a synchronous transfer starts when both are ready and releases the sender at its end") {
  SECTION("receiver late") {
    Bench bench({{send(1, 5000)}, {compute(3), recv(0, 5000)}});
    bench.run();
    CHECK(bench.end(0) == 4);
    CHECK(bench.end(1) == 4);
  }
  SECTION("sender late") {
    Bench bench({{compute(2), send(1, 5000)}, {recv(0, 5000)}});
    bench.run();
    CHECK(bench.end(0) == 3);
    CHECK(bench.end(1) == 3);
  }
}

TEST_CASE("an optimistic transfer starts at once, and again where no receive is posted when its envelope comes") {
  // 5,000 bytes take 1 + 5 s: there at 6.
  const auto ends = [](double receive_posted) {
    Bench bench({{send(1, 5000)}, {compute(receive_posted), recv(0, 5000)}});
    bench.network.long_protocol = network::Protocol::Optimistic;
    bench.network.per_byte = 1e-3;
    REQUIRE_FALSE(bench.run());
    CHECK(bench.end(0) == bench.end(1));  // the sender waits until the data are there
    return bench.end(1);
  };
  CHECK(ends(0) == Approx(6));
  CHECK(ends(1) == Approx(6));    // just in time for the envelope
  CHECK(ends(3) == Approx(12));   // dropped; fetched when what was dropped has left the links
  CHECK(ends(10) == Approx(16));  // dropped, fetched at 10
}

TEST_CASE("a synchronous-mode send of any size waits for its receive, a buffered one never does") {
  auto buffered = send(1, 5000, 1);
  buffered.mode = op::Mode::Buffered;
  Bench bench({{buffered, ssend(1, 8, 2)}, {compute(3), recv(0, 8, 2), recv(0, 5000, 1)}});
  bench.run();
  CHECK(bench.end(0) == 4);  // the ssend: 3 + 1; the buffered send took nothing
  CHECK(bench.end(1) == 5);  // 4, then the detached transfer from 4 on
}

TEST_CASE("an immediate send pays its overhead when it is posted") {
  const std::array<op::RequestId, 1> requests{1};
  Bench bench({{send(1, 8, 0, 1), compute(1), on_requests(Kind::WaitAll, requests)}, {recv(0, 8)}});
  bench.network.send_overhead = 0.25;
  bench.run();
  CHECK(bench.end(0) == 1.25);
}

TEST_CASE("communication overlaps with computation") {
  const std::array<op::RequestId, 1> requests{1};
  Bench bench({{send(1, 5000, 0, 1), compute(3), on_requests(Kind::WaitAll, requests)},
               {recv(0, 5000, 0, 1), compute(0.5), on_requests(Kind::WaitAll, requests)}});
  bench.run();
  CHECK(bench.end(0) == 3);
  CHECK(bench.end(1) == 1);
}

TEST_CASE("messages of one sender do not overtake each other, tags choose among them") {
  Bench bench({{send(1, 10, 5), send(1, 20, 6), send(1, 30, 5)},
               {recv(op::any_source, 0, 6), recv(op::any_source, 0, op::any_tag), recv(op::any_source, 0, 5)}});
  bench.run();
  const auto& answers = bench.streams.answers[1];
  REQUIRE(answers.size() == 3);
  CHECK(answers[0].reply.bytes.count == 20);
  CHECK(answers[0].reply.sequence == 1);
  CHECK(answers[1].reply.bytes.count == 10);
  CHECK(answers[2].reply.bytes.count == 30);
  CHECK(answers[2].reply.sequence == 2);
}

TEST_CASE("a receive of any source takes the envelope that arrives first, not the one that was sent first") {
  // Rank 1 sends at 0 but is 10 s away (arrives at 11), rank 2 sends at 2 (arrives at 3).
  Bench bench({{recv(op::any_source, 8), recv(op::any_source, 8)}, {send(0, 8)}, {compute(2), send(0, 8)}});
  bench.network.extra_latency[1] = 10;
  bench.run();
  const auto& answers = bench.streams.answers[0];
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].reply.source == 2);
  CHECK(answers[0].reply.now.s == 3);
  CHECK(answers[1].reply.source == 1);
  CHECK(answers[1].reply.now.s == 11);
}

TEST_CASE("at equal times the envelope of the smaller rank comes first") {
  Bench bench({{compute(5), recv(op::any_source, 8), recv(op::any_source, 8)}, {send(0, 8)}, {send(0, 8)}});
  bench.run();
  CHECK(bench.streams.answers[0][0].reply.source == 1);
  CHECK(bench.streams.answers[0][1].reply.source == 2);
}

TEST_CASE("an earlier receive of any source has the first claim on a message") {
  // Both receives fit the first message; the one posted first gets it, the named one gets the second.
  const std::array<op::RequestId, 2> both{1, 2};
  auto match = simple(Kind::Match);
  match.request = 1;
  Bench bench(
      {{recv(op::any_source, 8, op::any_tag, 1), recv(1, 8, op::any_tag, 2), on_requests(Kind::WaitAll, both), match},
       {send(0, 8, 3), send(0, 9, 4)}});
  REQUIRE_FALSE(bench.run());
  const auto& answers = bench.streams.answers[0];
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].reply.tag == 3);
  CHECK(answers[0].reply.sequence == 0);
}

TEST_CASE("waiting for all charges the overhead of receives one after the other, in the order of arrival") {
  // Arrivals at 1 (rank 2) and 4 (rank 1); T3 = 2 each: max(1,0)+2 = 3, max(4,3)+2 = 6. In list order it would be 8.
  const std::array<op::RequestId, 2> both{1, 2};
  Bench bench(
      {{recv(1, 8, 0, 1), recv(2, 8, 0, 2), on_requests(Kind::WaitAll, both)}, {compute(3), send(0, 8)}, {send(0, 8)}});
  bench.network.recv_overhead = 2;
  bench.run();
  CHECK(bench.end(0) == 6);
}

TEST_CASE("waiting for any answers with the first that completes") {
  const std::array<op::RequestId, 2> both{1, 2};
  const std::array<op::RequestId, 1> first{1};
  Bench bench(
      {{recv(1, 8, 0, 1), recv(2, 8, 0, 2), on_requests(Kind::WaitAny, both), on_requests(Kind::WaitAny, first)},
       {compute(3), send(0, 8)},
       {send(0, 8)}});
  bench.run();
  const auto& answers = bench.streams.answers[0];
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].completed == std::vector<std::uint32_t>{1});
  CHECK(answers[0].reply.now.s == 1);
  CHECK(answers[1].completed == std::vector<std::uint32_t>{0});
  CHECK(answers[1].reply.now.s == 4);
}

TEST_CASE("waiting for some answers with all that are complete at that time") {
  const std::array<op::RequestId, 3> three{1, 2, 3};
  Bench bench({{recv(1, 8, 0, 1), recv(2, 8, 0, 2), recv(1, 8, 1, 3), on_requests(Kind::WaitSome, three)},
               {send(0, 8, 1), compute(9), send(0, 8)},
               {send(0, 8)}});
  bench.run();
  CHECK(bench.streams.answers[0][0].completed == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("a test that finds nothing takes the cost of a poll, so that polling ends") {
  // Arrival at 1, polls of 0.25 s from 0 on: the fifth, at 1, finds it.
  const std::array<op::RequestId, 1> requests{1};
  const auto poll = on_requests(Kind::TestAll, requests);
  Bench bench({{recv(1, 8, 0, 1), poll, poll, poll, poll, poll}, {send(0, 8)}});
  bench.config.poll_cost = {0.25};
  REQUIRE_FALSE(bench.run());
  const auto& answers = bench.streams.answers[0];
  REQUIRE(answers.size() == 5);
  for (int i = 0; i < 4; ++i) CHECK_FALSE(answers[static_cast<std::size_t>(i)].reply.flag);
  CHECK(answers[4].reply.flag);
  CHECK(answers[4].reply.now.s == 1);
}

TEST_CASE("a probe waits for the envelope, and the message stays for the receive") {
  Bench bench(
      {{probe(Kind::Iprobe, 1), probe(Kind::Probe, op::any_source), recv(1, 8, 7)}, {compute(2), send(0, 8, 7)}});
  REQUIRE_FALSE(bench.run());
  const auto& answers = bench.streams.answers[0];
  REQUIRE(answers.size() == 2);
  CHECK_FALSE(answers[0].reply.flag);
  CHECK(answers[1].reply.flag);
  CHECK(answers[1].reply.tag == 7);
  CHECK(answers[1].reply.now.s == 3);
  CHECK(bench.end(0) == 3);
}

TEST_CASE("a message that a matched probe took is out of reach of other receives") {
  auto take = probe(Kind::Probe, 1);
  take.flags |= op::Take;
  auto matched = recv(1, 8);
  matched.flags |= op::Take;
  matched.element = 0;  // sequence of the first message
  Bench bench({{take, recv(1, 8, op::any_tag), matched}, {send(0, 8, 1), compute(5), send(0, 8, 2)}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.end(0) == 6);  // the plain receive had to wait for the second message
}

TEST_CASE("a receive that nothing matched can be cancelled, one that is matched cannot") {
  const std::array<op::RequestId, 1> first{1}, second{2};
  Bench bench(
      {{recv(1, 8, 5, 1), recv(1, 8, 6, 2), compute(3), on_requests(Kind::Cancel, first),
        on_requests(Kind::Cancel, second), on_requests(Kind::WaitAll, first), on_requests(Kind::WaitAll, second)},
       {send(0, 8, 6)}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.streams.answers[0][0].reply.flag);
  CHECK_FALSE(bench.streams.answers[0][1].reply.flag);
}

TEST_CASE("a send that is cancelled waits for no receive, and its message can be received later") {
  const std::array<op::RequestId, 1> requests{1};
  op::Operation start = ssend(1, 8, 6);
  start.request = 1;
  start.flags = op::FirstOfCall;
  Bench bench({{start, on_requests(Kind::Cancel, requests), on_requests(Kind::WaitAll, requests), send(1, 8, 7)},
               {recv(0, 8, 7), compute(5), recv(0, 8, 6)}});
  REQUIRE_FALSE(bench.run());
  CHECK_FALSE(bench.streams.answers[0][0].reply.flag);  // it succeeds instead (MPI-4.1, section 3.8.4)
  CHECK(bench.end(0) == 0);
  CHECK(bench.end(1) == 7);  // 1 s for the message of tag 7, 5 s of computation, 1 s for the other, which starts then
}

TEST_CASE("ranks whose datatypes differ, but not their signature, take part in the same algorithm") {
  using enum op::CollectiveKind;
  for (const op::CollectiveKind kind : {Bcast, Gather, Scatter, Allgather, Allgatherv}) {
    const std::vector<std::int64_t> counts(10, 20'000);
    std::vector<std::vector<op::Operation>> ranks;
    for (int rank = 0; rank < 10; ++rank) {
      op::Operation call = collective_call(kind, 20'000, 0);
      call.element = rank % 3 == 0 ? 20'000 : rank % 3 == 1 ? 4 : 1;
      call.extent = rank % 2 == 0 ? 40'000 : 0;
      if (kind == Allgatherv) call.counts = counts;
      ranks.push_back({call});
    }
    for (const collective::Algorithm& algorithm : collective::algorithms()) {
      if (algorithm.kind != kind || algorithm.inter || algorithm.topology) continue;
      INFO(collective::name(kind) << " by " << algorithm.name);
      Bench bench(ranks);
      bench.selector = collective::make_selector(
          "default", concat(collective::name(kind), "=", algorithm.name, algorithm.segments ? ":segment=4KiB" : ""));
      CHECK_FALSE(bench.run());
    }
  }
}

TEST_CASE("a collective is expanded into the messages of its algorithm") {
  // Barrier of four by dissemination: 2 rounds of 1 s each, 4 × 2 messages.
  Bench bench(std::vector<std::vector<op::Operation>>(4, {collective_call(op::CollectiveKind::Barrier, 0, 0)}));
  bench.selector = collective::make_selector("default", "barrier=dissemination");
  REQUIRE_FALSE(bench.run());
  CHECK(bench.simulation->now().s == 2);
  CHECK(bench.simulation->messages() == 8);
}

TEST_CASE("the run knows which algorithms served which routines, with their messages and bytes") {
  // Two broadcasts of 8 bytes to 3 others, and barriers of 2 × 4 messages.
  const auto bcast = [](std::int32_t number) { return collective_call(op::CollectiveKind::Bcast, 8, number); };
  auto barrier = collective_call(op::CollectiveKind::Barrier, 0, 2);
  barrier.routine = 7;
  Bench bench(std::vector<std::vector<op::Operation>>(4, {bcast(0), bcast(1), barrier}));
  bench.selector = collective::make_selector("default", "bcast=linear,barrier=dissemination");
  REQUIRE_FALSE(bench.run());
  const std::vector<AlgorithmUse> uses = bench.simulation->algorithm_use();
  REQUIRE(uses.size() == 2);
  CHECK(uses[0].choice.algorithm->name == "linear");
  CHECK(uses[0].calls == 8);
  CHECK(uses[0].messages == 6);
  CHECK(uses[0].bytes == Bytes{48});
  CHECK(uses[1].routine == 7);
  CHECK(uses[1].choice.algorithm->name == "dissemination");
  CHECK(uses[1].messages == 8);
}

TEST_CASE("a non-blocking collective goes on while its rank computes") {
  const std::array<op::RequestId, 1> requests{1};
  Bench bench(std::vector<std::vector<op::Operation>>(
      4, {collective_call(op::CollectiveKind::Barrier, 0, 0, 1), compute(5), on_requests(Kind::WaitAll, requests)}));
  bench.selector = collective::make_selector("default", "barrier=dissemination");
  REQUIRE_FALSE(bench.run());
  CHECK(bench.simulation->now().s == 5);
}

TEST_CASE("the end of a non-blocking collective is seen late, by who waits for it") {
  const std::array<op::RequestId, 1> requests{1};
  const auto end_s = [&](op::RequestId request, double computes_s, double late_s, std::size_t ranks = 4) {
    std::vector<op::Operation> operations{collective_call(op::CollectiveKind::Barrier, 0, 0, request)};
    if (computes_s > 0) operations.push_back(compute(computes_s));
    if (request != 0) operations.push_back(on_requests(Kind::WaitAll, requests));
    Bench bench(std::vector<std::vector<op::Operation>>(ranks, operations));
    bench.config.nonblocking = {late_s};
    REQUIRE_FALSE(bench.run());
    return bench.simulation->now().s;
  };
  CHECK(end_s(1, 0, 0.5, 1) == 0);  // nobody else
  CHECK(end_s(1, 0, 0.5) == Approx(end_s(1, 0, 0) + 0.5));
  CHECK(end_s(1, 5, 0.5) == 5);               // it was over long before
  CHECK(end_s(0, 0, 0.5) == end_s(0, 0, 0));  // a blocking one
}

TEST_CASE("a selector is told which calls are non-blocking") {
  struct Listener final : collective::Selector {
    [[nodiscard]] collective::Choice choose(const collective::Call& call) const override {
      heard.push_back(call.immediate);
      return {.algorithm = collective::find(call.kind, "linear")};
    }
    [[nodiscard]] std::string_view name() const override { return "listener"; }
    mutable std::vector<bool> heard;
  };
  const std::array<op::RequestId, 1> requests{1};
  Bench bench({{collective_call(op::CollectiveKind::Barrier, 0, 0),
                collective_call(op::CollectiveKind::Barrier, 0, 1, 1), on_requests(Kind::WaitAll, requests)}});
  auto listener = std::make_unique<Listener>();
  const std::vector<bool>& heard = listener->heard;
  bench.selector = std::move(listener);
  REQUIRE_FALSE(bench.run());
  CHECK(heard == std::vector<bool>{false, true});
}

TEST_CASE("blocking and non-blocking collectives may follow each other for ever") {
  // The receives of some ranks find their message there already, so that their own step completes them.
  const std::array<op::RequestId, 1> requests{1};
  std::vector<op::Operation> stream;
  for (int call = 0; call < 80; call += 4) {
    stream.push_back(collective_call(op::CollectiveKind::Reduce, 40, call));
    stream.push_back(collective_call(op::CollectiveKind::Reduce, 40, call + 1, 1));
    stream.push_back(on_requests(Kind::WaitAll, requests));
    stream.push_back(collective_call(op::CollectiveKind::Allreduce, 40, call + 2));
    stream.push_back(collective_call(op::CollectiveKind::Allreduce, 40, call + 3, 1));
    stream.push_back(on_requests(Kind::WaitAll, requests));
  }
  Bench bench(std::vector<std::vector<op::Operation>>(4, stream));
  bench.network.send_overhead = bench.network.recv_overhead = 0.1;
  CHECK_FALSE(bench.run());
}

TEST_CASE("messages of one collective never meet those of another or of the program") {
  Bench bench({{collective_call(op::CollectiveKind::Bcast, 8, 0), send(1, 16),
                collective_call(op::CollectiveKind::Bcast, 32, 1)},
               {recv(0, 16, 0, 1), collective_call(op::CollectiveKind::Bcast, 8, 0),
                collective_call(op::CollectiveKind::Bcast, 32, 1)}});
  REQUIRE_FALSE(bench.run());
  CHECK(bench.simulation->bytes().count == 56);
}

TEST_CASE("a deadlock names who waits for whom, and the circle") {
  Bench bench({{recv(1, 8, 7), send(1, 8)}, {recv(2, 8), send(2, 8)}, {recv(1, 16), send(0, 8)}});
  const auto deadlock = bench.run();
  REQUIRE(deadlock);
  REQUIRE(deadlock->waiting.size() == 3);
  CHECK(deadlock->waiting[0].peer == 1);
  CHECK(deadlock->waiting[0].tag == 7);
  CHECK(deadlock->waiting[2].bytes.count == 16);
  CHECK(deadlock->cycle == std::vector<std::int32_t>{1, 2});
}

TEST_CASE("large standard sends to each other deadlock, small ones do not") {
  Bench small({{send(1, 8), recv(1, 8)}, {send(0, 8), recv(0, 8)}});
  CHECK_FALSE(small.run());
  Bench large({{send(1, 5000), recv(1, 5000)}, {send(0, 5000), recv(0, 5000)}});
  const auto deadlock = large.run();
  REQUIRE(deadlock);
  CHECK(deadlock->cycle == std::vector<std::int32_t>{0, 1});
}

TEST_CASE("waiting for a rank that has ended is a deadlock without a circle") {
  Bench bench({{recv(1, 8)}, {}});
  const auto deadlock = bench.run();
  REQUIRE(deadlock);
  CHECK(deadlock->cycle.empty());
  REQUIRE(deadlock->waiting.size() == 1);
  CHECK(deadlock->waiting[0].peer_ended);
  CHECK_FALSE(deadlock->waiting[0].nearest);
}

TEST_CASE("a deadlock names the message that differs least from the one that is waited for") {
  Bench bench({{send(2, 4, 1)}, {send(2, 8, 3)}, {recv(0, 4, 2)}});
  const auto deadlock = bench.run();
  REQUIRE(deadlock);
  REQUIRE(deadlock->waiting.size() == 1);
  REQUIRE(deadlock->waiting[0].nearest);
  CHECK(deadlock->waiting[0].peer_ended);
  CHECK(deadlock->waiting[0].nearest->source == 0);
  CHECK(deadlock->waiting[0].nearest->tag == 1);
}

TEST_CASE("the profile of a rank adds up to its simulated time") {
  auto first = send(1, 8);
  first.routine = 3;
  auto second = recv(1, 8);
  second.routine = 4;
  Bench bench({{compute(2), first, second}, {recv(0, 8), compute(1), send(0, 8)}});
  bench.network.send_overhead = 0.5;
  bench.run();
  double total = 0;
  for (const ProfileRow& row : bench.simulation->profile()) {
    if (row.rank != 0) continue;
    total += row.time.s;
    if (row.routine == 3) {
      CHECK(row.calls == 1);
      CHECK(row.messages == 1);
      CHECK(row.time.s == 0.5);
    }
  }
  CHECK(total == bench.end(0));
}

TEST_CASE("streams that MPI does not allow are the user's error") {
  const std::array<op::RequestId, 1> requests{1};
  CHECK_THROWS_AS(Bench({{on_requests(Kind::WaitAll, requests)}}).run(), InputError);
  const std::array<op::RequestId, 2> one_twice{1, 1};
  CHECK_THROWS_AS(Bench({{send(1, 8, 0, 1), compute(9), on_requests(Kind::WaitAll, one_twice)}, {recv(0, 8)}}).run(),
                  InputError);
  CHECK_THROWS_AS(Bench({{send(5, 8)}}).run(), InputError);
  CHECK_THROWS_AS(Bench({{recv(5, 8)}}).run(), InputError);
  CHECK_THROWS_AS(Bench({{recv(-2, 8)}}).run(), InputError);
  CHECK_THROWS_AS(Bench({{probe(Kind::Probe, 5)}}).run(), InputError);
  CHECK_THROWS_AS(Bench({{simple(Kind::PhaseEnd)}}).run(), InputError);
}

TEST_CASE("an idle rank costs the kernel less than 1 KiB") {
  Bench bench({{compute(1)}});
  bench.run();
  CHECK(bench.simulation->bytes_per_idle_rank() < 1024);
}
