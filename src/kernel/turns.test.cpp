// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "catch.hpp"
#include "kernel/test_support.hpp"

namespace orrery::kernel {
namespace {

using namespace testing;

/// Messages take 1 s, and no work but what a test says.
struct Outcome {
  Times ends_s;
  std::vector<ProfileRow> profile;

  /// Time of a rank in a routine; routine 0: computation.
  [[nodiscard]] double time_s(std::uint32_t rank, op::RoutineId routine) const {
    for (const ProfileRow& row : profile)
      if (row.rank == rank && row.routine == routine) return row.time.s;
    return 0;
  }
};

Outcome run_sharing(const Streams& streams, const settings::Processors& shared) {
  Bench bench(streams);
  bench.config.node = sharing_node(shared);
  REQUIRE_FALSE(bench.run());
  Outcome outcome{.ends_s = {}, .profile = bench.simulation->profile()};
  for (const SimTime end : bench.simulation->end_of_ranks()) outcome.ends_s.push_back(end.s);
  return outcome;
}

Outcome run_on(std::uint32_t processors, const Streams& streams) {
  return run_sharing(streams, {.count = processors, .slice_s = 100});
}

op::Operation in_routine(op::RoutineId routine, op::Operation operation) {
  operation.routine = routine;
  return operation;
}

TEST_CASE("ranks that share processors compute one after the other") {
  const Streams four(4, {compute(10)});
  CHECK(run_on(0, four).ends_s == Times{10, 10, 10, 10});
  CHECK(run_on(4, four).ends_s == Times{10, 10, 10, 10});
  CHECK(run_on(2, four).ends_s == Times{10, 10, 20, 20});
  CHECK(run_on(1, four).ends_s == Times{10, 20, 30, 40});
}

TEST_CASE("with small slices ranks progress together") {
  // Two ranks on one processor, slices of 1 s: they end at 2 n - 1 and 2 n.
  const settings::Processors processor{.count = 1, .slice_s = 1};
  CHECK(run_sharing({{compute(10)}, {compute(10)}}, processor).ends_s == Times{19, 20});
  CHECK(run_sharing({{compute(10)}, {compute(2)}}, processor).ends_s == Times{12, 4});
}

TEST_CASE("a time slice counts all that a rank computes in one turn") {
  // Rank 0 computes 4 times 0.5 s without a pause, and gives way after 1 s.
  const settings::Processors processor{.count = 1, .slice_s = 1};
  const op::Operation half = compute(0.5);
  CHECK(run_sharing({{half, half, half, half}, {compute(3)}}, processor).ends_s == Times{3, 5});
  // Who has slept begins a new slice: rank 0 waits at 0.5 for a message that rank 1 sends at 1.
  CHECK(run_sharing({{half, recv(1, 8), compute(1)}, {half, send(0, 8), compute(3)}}, processor).ends_s ==
        Times{3.5, 5});
}

TEST_CASE("a rank keeps its processor from one computation to the next, and leaves it when it sleeps") {
  CHECK(run_on(1, {{compute(3), compute(3)}, {compute(1)}}).ends_s == Times{6, 7});
  // Rank 0 waits at 3 for a message that rank 1, whose turn it is then, sends at 4.
  CHECK(run_on(1, {{compute(3), recv(1, 8), compute(3)}, {compute(1), send(0, 8)}}).ends_s == Times{8, 4});
}

TEST_CASE("a rank whose message is there waits for its turn in its call") {
  // Rank 0 sleeps from 0 on. Its message is there at 2, but rank 2 has the processor from 1 to 11.
  const Outcome late = run_on(1, {{in_routine(7, recv(1, 8)), compute(1)}, {compute(1), send(0, 8)}, {compute(10)}});
  CHECK(late.ends_s == Times{12, 1, 11});
  CHECK(late.time_s(0, 7) == 11);
  CHECK(late.time_s(0, 0) == 1);
}

TEST_CASE("who gives way after a slice waits outside of MPI") {
  const Outcome sliced = run_sharing({{compute(10)}, {compute(10)}}, {.count = 1, .slice_s = 1});
  CHECK(sliced.time_s(0, 0) == 19);
  CHECK(sliced.time_s(1, 0) == 20);  // and one before it began
}

TEST_CASE("who slept for several messages handles all that came before its turn") {
  const std::array<op::RequestId, 2> both{1, 2};
  const std::vector<op::Operation> receiver = {recv(1, 8, 0, 1), recv(2, 8, 0, 2),
                                               on_requests(op::Kind::WaitAll, both)};
  const settings::Processors processor{
      .count = 1, .send_work_s = 0, .recv_work_s = 1, .wake_work_s = 4, .slice_s = 100};
  // Messages are there at 1; rank 3 computes from 0 to 10. One waking and two receives.
  CHECK(run_sharing({receiver, {send(0, 8)}, {send(0, 8)}, {compute(10)}}, processor).ends_s == Times{16, 0, 0, 10});
  // With nobody else: the first at 1, ready at 6; the second came meanwhile.
  CHECK(run_sharing({receiver, {send(0, 8)}, {send(0, 8)}}, processor).ends_s == Times{7, 0, 0});
}

TEST_CASE("a message that wakes an idle processor waits for it, one that finds processors busy does not") {
  const settings::Processors processor{.count = 1, .recv_work_s = 1, .idle_wake_s = 3, .slice_s = 100};
  const std::vector<op::Operation> receiver = {recv(1, 8)};
  // There at 2, handled from 5 to 6: rank 1 is over at 1.
  CHECK(run_sharing({receiver, {compute(1), send(0, 8)}}, processor).ends_s == Times{6, 1});
  // Rank 1 has the processor until 6.
  CHECK(run_sharing({receiver, {compute(1), send(0, 8), compute(5)}}, processor).ends_s == Times{7, 6});
  // Who is awake when it comes sleeps on no processor.
  CHECK(run_sharing({{compute(4), recv(1, 8)}, {send(0, 8)}}, {.count = 2, .idle_wake_s = 3, .slice_s = 100}).ends_s ==
        Times{4, 0});
}

TEST_CASE("what comes while a processor wakes is handled in the same turn") {
  const std::array<op::RequestId, 2> both{1, 2};
  const std::vector<op::Operation> receiver = {recv(1, 8, 0, 1), recv(2, 8, 0, 2),
                                               on_requests(op::Kind::WaitAll, both)};
  const settings::Processors two{.count = 2, .recv_work_s = 1, .wake_work_s = 4, .idle_wake_s = 3, .slice_s = 100};
  // There at 1 and 3; awake at 4: one waking of the rank and two receives.
  CHECK(run_sharing({receiver, {send(0, 8)}, {compute(2), send(0, 8)}}, two).ends_s[0] == 4 + 5 + 1);
  // The second is there at 21, in a sleep of its own.
  CHECK(run_sharing({receiver, {send(0, 8)}, {compute(20), send(0, 8)}}, two).ends_s[0] == 21 + 3 + 5);
}

TEST_CASE("a rank that sleeps or polls in vain leaves its processor") {
  op::Operation sleep = simple(op::Kind::Sleep);
  sleep.bytes = {5'000'000'000};
  CHECK(run_on(1, {{sleep, compute(1)}, {compute(3)}}).ends_s == Times{6, 3});
}

TEST_CASE("ranks that see the end of a collective late do not keep each other from it") {
  const std::array<op::RequestId, 1> requests{1};
  const std::vector<op::Operation> operations{collective_call(op::CollectiveKind::Barrier, 0, 0, 1),
                                              on_requests(op::Kind::WaitAll, requests)};
  const auto end_s = [&](double late_s) {
    Bench bench(std::vector<std::vector<op::Operation>>(4, operations));
    bench.config.node = sharing_node({.count = 1, .send_work_s = 0.1, .slice_s = 100});
    bench.config.nonblocking = {late_s};
    REQUIRE_FALSE(bench.run());
    return bench.simulation->now().s;
  };
  CHECK(end_s(50) == Approx(end_s(0) + 50).epsilon(0.02));
}

TEST_CASE("frames of a message hold up ranks that have a turn, unless a processor was idle meanwhile") {
  const auto ends_s = [](std::uint32_t processors) {
    Bench bench({{send(1, 8)}, {recv(0, 8)}, {compute(10), compute(5)}});
    bench.network.frames_each = 2;
    bench.config.node = sharing_node({.count = processors, .frame_work_s = 3, .slice_s = 100});
    REQUIRE_FALSE(bench.run());
    return Times{bench.end(1), bench.end(2)};
  };
  // The message is there at 1. Rank 2 has the one processor: its second computation is held up for 3 s, rank 1 comes
  // after it.
  CHECK(ends_s(1) == Times{18, 18});
  // A second one was idle for 1 s while the message was on its way; rank 1, which wakes at 1, is held up for the rest.
  CHECK(ends_s(2) == Times{3, 15});
}

TEST_CASE("when others wait a message takes its work, else its overhead") {
  const auto ends_s = [](std::uint32_t processors) {
    Bench bench({{compute(1), send(1, 8), send(1, 8)}, {compute(1)}});
    bench.network.send_overhead = 5;
    bench.config.node = sharing_node({.count = processors, .send_work_s = 2, .slice_s = 100});
    REQUIRE_FALSE(bench.run());
    return bench.end(0);
  };
  CHECK(ends_s(2) == 11);
  CHECK(ends_s(1) == 5);
}

TEST_CASE("processors that cannot be are refused") {
  Bench bench({{compute(1)}});
  bench.config.node.processors = settings::Processors{.count = 1, .slice_s = 0};
  CHECK_THROWS_WITH(bench.run(), "node.processors.slice_s is 0, but must be more than 0");
}

}  // namespace
}  // namespace orrery::kernel
