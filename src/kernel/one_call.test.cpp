// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/one_call.hpp"

#include "catch.hpp"
#include "kernel/test_support.hpp"

namespace orrery::kernel {
namespace {

Config ranks(int size) {
  Config config;
  for (int rank = 0; rank < size; ++rank) config.host_of_rank.push_back(static_cast<platform::HostId>(rank));
  config.compute_factor.assign(static_cast<std::size_t>(size), 1);
  return config;
}

CallCost cost(const collective::WholeCall& call, std::string_view algorithm, testing::PlainNetwork network = {}) {
  return cost_of_call(call, collective::named_choice(call, algorithm, {}, 0), ranks(call.size), network);
}

TEST_CASE("recursive doubling on 8 ranks is three exchanges, one after the other") {
  const CallCost found = cost({.kind = collective::CollectiveKind::Allreduce, .size = 8, .bytes = {64}, .element = 8},
                              "recursive_doubling");
  CHECK(found.time.s == 3.0);  // a message takes 1 s
  CHECK(found.messages == 24);
  CHECK(found.bytes == Bytes{24 * 64});
}

TEST_CASE("a call ends when its last rank goes on, not when the root does") {
  testing::PlainNetwork network;
  network.send_overhead = 0.25;
  // The root pays for three sends; the last of them starts after two and arrives 1 s later.
  const CallCost found = cost({.kind = collective::CollectiveKind::Bcast, .size = 4, .bytes = {8}}, "linear", network);
  CHECK(found.time.s == 1.5);
}

TEST_CASE("a non-blocking call is made by the immediate form of its algorithm, and waited for") {
  // One element of 8 bytes takes 64 KiB: a message of its own, but the immediate form sends such blocks whole.
  collective::WholeCall call{
      .kind = op::CollectiveKind::Allgatherv, .size = 2, .bytes = {800}, .element = 8, .extent = 65536};
  CHECK(cost(call, "pipelined_ring").messages == 200);
  call.immediate = true;
  const CallCost found = cost(call, "pipelined_ring");
  CHECK(found.messages == 2);
  CHECK(found.time.s == 1.0);  // a message takes 1 s
}

TEST_CASE("blocks of calls with counts are all alike") {
  using enum op::CollectiveKind;
  for (const auto kind : {Gatherv, Scatterv, Allgatherv, Alltoallv, ReduceScatter}) {
    const collective::WholeCall call{.kind = kind, .size = 3, .root = 1, .bytes = {24}, .element = 8};
    const auto selector = collective::make_selector();
    testing::PlainNetwork network;
    const CallCost found = cost_of_call(call, collective::chosen(call, *selector), ranks(3), network);
    CHECK(found.messages > 0);
    CHECK(found.time.s >= 1.0);
  }
}

TEST_CASE("a timed call begins when its rank leaves the barrier, which may be late") {
  const auto selector = collective::make_selector();
  testing::PlainNetwork network;
  // Rank 0 sends the number of calls and is a message of 1 s ahead of rank 1 at the first barrier. That one finds rank
  // 0's message there and goes on at once, rank 0 waits another second for its: now it is the late one. So it goes on,
  // and the first in the call waits for 2 s, instead of 1 s, for the other's message.
  const collective::WholeCall call{
      .kind = collective::CollectiveKind::Allreduce, .size = 2, .bytes = {8}, .element = 8};
  const std::vector<Duration> longest = timed_calls(call, *selector, ranks(2), network, 4);
  REQUIRE(longest.size() == 4);
  for (const Duration duration : longest) CHECK(duration.s == Approx(2.0));
}

TEST_CASE("ranks that share a processor take turns to handle their messages") {
  const platform::Platform star(
      "star",
      {{.name = "star", .nodes = 4, .cores = 1, .bandwidth_bytes_per_s = 1e9, .memory_bandwidth_bytes_per_s = 1e9}},
      {});
  const collective::WholeCall call{.kind = collective::CollectiveKind::Barrier, .size = 4};
  const auto time_s = [&](std::uint32_t processors) {
    const auto transport = transport::make_transport(
        std::make_unique<network::Hybrid>(star, settings::Network{.between_nodes = {{}}, .inside_node = {{}}}, 0),
        {.connections = settings::Connections{}});
    Config config = ranks(4);
    config.node = testing::sharing_node({.count = processors, .send_work_s = 1, .recv_work_s = 1});
    const auto choice = collective::named_choice(call, "recursive_doubling", {}, 0);
    return cost_of_call(call, choice, std::move(config), *transport).time.s;
  };
  CHECK(time_s(0) == Approx(0).margin(1e-6));  // nothing else costs anything
  // Two exchanges: 8 messages of 1 s to send and 1 s to receive. A rank handles four times, one after the other: 4 s at
  // least; one processor needs 16 s for all, less what is not made up for when nothing follows.
  CHECK(time_s(1) > 8);
  CHECK(time_s(1) <= 16);
  CHECK(time_s(2) > 4);
  CHECK(time_s(2) <= 8);
}

TEST_CASE("no repetition, no time") {
  testing::PlainNetwork network;
  const collective::WholeCall call{.kind = collective::CollectiveKind::Barrier, .size = 2};
  CHECK(timed_calls(call, *collective::make_selector(), ranks(2), network, 0).empty());
}

TEST_CASE("as many places as ranks are needed") {
  const collective::WholeCall call{.kind = collective::CollectiveKind::Barrier, .size = 4};
  testing::PlainNetwork network;
  CHECK_THROWS(cost_of_call(call, collective::named_choice(call, "linear", {}, 0), ranks(3), network));
}

}  // namespace
}  // namespace orrery::kernel
